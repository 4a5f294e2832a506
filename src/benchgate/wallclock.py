"""From pytest-benchmark's statistics to a row, and from two rows to a change.

pytest-benchmark keeps seconds per region; a row keeps nanoseconds per call.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from benchgate.rows import Items, WallclockRow

KIND = "wallclock"
UNSTEADY = 0.1
"""The interquartile range, as a part of the median, above which a row is named."""

WHOLE_CPU = 0.95
"""The share of a CPU below which something else is taken to have run: the quartiles do not show it."""

_NS_PER_SEC = 1e9


class RoundStats(Protocol):
    """The part of `pytest_benchmark.stats.Stats` that a row is made of, in seconds per region."""

    median: float
    q1: float
    q3: float
    min: float
    rounds: int


class BenchmarkStats(Protocol):
    """The part of `pytest_benchmark.stats.Metadata` that a row is made of."""

    stats: RoundStats
    iterations: int


class Change(msgspec.Struct, frozen=True):
    """How a row moved.

    Attributes:
        ratio: New over old.
        inside: Both runs' quartiles hold both medians.
        apart: The runs' quartiles have nothing in common.
    """

    ratio: float
    inside: bool
    apart: bool


def row_of(
    identity: str,
    measured: BenchmarkStats,
    *,
    calls: int,
    items: Items | None = None,
    components: tuple[str, ...] = (),
) -> WallclockRow:
    """Make the row of a bench whose regions have `calls` calls."""
    per_call = _NS_PER_SEC / calls
    return WallclockRow(
        id=identity,
        median_ns=measured.stats.median * per_call,
        p25_ns=measured.stats.q1 * per_call,
        p75_ns=measured.stats.q3 * per_call,
        min_ns=measured.stats.min * per_call,
        rounds=measured.stats.rounds,
        regions=measured.iterations,
        calls=calls,
        items=items,
        components=components,
    )


def unsteady(rows: Iterable[WallclockRow]) -> tuple[str, ...]:
    """Return the ids of the rows whose rounds differ so much that their median says little."""
    return tuple(row.id for row in rows if row.iqr_ns > UNSTEADY * row.median_ns)


def unsteady_text(rows: Sequence[WallclockRow]) -> str:
    """Say how many rows these are, without the sentence's end."""
    return f"{len(unsteady(rows))} of {len(rows)} rows have an IQR above {UNSTEADY * 100:g} % of the median"


def busy_text(cpu_share: float | None) -> str:
    """Say that something else took the CPU, without the sentence's end; empty when it did not."""
    if cpu_share is None or cpu_share >= WHOLE_CPU:
        return ""
    # Rounded down, so that it never reads as the bound itself.
    return f"this process had {int(cpu_share * 100)} % of a CPU while measuring: something else was running"


def change(old: WallclockRow, new: WallclockRow) -> Change:
    """Compare two rows of one bench from one machine."""
    inside = old.p25_ns <= new.median_ns <= old.p75_ns and new.p25_ns <= old.median_ns <= new.p75_ns
    apart = old.p75_ns < new.p25_ns or new.p75_ns < old.p25_ns
    return Change(new.median_ns / old.median_ns, inside, apart)
