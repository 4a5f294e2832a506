"""Readers in other threads: never a torn or crossed view, and never a writer that waits."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tapemark.errors import CrossedBook
from tapemark.market.book import OrderBook
from tapemark.market.scale import Level
from tapemark.market.views import BookReads, BookStatus
from tapemark.model import Side

MID = 1_000
WRITING_SEC = 10.0  # of both depths together


def mirrored(bids: list[Level]) -> list[Level]:
    return [(2 * MID - ticks, steps) for ticks, steps in bids]


def assert_whole(view: BookReads) -> None:
    """Check what holds at the end of each update, and at hardly any moment within one."""
    top = view.top
    bids, asks = view.depth(10_000)
    assert asks == tuple(mirrored(list(bids)))
    assert len(view) == 2 * len(bids)
    assert view.total(Side.BUY) == view.total(Side.SELL)
    assert (top.bid_ticks, top.bid_steps) == (bids[0] if bids else (None, None))
    assert (top.ask_ticks, top.ask_steps) == (asks[0] if asks else (None, None))
    if top.status is BookStatus.LIVE:
        assert any(steps == top.sequence for _, steps in bids)
        assert bids[0][0] < MID < asks[0][0]
    else:
        assert not bids


def write_for(seconds: float, book: OrderBook, seed: int) -> int:
    """Write mirrored updates whose sizes are their sequence, with snapshots and drops between them."""
    rng = random.Random(seed)
    sequence = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sequence += 1
        bids = [(rng.randrange(MID - 200, MID), sequence * (rng.random() < 0.6)) for _ in range(8)]
        bids.append((rng.randrange(MID - 5, MID), sequence))  # within any depth
        kind = rng.random()
        if kind < 0.01:
            book.clear(BookStatus.GAP)
        if kind < 0.02:
            book.replace(bids, mirrored(bids), sequence, sequence, sequence, sequence)
        elif kind < 0.03:
            with pytest.raises(CrossedBook):
                book.apply([(MID + 500, 1)], [], sequence, sequence, sequence, sequence)
            book.replace(bids, mirrored(bids), sequence, sequence, sequence, sequence)
        else:
            book.apply(bids, mirrored(bids), sequence, sequence, sequence, sequence)
    return sequence


@pytest.mark.usefixtures("eager_switches")
@pytest.mark.parametrize("depth", [None, 20])
def test_readers_see_whole_books_while_one_writes(depth: int | None) -> None:
    book = OrderBook(depth)
    is_done = threading.Event()
    faults: list[BaseException] = []
    seen: list[int] = []

    def read() -> None:
        last = count = 0
        try:
            while not is_done.is_set():
                earliest = book.top.sequence
                view = book.view()
                assert_whole(view)
                assert view.top.sequence >= max(last, earliest)
                last = view.top.sequence
                count += 1
        except BaseException as error:  # noqa: BLE001 - a thread's failure is the test's
            faults.append(error)
        seen.append(count)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    try:
        written = write_for(WRITING_SEC / 2, book, seed=depth or 0)
    finally:
        is_done.set()
        for reader in readers:
            reader.join()
    assert not faults, faults
    assert written > 100
    assert min(seen) > 10


class Paused(list[Level]):
    """Levels whose second walk, which writes them, stops in the middle until it may go on."""

    def __init__(self, levels: list[Level]) -> None:
        super().__init__(levels)
        self.walks = 0
        self.is_inside = threading.Event()
        self.may_go_on = threading.Event()

    def __iter__(self) -> Iterator[Level]:
        self.walks += 1
        for position, level in enumerate(super().__iter__()):
            if self.walks == 2 and position == 1:
                self.is_inside.set()
                assert self.may_go_on.wait(60)
            yield level


def wait_until_asked(book: OrderBook) -> None:
    """Wait until a reader has found the writer busy."""
    end = time.monotonic() + 60
    while not book._is_wanted:
        assert time.monotonic() < end
        time.sleep(0.001)


def test_a_reader_that_meets_a_busy_writer_gets_the_update_it_is_in() -> None:
    book = OrderBook()
    book.replace([(10, 1)], [(20, 1)], 1, 1, 1, 1)
    levels = Paused([(11, 2), (12, 2), (13, 2)])
    writer = threading.Thread(target=book.apply, args=(levels, [], 2, 2, 2, 2))
    writer.start()
    assert levels.is_inside.wait(60)
    views: list[BookReads] = []
    readers = [threading.Thread(target=lambda: views.append(book.view())) for _ in range(3)]
    for reader in readers:
        reader.start()
    wait_until_asked(book)
    assert not views
    assert book.top.sequence == 1  # which any thread may read meanwhile
    levels.may_go_on.set()
    for thread in (writer, *readers):
        thread.join(60)
    assert [view.depth(9)[0] for view in views] == [((13, 2), (12, 2), (11, 2), (10, 1))] * 3
    assert {view.top.sequence for view in views} == {2}


class Watched(OrderBook):
    """A book that lets the writer go on after the main thread's nth look at what a writer changes."""

    __slots__ = ("after_look", "looks")

    def __init__(self) -> None:
        self.looks = 0
        self.after_look: dict[int, Callable[[], object]] = {}
        super().__init__()

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        if name.startswith(("_", "top")) and threading.current_thread() is threading.main_thread():
            look, self.looks = self.looks, self.looks + 1
            self.after_look.get(look, bool)()
        return value


@pytest.mark.parametrize("begins", range(9))
def test_a_writer_that_comes_and_goes_between_a_reader_s_looks_leaves_no_torn_view(begins: int) -> None:
    whole = {(((10, 1),), ((20, 1),)), (((12, 2), (11, 2), (10, 1)), ((20, 1), (21, 2)))}
    for ends in range(begins + 1, begins + 9):
        book = Watched()
        book.replace([(10, 1)], [(20, 1)], 1, 1, 1, 1)
        levels = Paused([(11, 2), (12, 2)])
        writer = threading.Thread(target=book.apply, args=(levels, [(21, 2)], 2, 2, 2, 2))

        def begin(levels: Paused = levels, writer: threading.Thread = writer) -> None:
            writer.start()
            assert levels.is_inside.wait(60)

        def end(levels: Paused = levels, writer: threading.Thread = writer) -> None:
            levels.may_go_on.set()
            writer.join(60)

        book.looks, book.after_look = 0, {begins: begin, ends: end}
        view = book.view()
        book.after_look = {}
        if not writer.ident:
            continue
        end()
        assert view.depth(9) in whole
        assert view.best_bid == view.depth(1)[0][0]


def test_a_copy_that_was_asked_for_is_not_given_to_a_later_reader() -> None:
    book = OrderBook()
    book.replace([(10, 1)], [(20, 1)], 1, 1, 1, 1)
    levels = Paused([(11, 2), (12, 2)])
    writer = threading.Thread(target=book.apply, args=(levels, [], 2, 2, 2, 2))
    writer.start()
    assert levels.is_inside.wait(60)
    reader = threading.Thread(target=book.view)
    reader.start()
    wait_until_asked(book)
    levels.may_go_on.set()
    writer.join(60)
    reader.join(60)
    asked_for = book._published
    assert asked_for is not None
    book.apply([(13, 3)], [], 3, 3, 3, 3)
    assert book._published is asked_for  # one copy for those who asked, and none for each update after
    assert book.view().best_bid == (13, 3)
    book.clear(BookStatus.GAP)
    assert book.view().top.status is BookStatus.GAP


def test_an_empty_book_is_seen_empty_while_its_first_update_is_written() -> None:
    book = OrderBook()
    levels = Paused([(11, 2), (12, 2)])
    writer = threading.Thread(target=book.apply, args=(levels, [], 1, 1, 1, 1))
    writer.start()
    assert levels.is_inside.wait(60)
    view = book.view()
    assert (view.top.status, len(view)) == (BookStatus.EMPTY, 0)
    levels.may_go_on.set()
    writer.join(60)
    assert book.view().depth(9) == (((12, 2), (11, 2)), ())
