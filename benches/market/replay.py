"""The state of both venues that a session is replayed into, and what it must be at the end."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from benches.market.session import DERIVE, LIGHTER, Frame, Session
from tapemark.derive.route import DeriveRoute
from tapemark.lighter.route import LighterRoute
from tapemark.market.book import OrderBook
from tapemark.market.route import Skip, Write
from tapemark.market.scale import Scale
from tapemark.market.state import Market, MarketState, Venue
from tapemark.market.views import BookStatus

Parse = Callable[[bytes, int], Write | None]
Handle = Callable[[bytes, int], object]


class Replayed:
    """A fresh state of a session's symbols, with a route for each venue.

    Attributes:
        derive: The state of the Derive venue.
        lighter: That of Lighter.
        asked: The markets of Lighter for which a new subscription was asked.
        parse: By the letter of a frame's line, what parses it.
        handle: In the same way, what parses it and writes.
        reconnected: Tells Lighter's route of a new connection, on which its frames begin anew.
    """

    def __init__(self, session: Session) -> None:
        state = MarketState()
        self.derive, self.lighter = state.add_venue(Venue.DERIVE), state.add_venue(Venue.LIGHTER)
        symbols: dict[int, str] = {}
        for listed in session.listings:
            state.of(Venue(listed.venue)).add(listed.symbol, listed.tick_size, listed.size_step, listed.depth)
            if listed.market_id is not None:
                symbols[listed.market_id] = listed.symbol
        self.asked: list[int] = []
        self._routes = (
            DeriveRoute(self.derive),
            LighterRoute(self.lighter, symbols, self.asked.append),
        )
        derive, lighter = self._routes
        self.reconnected = lighter.reconnected
        self.parse: dict[str, Parse] = {DERIVE: derive.parse, LIGHTER: lighter.parse}
        self.handle: dict[str, Handle] = {DERIVE: derive.handle, LIGHTER: lighter.handle}
        self._books = {market_id: self.lighter.market(symbol).book for market_id, symbol in symbols.items()}

    def lighter_book(self, market_id: int) -> OrderBook:
        """Give the book of one of Lighter's markets, to write to it past its chain of nonces."""
        return self._books[market_id]

    def play(self, frames: list[Frame]) -> None:
        """Handle every frame."""
        handle = self.handle
        for venue, recv_ns, raw in frames:
            handle[venue](raw, recv_ns)

    def check(self, session: Session) -> None:
        """Check that the session lost nothing and led where the plain model says, number by number."""
        # A session that was played again is late; had anything of it been lost, the state would show it.
        skipped = [route.skipped for route in self._routes if route.skipped.keys() - {Skip.LATE}]
        assert not skipped, skipped
        assert not self.asked, f"resubscribed to {self.asked}"
        expected = session.expected
        for venue in (self.derive, self.lighter):
            told = expected["markets"][venue.venue.value]
            assert told.keys() == venue.markets.keys()
            for symbol, market in venue.markets.items():
                assert found_market(market) == _exact(told[symbol]), symbol
        assert len(self.derive.orders) == len(expected["orders"])
        for order_id, told in expected["orders"].items():
            state = self.derive.orders.find(order_id)
            assert state is not None, order_id
            found = (state.report.symbol, state.phase.name.lower(), state.filled_size)
            assert found == (told["symbol"], told["phase"], Decimal(told["filled_size"])), order_id


def found_market(market: Market) -> dict[str, Any]:
    """Give a market in the form in which the plain model tells it, in exact decimals."""
    return {
        "ticker": _ticker(market),
        "reference": _reference(market),
        "book": _book(market.book, market.scale),
    }


def _ticker(market: Market) -> dict[str, Any] | None:
    ticker = market.ticker
    if ticker is None:
        return None
    price, size = market.scale.prices.exact, market.scale.sizes.exact
    return {
        "bid_price": None if ticker.bid_ticks is None else price(ticker.bid_ticks),
        "bid_size": None if ticker.bid_steps is None else size(ticker.bid_steps),
        "ask_price": None if ticker.ask_ticks is None else price(ticker.ask_ticks),
        "ask_size": None if ticker.ask_steps is None else size(ticker.ask_steps),
        "event_ms": ticker.event_ms,
        "recv_ns": ticker.recv_ns,
    }


def _reference(market: Market) -> dict[str, Any] | None:
    reference = market.reference
    if reference is None:
        return None
    return {name: getattr(reference, name) for name in reference.__struct_fields__}


def _book(book: OrderBook, scale: Scale) -> dict[str, Any] | None:
    top = book.top
    if top.status is BookStatus.EMPTY:
        return None
    price, size = scale.prices.exact, scale.sizes.exact
    bids, asks = (
        {price(ticks): size(steps) for ticks, steps in side} for side in book.view().depth(len(book))
    )
    times = {name: getattr(top, name) for name in ("sequence", "event_us", "sent_ms", "recv_ns")}
    return {"bids": list(bids.items()), "asks": list(asks.items())} | times


def _exact(told: Any) -> Any:
    """Turn the model's texts into decimals, and the sides of its books into their levels in order."""
    match told:
        case str():
            return Decimal(told)
        case {"bids": bids, "asks": asks, **times}:
            sides = {"bids": bids, "asks": asks}
            levels = {
                name: [(Decimal(price), Decimal(size)) for price, size in side.items()]
                for name, side in sides.items()
            }
            return levels | times
        case dict():
            return {name: _exact(part) for name, part in told.items()}
    return told
