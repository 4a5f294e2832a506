"""Find the declared distributions, measure them and make their rows."""

import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchgate import declarations
from benchgate.errors import BadBench, BenchgateError
from benchgate.ids import refuse_duplicates
from benchgate.latency.declaration import FEWEST_CALLS, Distribution, Metric, Replay
from benchgate.latency.histogram import Bucket, Histogram, Summary
from benchgate.latency.sampling import Sampled, Samples, Timer, play, sample
from benchgate.published import Published
from benchgate.stray import stray_text

KIND = "latency"
RECORD_PATH = Path("benches/latency.json")
QUICK_SHARE = 0.1


class LatencyRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The distribution of one metric.

    Attributes:
        samples: The figures of all samples, the timer's cost in each.
        timer: The figures of the timer alone, measured before, between and after.
        batch_ns: The median over the batches, which hold no timer, of the mean of one call; None where there
            are none.
        batches: How many there were.
        collections: How often the cyclic collector ran while samples were taken, by generation.
        note: What was timed.
    """

    id: str
    samples: Summary
    timer: Summary
    batch_ns: float | None
    batches: int
    collections: tuple[int, ...]
    note: str = ""


class Measured(NamedTuple):
    """A row, what it was made of, and whether its histogram is drawn."""

    row: LatencyRow
    samples_ns: Samples
    buckets: tuple[Bucket, ...]
    picture: bool


class Entry(NamedTuple):
    """A declaration and its metrics by id."""

    declaration: Distribution | Replay
    metrics: dict[str, Metric]


def declared(root: Path) -> tuple[Entry, ...]:
    """Return all distributions declared below `root`.

    Raises:
        BadBench: A file cannot be imported or has no `DISTRIBUTIONS`, or two metrics have one id.
    """
    found: Iterator[tuple[str, Distribution | Replay]] = declarations.found(
        root, "latency", "DISTRIBUTIONS", (Distribution, Replay)
    )
    entries = tuple(
        Entry(declaration, {f"{group}/{metric.name}": metric for metric in declaration.metrics})
        for group, declaration in found
    )
    refuse_duplicates(identity for entry in entries for identity in entry.metrics)
    return entries


def measure(
    entry: Entry, *, quick: bool, clock_ns: Callable[[], int] = time.perf_counter_ns
) -> tuple[Measured, ...]:
    """Measure the metrics of one declaration.

    Raises:
        BadBench: Its preparation fails, or a check of its own, or it records what cannot be.
    """
    timer = Timer(clock_ns)
    declaration = entry.declaration
    with _told(", ".join(entry.metrics)):
        if isinstance(declaration, Distribution):
            calls = declaration.load()
            count = max(FEWEST_CALLS, int(declaration.calls * QUICK_SHARE)) if quick else declaration.calls
            found = {declaration.name: sample(calls, count, timer, clock_ns)}
            calls.check()
        else:
            names = [metric.name for metric in declaration.metrics]
            passes = 1 if quick else declaration.passes
            found = play(declaration.load(quick=quick), names, passes, timer, clock_ns)
    timed = Histogram(timer.samples_ns).summary
    return tuple(
        _measured(identity, metric, found[metric.name], timed) for identity, metric in entry.metrics.items()
    )


def record_faults(
    rows: Sequence[LatencyRow], metrics: Mapping[str, Metric], published: Published
) -> tuple[str, ...]:
    """Return one line for each thing in which the recorded distributions differ from the declared ones."""
    recorded = {row.id: row for row in rows}
    return (
        *declarations.record_faults(recorded, metrics, RECORD_PATH),
        *(
            f"{key} has published percentiles or tiers but is missing from {RECORD_PATH}"
            for key in published.distributions | published.tiers
            if key not in recorded and key not in metrics
        ),
        *(
            f"{key}: note: {RECORD_PATH} has {row.note or 'none'}, declared is {metrics[key].note or 'none'}"
            for key, row in recorded.items()
            if key in metrics and row.note != metrics[key].note
        ),
    )


def metrics_of(entries: Iterable[Entry]) -> dict[str, Metric]:
    """Return the metrics of all declarations, by id."""
    return {identity: metric for entry in entries for identity, metric in entry.metrics.items()}


def _measured(identity: str, metric: Metric, sampled: Sampled, timer: Summary) -> Measured:
    with _told(identity):
        histogram = Histogram(sampled.samples_ns)
    row = LatencyRow(
        id=identity,
        samples=histogram.summary,
        timer=timer,
        batch_ns=statistics.median(sampled.batch_means_ns) if sampled.batch_means_ns else None,
        batches=len(sampled.batch_means_ns),
        collections=sampled.collections,
        note=metric.note,
    )
    return Measured(row, sampled.samples_ns, histogram.buckets, metric.picture)


@contextmanager
def _told(identity: str) -> Iterator[None]:
    """Say which metric it is that fails."""
    try:
        yield
    except BenchgateError as fault:
        raise BadBench(f"{identity}: {fault}") from fault
    except Exception as fault:
        raise BadBench(f"{identity}: {stray_text(fault)}") from fault
