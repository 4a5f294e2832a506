from decimal import Decimal
from typing import Any

import pytest

from tapemark.errors import InvalidArgument
from tapemark.model import OrderCancelled, OrderExpired, OrderRejected, OrderReplaced, OrderStatus
from tests.tapemark.derive.sessions import (
    CANCELLED,
    EXPIRED,
    FILLED,
    OPEN,
    OTHER,
    PRICE,
    REJECTED,
    SIZE,
    Session,
    accepted,
    cancelled,
    fill,
    filled,
    replaced,
    status,
)


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
