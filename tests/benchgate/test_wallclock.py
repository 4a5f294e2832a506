import random
import statistics
from typing import Any

import pytest
from pytest_benchmark.stats import Stats

from benchgate.rows import Items
from benchgate.wallclock import change, row_of
from tests.benchgate.samples import row


class Measured:
    """What pytest-benchmark hands over, with its own statistics."""

    def __init__(self, region_sec: list[float]) -> None:
        self.iterations = 7
        make_stats: Any = Stats  # which has no annotations
        self.stats = make_stats()
        for sec in region_sec:
            self.stats.update(sec)


@pytest.mark.parametrize("count", [8, 40, 400])
def test_row_is_the_statistics_of_calls_in_nanoseconds(count: int) -> None:
    rng = random.Random(count)
    region_sec = [rng.uniform(1e-5, 3e-5) for _ in range(count)]
    made = row_of("a/b/c", Measured(region_sec), calls=50, items=Items(2, "frames"), components=("a/b/d",))
    call_ns = sorted(sec * 1e9 / 50 for sec in region_sec)
    assert made.median_ns == pytest.approx(statistics.median(call_ns))
    assert made.p25_ns == pytest.approx(statistics.median(call_ns[: count // 2]))
    assert made.p75_ns == pytest.approx(statistics.median(call_ns[count // 2 :]))
    assert made.min_ns == pytest.approx(call_ns[0])
    assert made.iqr_ns == pytest.approx(made.p75_ns - made.p25_ns)
    assert (made.rounds, made.regions, made.calls) == (count, 7, 50)
    assert (made.items, made.components) == (Items(2, "frames"), ("a/b/d",))


@pytest.mark.parametrize(
    ("old", "new", "inside"),
    [
        (row("x", 100, 5), row("x", 103, 5), True),
        (row("x", 100, 5), row("x", 106, 5), False),
        (row("x", 100, 20), row("x", 103, 1), False),
        (row("x", 100, 1), row("x", 103, 20), False),
        (row("x", 100, 5), row("x", 95, 5), True),
    ],
)
def test_change_is_inside_when_both_runs_hold_both_medians(old: object, new: object, inside: bool) -> None:  # noqa: FBT001 - a case
    moved = change(old, new)  # type: ignore[arg-type]  # rows, as the cases above say
    assert moved.inside is inside
    assert moved.ratio == pytest.approx(new.median_ns / old.median_ns)  # type: ignore[attr-defined]  # the same
