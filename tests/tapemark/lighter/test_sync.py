from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from tapemark.errors import InvalidArgument, InvalidFrame
from tapemark.lighter import decode, wire
from tapemark.lighter.sync import RETRY_NS, BookSync, Outcome, SnapshotWrite, UpdateWrite
from tapemark.market.book import OrderBook
from tapemark.market.scale import Level, Scale
from tapemark.market.views import BookStatus
from tests.tapemark.lighter.frames import DOCUMENTED, Pairs, encoded, tree

BIDS: Pairs = (("99.50", "1.0"), ("99.00", "2.0"))
ASKS: Pairs = (("100.50", "3.0"), ("101.00", "4.0"))


def snapshot(nonce: int, bids: Pairs = BIDS, asks: Pairs = ASKS) -> wire.BookSnapshot:
    message = decode.frame(encoded(tree("subscribed", 0, nonce, bids, asks)))
    assert isinstance(message, wire.BookSnapshot)
    return message


def update(begin: int, nonce: int, bids: Pairs = (), asks: Pairs = ()) -> wire.BookUpdate:
    message = decode.frame(encoded(tree("update", begin, nonce, bids, asks)))
    assert isinstance(message, wire.BookUpdate)
    return message


def take(sync: BookSync, message: wire.BookSnapshot | wire.BookUpdate, recv_ns: int) -> Outcome:
    if isinstance(message, wire.BookSnapshot):
        return sync.parse_snapshot(message, recv_ns).write()
    return sync.parse_update(message, recv_ns).write()


class Feed:
    """A sync with its book and what it asked for; live at nonce 100 unless told otherwise."""

    def __init__(self, *, is_live: bool = True) -> None:
        self.asked: list[int] = []
        self.book = OrderBook()
        self.sync = BookSync(0, self.book, Scale(Decimal("0.01"), Decimal("0.1")), self.asked.append)
        if is_live:
            assert take(self.sync, snapshot(100), 1) is Outcome.APPLIED

    @property
    def levels(self) -> tuple[dict[int, int], dict[int, int]]:
        bids, asks = self.book.depth(99)
        return dict(bids), dict(asks)


def test_a_snapshot_and_the_updates_chained_to_it_make_the_book() -> None:
    feed = Feed()
    assert feed.levels == ({9950: 10, 9900: 20}, {10050: 30, 10100: 40})
    changed = update(100, 122, (("99.50", "0.0"), ("98.00", "0.0")), (("100.25", "0.5"),))
    assert take(feed.sync, changed, 7) is Outcome.APPLIED
    assert feed.levels == ({9900: 20}, {10025: 5, 10050: 30, 10100: 40})
    assert take(feed.sync, update(122, 123), 8) is Outcome.APPLIED
    assert feed.sync.is_live
    assert not feed.asked


def test_both_times_and_the_nonce_are_kept_as_freshness() -> None:
    book = OrderBook()
    sync = BookSync(0, book, Scale(Decimal("0.01"), Decimal("0.0001")), list[int]().append)
    message = decode.frame(DOCUMENTED)
    assert isinstance(message, wire.BookUpdate)
    take(sync, snapshot(message.book.begin_nonce, (), ()), 1)
    assert take(sync, message, 99) is Outcome.APPLIED
    top = book.top
    assert (top.sequence, top.event_us, top.sent_ms, top.recv_ns) == (
        9182390020,
        1774884082309144,
        1774884082326,
        99,
    )


def test_updates_before_the_snapshot_are_dropped() -> None:
    feed = Feed(is_live=False)
    assert take(feed.sync, update(90, 95, (("99.50", "7.0"),)), 1) is Outcome.WAITING
    assert feed.book.top.status is BookStatus.EMPTY
    assert take(feed.sync, snapshot(100), 2) is Outcome.APPLIED
    assert feed.levels[0] == {9950: 10, 9900: 20}
    assert not feed.asked


@pytest.mark.parametrize(("begin", "nonce"), [(90, 100), (90, 95), (50, 51), (100, 100)])
def test_what_the_book_has_reached_is_late_and_ignored(begin: int, nonce: int) -> None:
    feed = Feed()
    before = feed.book.top
    assert take(feed.sync, update(begin, nonce, (("99.50", "9.0"),)), 7) is Outcome.LATE
    assert feed.book.top is before
    assert take(feed.sync, update(100, 101), 8) is Outcome.APPLIED


@pytest.mark.parametrize("begin", [99, 101, 0, 10**12])
def test_an_update_that_begins_elsewhere_shows_a_gap(begin: int) -> None:
    feed = Feed()
    assert take(feed.sync, update(begin, 10**12 + 1), 7) is Outcome.GAP
    assert feed.asked == [0]
    assert not feed.sync.is_live
    assert feed.levels == ({}, {})
    assert feed.book.top.status is BookStatus.GAP


def test_a_new_subscription_is_asked_for_once_and_recovers() -> None:
    feed = Feed()
    take(feed.sync, update(101, 102), 7)
    for nonce in range(102, 110):
        assert take(feed.sync, update(nonce, nonce + 1), 8) is Outcome.WAITING
    assert feed.asked == [0]
    assert take(feed.sync, snapshot(110, (("98.00", "1.0"),), ()), 9) is Outcome.APPLIED
    assert feed.levels == ({9800: 10}, {})
    assert take(feed.sync, update(110, 115, (("98.00", "0.0"),)), 10) is Outcome.APPLIED
    assert feed.levels == ({}, {})
    assert feed.book.top.status is BookStatus.LIVE
    assert feed.asked == [0]


def test_it_is_asked_for_again_when_only_updates_come_for_a_while() -> None:
    feed = Feed(is_live=False)
    for recv_ns, asked in (
        (0, 0),
        (RETRY_NS - 1, 0),
        (RETRY_NS, 1),
        (2 * RETRY_NS - 1, 1),
        (2 * RETRY_NS, 2),
    ):
        assert take(feed.sync, update(1, 2), recv_ns) is Outcome.WAITING
        assert len(feed.asked) == asked


@pytest.mark.parametrize(("begin", "nonce", "newest"), [(110, 120, 120), (0, 101, 101)])
def test_a_snapshot_older_than_what_was_seen_is_refused_once(begin: int, nonce: int, newest: int) -> None:
    feed = Feed()
    assert take(feed.sync, update(begin, nonce), 7) is Outcome.GAP
    assert take(feed.sync, snapshot(newest - 1), 8) is Outcome.STALE
    assert feed.book.top.status is BookStatus.GAP
    assert take(feed.sync, snapshot(newest - 2), 9) is Outcome.APPLIED
    assert feed.asked == [0]


def test_a_snapshot_of_a_server_that_lags_is_refused_once_whatever_comes_between() -> None:
    feed = Feed()
    assert take(feed.sync, update(110, 120), 7) is Outcome.GAP
    assert take(feed.sync, snapshot(115), 8) is Outcome.STALE
    assert take(feed.sync, update(120, 140), 9) is Outcome.WAITING
    assert take(feed.sync, snapshot(125), 10) is Outcome.APPLIED
    assert take(feed.sync, update(130, 131), 11) is Outcome.GAP
    assert take(feed.sync, snapshot(130), 12) is Outcome.STALE, "the one that was applied begins anew"


def test_snapshots_that_cannot_be_used_are_asked_for_with_pauses() -> None:
    feed = Feed()
    assert take(feed.sync, update(110, 120), 0) is Outcome.GAP
    assert take(feed.sync, snapshot(1), 0) is Outcome.STALE
    for recv_ns, asked in ((0, 1), (RETRY_NS - 1, 1), (RETRY_NS, 2), (RETRY_NS + 1, 2), (2 * RETRY_NS, 3)):
        for price in ("NaN", "0.00"):
            with pytest.raises(InvalidFrame):
                take(feed.sync, snapshot(200, ((price, "1.0"),)), recv_ns)
        assert take(feed.sync, snapshot(200, (("100.50", "1.0"),)), recv_ns) is Outcome.CROSSED
        assert len(feed.asked) == asked


def test_a_snapshot_as_new_as_what_was_seen_is_applied() -> None:
    feed = Feed()
    take(feed.sync, update(110, 120), 7)
    take(feed.sync, update(120, 130), 7)
    assert take(feed.sync, snapshot(130), 8) is Outcome.APPLIED


def test_a_live_book_takes_a_newer_snapshot_and_ignores_an_older_one() -> None:
    feed = Feed()
    assert take(feed.sync, snapshot(99, (), ()), 7) is Outcome.LATE
    assert feed.levels[0] == {9950: 10, 9900: 20}
    assert take(feed.sync, snapshot(150, (), ()), 8) is Outcome.APPLIED
    assert feed.levels == ({}, {})
    assert take(feed.sync, update(150, 151), 9) is Outcome.APPLIED
    assert not feed.asked


def test_a_new_connection_forgets_what_was_seen() -> None:
    feed = Feed()
    feed.sync.reconnected()
    assert feed.book.top.status is BookStatus.GAP
    assert feed.levels == ({}, {})
    assert take(feed.sync, update(100, 101), 7) is Outcome.WAITING
    feed.sync.reconnected()
    assert take(feed.sync, snapshot(50), 8) is Outcome.APPLIED
    assert not feed.asked


def test_a_new_connection_leaves_a_book_that_was_never_live_empty() -> None:
    feed = Feed(is_live=False)
    feed.sync.reconnected()
    assert feed.book.top.status is BookStatus.EMPTY


def test_a_nonce_that_was_wrong_does_not_make_all_later_updates_late() -> None:
    feed = Feed()
    frame = tree("update", 100, 101)
    frame["order_book"]["nonce"] = 10**15
    wrong = decode.frame(encoded(frame))
    assert isinstance(wrong, wire.BookUpdate)
    assert take(feed.sync, wrong, 7) is Outcome.APPLIED
    assert take(feed.sync, update(90, 100), 8) is Outcome.LATE
    assert take(feed.sync, update(101, 102), 8) is Outcome.GAP


def test_a_nonce_that_was_too_low_shows_a_gap() -> None:
    feed = Feed()
    frame = tree("update", 100, 101)
    frame["order_book"]["nonce"] = 3
    wrong = decode.frame(encoded(frame))
    assert isinstance(wrong, wire.BookUpdate)
    assert take(feed.sync, wrong, 7) is Outcome.GAP
    assert take(feed.sync, snapshot(101), 9) is Outcome.APPLIED


def test_a_wrong_nonce_with_a_wrong_time_stops_the_book_no_longer_than_a_snapshot_is_waited_for() -> None:
    feed = Feed()
    frame = tree("update", 100, 101)
    frame["order_book"]["nonce"], frame["last_updated_at"] = 2**62, 9 * 10**16
    wrong = decode.frame(encoded(frame))
    assert isinstance(wrong, wire.BookUpdate)
    assert take(feed.sync, wrong, 7) is Outcome.APPLIED
    assert take(feed.sync, update(101, 102), 8) is Outcome.LATE
    assert take(feed.sync, update(102, 103), 7 + RETRY_NS - 1) is Outcome.LATE
    assert take(feed.sync, update(103, 104), 7 + RETRY_NS) is Outcome.GAP
    assert feed.asked == [0]
    assert take(feed.sync, snapshot(105), 8 + RETRY_NS) is Outcome.APPLIED


@pytest.mark.parametrize("kind", ["update", "snapshot"])
def test_a_crossed_book_is_dropped_and_asked_for_anew(kind: str) -> None:
    feed = Feed(is_live=kind == "update")
    crossing: Pairs = (("100.50", "1.0"),)
    if kind == "update":
        assert take(feed.sync, update(100, 101, crossing), 7) is Outcome.CROSSED
    else:
        assert take(feed.sync, snapshot(101, crossing), 7) is Outcome.CROSSED
    assert feed.book.top.status is BookStatus.CROSSED
    assert feed.levels == ({}, {})
    assert feed.asked == [0]
    assert take(feed.sync, update(101, 102), 8) is Outcome.WAITING
    assert take(feed.sync, snapshot(102), 9) is Outcome.APPLIED


BAD_LEVELS = [
    ("99.505", "1.0", "price"),
    ("NaN", "1.0", "price"),
    ("-99.50", "1.0", "price"),
    ("0.00", "1.0", "price"),
    ("0", "0", "price"),
    ("99.50", "1.05", "size"),
    ("99.50", "-0.1", "size"),
    ("99.50", "Infinity", "size"),
    ("99.50", str(2**63), "size"),
    ("99.50", "1e30", "size"),
    ("99.50", "", "size"),
]


@pytest.mark.parametrize(("price", "size", "key"), BAD_LEVELS)
@pytest.mark.parametrize("side", ["bids", "asks"])
def test_an_update_with_a_bad_level_is_a_lost_one(side: str, price: str, size: str, key: str) -> None:
    feed = Feed()
    levels = {side: (("99.00" if side == "bids" else "102.00", "5.0"), (price, size))}
    with pytest.raises(InvalidFrame) as caught:
        take(feed.sync, update(100, 101, **levels), 7)
    assert caught.value.field == f"order_book.{side}[1].{key}"
    assert feed.asked == [0]
    assert feed.levels == ({}, {})
    assert feed.book.top.status is BookStatus.GAP
    assert take(feed.sync, update(101, 102), 8) is Outcome.WAITING


def test_a_late_update_with_a_bad_level_loses_nothing() -> None:
    feed = Feed()
    before = feed.book.top
    with pytest.raises(InvalidFrame):
        take(feed.sync, update(90, 100, (("NaN", "1.0"),)), 7)
    assert feed.book.top is before
    assert take(feed.sync, update(100, 101), 8) is Outcome.APPLIED
    assert not feed.asked


@pytest.mark.parametrize("price", ["NaN", "0.00"])
def test_a_bad_snapshot_is_asked_for_again_where_one_is_waited_for(price: str) -> None:
    feed = Feed(is_live=False)
    with pytest.raises(InvalidFrame) as caught:
        take(feed.sync, snapshot(100, ((price, "1.0"),)), 7)
    assert caught.value.field == "order_book.bids[0].price"
    assert feed.asked == [0]
    assert feed.book.top.status is BookStatus.EMPTY
    live = Feed()
    with pytest.raises(InvalidFrame):
        take(live.sync, snapshot(101, ((price, "1.0"),)), 7)
    assert not live.asked
    assert take(live.sync, update(100, 102), 8) is Outcome.APPLIED


def test_an_exponent_within_the_grammar_is_the_number_that_it_writes() -> None:
    feed = Feed()
    assert take(feed.sync, update(100, 101, (("9.95e1", "2E+1"),)), 7) is Outcome.APPLIED
    assert feed.levels[0][9950] == 200


def test_to_parse_writes_nothing_and_to_write_asks_the_chain() -> None:
    feed = Feed()
    before = feed.book.top
    writes = [feed.sync.parse_update(update(n, n + 1, (("99.50", f"{n}"),)), n) for n in range(100, 103)]
    fresh = feed.sync.parse_snapshot(snapshot(200), 5)
    assert feed.book.top is before
    assert [write.write() for write in writes] == [Outcome.APPLIED] * 3
    assert feed.levels[0][9950] == 1020
    assert writes[0].write() is Outcome.LATE
    assert fresh.write() is Outcome.APPLIED


@pytest.mark.parametrize("retry_ns", [0, -1, 1.5e9, True, None])
def test_a_wait_that_is_none_is_refused(retry_ns: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"^retry_ns: "):
        BookSync(1, OrderBook(), Scale(Decimal("0.01"), Decimal("0.1")), list[int]().append, retry_ns)


def test_an_update_with_a_bad_text_is_lost_when_it_is_parsed_so_what_was_not_written_before_it_is_too() -> (
    None
):
    feed = Feed()
    unwritten = feed.sync.parse_update(update(100, 101), 7)
    with pytest.raises(InvalidFrame):
        feed.sync.parse_update(update(101, 102, (("NaN", "1.0"),)), 8)
    assert feed.book.top.status is BookStatus.GAP
    assert unwritten.write() is Outcome.WAITING
    assert feed.asked == [0]


def test_who_is_asked_for_a_subscription_may_answer_at_once() -> None:
    book = OrderBook()

    def answer(market_id: int) -> None:
        assert market_id == 0
        assert not sync.is_live
        assert book.top.status is BookStatus.GAP
        assert take(sync, snapshot(200), 8) is Outcome.APPLIED

    sync = BookSync(0, book, Scale(Decimal("0.01"), Decimal("0.1")), answer)
    take(sync, snapshot(100), 1)
    assert take(sync, update(150, 151), 7) is Outcome.GAP
    assert sync.is_live
    assert take(sync, update(200, 201), 9) is Outcome.APPLIED


class BrokenOff(list[Level]):
    """Levels in the midst of which somebody presses Ctrl-C."""

    def __iter__(self) -> Iterator[Level]:
        yield from super().__iter__()
        raise KeyboardInterrupt


def test_what_is_broken_off_is_lost_and_asked_for() -> None:
    feed = Feed()
    levels = BrokenOff([(9800, 1)])
    with pytest.raises(KeyboardInterrupt):
        UpdateWrite(feed.sync, update(100, 101), levels, [], 7).write()
    assert (feed.sync.is_live, feed.book.top.status, feed.asked) == (False, BookStatus.GAP, [0])
    assert take(feed.sync, update(100, 101), 8) is Outcome.WAITING
    assert take(feed.sync, snapshot(101), 9) is Outcome.APPLIED
    with pytest.raises(KeyboardInterrupt):
        SnapshotWrite(feed.sync, snapshot(102), [], levels, 10).write()
    assert (feed.sync.is_live, feed.book.top.status, feed.asked) == (False, BookStatus.GAP, [0, 0])
    assert take(feed.sync, snapshot(102), 11) is Outcome.APPLIED


def test_a_book_of_fixed_depth_is_refused() -> None:
    book = OrderBook(depth=3)
    book.replace([(1, 1)], [], 1, 1, 1, 1)
    with pytest.raises(InvalidArgument, match=r"^depth: "):
        BookSync(0, book, Scale(Decimal("0.01"), Decimal("0.1")), list[int]().append)
    assert book.top.status is BookStatus.LIVE


def test_what_a_book_holds_before_it_is_synchronised_is_dropped() -> None:
    feed = Feed()
    again = BookSync(0, feed.book, Scale(Decimal("0.01"), Decimal("0.1")), feed.asked.append)
    assert (feed.book.top.status, len(feed.book)) == (BookStatus.GAP, 0)
    feed.book.replace([(1, 1)], [], 1, 1, 1, 1)
    again.reconnected()
    assert (feed.book.top.status, len(feed.book)) == (BookStatus.GAP, 0)
