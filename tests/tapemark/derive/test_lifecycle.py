import pytest

from tapemark.derive.lifecycle import Told
from tapemark.model import FillReport, OrderExpired, OrderRejected, OrderStatus, OrderStatusReport
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
