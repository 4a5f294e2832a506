"""Any sequence of updates gives what a plain dictionary of prices gives."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapemark.errors import CrossedBook, InvalidArgument
from tapemark.market.book import OrderBook
from tapemark.market.scale import Level
from tapemark.market.views import BookStatus
from tapemark.model import Side

Update = tuple[bool, list[Level], list[Level]]


class Model:
    """A book without an order of its own: each read sorts."""

    def __init__(self, depth: int | None) -> None:
        self.depth = depth
        self.bids: dict[int, int] = {}
        self.asks: dict[int, int] = {}

    def write(self, update: Update) -> bool:
        """Return whether the book is well, and empty it when not."""
        is_snapshot, bids, asks = update
        if is_snapshot:
            self.bids, self.asks = {}, {}
        for levels, side in ((bids, self.bids), (asks, self.asks)):
            for ticks, steps in levels:
                side[ticks] = steps
        self.bids = {ticks: self.bids[ticks] for ticks in self.prices(Side.BUY)[: self.depth]}
        self.asks = {ticks: self.asks[ticks] for ticks in self.prices(Side.SELL)[: self.depth]}
        is_well = not self.bids or not self.asks or max(self.bids) < min(self.asks)
        if not is_well:
            self.bids, self.asks = {}, {}
        return is_well

    def prices(self, side: Side) -> list[int]:
        sizes = self.bids if side is Side.BUY else self.asks
        return sorted((ticks for ticks, steps in sizes.items() if steps), reverse=side is Side.BUY)


def assert_equal(book: OrderBook, model: Model, low: int, high: int) -> None:
    bids = tuple((ticks, model.bids[ticks]) for ticks in model.prices(Side.BUY))
    asks = tuple((ticks, model.asks[ticks]) for ticks in model.prices(Side.SELL))
    for reads in (book, book.view()):
        assert reads.depth(1000) == (bids, asks)
        assert reads.depth(3) == (bids[:3], asks[:3])
        assert reads.best_bid == (bids[0] if bids else None)
        assert reads.best_ask == (asks[0] if asks else None)
        assert reads.spread_ticks == (asks[0][0] - bids[0][0] if bids and asks else None)
        assert reads.mid_half_ticks == (asks[0][0] + bids[0][0] if bids and asks else None)
        assert reads.between(low, high) == (within(bids, low, high), within(asks, low, high))
        assert reads.total(Side.BUY) == sum(steps for _, steps in bids)
        assert reads.total(Side.SELL) == sum(steps for _, steps in asks)
        assert len(reads) == len(bids) + len(asks)


def within(levels: Sequence[Level], low: int, high: int) -> tuple[Level, ...]:
    return tuple(level for level in levels if low <= level[0] <= high)


def updates(lowest_ask: int, highest_bid: int) -> st.SearchStrategy[list[Update]]:
    steps = st.integers(0, 3) | st.integers(0, 2**63 - 1)
    bids = st.lists(st.tuples(st.integers(1, highest_bid), steps), max_size=8)
    asks = st.lists(st.tuples(st.integers(lowest_ask, 60), steps), max_size=8)
    is_snapshot = st.sampled_from([False, False, False, True])
    return st.lists(st.tuples(is_snapshot, bids, asks), max_size=30)


depths = st.none() | st.integers(1, 6)
bounds = st.integers(-5, 65)


@given(updates=updates(31, 30), depth=depths, low=bounds, high=bounds)
def test_any_updates_equal_the_model(updates: list[Update], depth: int | None, low: int, high: int) -> None:
    book, model = OrderBook(depth), Model(depth)
    for sequence, (is_snapshot, bids, asks) in enumerate(updates, 1):
        (book.replace if is_snapshot else book.apply)(bids, asks, sequence, 2, 3, 4)
        assert model.write((is_snapshot, bids, asks))
        assert (book.top.status, book.top.sequence) == (BookStatus.LIVE, sequence)
        assert_equal(book, model, low, high)


@given(updates=updates(22, 39), depth=depths, low=bounds, high=bounds)
def test_every_crossed_book_is_found_and_no_other(
    updates: list[Update], depth: int | None, low: int, high: int
) -> None:
    book, model = OrderBook(depth), Model(depth)
    for sequence, (is_snapshot, bids, asks) in enumerate(updates, 1):
        if book.top.status is BookStatus.CROSSED and not is_snapshot:
            with pytest.raises(InvalidArgument, match=r"^status: "):
                book.apply(bids, asks, sequence, 2, 3, 4)
            continue
        write = book.replace if is_snapshot else book.apply
        if model.write((is_snapshot, bids, asks)):
            write(bids, asks, sequence, 2, 3, 4)
            assert book.top.status is BookStatus.LIVE
        else:
            with pytest.raises(CrossedBook, match=r"^book: "):
                write(bids, asks, sequence, 2, 3, 4)
            assert book.top.status is BookStatus.CROSSED
        assert book.top.sequence == sequence
        assert_equal(book, model, low, high)


@given(updates=updates(31, 30))
def test_a_snapshot_of_a_book_rebuilds_it(updates: list[Update]) -> None:
    book = OrderBook()
    book.replace([], [], 1, 2, 3, 4)
    for is_snapshot, bids, asks in updates:
        (book.replace if is_snapshot else book.apply)(bids, asks, 1, 2, 3, 4)
    rebuilt = OrderBook()
    rebuilt.replace(*book.view().depth(1000), 1, 2, 3, 4)
    assert rebuilt.depth(1000) == book.depth(1000)
    for is_snapshot, bids, asks in updates:
        for each in (book, rebuilt):
            (each.replace if is_snapshot else each.apply)(bids, asks, 1, 2, 3, 4)
    assert rebuilt.depth(1000) == book.depth(1000)
    assert rebuilt.top == book.top
