"""Ladders of any depth in ticks and steps, and what updates of them lead to by a plain dict."""

import random
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from benches.market.book_feed import SIZE_STEP, TICK_SIZE, Update
from tapemark.market.book import OrderBook

Level = tuple[int, int]
Levels = Sequence[Level]
TIMES = (7, 1_794_128_400_000_000, 1_794_128_400_001, 1_794_128_400_002_000_000)
"""Sequence, engine's time, API layer's time and receive time of every update."""

BEST_BID, BEST_ASK = 1_000_000, 1_000_004
_APART = 2  # so that a price lies between two levels


class Ladder(NamedTuple):
    """Both sides of a snapshot or an update, in which a size of zero deletes."""

    bids: Levels
    asks: Levels


def ladder(levels: int) -> Ladder:
    """Make so many levels a side, best first."""
    draw = random.Random(levels)
    return Ladder(
        [(BEST_BID - _APART * row, _size(draw)) for row in range(levels)],
        [(BEST_ASK + _APART * row, _size(draw)) for row in range(levels)],
    )


def whole(update: Update) -> Ladder:
    """Give an update of texts in ticks and steps, without the conversion that is benched."""
    return Ladder(
        *(
            [(int(Decimal(price) / TICK_SIZE), int(Decimal(size) / SIZE_STEP)) for price, size in side]
            for side in update
        )
    )


def book_of(made: Ladder, depth: int | None = None) -> OrderBook:
    """Give a live book with these levels."""
    book = OrderBook(depth)
    book.replace(made.bids, made.asks, *TIMES)
    return book


def plainly(updates: Iterable[Ladder]) -> tuple[tuple[Level, ...], tuple[Level, ...]]:
    """Give both sides, best first, after updates that start from nothing: a dict each, sorted."""
    bids: dict[int, int] = {}
    asks: dict[int, int] = {}
    for update in updates:
        bids.update(update.bids)
        asks.update(update.asks)
    return tuple(_kept(bids, reverse=True)), tuple(_kept(asks, reverse=False))


def _kept(side: dict[int, int], *, reverse: bool) -> list[Level]:
    return sorted(((ticks, steps) for ticks, steps in side.items() if steps), reverse=reverse)


def _size(draw: random.Random) -> int:
    return 1 + int(draw.random() * 5_000)
