from typing import Any

import pytest

from tapemark.errors import CrossedBook, InvalidArgument, InvalidFrame
from tapemark.market.book import OrderBook
from tapemark.market.scale import Level
from tapemark.market.views import BookStatus, Top
from tapemark.model import Side

TIMES = (7, 1_774_884_082_309_144, 1_774_884_082_326, 1_774_884_082_400_000_000)
BIDS = [(99, 10), (98, 20), (95, 30)]
ASKS = [(101, 1), (102, 2), (110, 3)]


@pytest.fixture
def book() -> OrderBook:
    book = OrderBook()
    book.replace(BIDS, ASKS, *TIMES)
    return book


def test_a_new_book_is_empty() -> None:
    book = OrderBook()
    assert book.top == Top(None, None, None, None, BookStatus.EMPTY, 0, 0, 0, 0)
    for reads in (book, book.view()):
        assert (reads.best_bid, reads.best_ask, reads.spread_ticks, reads.mid_half_ticks) == (None,) * 4
        assert (reads.depth(5), reads.between(0, 1000), len(reads)) == (((), ()), ((), ()), 0)
        assert (reads.total(Side.BUY), reads.total(Side.SELL)) == (0, 0)


def test_a_snapshot_is_read_back(book: OrderBook) -> None:
    assert book.top == Top(99, 10, 101, 1, BookStatus.LIVE, *TIMES)
    for reads in (book, book.view()):
        assert (reads.best_bid, reads.best_ask) == ((99, 10), (101, 1))
        assert (reads.spread_ticks, reads.mid_half_ticks) == (2, 200)
        assert reads.depth(2) == (((99, 10), (98, 20)), ((101, 1), (102, 2)))
        assert reads.depth(0) == ((), ())
        assert reads.depth(100) == (tuple(BIDS), tuple(ASKS))
        assert reads.between(98, 102) == (((99, 10), (98, 20)), ((101, 1), (102, 2)))
        assert reads.between(95, 98) == (((98, 20), (95, 30)), ())
        assert reads.between(102, 110) == ((), ((102, 2), (110, 3)))
        assert reads.between(96, 97) == reads.between(102, 98) == ((), ())
        assert (reads.total(Side.BUY), reads.total(Side.SELL), len(reads)) == (60, 6, 6)


@pytest.mark.parametrize("count", [-1, -0.5, 1.5, "1", None])
def test_a_depth_that_is_negative_or_no_integer_is_refused(book: OrderBook, count: Any) -> None:
    for reads in (book, book.view()):
        with pytest.raises(InvalidArgument, match=rf"^count: expected an integer of .*, got {count!r}$"):
            reads.depth(count)


def test_an_update_sets_absolute_sizes_and_zero_deletes(book: OrderBook) -> None:
    book.apply([(98, 5), (99, 0), (97, 1)], [(100, 4)], 8, 2, 3, 4)
    assert book.depth(9) == (((98, 5), (97, 1), (95, 30)), ((100, 4), *ASKS))
    assert book.top == Top(98, 5, 100, 4, BookStatus.LIVE, 8, 2, 3, 4)


def test_to_delete_what_is_not_there_changes_nothing_but_the_times(book: OrderBook) -> None:
    book.apply([(97, 0), (1, 0)], [(103, 0), (2**62, 0)], 8, 2, 3, 4)
    assert book.depth(9) == (tuple(BIDS), tuple(ASKS))
    assert book.top == Top(99, 10, 101, 1, BookStatus.LIVE, 8, 2, 3, 4)


def test_an_update_without_levels_refreshes_the_times(book: OrderBook) -> None:
    book.apply([], [], 8, 2, 3, 4)
    assert book.top == Top(99, 10, 101, 1, BookStatus.LIVE, 8, 2, 3, 4)


@pytest.mark.parametrize("is_snapshot", [False, True])
def test_the_last_of_the_same_price_counts(*, is_snapshot: bool) -> None:
    book = OrderBook()
    write = book.replace if is_snapshot else book.apply
    write([(5, 1), (6, 1), (5, 0), (6, 0), (6, 3)], [(9, 0), (9, 2), (8, 1), (8, 0)], *TIMES)
    assert book.depth(9) == (((6, 3),), ((9, 2),))


def test_a_book_may_have_one_side(book: OrderBook) -> None:
    book.apply([(ticks, 0) for ticks, _ in BIDS], [], *TIMES)
    assert book.top == Top(None, None, 101, 1, BookStatus.LIVE, *TIMES)
    assert (book.best_bid, book.spread_ticks, book.mid_half_ticks) == (None, None, None)
    book.apply([(100, 1)], [(ticks, 0) for ticks, _ in ASKS], *TIMES)
    assert book.top == Top(100, 1, None, None, BookStatus.LIVE, *TIMES)
    assert (book.best_ask, book.spread_ticks, book.mid_half_ticks) == (None, None, None)
    book.replace([], [(3, 1)], *TIMES)
    assert book.top == Top(None, None, 3, 1, BookStatus.LIVE, *TIMES)
    book.replace([], [], *TIMES)
    assert book.top == Top(None, None, None, None, BookStatus.LIVE, *TIMES)


def test_sizes_and_prices_of_63_bits_are_held_exactly() -> None:
    book = OrderBook()
    most = 2**63 - 1
    book.replace([(most - 1, most), (1, most)], [(most, most)], *TIMES)
    assert book.depth(2) == (((most - 1, most), (1, most)), ((most, most),))
    assert book.total(Side.BUY) == 2 * most
    assert book.mid_half_ticks == 2 * most - 1


@pytest.mark.parametrize(
    ("bad", "part"),
    [
        ((0, 1), 0),
        ((0, 0), 0),
        ((-5, 1), 0),
        ((97, -1), 1),
        ((99, -1), 1),
    ],
)
@pytest.mark.parametrize("side", ["bids", "asks"])
@pytest.mark.parametrize("is_snapshot", [False, True])
def test_a_level_out_of_range_is_named_and_nothing_is_written(
    book: OrderBook, bad: Level, part: int, side: str, *, is_snapshot: bool
) -> None:
    top = book.top
    levels: dict[str, list[Level]] = {"bids": [(99, 0), (98, 7)], "asks": [(101, 0), (105, 7)]}
    levels[side].insert(1, bad)
    write = book.replace if is_snapshot else book.apply
    with pytest.raises(InvalidFrame, match=rf"^{side}\[1\]\[{part}\]: expected .*, got {bad[part]}$"):
        write(levels["bids"], levels["asks"], 8, 2, 3, 4)
    assert book.top is top
    assert book.depth(9) == (tuple(BIDS), tuple(ASKS))


@pytest.mark.parametrize("side", ["bids", "asks"])
@pytest.mark.parametrize("is_snapshot", [False, True])
def test_a_later_size_of_the_same_price_hides_no_negative_one(
    book: OrderBook, side: str, *, is_snapshot: bool
) -> None:
    levels: dict[str, list[Level]] = {"bids": [(98, 7)], "asks": [(105, 7)]}
    levels[side] += [(100, -5), (100, 5)]
    write = book.replace if is_snapshot else book.apply
    with pytest.raises(InvalidFrame, match=rf"^{side}\[1\]\[1\]: expected .*, got -5$"):
        write(levels["bids"], levels["asks"], 8, 2, 3, 4)
    assert book.depth(9) == (tuple(BIDS), tuple(ASKS))


@pytest.mark.parametrize("bad", [("98", 1), (98, "1"), (None, 1), (98, None), (98,), (98, 1, 1), 98])
@pytest.mark.parametrize("is_snapshot", [False, True])
def test_what_is_no_level_changes_nothing(book: OrderBook, bad: object, *, is_snapshot: bool) -> None:
    write = book.replace if is_snapshot else book.apply
    with pytest.raises((TypeError, ValueError)):
        write([(97, 7), bad], [(101, 0)], *TIMES)  # type: ignore[list-item]  # the point
    assert book.depth(9) == (tuple(BIDS), tuple(ASKS))
    assert book.view().top is book.top


@pytest.mark.parametrize("ticks", [101, 102, 500])
@pytest.mark.parametrize("is_snapshot", [False, True])
def test_a_crossed_book_is_reported_and_dropped(book: OrderBook, ticks: int, *, is_snapshot: bool) -> None:
    write = book.replace if is_snapshot else book.apply
    with pytest.raises(CrossedBook, match=rf"^book: expected .*, got 'bid {ticks}, ask 101'$"):
        write([(ticks, 1)], [(101, 1)], 8, 2, 3, 4)
    assert book.top == Top(None, None, None, None, BookStatus.CROSSED, 8, 2, 3, 4)
    assert (len(book), len(book.view()), book.view().top) == (0, 0, book.top)


def test_a_crossed_book_is_reported_by_its_name() -> None:
    with pytest.raises(CrossedBook, match=r"^book: expected .* for ETH-PERP, got 'bid 2, ask 1'$"):
        OrderBook(name="ETH-PERP").apply([(2, 1)], [(1, 1)], *TIMES)


def test_a_view_shows_its_status_and_its_best(book: OrderBook) -> None:
    assert repr(book.view()) == "<BookView live: 6 levels, best_bid=(99, 10), best_ask=(101, 1)>"
    assert repr(OrderBook().view()) == "<BookView empty: 0 levels, best_bid=None, best_ask=None>"


def test_an_ask_below_the_best_bid_crosses_as_well(book: OrderBook) -> None:
    with pytest.raises(CrossedBook, match="bid 99, ask 98"):
        book.apply([], [(98, 1)], *TIMES)
    assert book.top.status is BookStatus.CROSSED


def test_what_crosses_within_an_update_may_be_resolved_by_its_end(book: OrderBook) -> None:
    book.apply([(101, 4), (103, 4), (103, 0)], [(101, 0)], *TIMES)
    assert (book.best_bid, book.best_ask) == ((101, 4), (102, 2))
    book.apply([(101, 0)], [(99, 0), (100, 2)], *TIMES)
    assert (book.best_bid, book.best_ask) == ((99, 10), (100, 2))


@pytest.mark.parametrize("status", [BookStatus.GAP, BookStatus.CROSSED])
def test_a_dropped_book_takes_nothing_but_a_snapshot(book: OrderBook, status: BookStatus) -> None:
    book.clear(status)
    assert book.top == Top(None, None, None, None, status, *TIMES)
    assert len(book) == 0
    with pytest.raises(InvalidArgument, match=r"^status: expected a book that was not dropped"):
        book.apply([(1, 1)], [], 8, 2, 3, 4)
    assert book.top == Top(None, None, None, None, status, *TIMES)
    book.replace(BIDS, ASKS, 8, 2, 3, 4)
    assert book.top == Top(99, 10, 101, 1, BookStatus.LIVE, 8, 2, 3, 4)


def test_a_book_may_begin_with_updates_and_begin_again() -> None:
    book = OrderBook()
    book.apply([(1, 1)], [], *TIMES)
    assert book.top.status is BookStatus.LIVE
    book.clear(BookStatus.EMPTY)
    book.apply([], [(2, 1)], *TIMES)
    assert book.depth(9) == ((), ((2, 1),))


def test_only_an_update_makes_a_book_live(book: OrderBook) -> None:
    with pytest.raises(InvalidArgument, match=r"^status: expected EMPTY, GAP or CROSSED"):
        book.clear(BookStatus.LIVE)
    assert len(book) == 6


def test_a_level_pushed_out_of_a_fixed_depth_does_not_come_back() -> None:
    book = OrderBook(depth=3)
    book.replace([*BIDS, (90, 1)], [*ASKS, (120, 1)], *TIMES)
    assert book.depth(9) == (tuple(BIDS), tuple(ASKS))
    book.apply([(100, 1)], [(103, 5)], *TIMES)  # pushes out 95 and 110
    book.apply([(100, 0)], [(103, 0)], *TIMES)
    assert book.depth(9) == (((99, 10), (98, 20)), ((101, 1), (102, 2)))


def test_the_depth_is_a_matter_of_the_whole_update() -> None:
    book = OrderBook(depth=2)
    book.replace([(10, 1), (9, 1)], [], *TIMES)
    book.apply([(11, 1), (12, 1), (11, 0), (12, 0), (10, 0), (8, 1)], [], *TIMES)
    assert book.depth(9) == (((9, 1), (8, 1)), ())


@pytest.mark.parametrize("depth", [None, 1, 20])
def test_a_book_says_how_deep_it_is_kept(depth: int | None) -> None:
    assert OrderBook(depth).depth_limit == depth


@pytest.mark.parametrize("depth", [0, -1, 1.0, "5", True])
def test_a_depth_that_is_none_is_refused(depth: int) -> None:
    with pytest.raises(InvalidArgument, match=r"^depth: expected None or an integer of 1 or more"):
        OrderBook(depth)


def test_a_snapshot_keeps_nothing_of_its_callers_lists(book: OrderBook) -> None:
    bids, asks = list(BIDS), list(ASKS)
    book.replace(bids, asks, *TIMES)
    bids.clear()
    asks.append((100, 1))
    assert book.depth(9) == (tuple(BIDS), tuple(ASKS))


def test_a_view_does_not_change_with_its_book(book: OrderBook) -> None:
    view = book.view()
    book.apply([(99, 0), (98, 1)], [(100, 1)], 8, 2, 3, 4)
    book.clear(BookStatus.GAP)
    assert view.top == Top(99, 10, 101, 1, BookStatus.LIVE, *TIMES)
    assert view.depth(9) == (tuple(BIDS), tuple(ASKS))
