from decimal import Decimal
from typing import Any

import pytest

from tapemark.derive.lifecycle import OrderLifecycles, Told
from tapemark.errors import InvalidArgument
from tapemark.model import (
    FillReport,
    LiquidityRole,
    OrderAccepted,
    OrderCancelled,
    OrderExpired,
    OrderFilled,
    OrderRejected,
    OrderReplaced,
    OrderStatus,
    OrderStatusReport,
    OrderType,
    Side,
    TimeInForce,
)

PRICE, SIZE = Decimal("2841.37"), Decimal("1.5")
OPEN, FILLED, CANCELLED = OrderStatus.OPEN, OrderStatus.FILLED, OrderStatus.CANCELLED
EXPIRED, REJECTED, OTHER = OrderStatus.EXPIRED, OrderStatus.REJECTED, OrderStatus.OTHER


def status(
    state: OrderStatus, venue_id: str = "v1", label: str = "a", *, price: Decimal = PRICE, event_ms: int = 7
) -> OrderStatusReport:
    return OrderStatusReport(
        symbol="ETH-PERP",
        venue_order_id=venue_id,
        client_order_id=label,
        side=Side.BUY,
        order_type=OrderType.LIMIT,
        time_in_force=TimeInForce.GTC,
        status=state,
        venue_status=state.value,
        price=price,
        size=SIZE,
        filled_size=Decimal(0),
        average_price=None,
        cancel_reason="user_request" if state is CANCELLED else "",
        created_ms=5,
        event_ms=event_ms,
        recv_ns=9,
    )


def fill(trade_id: str, venue_id: str = "v1", label: str = "a") -> FillReport:
    return FillReport(
        "ETH-PERP",
        venue_id,
        label,
        trade_id,
        Side.BUY,
        LiquidityRole.MAKER,
        PRICE,
        Decimal(1),
        Decimal(0),
        8,
        9,
    )


def accepted(venue_id: str = "v1", label: str = "a", event_ms: int = 7) -> OrderAccepted:
    return OrderAccepted(label, venue_id, "ETH-PERP", event_ms, 9)


def filled(report: FillReport) -> OrderFilled:
    return OrderFilled(report.client_order_id, report)


def cancelled(venue_id: str = "v1", label: str = "a") -> OrderCancelled:
    return OrderCancelled(label, venue_id, "ETH-PERP", "user_request", 7, 9)


def replaced(
    old: str, new: str, *, price: Decimal = PRICE, size: Decimal = SIZE, event_ms: int = 7
) -> OrderReplaced:
    return OrderReplaced("a", old, new, "ETH-PERP", price, size, event_ms, 9)


class Session:
    """`OrderLifecycles` with its labels tracked, and what they tell."""

    def __init__(self, *labels: str, orders: int = 8, trades: int = 8) -> None:
        self._told: list[Told] = []
        self.orders = OrderLifecycles(self._told.append, orders, trades)
        for label in labels or ("a",):
            self.orders.track(label)

    def told(self) -> list[Told]:
        told = self._told[:]
        self._told.clear()
        return told

    def after(self, *records: OrderStatusReport | FillReport, replaces: str | None = None) -> list[Told]:
        """Feed the records and give what they made it tell."""
        for record in records:
            if isinstance(record, FillReport):
                self.orders.on_fill(record)
            else:
                self.orders.on_status(record, replaces)
        return self.told()


def test_a_label_that_was_not_tracked_is_forwarded_as_it_came() -> None:
    session = Session("other")
    records: list[OrderStatusReport | FillReport] = [
        status(OPEN),
        fill("t1"),
        status(FILLED),
        status(CANCELLED, "v2", ""),
        fill("t2", "v2", ""),
    ]
    assert session.after(*records) == records
    assert session.after(*records) == [records[0], records[2], records[3]], "states again, fills once"


def test_accepted_comes_once_and_first() -> None:
    assert Session().after(status(OPEN), status(OPEN), fill("t1")) == [accepted(), filled(fill("t1"))]


def test_accepted_comes_before_a_fill_that_arrives_first() -> None:
    told = Session().after(fill("t1"), status(OPEN), status(FILLED))
    assert told == [accepted(event_ms=8), filled(fill("t1"))]


@pytest.mark.parametrize(
    ("state", "end"),
    [(CANCELLED, cancelled()), (EXPIRED, OrderExpired("a", "v1", "ETH-PERP", 7, 9))],
)
def test_an_end_that_arrives_first_is_told_behind_accepted_and_once(state: OrderStatus, end: Told) -> None:
    session = Session()
    assert session.after(status(state), status(state), status(OPEN)) == [accepted(), end]
    assert "a" not in session.orders


def test_an_order_refused_at_once_was_never_accepted() -> None:
    session = Session()
    rejected = OrderRejected("a", "v1", "ETH-PERP", "", 7, 9)
    assert session.after(status(REJECTED), status(REJECTED)) == [rejected]
    assert "a" not in session.orders


def test_an_accepted_order_can_still_be_rejected() -> None:
    told = Session().after(status(OPEN), status(REJECTED))
    assert told == [accepted(), OrderRejected("a", "v1", "ETH-PERP", "", 7, 9)]


def test_a_filled_order_keeps_its_identity_for_fills_that_arrive_later() -> None:
    session = Session()
    assert session.after(status(FILLED)) == [accepted()]
    assert session.after(fill("t1"), fill("t2"), status(FILLED)) == [filled(fill("t1")), filled(fill("t2"))]


def test_a_fill_behind_the_end_is_forwarded() -> None:
    session = Session()
    assert session.after(status(CANCELLED), fill("t1")) == [accepted(), cancelled(), fill("t1")]


@pytest.mark.parametrize("label", ["a", "untracked"])
def test_a_trade_id_is_told_once(label: str) -> None:
    session = Session()
    session.after(status(OPEN))
    report = fill("t1", label=label)
    assert len(session.after(report)) == 1
    assert session.after(report, report) == []


def test_trade_ids_are_forgotten_first_in_first_out() -> None:
    session = Session(trades=3)
    session.after(*(fill(f"t{n}") for n in range(4)))
    assert session.after(fill("t1"), fill("t2"), fill("t3")) == []
    assert session.after(fill("t0")) == [filled(fill("t0"))]


def test_a_status_without_an_event_is_forwarded_and_changes_nothing() -> None:
    session = Session()
    assert session.after(status(OTHER), status(OPEN)) == [status(OTHER), accepted()]


def test_a_foreign_venue_order_under_a_tracked_label_is_forwarded() -> None:
    session = Session()
    session.after(status(OPEN))
    foreign: list[OrderStatusReport | FillReport] = [
        status(OPEN, "v9"),
        fill("t9", "v9"),
        status(CANCELLED, "v9"),
    ]
    assert session.after(*foreign) == foreign
    assert session.after(status(CANCELLED)) == [cancelled()]


# Replace.


def in_flight(price: Decimal = Decimal(3000), size: Decimal = Decimal(2)) -> Session:
    session = Session()
    session.after(status(OPEN))
    session.orders.track_replace("a", "v1", price, size)
    return session


def test_the_old_status_is_suppressed_in_flight_and_after() -> None:
    session = in_flight()
    assert session.after(status(OPEN), status(CANCELLED)) == []
    assert session.after(status(OPEN, "v2", price=Decimal(3000))) == [
        replaced("v1", "v2", price=Decimal(3000))
    ]
    assert session.after(status(CANCELLED), status(EXPIRED), status(OTHER), status(OPEN)) == []
    assert session.after(status(CANCELLED, "v2")) == [cancelled("v2")]


def test_the_old_cancel_may_arrive_behind_the_new_order() -> None:
    told = in_flight().after(status(OPEN, "v2"), status(CANCELLED), status(FILLED, "v2"), fill("t1", "v2"))
    assert told == [replaced("v1", "v2"), filled(fill("t1", "v2"))]


def test_fills_of_the_old_venue_order_are_told_in_flight_and_after() -> None:
    session = in_flight()
    assert session.after(fill("t1")) == [filled(fill("t1"))]
    assert session.after(status(OPEN, "v2"), fill("t2"), fill("t2")) == [
        replaced("v1", "v2"),
        filled(fill("t2")),
    ]


def test_a_fill_of_the_new_order_may_arrive_first() -> None:
    told = in_flight(Decimal(3000), Decimal(2)).after(fill("t1", "v2"), status(OPEN, "v2"))
    expected = replaced("v1", "v2", price=Decimal(3000), size=Decimal(2), event_ms=8)
    assert told == [expected, filled(fill("t1", "v2"))]


def test_a_replace_of_an_order_not_heard_of_yet_is_accepted_first() -> None:
    session = Session()
    session.orders.track_replace("a", "v1", PRICE, SIZE)
    assert session.after(status(OPEN)) == []
    assert session.after(status(OPEN, "v2")) == [accepted("v1"), replaced("v1", "v2")]


def test_a_fill_in_flight_of_an_order_not_heard_of_yet_is_accepted_first() -> None:
    session = Session()
    session.orders.track_replace("a", "v1", PRICE, SIZE)
    assert session.after(fill("t1")) == [accepted(event_ms=8), filled(fill("t1"))]


def test_replaces_follow_one_another() -> None:
    session = in_flight()
    session.after(status(OPEN, "v2"))
    session.orders.track_replace("a", "v2", PRICE, SIZE)
    assert session.after(status(CANCELLED, "v1"), status(CANCELLED, "v2"), status(OPEN, "v3")) == [
        replaced("v2", "v3")
    ]
    assert session.after(fill("t1", "v1"), fill("t2", "v2"), fill("t3", "v3")) == [
        filled(fill("t1", "v1")),
        filled(fill("t2", "v2")),
        filled(fill("t3", "v3")),
    ]


def test_a_replace_that_another_client_sent_is_known_by_the_venues_own_word() -> None:
    session = Session()
    session.after(status(OPEN))
    assert session.after(status(OPEN, "v2"), replaces="v1") == [replaced("v1", "v2")]
    assert session.after(status(CANCELLED)) == []


@pytest.mark.parametrize("state", [CANCELLED, EXPIRED])
def test_a_new_order_that_ends_at_once_is_replaced_first(state: OrderStatus) -> None:
    told = in_flight().after(status(state, "v2"))
    assert [type(event) for event in told] == [
        OrderReplaced,
        OrderCancelled if state is CANCELLED else OrderExpired,
    ]


def test_a_new_order_that_is_refused_ends_the_label() -> None:
    session = in_flight()
    rejected = OrderRejected("a", "v2", "ETH-PERP", "", 7, 9)
    assert session.after(status(REJECTED, "v2"), status(CANCELLED)) == [rejected]
    assert session.after(fill("t1")) == [fill("t1")]


def test_a_failed_replace_restores_the_order() -> None:
    session = in_flight()
    session.after(status(OPEN))
    assert session.orders.replace_failed("a")
    assert session.told() == []
    assert session.after(fill("t1"), status(CANCELLED)) == [filled(fill("t1")), cancelled()]


def test_a_failed_replace_tells_the_cancellation_that_was_held_back() -> None:
    session = in_flight()
    session.after(status(CANCELLED), status(OPEN))
    assert session.orders.replace_failed("a")
    assert session.told() == [cancelled()]
    assert "a" not in session.orders


def test_a_failed_replace_of_an_order_that_filled_meanwhile() -> None:
    session = in_flight()
    assert session.after(status(FILLED)) == []
    session.orders.replace_failed("a")
    assert session.after(fill("t1"), status(FILLED)) == [filled(fill("t1"))]


@pytest.mark.parametrize("end", [CANCELLED, EXPIRED, REJECTED])
def test_what_is_held_back_is_the_furthest_status(end: OrderStatus) -> None:
    for states, live in (
        ([OPEN, FILLED, OPEN], False),
        ([FILLED, OPEN, end, FILLED, OPEN], False),
        ([OPEN, end, OPEN, FILLED], False),
        ([OPEN, OPEN], True),
    ):
        session = in_flight()
        assert session.after(*map(status, states)) == []
        assert session.orders.replace_failed("a")
        assert [type(told).__name__ for told in session.told()] == (
            [f"Order{end.value.title()}"] if end in states else []
        )
        if live:
            with pytest.raises(InvalidArgument, match="no live order has"):
                session.orders.track("a")
        else:
            session.orders.track("a")


def test_the_first_of_two_ends_is_held_back() -> None:
    session = in_flight()
    session.after(status(CANCELLED), status(EXPIRED))
    session.orders.replace_failed("a")
    assert session.told() == [cancelled()]


def test_what_was_held_back_is_told_once() -> None:
    session = in_flight()
    session.after(status(OPEN, event_ms=8))
    session.orders.replace_failed("a")
    session.orders.track_replace("a", "v1", PRICE, SIZE)
    assert session.orders.forget("a")
    assert session.told() == [], "it was restored, and so is not held any more"


def test_a_failed_replace_tells_accepted_that_was_held_back() -> None:
    session = Session()
    session.orders.track_replace("a", "v1", PRICE, SIZE)
    session.after(status(OPEN))
    session.orders.replace_failed("a")
    assert session.told() == [accepted()]


def test_a_replace_can_be_tried_again_after_a_failure() -> None:
    session = in_flight()
    session.orders.replace_failed("a")
    session.orders.track_replace("a", "v1", PRICE, SIZE)
    assert session.after(status(CANCELLED), status(OPEN, "v2")) == [replaced("v1", "v2")]


@pytest.mark.parametrize("label", ["a", "unknown"])
def test_a_failure_without_a_replace_in_flight_does_nothing(label: str) -> None:
    session = in_flight()
    session.after(status(OPEN, "v2"))
    assert not session.orders.replace_failed(label)
    assert session.after(status(CANCELLED, "v1")) == []
    assert session.told() == []


def test_forgetting_in_flight_forwards_the_status_that_was_held_back() -> None:
    session = in_flight()
    session.after(status(CANCELLED))
    assert session.orders.forget("a")
    assert session.told() == [status(CANCELLED)]


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("label", {"label": "unknown"}),
        ("old_venue_order_id", {"old_venue_order_id": "v2"}),
        ("old_venue_order_id", {"old_venue_order_id": ""}),
        ("old_venue_order_id", {"old_venue_order_id": None}),
        ("price", {"price": Decimal(0)}),
        ("price", {"price": 3000.0}),
        ("size", {"size": Decimal("NaN")}),
        ("size", {"size": Decimal(-1)}),
    ],
)
def test_track_replace_names_the_bad_argument(field: str, change: dict[str, object]) -> None:
    session = Session()
    session.after(status(OPEN))
    arguments: dict[str, Any] = {"label": "a", "old_venue_order_id": "v1", "price": PRICE, "size": SIZE}
    with pytest.raises(InvalidArgument) as raised:
        session.orders.track_replace(**arguments | change)
    assert raised.value.field == field
    assert session.after(status(CANCELLED)) == [cancelled()], "nothing is in flight"


def test_one_replace_is_in_flight_at_a_time() -> None:
    session = in_flight()
    with pytest.raises(InvalidArgument, match="without a replace in flight"):
        session.orders.track_replace("a", "v1", PRICE, SIZE)


def test_an_order_that_is_filled_or_was_superseded_is_not_replaced() -> None:
    session = Session("a", "b")
    session.after(status(FILLED))
    with pytest.raises(InvalidArgument, match="live tracked order"):
        session.orders.track_replace("a", "v1", PRICE, SIZE)
    session = in_flight()
    session.after(status(OPEN, "v2"))
    session.orders.track("b")
    with pytest.raises(InvalidArgument, match="not told yet"):
        session.orders.track_replace("b", "v1", PRICE, SIZE)


# Labels and bounds.


def test_a_label_is_used_once_at_a_time() -> None:
    session = Session()
    with pytest.raises(InvalidArgument, match="no live order has"):
        session.orders.track("a")


@pytest.mark.parametrize("label", ["", None, 7])
def test_a_label_is_a_text(label: object) -> None:
    with pytest.raises(InvalidArgument) as raised:
        Session().orders.track(label)  # type: ignore[arg-type]  # what the check is for
    assert raised.value.field == "label"


@pytest.mark.parametrize("state", [FILLED, CANCELLED])
def test_records_of_the_earlier_order_are_no_events_of_one_that_reuses_its_label(state: OrderStatus) -> None:
    session = Session()
    session.after(status(state))
    session.orders.track("a")
    assert session.after(status(state), status(OPEN)) == [], "replays of the earlier order"
    assert session.after(fill("t1")) == [fill("t1")], "its late fill is forwarded"
    assert session.after(status(OPEN, "v2"), fill("t2", "v2")) == [
        accepted("v2"),
        filled(fill("t2", "v2")),
    ]


def test_forgetting_makes_later_records_reports() -> None:
    session = Session()
    assert session.orders.forget("a")
    assert not session.orders.forget("a")
    assert session.after(status(OPEN), fill("t1")) == [status(OPEN), fill("t1")]


@pytest.mark.parametrize("replace", [False, True])
def test_a_forgotten_order_is_not_taken_for_one_that_reuses_its_label(*, replace: bool) -> None:
    session = Session()
    session.after(status(OPEN))
    session.orders.forget("a")
    session.orders.track("a")
    with pytest.raises(InvalidArgument, match="not told yet"):
        session.orders.track_replace("a", "v1", PRICE, SIZE)
    late: list[OrderStatusReport | FillReport] = [status(OPEN), fill("t1"), status(CANCELLED)]
    assert session.after(*late) == late
    if replace:
        session.orders.track_replace("a", "v2", PRICE, SIZE)
        assert session.after(fill("t2"), status(CANCELLED)) == [fill("t2"), status(CANCELLED)]
        session.orders.replace_failed("a")
    assert session.after(status(OPEN, "v2"), fill("t3", "v2"), status(CANCELLED, "v2")) == [
        accepted("v2"),
        filled(fill("t3", "v2")),
        cancelled("v2"),
    ]
    assert session.after(status(CANCELLED)) == [status(CANCELLED)]


def test_a_forgotten_order_that_was_filled_makes_no_room_later() -> None:
    session = Session(*"abc", orders=3)
    session.after(*(status(FILLED, f"v-{label}", label) for label in "abc"))
    assert session.orders.forget("a")
    session.orders.track("a")
    with pytest.raises(InvalidArgument, match="no live order has"):
        session.orders.track("a")
    session.orders.track("d")
    session.after(status(FILLED, "v-d", "d"))
    late = [fill(f"t-{label}", f"v-{label}", label) for label in "bcd"]
    assert session.after(*late) == list(map(filled, late))


def test_forgotten_orders_are_remembered_first_in_first_out() -> None:
    session = Session("other", orders=3)
    for n in range(4):
        session.orders.track("a")
        session.after(status(OPEN, f"v{n}"))
        session.orders.forget("a")
    session.orders.track("a")
    kept = [status(OPEN, f"v{n}") for n in (1, 2, 3)]
    assert session.after(*kept) == kept
    assert session.after(status(OPEN, "v0")) == [accepted("v0")]


def test_an_order_that_was_never_heard_of_leaves_no_id_behind() -> None:
    session = Session(orders=1)
    session.after(status(OPEN))
    session.orders.forget("a")
    session.orders.track("b")
    session.orders.forget("b")
    session.orders.track("a")
    assert session.after(status(OPEN)) == [status(OPEN)]


# Empty ids.


@pytest.mark.parametrize("label", ["a", "untracked"])
def test_fills_without_a_trade_id_are_all_told(label: str) -> None:
    session = Session()
    session.after(status(OPEN))
    fills = [fill("", label=label)] * 2
    assert session.after(*fills) == (fills if label == "untracked" else list(map(filled, fills)))


def test_records_without_a_venue_order_id_are_no_events() -> None:
    session = Session()
    nameless: list[OrderStatusReport | FillReport] = [
        status(CANCELLED, ""),
        status(OPEN, ""),
        fill("t1", ""),
        fill("", ""),
        fill("", ""),
        status(FILLED, ""),
    ]
    assert session.after(*nameless) == nameless, "of an order that was not heard of"
    session.after(status(OPEN))
    assert session.after(*nameless) == [record for record in nameless if record != fill("t1", "")]
    session.orders.track_replace("a", "v1", PRICE, SIZE)
    assert session.after(status(OPEN, ""), fill("t2", "")) == [status(OPEN, ""), fill("t2", "")]
    assert session.after(status(OPEN, "v2"), status(CANCELLED, "v2")) == [
        replaced("v1", "v2"),
        cancelled("v2"),
    ]


def test_filled_orders_make_room_first_in_first_out() -> None:
    session = Session(*"abc", orders=3)
    session.after(*(status(FILLED, f"v-{label}", label) for label in "abc"))
    session.orders.track("d")
    session.after(status(FILLED, "v-d", "d"))
    late = [fill(f"t-{label}", f"v-{label}", label) for label in "abcd"]
    assert session.after(*late) == [late[0], *map(filled, late[1:])], "a's identity made room for d's"
    assert session.after(status(FILLED, "v-a", "a")) == [], "yet its replay tells nothing"


def test_live_orders_never_make_room() -> None:
    session = Session(*"abc", orders=3)
    session.after(*(status(OPEN, f"v-{label}", label) for label in "abc"))
    with pytest.raises(InvalidArgument, match="no more than 3 live orders"):
        session.orders.track("d")
    session.after(status(FILLED, "v-b", "b"))
    session.orders.track("d")
    with pytest.raises(InvalidArgument, match="no more than 3 live orders"):
        session.orders.track("b")
    late = fill("t-b", "v-b", "b")
    assert session.after(late, status(CANCELLED, "v-a", "a")) == [filled(late), cancelled("v-a", "a")]


def test_a_filled_order_that_the_venue_replaces_is_live_again() -> None:
    session = Session(*"abc", orders=1 + 2)
    session.after(status(FILLED))
    assert session.after(status(OPEN, "v2"), replaces="v1") == [replaced("v1", "v2")]
    for label in "bc":
        session.after(status(FILLED, f"v-{label}", label))
    session.orders.track("d")
    session.after(status(FILLED, "v-d", "d"))
    assert session.after(status(CANCELLED, "v2")) == [cancelled("v2")]


def test_memory_is_bounded_over_a_long_session() -> None:
    session = Session("first", orders=16, trades=32)
    for n in range(500):
        label, old, new = f"o{n}", f"v{n}", f"w{n}"
        session.orders.track(label)
        session.after(status(OPEN, old, label), fill(f"t{n}", old, label))
        session.orders.track_replace(label, old, PRICE, SIZE)
        session.after(status(OPEN, new, label), status(FILLED if n % 2 else CANCELLED, new, label))
    orders = session.orders
    assert len(orders._filled) == len(orders._closed) == 16
    assert len(orders._trades) == 32
    for n in range(500):
        session.orders.track("again")
        session.after(status(OPEN, f"x{n}", "again"))
        session.orders.forget("again")
    assert len(orders._forgotten) == 16
    assert len(orders._orders) == 17, "the filled ones and the first, which is live"
