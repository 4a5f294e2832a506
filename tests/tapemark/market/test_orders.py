import sys
import threading
from decimal import Decimal, localcontext
from types import FrameType
from typing import Any

import pytest

from tapemark.errors import IllegalTransition, InvalidArgument
from tapemark.market import orders as orders_module
from tapemark.market.orders import OrderPhase, OrderState, OrderStates
from tapemark.model import OrderStatus, OrderStatusReport, Side
from tests.tapemark.market.reports import CANCELLED, EXPIRED, FILLED, OPEN, OTHER, REJECTED, report

ENDS = [report(FILLED, "3"), report(CANCELLED, "1"), report(EXPIRED, "1"), report(REJECTED)]


def after(*reports: OrderStatusReport, capacity: int = 100) -> OrderStates:
    orders = OrderStates(capacity)
    for each in reports:
        orders.write(each)
    return orders


def standing(orders: OrderStates, venue_order_id: str) -> tuple[object, ...]:
    lists = orders.open_orders("ETH-PERP"), orders.open_orders("BTC-PERP")
    return orders.find(venue_order_id), *lists, len(orders)


def refused(orders: OrderStates, bad: OrderStatusReport) -> IllegalTransition:
    """Return how the report is refused, and see that nothing has changed."""
    before = standing(orders, bad.venue_order_id)
    with pytest.raises(IllegalTransition) as caught:
        orders.write(bad)
    assert standing(orders, bad.venue_order_id) == before
    return caught.value


@pytest.mark.parametrize(
    ("last", "phase"),
    [
        (report(OPEN), OrderPhase.NEW),
        (report(OPEN, "0.1"), OrderPhase.PARTLY_FILLED),
        (report(OPEN, "3"), OrderPhase.PARTLY_FILLED),
        (report(FILLED, "3"), OrderPhase.FILLED),
        (report(FILLED, "3.00"), OrderPhase.FILLED),
        (report(CANCELLED), OrderPhase.CANCELLED),
        (report(CANCELLED, "1"), OrderPhase.CANCELLED),
        (report(EXPIRED, "1"), OrderPhase.EXPIRED),
        (report(REJECTED), OrderPhase.REJECTED),
    ],
)
@pytest.mark.parametrize("first", [(), (report(OPEN),)])
def test_the_phase_follows_from_status_and_filled_size_whichever_report_is_the_first(
    first: tuple[OrderStatusReport, ...], last: OrderStatusReport, phase: OrderPhase
) -> None:
    orders = after(*first, last)
    assert orders.find("v1") == OrderState(phase, last)
    is_open = phase in {OrderPhase.NEW, OrderPhase.PARTLY_FILLED}
    assert orders.open_orders("ETH-PERP") == ((OrderState(phase, last),) if is_open else ())


def test_what_is_not_known_is_not_found() -> None:
    orders = after(report())
    assert orders.find("v2") is None
    assert orders.open_orders("BTC-PERP") == ()
    assert len(orders) == 1


def test_open_orders_are_listed_by_symbol_in_the_order_in_which_they_were_heard_of() -> None:
    orders = after(
        report(order_id="b"),
        report(order_id="c", symbol="BTC-PERP"),
        report(order_id="a"),
        report(OPEN, "1", 2, order_id="b"),
        report(FILLED, "3", order_id="d"),
    )
    listed = [(o.report.venue_order_id, str(o.filled_size)) for o in orders.open_orders("ETH-PERP")]
    assert listed == [("b", "1"), ("a", "0")]
    assert [o.report.venue_order_id for o in orders.open_orders("BTC-PERP")] == ["c"]


def test_sizes_say_what_can_still_be_filled() -> None:
    partly = OrderState(OrderPhase.PARTLY_FILLED, report(OPEN, "1"))
    cancelled = OrderState(OrderPhase.CANCELLED, report(CANCELLED, "1"))
    assert (partly.is_open, partly.filled_size, partly.open_size) == (True, Decimal(1), Decimal(2))
    assert (cancelled.is_open, cancelled.filled_size, cancelled.open_size) == (False, Decimal(1), Decimal(0))


@pytest.mark.parametrize("known", [report(), report(OPEN, "1"), *ENDS])
def test_a_repeat_is_not_written_whenever_it_was_received(known: OrderStatusReport) -> None:
    orders = after(known)
    filled = str(known.filled_size)
    assert not orders.write(known)
    assert not orders.write(report(known.status, filled, known.event_ms, recv_ns=99))
    state = orders.find("v1")
    assert state is not None
    assert state.report is known
    assert len(orders) == 1


@pytest.mark.parametrize("end", ENDS)
def test_the_same_end_at_another_time_tells_nothing_new(end: OrderStatusReport) -> None:
    orders = after(end)
    assert not orders.write(report(end.status, str(end.filled_size), event_ms=7))
    assert not orders.write(report(end.status, str(end.filled_size), event_ms=0))
    state = orders.find("v1")
    assert state is not None
    assert state.report is end


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("status", [OPEN, FILLED, CANCELLED, EXPIRED, REJECTED])
def test_no_step_leaves_an_ended_phase(end: OrderStatusReport, status: OrderStatus) -> None:
    if status is end.status:
        return
    filled = {FILLED: "3", REJECTED: "0"}.get(status, str(end.filled_size))
    fault = refused(after(end), report(status, filled, event_ms=2))
    assert (fault.field, fault.got) == ("status", repr(status.value))
    assert fault.expected == f"none after {end.status.value} (order v1)"


@pytest.mark.parametrize("status", [CANCELLED, EXPIRED])
@pytest.mark.parametrize("event_ms", [0, 1, 2])
def test_an_order_does_not_end_twice_with_different_sizes(status: OrderStatus, event_ms: int) -> None:
    fault = refused(after(report(status, "1")), report(status, "2", event_ms))
    assert fault.field == "filled_size"


@pytest.mark.parametrize("known", [report(OPEN, "2", 5), report(FILLED, "3", 5), report(CANCELLED, "2", 5)])
@pytest.mark.parametrize(
    "late", [report(OPEN, "0", 4), report(OPEN, "1", 4), report(OPEN, "2", 4, price="1")]
)
def test_an_open_report_that_is_older_and_says_no_more_is_late(
    known: OrderStatusReport, late: OrderStatusReport
) -> None:
    orders = after(known)
    assert not orders.write(late)
    state = orders.find("v1")
    assert state is not None
    assert state.report is known


def test_a_late_report_may_be_of_a_size_below_what_was_filled_since() -> None:
    orders = after(report(OPEN, "2", 5))
    assert not orders.write(report(OPEN, "2", 4, size="1"))
    assert orders.open_orders("ETH-PERP") == (OrderState(OrderPhase.PARTLY_FILLED, report(OPEN, "2", 5)),)


@pytest.mark.parametrize("filled", ["NaN", "sNaN", "3.1"])
def test_an_older_report_with_a_filled_size_that_no_such_order_has_is_refused(filled: str) -> None:
    assert refused(after(report(OPEN, "2", 5)), report(OPEN, filled, 4)).field == "filled_size"


def test_more_of_a_life_is_written_whatever_its_time() -> None:
    orders = after(report(OPEN, "1", event_ms=5))
    assert orders.write(report(OPEN, "2", event_ms=4))
    assert orders.write(report(CANCELLED, "2", event_ms=3))
    assert orders.open_orders("ETH-PERP") == ()


@pytest.mark.parametrize("status", [OPEN, CANCELLED, EXPIRED])
def test_a_filled_size_does_not_shrink(status: OrderStatus) -> None:
    fault = refused(after(report(OPEN, "2")), report(status, "1", event_ms=2))
    assert (fault.field, fault.expected) == ("filled_size", "at least 2, as before (order v1)")


def test_a_partly_filled_order_is_not_new_again() -> None:
    assert refused(after(report(OPEN, "2")), report(OPEN, "0", event_ms=2)).field == "filled_size"


@pytest.mark.parametrize("first", [(), (report(OPEN),)])
@pytest.mark.parametrize(
    ("bad", "expected"),
    [
        (report(OPEN, "3.1", 2), "0 to the size 3"),
        (report(OPEN, "-0.1", 2), "0 to the size 3"),
        (report(OPEN, "NaN", 2), "0 to the size 3"),
        (report(OPEN, "sNaN", 2), "0 to the size 3"),
        (report(OPEN, "1", 2, size="NaN"), "0 to the size NaN"),
        (report(OPEN, "Infinity", 2), "0 to the size 3"),
        (report(CANCELLED, "3.1", 2), "0 to the size 3"),
        (report(EXPIRED, "4", 2), "0 to the size 3"),
        (report(FILLED, "2.9", 2), "the whole size 3 of a filled order"),
        (report(FILLED, "3.1", 2), "the whole size 3 of a filled order"),
        (report(FILLED, "-1", 2, size="-1"), "the whole size -1 of a filled order"),
        (report(REJECTED, "1", 2), "0 of a rejected order"),
        (report(REJECTED, "NaN", 2), "0 of a rejected order"),
    ],
)
def test_a_filled_size_that_no_such_order_has_is_refused(
    first: tuple[OrderStatusReport, ...], bad: OrderStatusReport, expected: str
) -> None:
    fault = refused(after(*first), bad)
    assert (fault.field, fault.expected) == ("filled_size", f"{expected} (order v1)")


@pytest.mark.parametrize("known", [report(), *ENDS])
@pytest.mark.parametrize(
    ("bad", "field"),
    [(report(FILLED, "3", symbol="BTC-PERP"), "symbol"), (report(FILLED, "3", side=Side.SELL), "side")],
)
def test_an_id_keeps_its_symbol_and_its_side(
    known: OrderStatusReport, bad: OrderStatusReport, field: str
) -> None:
    assert refused(after(known), bad).field == field


@pytest.mark.parametrize("first", ["ETH-PERP", "eth-perp"])
@pytest.mark.parametrize("then", ["ETH-PERP", "Eth-Perp"])
@pytest.mark.parametrize("end", [CANCELLED, FILLED])
def test_a_symbol_is_the_same_in_any_case(first: str, then: str, end: OrderStatus) -> None:
    orders = after(report(symbol=first))
    assert not orders.write(report(symbol=then)), "a repeat"
    assert orders.write(report(OPEN, "1", 2, symbol=then))
    assert orders.write(report(order_id="v2", symbol=then))
    for spelling in ("ETH-PERP", "eth-perp", "eTH-PERP"):
        assert [s.report.venue_order_id for s in orders.open_orders(spelling)] == ["v1", "v2"]
    for order_id in ("v1", "v2"):
        assert orders.write(report(end, "3", 3, order_id, symbol=first))
    assert orders.open_orders("ETH-PERP") == orders.open_orders("eth-perp") == ()
    assert not orders._open


def test_a_look_alike_of_another_script_is_another_symbol() -> None:
    orders = after(report(symbol="SOL-PERP"), report(symbol="\u017fol-perp", order_id="v2"))
    assert [s.report.venue_order_id for s in orders.open_orders("sol-perp")] == ["v1"]
    assert [s.report.venue_order_id for s in orders.open_orders("\u017fol-perp")] == ["v2"]
    assert orders.open_orders("\u017fOL-PERP") == ()
    assert refused(orders, report(OPEN, "1", 2, symbol="\u017fol-perp")).field == "symbol"


def test_the_open_size_is_exact_whatever_the_thread_s_precision() -> None:
    orders = after(report(OPEN, "1.2345", size="3.0001"))
    state = orders.find("v1")
    assert state is not None
    with localcontext() as context:
        context.prec = 2
        assert str(state.open_size) == "1.7656"


@pytest.mark.parametrize("known", [[report()], [report(), report(order_id="v2")]])
def test_the_index_never_holds_a_symbol_without_open_orders(known: list[OrderStatusReport]) -> None:
    """A trace looks at the index before each line of a write."""
    orders = after(*known)
    seen: list[bool] = []

    def look(frame: FrameType, *_: object) -> Any:
        if frame.f_code.co_filename != orders_module.__file__:
            return None
        seen.append(all(orders._open.values()))
        return look

    outer = sys.gettrace()
    sys.settrace(look)
    try:
        orders.write(report(CANCELLED, event_ms=2))
        orders.write(report(order_id="v3"))
    finally:
        sys.settrace(outer)
    assert len(seen) > 10
    assert all(seen)


def test_an_order_has_an_id() -> None:
    assert refused(OrderStates(), report(order_id="")).field == "venue_order_id"


def test_a_status_that_is_not_known_changes_nothing() -> None:
    orders = after(report())
    assert not orders.write(report(OTHER, "2", 5))
    assert not orders.write(report(OTHER, order_id="v2"))
    assert orders.open_orders("ETH-PERP") == (OrderState(OrderPhase.NEW, report()),)
    assert len(orders) == 1


def test_price_and_size_may_change_while_an_order_is_open() -> None:
    orders = after(report(OPEN, "1"))
    assert orders.write(report(OPEN, "1", 1, price="1999"))
    assert orders.write(report(OPEN, "1", 2, size="5"))
    assert orders.write(report(OPEN, "4", 3, size="5"))
    assert orders.write(report(FILLED, "4", 4, size="4"))
    assert orders.open_orders("ETH-PERP") == ()


def test_a_size_does_not_fall_below_what_is_filled() -> None:
    assert refused(after(report(OPEN, "2")), report(OPEN, "2", 2, size="1.9")).field == "filled_size"


def test_a_replaced_order_ends_and_another_one_opens() -> None:
    orders = after(report(OPEN, "1"), report(CANCELLED, "1", 2), report(OPEN, "0", 2, "v2", size="2"))
    assert [o.report.venue_order_id for o in orders.open_orders("ETH-PERP")] == ["v2"]
    assert not orders.write(report(OPEN, "1", 1)), "late"
    assert [o.report.venue_order_id for o in orders.open_orders("ETH-PERP")] == ["v2"]


def test_an_open_report_with_a_newer_time_is_written() -> None:
    orders = after(report())
    assert orders.write(report(event_ms=2))
    state = orders.find("v1")
    assert state is not None
    assert state.report.event_ms == 2


def test_the_last_ended_orders_are_remembered_and_every_open_one() -> None:
    orders = OrderStates(ended_capacity=10)
    for number in range(1_000):
        orders.write(report(order_id=f"open {number}", symbol=f"S{number % 7}"))
        orders.write(report(order_id=f"ended {number}"))
        orders.write(report(CANCELLED, "0", 2, order_id=f"ended {number}"))
    assert len(orders) == 1_010
    assert sum(len(orders.open_orders(f"S{number}")) for number in range(7)) == 1_000
    assert orders.open_orders("ETH-PERP") == ()
    assert orders.find("ended 989") is None
    assert not orders.write(report(OPEN, "0", 1, "ended 990")), "late"
    with pytest.raises(IllegalTransition):
        orders.write(report(OPEN, "0", 3, "ended 990"))
    assert not orders.write(report(CANCELLED, "0", 2, "ended 999")), "a repeat does not count as another end"
    assert orders.find("ended 990") is not None


@pytest.mark.parametrize("capacity", [0, -1, True, 1.5, None])
def test_a_capacity_is_a_positive_integer(capacity: object) -> None:
    with pytest.raises(InvalidArgument, match="ended_capacity"):
        OrderStates(capacity)  # type: ignore[arg-type]  # what a user without mypy may pass


@pytest.mark.usefixtures("eager_switches")
def test_readers_in_other_threads_see_whole_states_of_open_orders() -> None:
    orders, symbols = OrderStates(ended_capacity=1_000), ("A", "B")
    wrong: list[object] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            for symbol in symbols:
                before = orders.open_orders(symbol)
                wrong.extend(s for s in before if not s.is_open or s.report.symbol != symbol)
                ids = {s.report.venue_order_id for s in before}
                gone = ids - {s.report.venue_order_id for s in orders.open_orders(symbol)}
                ends = [orders.find(order_id) for order_id in gone]
                wrong.extend(end for end in ends if end is not None and end.is_open)
                wrong.extend(s for s in before if (s.phase is OrderPhase.NEW) != (not s.filled_size))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    try:
        for number in range(3_000):
            symbol = symbols[number % 2]
            orders.write(report(order_id=f"{number}", symbol=symbol))
            orders.write(report(OPEN, "1", 2, order_id=f"{number}", symbol=symbol))
            if number >= 20:
                orders.write(report(FILLED, "3", 3, order_id=f"{number - 20}", symbol=symbol))
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert wrong == []
    assert len(orders.open_orders("A")) == len(orders.open_orders("B")) == 10
