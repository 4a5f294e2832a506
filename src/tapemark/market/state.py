"""The state of the markets: of each symbol of each venue the ticker, the reference prices and the order book.

Guarantees:

- Ticker and reference are immutable records, each swapped in one assignment: a reader in any thread sees one
  that was written, whole, and never blocks the writer. Each is as its own last message said, so a reader of
  both may see them of different messages. The book has its own guarantee: see `tapemark.market.book`.
- A record that is older by the venue's clock than the one that is there is not written. Of two with the same
  time the later written counts.
- A reference may leave out what it says nothing of (None): what was known of that stays, and the record then
  carries the newer times.
- Prices and sizes of tickers and books are whole ticks and steps inside; `quote`, `best_of_book` and the
  scale give exact decimals at the edge. Mark, index and funding do not lie on the grid: they are decimals.
- Symbols are of ASCII and kept in canonical upper case. A symbol in that case costs one look-up; any other
  case finds the same market, more slowly; a look-alike of another script finds none.

Left to the caller: one writer thread for each venue; to iterate over a copy of `markets` while another thread
adds to it; records whose ticks belong to the market's own scale.
"""

import enum
from decimal import Decimal

import msgspec

from tapemark.errors import InvalidArgument
from tapemark.market.book import OrderBook
from tapemark.market.orders import ENDED_CAPACITY, OrderStates, canonical
from tapemark.market.scale import Scale
from tapemark.market.views import BookStatus, Top
from tapemark.model import Quote


class Venue(enum.Enum):
    """The venues whose markets are kept."""

    DERIVE = "derive"
    LIGHTER = "lighter"


class Ticker(msgspec.Struct, frozen=True, gc=False):
    """Best bid and ask as the venue's ticker says; a side that it left out is None in price and size.

    Attributes:
        bid_ticks: Best bid's price in ticks.
        bid_steps: Its size in size steps.
        ask_ticks: Best ask's price in ticks.
        ask_steps: Its size in size steps.
        event_ms: The venue's time of it, in milliseconds.
        recv_ns: When it was received, in nanoseconds.
    """

    bid_ticks: int | None
    bid_steps: int | None
    ask_ticks: int | None
    ask_steps: int | None
    event_ms: int
    recv_ns: int


class Reference(msgspec.Struct, frozen=True, gc=False):
    """The prices that margin and funding follow from; None where the venue has said nothing.

    Attributes:
        mark: Mark price.
        index: Index price.
        funding: Funding rate, a fraction of notional for the venue's interval.
        event_ms: The venue's time of the last message that said any of them, in milliseconds.
        recv_ns: When that was received, in nanoseconds.
    """

    mark: Decimal | None
    index: Decimal | None
    funding: Decimal | None
    event_ms: int
    recv_ns: int


class Market:
    """One symbol of one venue; `ticker` and `reference` are None until the first was written.

    Args:
        symbol: The symbol in canonical case.
        scale: The steps of its prices and sizes.
        depth: How many levels a side the book keeps; all when None.

    Raises:
        InvalidArgument: The depth is not a positive integer.
    """

    __slots__ = ("book", "reference", "scale", "symbol", "ticker")

    def __init__(self, symbol: str, scale: Scale, depth: int | None = None) -> None:
        self.symbol = symbol
        self.scale = scale
        self.book = OrderBook(depth, symbol)
        self.ticker: Ticker | None = None
        self.reference: Reference | None = None


class VenueState:
    """The markets of one venue, and the own orders there.

    Args:
        venue: Which venue.
        ended_capacity: How many ended orders are remembered; see `OrderStates`.

    Raises:
        InvalidArgument: It is no venue, or the capacity is not a positive integer.

    Attributes:
        venue: Which venue.
        markets: The markets by canonical symbol, in the order in which they were added.
        orders: The own orders.
    """

    __slots__ = ("markets", "orders", "venue")

    def __init__(self, venue: Venue, ended_capacity: int = ENDED_CAPACITY) -> None:
        if type(venue) is not Venue:
            raise InvalidArgument("venue", "a Venue", venue)
        self.venue = venue
        self.markets: dict[str, Market] = {}
        self.orders = OrderStates(ended_capacity)

    def add(self, symbol: str, tick_size: Decimal, size_step: Decimal, depth: int | None = None) -> Market:
        """Open the market of a symbol, with nothing known of it yet.

        Args:
            symbol: The venue's name of it in ASCII, in any case.
            tick_size: Smallest price step.
            size_step: Smallest size step.
            depth: How many levels a side the book keeps; all when None.

        Raises:
            InvalidArgument: The symbol is empty, not of ASCII or known, or a step or the depth is not
                positive.
        """
        if type(symbol) is not str or not symbol.strip() or not symbol.isascii():
            raise InvalidArgument("symbol", "a name in ASCII that is not empty", symbol)
        name = canonical(symbol)
        if name in self.markets:
            raise InvalidArgument("symbol", f"one that {self.venue.value} does not have yet", symbol)
        market = self.markets[name] = Market(name, Scale(tick_size, size_step), depth)
        return market

    def market(self, symbol: str) -> Market:
        """Return the market of a symbol, in whichever case it is written.

        Raises:
            InvalidArgument: The symbol was not added.
        """
        found = self.markets.get(symbol)
        if found is None and type(symbol) is str:
            found = self.markets.get(canonical(symbol))
        if found is None:
            raise InvalidArgument("symbol", f"one that was added to {self.venue.value}", symbol)
        return found

    def write_ticker(self, symbol: str, ticker: Ticker) -> bool:
        """Replace the ticker of a symbol; False when the one that is there is newer.

        Raises:
            InvalidArgument: The symbol was not added.
        """
        try:
            market = self.markets[symbol]
        except KeyError:
            market = self.market(symbol)
        known = market.ticker
        if known is not None and ticker.event_ms < known.event_ms:
            return False
        market.ticker = ticker
        return True

    def write_reference(self, symbol: str, reference: Reference) -> bool:
        """Replace what the reference says of a symbol; False when the one that is there is newer.

        Raises:
            InvalidArgument: The symbol was not added.
        """
        try:
            market = self.markets[symbol]
        except KeyError:
            market = self.market(symbol)
        known = market.reference
        if known is not None:
            if reference.event_ms < known.event_ms:
                return False
            if reference.mark is None or reference.index is None or reference.funding is None:
                reference = _completed(reference, known)
        market.reference = reference
        return True

    def quote(self, symbol: str) -> Quote | None:
        """Return the ticker of a symbol in exact decimals; None when there was none yet.

        Raises:
            InvalidArgument: The symbol was not added.
        """
        market = self.market(symbol)
        ticker = market.ticker
        return None if ticker is None else _quote(market, ticker, ticker.event_ms)

    def best_of_book(self, symbol: str) -> Quote | None:
        """Return the best levels of a symbol's book in exact decimals; None unless the book is live.

        `event_ms` is the venue's engine's time, cut to milliseconds.

        Raises:
            InvalidArgument: The symbol was not added.
        """
        market = self.market(symbol)
        top = market.book.top
        return _quote(market, top, top.event_us // 1_000) if top.status is BookStatus.LIVE else None


class MarketState:
    """The state of several venues."""

    __slots__ = ("_venues",)

    def __init__(self) -> None:
        self._venues: dict[Venue, VenueState] = {}

    def add_venue(self, venue: Venue, ended_capacity: int = ENDED_CAPACITY) -> VenueState:
        """Open a venue, with no markets yet; the arguments are those of `VenueState`.

        Raises:
            InvalidArgument: It is no venue, or was added before; or the capacity is not a positive integer.
        """
        if venue in self._venues:
            raise InvalidArgument("venue", "one that was not added yet", venue)
        state = self._venues[venue] = VenueState(venue, ended_capacity)
        return state

    def of(self, venue: Venue) -> VenueState:
        """Return the state of a venue.

        Raises:
            InvalidArgument: The venue was not added.
        """
        state = self._venues.get(venue)
        if state is None:
            raise InvalidArgument("venue", "one that was added", venue)
        return state


def require_state_of(venue: Venue, state: object) -> None:
    """Refuse what is not the state of a venue, for that venue's route.

    Raises:
        InvalidArgument: It is another venue's state, or none.
    """
    if not isinstance(state, VenueState) or state.venue is not venue:
        came = state.venue if isinstance(state, VenueState) else state
        raise InvalidArgument("state", f"that of {venue}", came)


def _completed(newer: Reference, known: Reference) -> Reference:
    """Take from the older record what the newer says nothing of."""
    return Reference(
        known.mark if newer.mark is None else newer.mark,
        known.index if newer.index is None else newer.index,
        known.funding if newer.funding is None else newer.funding,
        newer.event_ms,
        newer.recv_ns,
    )


def _quote(market: Market, best: Ticker | Top, event_ms: int) -> Quote:
    price, size = market.scale.prices.exact, market.scale.sizes.exact
    return Quote(
        market.symbol,
        None if best.bid_ticks is None else price(best.bid_ticks),
        None if best.bid_steps is None else size(best.bid_steps),
        None if best.ask_ticks is None else price(best.ask_ticks),
        None if best.ask_steps is None else size(best.ask_steps),
        event_ms,
        best.recv_ns,
    )
