"""One order book of several depths: levels that come and go at its top, in its middle and at its end.

A call inserts a level and deletes it again, so that every call finds the same book. Prices and sizes are
ticks and steps already; what their texts cost is part of `market/pipeline/parse`.
"""

import pytest

from benches.market.ladders import BEST_BID, TIMES, Levels, book_of, ladder, plainly
from benchgate.measure import Measure
from tapemark.market.book import OrderBook

DEPTHS = (10, 100, 1_000)
SNAPSHOTS = (25, 1_000)
_CALLS = 50
_STEPS = 77
_SNAPSHOT_CALLS = {25: 50, 1_000: 4}


def insert_delete(book: OrderBook, inserted: Levels, deleted: Levels) -> None:
    """Write a bid and take it away."""
    book.apply(inserted, (), *TIMES)
    book.apply(deleted, (), *TIMES)


@pytest.mark.items(2, "deltas")
@pytest.mark.parametrize("levels", DEPTHS)
def bench_insert_delete_top(measure: Measure, levels: int) -> None:
    """Insert a new best bid into a book of so many levels a side, and delete it."""
    _measure_at(measure, levels, BEST_BID + 1)


@pytest.mark.items(2, "deltas")
@pytest.mark.parametrize("levels", DEPTHS)
def bench_insert_delete_middle(measure: Measure, levels: int) -> None:
    """Insert a bid into the middle of a book of so many levels a side, and delete it."""
    _measure_at(measure, levels, BEST_BID - levels - 1 + levels % 2)


@pytest.mark.items(2, "deltas")
@pytest.mark.parametrize("levels", DEPTHS)
def bench_insert_delete_end(measure: Measure, levels: int) -> None:
    """Insert a bid below all others into a book of so many levels a side, and delete it."""
    _measure_at(measure, levels, BEST_BID - 2 * levels - 1)


@pytest.mark.parametrize("levels", SNAPSHOTS)
def bench_replace(measure: Measure, levels: int) -> None:
    """Replace the whole ladder of a live book by another of so many levels a side."""
    made, book = ladder(levels), book_of(ladder(10))
    book.replace(made.bids, made.asks, *TIMES)
    assert book.depth(levels + 1) == plainly([made])
    measure(book.replace, made.bids, made.asks, *TIMES, calls=_SNAPSHOT_CALLS[levels])


@pytest.mark.parametrize("levels", SNAPSHOTS)
def bench_view(measure: Measure, levels: int) -> None:
    """Take an unchanging copy of a book of so many levels a side, as a reader in another thread does."""
    made = ladder(levels)
    book = book_of(made)
    view = book.view()
    insert_delete(book, [made.bids[0]], [(made.bids[0][0], 0)])
    assert view.depth(levels + 1) == plainly([made])
    measure(book.view, calls=_SNAPSHOT_CALLS[levels])


def _measure_at(measure: Measure, levels: int, ticks: int) -> None:
    made = ladder(levels)
    book = book_of(made)
    inserted, deleted = [(ticks, _STEPS)], [(ticks, 0)]
    book.apply(inserted, (), *TIMES)
    assert book.depth(levels + 1) == plainly([made, type(made)(inserted, [])])
    book.apply(deleted, (), *TIMES)
    assert book.depth(levels + 1) == plainly([made])
    measure(insert_delete, book, inserted, deleted, calls=_CALLS)
