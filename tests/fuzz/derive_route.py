"""What a frame of Derive may do to a state: every way out of the route, held against the state before.

A route whose state holds a ticker, a book and an order gets one frame. A frame that is refused has changed
nothing, a crossed book is dropped and nothing else, and what was written is what the frame's texts say, read
with `Decimal`. Whether the frame's fields were decoded right, `derive_model` checks.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from tapemark.derive import decode, wire
from tapemark.derive.route import DeriveRoute
from tapemark.errors import CrossedBook, IllegalTransition, InvalidFrame
from tapemark.market.route import Skip
from tapemark.market.state import Market, Venue, VenueState
from tapemark.market.views import BookStatus
from tests.fuzz.campaign import EscapeError

_SYMBOLS = ("ETH-PERP", "ETH-20270326-2800-C")
_TICK, _STEP = Decimal("0.01"), Decimal("0.001")

Sides = list[dict[Decimal, Decimal]]


def check_route(raw: bytes, begin: Sequence[bytes]) -> str:
    """Give a frame to a route whose state has begun with other frames, and say what became of it.

    Returns:
        `written`, `late` (or a repeat), `skipped`, or the name of the exception.

    Raises:
        EscapeError: Another exception came out, or the state is not what it must be.
    """
    state = VenueState(Venue.DERIVE)
    for symbol in _SYMBOLS:
        state.add(symbol, _TICK, _STEP)
    route = DeriveRoute(state)
    for frame in begin:
        assert route.handle(frame, 1)
    try:
        return _outcome(route, state, raw)
    except Exception as error:
        raise EscapeError(f"{error!r} for {raw!r}") from error


def _outcome(route: DeriveRoute, state: VenueState, raw: bytes) -> str:
    markets, orders = _markets(state), _orders(state)
    try:
        is_new = route.handle(raw, 7)
    except CrossedBook:
        crossed = [symbol for symbol, now in _markets(state).items() if now != markets[symbol]]
        assert _orders(state) == orders
        assert len(crossed) == 1
        assert _markets(state)[crossed[0]][:2] == markets[crossed[0]][:2]
        assert state.market(crossed[0]).book.top.status is BookStatus.CROSSED
        assert not len(state.market(crossed[0]).book)
        return "CrossedBook"
    except IllegalTransition:
        assert _markets(state) == markets
        return "IllegalTransition"
    except InvalidFrame:
        assert (_markets(state), _orders(state)) == (markets, orders)
        return "InvalidFrame"
    if is_new:
        _check_written(state, decode.frame(raw))
        return "written"
    assert (_markets(state), _orders(state)) == (markets, orders)
    return "late" if route.skipped[Skip.LATE] or not route.skipped else "skipped"


def _markets(state: VenueState) -> dict[str, tuple[Any, ...]]:
    return {
        symbol: (market.ticker, market.reference, market.book.top, market.book.depth(10**6))
        for symbol, market in state.markets.items()
    }


def _orders(state: VenueState) -> tuple[Any, ...]:
    return len(state.orders), [state.orders.open_orders(symbol) for symbol in _SYMBOLS]


def _check_written(state: VenueState, message: wire.Message) -> None:
    if isinstance(message, wire.TickerUpdate):
        symbol, data = message.channel.split(".")[1].upper(), message.data
        found, quote = data.instrument_ticker, state.quote(symbol)
        assert quote is not None
        assert (quote.event_ms, quote.recv_ns) == (data.timestamp_ms, 7)
        assert (quote.bid_price, quote.bid_size) == _side(found.bid_price, found.bid_amount)
        assert (quote.ask_price, quote.ask_size) == _side(found.ask_price, found.ask_amount)
    elif isinstance(message, wire.BookUpdate):
        market = state.market(message.data.instrument_name)
        assert _levels(market) == [_texts(side) for side in (message.data.bids, message.data.asks)]
        assert market.book.top.status is BookStatus.LIVE
        assert market.book.top.sent_ms == message.data.timestamp_ms
    else:
        assert isinstance(message, wire.OrdersUpdate)
        kept = [state.orders.find(record.order_id) for record in message.data]
        assert any(found is not None and found.report.recv_ns == 7 for found in kept)


def _side(price: str | None, size: str | None) -> tuple[Decimal | None, Decimal | None]:
    """Read one side of a ticker; without a price, or with zero, there is none."""
    if price is None or not Decimal(price):
        return None, None
    return Decimal(price), None if size is None else Decimal(size)


def _texts(side: Sequence[Sequence[str]]) -> dict[Decimal, Decimal]:
    levels = {Decimal(price): Decimal(size) for price, size in side}
    return {price: size for price, size in levels.items() if size}


def _levels(market: Market) -> Sides:
    price, size = market.scale.prices.exact, market.scale.sizes.exact
    return [{price(ticks): size(steps) for ticks, steps in side} for side in market.book.view().depth(10**6)]
