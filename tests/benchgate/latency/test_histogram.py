"""The histogram against the plain samples, sorted."""

import random
from collections.abc import Sequence

import pytest

from benchgate.errors import BadBench
from benchgate.latency.histogram import HIGHEST_NS, PERCENTILES, Histogram, Summary

RANDOM = random.Random(5)
SHAPES = {
    "one": [7],
    "two": [5, 900_000],
    "all alike": [333] * 1000,
    "zeros": [0, 0, 0, 1],
    "narrow": [RANDOM.randrange(1000, 1100) for _ in range(5000)],
    "heavy tail": [int(RANDOM.lognormvariate(6, 1.5)) for _ in range(5_000)],
    "two humps": [RANDOM.randrange(40, 60) if at % 99 else RANDOM.randrange(10**6) for at in range(1000)],
    "up to the end": [RANDOM.randrange(HIGHEST_NS + 1) for _ in range(300)],
}


def percentile(samples_ns: Sequence[int], percent: float) -> int:
    """The sample of the nearest rank, at least the first."""
    rank = max(1, int(percent * len(samples_ns) / 100 + 0.5))
    return sorted(samples_ns)[rank - 1]


def told(summary: Summary) -> tuple[int, ...]:
    return summary.p50, summary.p90, summary.p95, summary.p99, summary.p99_9


@pytest.mark.parametrize("name", SHAPES)
def test_percentiles_are_those_of_the_sorted_samples_to_a_thousandth(name: str) -> None:
    samples = SHAPES[name]
    summary = Histogram(samples).summary
    for percent, found in zip(PERCENTILES.values(), told(summary), strict=True):
        exact = percentile(samples, percent)
        assert exact <= found <= min(exact * 1.001, max(samples)), percent
    assert (summary.n, summary.beyond) == (len(samples), 0)
    assert (summary.min_ns, summary.max_ns) == (min(samples), max(samples))
    assert summary.mean_ns == pytest.approx(sum(samples) / len(samples))


@pytest.mark.parametrize("name", SHAPES)
def test_every_sample_is_in_one_bucket(name: str) -> None:
    samples = SHAPES[name]
    buckets = Histogram(samples).buckets
    for lowest, highest, count in buckets:
        assert count == sum(lowest <= ns <= highest for ns in samples)
    assert sum(bucket.samples for bucket in buckets) == len(samples)
    assert sorted(buckets) == list(buckets)


def test_samples_beyond_the_range_move_no_percentile_and_are_counted() -> None:
    samples = [100] * 90 + [HIGHEST_NS + 1] * 9 + [1 << 62]
    summary = Histogram(samples).summary
    assert (summary.n, summary.beyond) == (100, 10)
    assert (summary.p50, summary.p90) == (100, 100)
    assert HIGHEST_NS <= summary.p95 <= HIGHEST_NS * 1.001
    assert summary.max_ns == 1 << 62


@pytest.mark.parametrize(
    ("count", "known"),
    [
        (1, 0),
        (2, 1),
        (9, 1),
        (10, 2),
        (19, 2),
        (20, 3),
        (99, 3),
        (100, 4),
        (999, 4),
        (1000, 5),
    ],
)
def test_a_percentile_beyond_which_no_sample_may_lie_is_none(count: int, known: int) -> None:
    summary = Histogram([7] * count).summary
    assert [summary.percentile(name) for name in PERCENTILES] == [7] * known + [None] * (5 - known)


@pytest.mark.parametrize(("samples", "message"), [([], "expected samples, got none"), ([5, -1], "got -1")])
def test_what_is_no_distribution_is_refused(samples: list[int], message: str) -> None:
    with pytest.raises(BadBench, match=message):
        Histogram(samples)
