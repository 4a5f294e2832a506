"""Labels that are tracked, forgotten and used again, and the bounds of what is remembered."""

import pytest

from tapemark.errors import InvalidArgument
from tapemark.model import FillReport, OrderStatus, OrderStatusReport
from tests.tapemark.derive.sessions import (
    CANCELLED,
    FILLED,
    OPEN,
    PRICE,
    SIZE,
    Session,
    accepted,
    cancelled,
    fill,
    filled,
    replaced,
    status,
)


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
