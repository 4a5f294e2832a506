"""How the inbound rows grow with their input: books and trade lists of several sizes, bytes to objects.

`book_levels` repeats one frame, so every text is in the cache of numerals; `book_levels_cold` starts each
call with an empty cache, as the first frame of a connection does; `book_stream` is what lies between and what
a connection sees: consecutive snapshots of one book, of whose levels nine in ten persist (see the fixtures).
"""

import pytest

from benches.derive import plain
from benches.derive.bench_inbound_pipeline import book_deltas, trades
from benches.inputs import frame, frames
from benchgate.measure import Measure
from tapemark.model import BookDeltas
from tapemark.numerals import NumeralCache

LEVELS = (1, 10, 100, 1_000)
TRADES = (1, 10, 100)
STREAM_FRAMES = 200
_CALLS = {1: 200, 10: 50, 100: 10, 1_000: 5}


def first_book(raw: bytes) -> BookDeltas:
    """Decode and parse a book frame with an empty cache."""
    return book_deltas(raw, NumeralCache())


def stream(raws: list[bytes], numerals: NumeralCache) -> None:
    """Decode and parse consecutive book frames with one cache."""
    for raw in raws:
        book_deltas(raw, numerals)


@pytest.mark.parametrize("levels", LEVELS)
def bench_book_levels(measure: Measure, levels: int) -> None:
    """Turn a book frame of so many levels a side, whose texts were all seen before, into deltas."""
    raw, numerals = frame(f"derive/book_{levels}"), NumeralCache()
    assert book_deltas(raw, numerals) == plain.book_deltas(raw)
    measure(book_deltas, raw, numerals, calls=_CALLS[levels])


@pytest.mark.parametrize("levels", LEVELS)
def bench_book_levels_cold(measure: Measure, levels: int) -> None:
    """Turn a book frame of so many levels a side into deltas, with no text seen before."""
    raw = frame(f"derive/book_{levels}")
    assert first_book(raw) == plain.book_deltas(raw)
    measure(first_book, raw, calls=_CALLS[levels])


@pytest.mark.items(STREAM_FRAMES, "frames")
@pytest.mark.parametrize("levels", [10, 100])
def bench_book_stream(measure: Measure, levels: int) -> None:
    """Turn 200 consecutive book frames of so many levels a side into deltas, from an empty cache on."""
    raws = frames(f"derive/book_stream_{levels}")
    assert len(raws) == STREAM_FRAMES
    numerals = NumeralCache()
    assert [book_deltas(raw, numerals) for raw in raws] == [plain.book_deltas(raw) for raw in raws]
    measure.fresh(stream, lambda: (raws, NumeralCache()), calls=1)


@pytest.mark.parametrize("count", TRADES)
def bench_trade_list(measure: Measure, count: int) -> None:
    """Turn a frame of so many public trades into trades."""
    raw = frame(f"derive/trades_{count}")
    assert trades(raw) == plain.trades(raw)
    measure(trades, raw, calls=_CALLS[count])
