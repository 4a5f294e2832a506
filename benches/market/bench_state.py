"""The five writes of the published latency matrix as rows: what they cost, not how late single ones are.

What is written was built before, as for the distributions of the same names: these rows start at records and
whole numbers, `market/pipeline` at bytes. Each is of one symbol whose name is in canonical case.
"""

from collections.abc import Sequence
from decimal import Decimal

import pytest
from msgspec.structs import replace

from benches.market.book_feed import feed
from benches.market.ladders import TIMES, Ladder, book_of, ladder, plainly, whole
from benchgate.measure import Measure
from tapemark.market.book import OrderBook
from tapemark.market.orders import OrderPhase, OrderStates
from tapemark.market.state import Reference, Ticker, Venue, VenueState
from tapemark.model import OrderStatus, OrderStatusReport, OrderType, Quote, Side, TimeInForce

_SYMBOL = "ETH-PERP"
_EVENT_MS, _RECV_NS = 1_794_128_400_000, 1_794_128_400_000_000_123
_LEVELS, _DEEP = 10, 300
_CALLS = 20
_DELTAS = 100


def state() -> VenueState:
    """Make a venue with one symbol."""
    made = VenueState(Venue.DERIVE)
    made.add(_SYMBOL, Decimal("0.01"), Decimal("0.001"))
    return made


def life(order_id: str, steps: Sequence[tuple[OrderStatus, str]]) -> list[OrderStatusReport]:
    """Give the reports of an order of size 2: its status and filled size at each step."""
    first = OrderStatusReport(
        symbol=_SYMBOL,
        venue_order_id=order_id,
        client_order_id="a",
        side=Side.BUY,
        order_type=OrderType.LIMIT,
        time_in_force=TimeInForce.GTC,
        status=OrderStatus.OPEN,
        venue_status="open",
        price=Decimal("2841.37"),
        size=Decimal(2),
        filled_size=Decimal(0),
        average_price=None,
        cancel_reason="",
        created_ms=_EVENT_MS,
        event_ms=_EVENT_MS,
        recv_ns=_RECV_NS,
    )
    return [
        replace(first, status=status, filled_size=Decimal(filled), event_ms=_EVENT_MS + at)
        for at, (status, filled) in enumerate(steps)
    ]


LIVES = (
    *life("1", [(OrderStatus.OPEN, "0"), (OrderStatus.OPEN, "0.5"), (OrderStatus.FILLED, "2")]),
    *life("2", [(OrderStatus.OPEN, "0"), (OrderStatus.CANCELLED, "0")]),
)


def write_orders(orders: OrderStates, reports: Sequence[OrderStatusReport]) -> None:
    """Write every report."""
    for report in reports:
        orders.write(report)


def apply_all(book: OrderBook, updates: Sequence[Ladder]) -> None:
    """Apply every update."""
    for bids, asks in updates:
        book.apply(bids, asks, *TIMES)


def bench_ticker(measure: Measure) -> None:
    """Write a symbol's best bid and ask."""
    venue, ticker = state(), Ticker(284_137, 475, 284_145, 2_637, _EVENT_MS, _RECV_NS)
    assert venue.write_ticker(_SYMBOL, ticker)
    bid, ask = (Decimal("2841.37"), Decimal("0.475")), (Decimal("2841.45"), Decimal("2.637"))
    assert venue.quote(_SYMBOL) == Quote(_SYMBOL, *bid, *ask, _EVENT_MS, _RECV_NS)
    measure(venue.write_ticker, _SYMBOL, ticker)


def bench_mark_price(measure: Measure) -> None:
    """Write a symbol's mark, index and funding rate."""
    venue = state()
    reference = Reference(Decimal("2841.42"), Decimal("2841.21"), Decimal("0.000012492"), _EVENT_MS, _RECV_NS)
    assert venue.write_reference(_SYMBOL, reference)
    assert venue.market(_SYMBOL).reference == reference
    measure(venue.write_reference, _SYMBOL, reference)


@pytest.mark.items(len(LIVES), "updates")
def bench_order_update(measure: Measure) -> None:
    """Follow two orders from new to partly filled to filled, and from new to cancelled."""
    orders = OrderStates()
    for at, phase in enumerate((OrderPhase.NEW, OrderPhase.PARTLY_FILLED, OrderPhase.FILLED)):
        assert orders.write(LIVES[at])
        found = orders.find("1")
        assert found is not None
        assert (found.phase, found.report) == (phase, LIVES[at])
    assert orders.write(LIVES[3])
    assert [found.report.venue_order_id for found in orders.open_orders(_SYMBOL)] == ["2"]
    assert orders.write(LIVES[4])
    assert orders.open_orders(_SYMBOL) == ()
    measure.fresh(write_orders, lambda: (OrderStates(), LIVES), calls=_CALLS)


def bench_book_snapshot(measure: Measure) -> None:
    """Replace the whole ladder of a book by another of 10 levels a side."""
    made, book = ladder(_LEVELS), book_of(ladder(_LEVELS + 1))
    book.replace(made.bids, made.asks, *TIMES)
    assert book.depth(_LEVELS + 2) == plainly([made])
    measure(book.replace, made.bids, made.asks, *TIMES, calls=_CALLS)


@pytest.mark.items(_DELTAS, "deltas")
def bench_book_delta(measure: Measure) -> None:
    """Resize, insert and delete levels of a book of 300 a side, one in each of 100 updates."""
    made = feed(_DEEP)
    first, updates = whole(made.snapshot), [whole(update) for update in made.updates]
    assert len(updates) == _DELTAS
    book, half = book_of(first), _DELTAS // 2
    apply_all(book, updates[:half])
    assert book.depth(_DEEP * 2) == plainly([first, *updates[:half]])
    apply_all(book, updates[half:])
    assert book.depth(_DEEP * 2) == plainly([first])
    measure(apply_all, book, updates, calls=2)
