"""Reads between writes, as a strategy reads: after each update the best of both sides, or ten levels.

A structure that sorts when it is read pays here. The updates change one level each, half of them near the
top; the second half undoes the first, so that a call ends where it began.
"""

from collections.abc import Sequence

import pytest

from benches.market.book_feed import SIZE_STEP, TICK_SIZE, Update, feed
from benches.market.ladders import TIMES, Ladder, book_of, plainly, whole
from benchgate.measure import Measure
from tapemark.market.book import OrderBook
from tapemark.market.scale import Scale

DEPTHS = (10, 100, 1_000)
UPDATES, READ_LEVELS = 100, 10


def bests(book: OrderBook, updates: Sequence[Ladder]) -> list[object]:
    """Apply each update and read best bid and ask after it."""
    read: list[object] = []
    for bids, asks in updates:
        book.apply(bids, asks, *TIMES)
        read.append((book.best_bid, book.best_ask))
    return read


def depths(book: OrderBook, updates: Sequence[Ladder]) -> list[object]:
    """Apply each update and read the first levels of both sides after it."""
    read: list[object] = []
    for bids, asks in updates:
        book.apply(bids, asks, *TIMES)
        read.append(book.depth(READ_LEVELS))
    return read


def text_bests(book: OrderBook, scale: Scale, updates: Sequence[Update]) -> list[object]:
    """Convert each update's texts, apply it and read best bid and ask after it."""
    read: list[object] = []
    for bids, asks in updates:
        book.apply(scale.levels(bids), scale.levels(asks), *TIMES)
        read.append((book.best_bid, book.best_ask))
    return read


@pytest.mark.items(UPDATES, "deltas")
@pytest.mark.parametrize("levels", DEPTHS)
def bench_best(measure: Measure, levels: int) -> None:
    """Apply 100 deltas to a book of so many levels a side and read the best of both after each."""
    first, updates, sides = _followed(levels)
    book = book_of(first)
    assert bests(book, updates) == [(bids[0], asks[0]) for bids, asks in sides]
    assert book.depth(levels + 1) == plainly([first])
    measure(bests, book, updates, calls=1)


@pytest.mark.items(UPDATES, "deltas")
@pytest.mark.parametrize("levels", DEPTHS)
def bench_text_best(measure: Measure, levels: int) -> None:
    """Apply 100 deltas from their texts, all seen before, and read the best of both sides after each."""
    first, _, sides = _followed(levels)
    book, scale, updates = book_of(first), Scale(TICK_SIZE, SIZE_STEP), feed(levels).updates
    assert text_bests(book, scale, updates) == [(bids[0], asks[0]) for bids, asks in sides]
    measure(text_bests, book, scale, updates, calls=1)


@pytest.mark.items(UPDATES, "deltas")
@pytest.mark.parametrize("levels", DEPTHS)
def bench_depth(measure: Measure, levels: int) -> None:
    """Apply 100 deltas to a book of so many levels a side and read ten levels of both after each."""
    first, updates, sides = _followed(levels)
    book = book_of(first)
    assert depths(book, updates) == [(bids[:READ_LEVELS], asks[:READ_LEVELS]) for bids, asks in sides]
    measure(depths, book, updates, calls=1)


def _followed(levels: int) -> tuple[Ladder, list[Ladder], list[tuple[Sequence[tuple[int, int]], ...]]]:
    """Give a book's first state, the updates, and by a plain dict both sides after each update."""
    made = feed(levels)
    first, updates = whole(made.snapshot), [whole(update) for update in made.updates]
    assert len(updates) == UPDATES
    return first, updates, [plainly([first, *updates[: count + 1]]) for count in range(UPDATES)]
