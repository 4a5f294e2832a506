"""How the inbound rows grow with their input: books and trade lists of several sizes, bytes to objects.

`book_levels` repeats one frame, so every text is in the cache of numerals; `book_levels_cold` starts each
call with an empty cache, as the first frame of a connection does. The streams are what lies between and what
a connection sees: consecutive frames of one instrument. From one book to the next nine levels in ten persist;
of the numerals of quotes and trades about every second one was seen before (see the fixtures).
"""

from collections.abc import Callable

import pytest

from benches.derive import plain
from benches.derive.bench_inbound_pipeline import book_deltas, quotes, trades
from benches.inputs import frame, frames
from benchgate.measure import Measure
from tapemark.model import BookDeltas
from tapemark.numerals import UnsignedNumerals

LEVELS = (1, 10, 100, 1_000)
TRADES = (1, 10, 100)
STREAM_FRAMES = 200
Pipeline = Callable[[bytes, UnsignedNumerals], object]
_CALLS = {1: 200, 10: 50, 100: 10, 1_000: 5}


def first_book(raw: bytes) -> BookDeltas:
    """Decode and parse a book frame with an empty cache."""
    return book_deltas(raw, UnsignedNumerals())


def stream(pipeline: Pipeline, raws: list[bytes], numerals: UnsignedNumerals) -> None:
    """Decode and parse consecutive frames with one cache."""
    for raw in raws:
        pipeline(raw, numerals)


@pytest.mark.parametrize("levels", LEVELS)
def bench_book_levels(measure: Measure, levels: int) -> None:
    """Turn a book frame of so many levels a side, whose texts were all seen before, into deltas."""
    raw, numerals = frame(f"derive/book_{levels}"), UnsignedNumerals()
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
    _measure_stream(measure, f"derive/book_stream_{levels}", book_deltas, plain.book_deltas)


@pytest.mark.items(STREAM_FRAMES, "frames")
def bench_ticker_stream(measure: Measure) -> None:
    """Turn 200 consecutive ticker frames of a perpetual into quotes, from an empty cache on."""
    _measure_stream(measure, "derive/ticker_stream", quotes, plain.quote)


@pytest.mark.items(STREAM_FRAMES, "frames")
def bench_trade_stream(measure: Measure) -> None:
    """Turn 200 consecutive frames of one to three public trades into trades, from an empty cache on."""
    _measure_stream(measure, "derive/trade_stream", trades, plain.trades)


@pytest.mark.parametrize("count", TRADES)
def bench_trade_list(measure: Measure, count: int) -> None:
    """Turn a frame of so many public trades, whose texts were all seen before, into trades."""
    raw, numerals = frame(f"derive/trades_{count}"), UnsignedNumerals()
    assert trades(raw, numerals) == plain.trades(raw)
    measure(trades, raw, numerals, calls=_CALLS[count])


def _measure_stream(
    measure: Measure, name: str, pipeline: Pipeline, oracle: Callable[[bytes], object]
) -> None:
    raws, numerals = frames(name), UnsignedNumerals()
    assert len(raws) == STREAM_FRAMES
    assert [pipeline(raw, numerals) for raw in raws] == [oracle(raw) for raw in raws]
    measure.fresh(stream, lambda: (pipeline, raws, UnsignedNumerals()), calls=1)
