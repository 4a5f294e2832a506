"""Route the frames of Lighter's order-book feed into the venue's state, each book kept in step by its nonces.

Format: the frames that `tapemark.lighter.decode` reads, which carry order books alone: of this venue the
state gets no ticker, no reference prices and no orders. Which symbol a market's number stands for, the caller
says. What becomes of a frame is the business of `tapemark.lighter.sync`, one of which stands here for each
market: a lost update drops the book and asks for a new subscription.

Guarantees: a frame that cannot be decoded changes nothing, and one that does not raise changes nothing before
it is written. An update with a text that is no price or size of its market is lost, hence drops that book,
and no other: `parse` itself does so, since there is nothing to write.

Left to the caller: one thread that writes, to subscribe on each connection and say so by `reconnected`, and
to subscribe anew when `resubscribe` asks for it.

Source: the venue's WebSocket reference.
"""

from collections import Counter
from collections.abc import Callable, Mapping

from tapemark.errors import InvalidArgument
from tapemark.lighter import decode, wire
from tapemark.lighter.sync import (
    RETRY_NS,
    BookSync,
    Outcome,
    SnapshotWrite,
    UpdateWrite,
    require_all_levels,
)
from tapemark.market.route import Skip
from tapemark.market.state import Venue, VenueState, require_state_of

_MAX_MARKET_ID = 999_999_999


class LighterRoute:
    """Turn raw frames into writes of one venue's books.

    Args:
        state: What is written; what the books of `symbols` hold is dropped.
        symbols: The symbols by the market's number; all were added to `state`, with books of all depths.
        resubscribe: Asks for a new subscription to the market whose number it is given; it must neither raise
            nor wait for the answer.
        retry_ns: How long a book may go without what it waits for; see `tapemark.lighter.sync.BookSync`.

    Attributes:
        skipped: How often a frame made no write, by reason.

    Raises:
        InvalidArgument: The state is not Lighter's, a market's number is none, a symbol is not in the state,
            two numbers stand for one, a book keeps a fixed depth, or `retry_ns` is not an integer above zero.
            Nothing was dropped.
    """

    __slots__ = ("_syncs", "skipped")

    def __init__(
        self,
        state: VenueState,
        symbols: Mapping[int, str],
        resubscribe: Callable[[int], None],
        retry_ns: int = RETRY_NS,
    ) -> None:
        require_state_of(Venue.LIGHTER, state)
        for market_id in symbols:
            if type(market_id) is not int or not 0 <= market_id <= _MAX_MARKET_ID:
                raise InvalidArgument("symbols", f"market numbers of 0 to {_MAX_MARKET_ID}", market_id)
        markets = {market_id: state.market(symbol) for market_id, symbol in symbols.items()}
        if len({market.symbol for market in markets.values()}) < len(markets):
            raise InvalidArgument("symbols", "each symbol once, since a book has one feed", dict(symbols))
        for market in markets.values():
            require_all_levels(market.book)
        self._syncs: dict[str, BookSync] = {}
        for market_id, market in markets.items():
            sync = BookSync(market_id, market.book, market.scale, resubscribe, retry_ns)
            # A subscription is asked for with `/` and answered with `:`.
            self._syncs[f"order_book:{market_id}"] = self._syncs[f"order_book/{market_id}"] = sync
        self.skipped: Counter[Skip] = Counter()

    def reconnected(self) -> None:
        """Start again with a new connection: drop all books and wait for their snapshots."""
        for sync in set(self._syncs.values()):
            sync.reconnected()

    def handle(self, raw: bytes, recv_ns: int) -> Outcome | None:
        """Parse one frame and write what it says; tell what became of it, None where it made no write.

        Args:
            raw: The frame's UTF-8 JSON, as bytes; that it is, is not checked.
            recv_ns: When it was received; see `tapemark.market.route` for the clock.

        Raises:
            InvalidFrame: As for `parse`; or a price is zero, with the same consequence as a bad text.
        """
        prepared = self.parse(raw, recv_ns)
        return None if prepared is None else prepared.write()

    def parse(self, raw: bytes, recv_ns: int) -> SnapshotWrite | UpdateWrite | None:
        """Decode one frame, find its market, and convert its texts; None where it makes no write.

        Args:
            raw: The frame's UTF-8 JSON, as bytes; that it is, is not checked.
            recv_ns: When it was received; see `tapemark.market.route` for the clock.

        Raises:
            InvalidFrame: The frame is not well-formed, or a text is no price or size of its market; what that
                does to the market's book, see `tapemark.lighter.sync`.
        """
        message = decode.frame(raw)
        if type(message) is wire.BookUpdate:
            sync = self._syncs.get(message.channel)
            if sync is not None:
                return sync.parse_update(message, recv_ns)
        elif type(message) is wire.BookSnapshot:
            sync = self._syncs.get(message.channel)
            if sync is not None:
                return sync.parse_snapshot(message, recv_ns)
        else:
            self.skipped[Skip.UNKNOWN_MESSAGE] += 1
            return None
        self.skipped[Skip.UNKNOWN_SYMBOL] += 1
        return None
