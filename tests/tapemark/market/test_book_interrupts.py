"""An update that is broken off, at any point: the book is whole or dropped, and no reader waits for it."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, NoReturn

import pytest

from tapemark.errors import CrossedBook
from tapemark.market import book as book_module
from tapemark.market import ladder as ladder_module
from tapemark.market.book import OrderBook
from tapemark.market.scale import Level
from tapemark.market.views import BookReads, BookStatus

BIDS = [(10, 1), (9, 2), (8, 3)]
ASKS = [(20, 1), (21, 2), (22, 3)]

traces_each_instruction = pytest.mark.skipif(
    sys.version_info >= (3, 13), reason="traces every second at most"
)

Levels = tuple[tuple[Level, ...], tuple[Level, ...]]


def book_of(depth: int | None = None) -> OrderBook:
    book = OrderBook(depth)
    book.replace(BIDS, ASKS, 1, 1, 1, 1)
    return book


def apply(book: OrderBook) -> None:
    book.apply([(9, 0), (10, 4), (11, 5)], [(20, 0), (23, 6), (19, 7)], 2, 2, 2, 2)


def replace(book: OrderBook) -> None:
    book.replace([(5, 1), (6, 1), (7, 1)], [(30, 1), (31, 0), (32, 1)], 2, 2, 2, 2)


def clear(book: OrderBook) -> None:
    book.clear(BookStatus.GAP)


def begin_anew(book: OrderBook) -> None:
    book.clear(BookStatus.EMPTY)
    apply(book)


def cross_by_update(book: OrderBook) -> None:
    with pytest.raises(CrossedBook):
        book.apply([(25, 1)], [(24, 1)], 2, 2, 2, 2)


def cross_by_snapshot(book: OrderBook) -> None:
    with pytest.raises(CrossedBook):
        book.replace([(25, 1)], [(24, 1)], 2, 2, 2, 2)


WRITES = [apply, replace, clear, begin_anew, cross_by_update, cross_by_snapshot]


class Interrupt:
    """Raises in place of the given instruction of the book's code, counted from 0."""

    def __init__(self, at: int) -> None:
        self.left, self.has_struck = at, False

    def __call__(self, frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename not in {book_module.__file__, ladder_module.__file__}:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            if not self.left:
                self.has_struck = True
                raise KeyboardInterrupt
            self.left -= 1
        return self


def is_broken_off(write: Callable[[OrderBook], None], book: OrderBook, interrupt: Interrupt) -> bool:
    outer = sys.gettrace()
    sys.settrace(interrupt)
    try:
        write(book)
    except KeyboardInterrupt:
        assert interrupt.has_struck
    finally:
        sys.settrace(outer)
    return interrupt.has_struck


def instructions_of(write: Callable[[OrderBook], None], depth: int | None) -> int:
    counted = Interrupt(sys.maxsize)
    for _ in range(2):  # since Python 3.12 the first run is traced in part
        counted = Interrupt(sys.maxsize)
        assert not is_broken_off(write, book_of(depth), counted)
    return sys.maxsize - counted.left


def assert_sound(reads: BookReads, whole: set[Levels]) -> None:
    """Check that what is live is one of the whole books."""
    top = reads.top
    if top.status is BookStatus.LIVE:
        bids, asks = levels = reads.depth(99)
        assert levels in whole
        assert len(reads) == len(bids) + len(asks)
        assert reads.best_bid == (bids[0] if bids else None)
        assert reads.best_ask == (asks[0] if asks else None)
    else:
        assert (top.bid_ticks, top.bid_steps, top.ask_ticks, top.ask_steps) == (None,) * 4


def refuse_to_wait(seconds: float) -> NoReturn:
    raise AssertionError(f"a reader waits {seconds} s for a writer that is gone")


@traces_each_instruction
@pytest.mark.parametrize(("depth", "is_asked_for"), [(None, False), (3, True)])
@pytest.mark.parametrize("write", WRITES)
def test_wherever_a_write_is_broken_off_the_book_is_whole_or_dropped(
    write: Callable[[OrderBook], None],
    depth: int | None,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_asked_for: bool,
) -> None:
    monkeypatch.setattr("tapemark.market.book.time.sleep", refuse_to_wait)
    after, begun = book_of(depth), OrderBook(depth)
    write(after)
    apply(begun)
    whole = {book_of(depth).depth(99), after.depth(99), begun.depth(99)}
    instructions, struck = instructions_of(write, depth), 0
    for at in range(instructions):
        book = book_of(depth)
        book._is_wanted = is_asked_for  # as a reader leaves it who met an update
        if not is_broken_off(write, book, Interrupt(at)):
            continue
        struck += 1
        assert_sound(book, whole)
        view = book.view()
        assert_sound(view, whole)
        assert view.top is book.top
        assert len(view) == 0 or view.top.status is BookStatus.LIVE
        if at % 2:
            book.clear(BookStatus.EMPTY)
            apply(book)
            assert book.depth(99) == book.view().depth(99) == begun.depth(99)
        else:
            replace(book)
            assert book.depth(99)[0] == book.view().depth(99)[0] == ((7, 1), (6, 1), (5, 1))
    assert struck == instructions > 50


@traces_each_instruction
@pytest.mark.parametrize("write", [apply, replace])
def test_a_drop_that_fails_too_leaves_no_part_of_an_update_live(
    write: Callable[[OrderBook], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def drop(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr("tapemark.market.book.time.sleep", refuse_to_wait)
    after = book_of()
    write(after)
    whole, dropped = {book_of().depth(99), after.depth(99)}, 0
    for at in range(instructions_of(write, None)):
        book, interrupt = book_of(), Interrupt(at)
        with monkeypatch.context() as patch:
            patch.setattr(OrderBook, "_drop", drop)
            if not is_broken_off(write, book, interrupt):
                continue
        assert_sound(book, whole)
        assert_sound(book.view(), whole)
        dropped += book.top.status is BookStatus.GAP
        replace(book)
        assert book.view().depth(99)[0] == ((7, 1), (6, 1), (5, 1))
    assert dropped > 0


class Interrupting(list[Level]):
    """Levels whose second walk, which writes them, ends in what Ctrl-C raises."""

    walks = 0

    def __iter__(self) -> Any:
        self.walks += 1
        for position, level in enumerate(super().__iter__()):
            if self.walks == 2 and position == 1:
                raise KeyboardInterrupt
            yield level


@pytest.mark.parametrize("side", [0, 1])
def test_a_book_that_was_broken_off_keeps_the_number_of_its_last_update(side: int) -> None:
    book = book_of()
    levels = Interrupting([(11 + 5 * side, 1), (12 + 5 * side, 1)])
    bids, asks = ([(13, 1)], levels) if side else (levels, [(15, 1)])
    with pytest.raises(KeyboardInterrupt):
        book.apply(bids, asks, 2, 2, 2, 2)
    assert (book.top.status, book.top.sequence, len(book)) == (BookStatus.GAP, 1, 0)
    assert len(book.view()) == 0
