"""Percentiles of many samples, from a high dynamic range histogram (HdrHistogram, PyPI `hdrhistogram`).

Its buckets are so narrow that a percentile is told to `SIGNIFICANT_DIGITS` digits wherever it lies between
`LOWEST_NS` and `HIGHEST_NS`: a figure is the upper end of the bucket that holds the sample of that rank, at
most a thousandth above it and never above the largest sample. The rank is the nearest to p * n / 100, the
first at least. Samples beyond the range are counted as its upper end, so that no percentile moves for want of
them, and their number is told. The smallest and the largest sample and the mean are the samples' own.
"""

from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from typing import NamedTuple

import msgspec

from benchgate.errors import BadBench, CouldNotRun

LOWEST_NS = 1
HIGHEST_NS = 60_000_000_000
SIGNIFICANT_DIGITS = 3
PERCENTILES = {"p50": 50.0, "p90": 90.0, "p95": 95.0, "p99": 99.0, "p99_9": 99.9}
"""By the names of their fields."""

FEWEST = {name: round(100 / (100 - percent)) for name, percent in PERCENTILES.items()}
"""So many samples a percentile needs that one may lie beyond it."""


class Bucket(NamedTuple):
    """How many samples lie between two numbers of nanoseconds, both included."""

    lowest_ns: int
    highest_ns: int
    samples: int


class Summary(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a distribution is, in some figures; nanoseconds.

    Attributes:
        n: The number of samples.
        beyond: How many of these lie above the histogram's range.
        p99_9: The percentile 99.9.
    """

    n: int
    beyond: int
    min_ns: int
    p50: int
    p90: int
    p95: int
    p99: int
    p99_9: int
    max_ns: int
    mean_ns: float

    def percentile(self, name: str) -> int | None:
        """Return a percentile, None when there are fewer samples than it needs."""
        return None if self.n < FEWEST[name] else int(getattr(self, name))


class Histogram:
    """The samples of one metric, counted in buckets.

    Attributes:
        summary: Its figures.
        buckets: Those that hold samples, from the smallest.
    """

    @staticmethod
    def require() -> None:
        """Check that histograms can be made here, before anything is measured for them.

        Raises:
            CouldNotRun: They cannot.
        """
        if find_spec("hdrh") is None:
            raise CouldNotRun(
                "hdrhistogram is not installed: `pip install --require-hashes -r requirements/bench.txt`"
            )

    def __init__(self, samples_ns: Sequence[int]) -> None:
        """Count the samples.

        Raises:
            BadBench: There are none, or one is below zero: the clock went backwards, or what was recorded is
                not a difference of its readings.
        """
        # Only here, since the gate also runs in the environment of a base whose locks lack it.
        from hdrh.histogram import HdrHistogram  # noqa: PLC0415 - as said

        if not samples_ns:
            raise BadBench("expected samples, got none")
        least_ns, most_ns = min(samples_ns), max(samples_ns)
        if least_ns < 0:
            raise BadBench(f"expected times of at least 0 ns, got {least_ns}")
        counted = HdrHistogram(LOWEST_NS, HIGHEST_NS, SIGNIFICANT_DIGITS)
        beyond = 0
        for ns, count in Counter(samples_ns).items():
            beyond += count if ns > HIGHEST_NS else 0
            counted.record_value(min(ns, HIGHEST_NS), count)
        found: dict[float, int] = counted.get_percentile_to_value_dict(PERCENTILES.values())
        self.summary = Summary(
            n=len(samples_ns),
            beyond=beyond,
            min_ns=least_ns,
            **{name: min(found[percent], most_ns) for name, percent in PERCENTILES.items()},
            max_ns=most_ns,
            mean_ns=sum(samples_ns) / len(samples_ns),
        )
        self.buckets = tuple(
            Bucket(
                counted.get_lowest_equivalent_value(step.value_iterated_to),
                step.value_iterated_to,
                step.count_at_value_iterated_to,
            )
            for step in counted.get_recorded_iterator()
        )
