"""The latency matrix on a terminal: a line for each metric, what was published for it, and the ratio.

Columns are dropped, never cut, when the terminal is narrower than all of them, and named below. There stand,
too, what must be known of the ratios, the timer's own cost, the collector's state, the tiers and how far to
trust the figures.
"""

from collections.abc import Iterable, Sequence

import msgspec
from rich.console import Console
from rich.text import Text

from benchgate import figures
from benchgate.ids import group_of, name_of
from benchgate.latency import histogram
from benchgate.latency.histogram import FEWEST, HIGHEST_NS, LOWEST_NS, SIGNIFICANT_DIGITS, Summary
from benchgate.latency.measuring import LatencyRow
from benchgate.latency.sampling import CLOCK
from benchgate.latency.tiers import place, ranges_text
from benchgate.notes import print_doubts, print_wrapped
from benchgate.published import Percentiles, Published, Source
from benchgate.run import Run
from benchgate.table import fit, print_cells, width_of
from benchgate.terminal import plain

PERCENTILES = {name: f"p{percent:g}" for name, percent in histogram.PERCENTILES.items()}
"""How the percentiles of a row are shown, by the names of their fields."""

DIFFER = "another run may differ, most of all beyond p99"
CLOSING = "These are times of one machine: nothing here passes or fails."
OTHER_THAN_BENCH = (
    "bench: the same ids there repeat one call with all in cache, and some rows do many calls at once: their "
    "medians are not these p50."
)

_TITLES = ("metric", "n", *PERCENTILES.values(), "max", "batch")
_DROPPED_FIRST = (3, 4, 7, 1)  # p90, p95, max and n are in the summary
_GAP = "  "
_HANGING = len(_GAP)


def print_matrix(console: Console, rows: Sequence[LatencyRow], published: Published) -> None:
    """Print the metrics in their order, each group under its name."""
    groups = {group_of(row.id): "" for row in rows}
    for row in rows:
        if published.distributions.get(row.id):
            groups[group_of(row.id)] = f"{_GAP}published: {published.source(row.id).short}"
    blocks = [
        (
            group,
            source,
            [line for row in rows if group_of(row.id) == group for line in _lines(row, published)],
        )
        for group, source in groups.items()
    ]
    lines = [_TITLES, *(line for _, _, block in blocks for line, _ in block)]
    columns, widths = fit(lines, _DROPPED_FIRST, width_of(console))
    print_cells(console, _TITLES, ["dim"] * len(_TITLES), columns, widths)
    for group, source, block in blocks:
        console.print(Text.assemble((plain(group), "bold"), (plain(source), "dim")), soft_wrap=True)
        for line, style in block:
            print_cells(console, line, [style] * len(line), columns, widths)
    left_out = [title for column, title in enumerate(_TITLES) if column not in columns]
    if left_out:
        print_wrapped(console, f"left out at this width: {', '.join(left_out)}", _HANGING, "dim")


def print_notes(console: Console, run: Run[LatencyRow], published: Published, resolution: str) -> None:
    """Print what belongs below the matrix; `resolution` says what the clock can tell apart."""
    console.print()
    for line in (*caveat_lines(run.rows, published), OTHER_THAN_BENCH):
        print_wrapped(console, line, _HANGING)
    for row in run.rows:
        if row.note:
            print_wrapped(console, f"{name_of(row.id)}: {row.note}", _HANGING, "dim")
    for line in (*method_lines(run), resolution):
        print_wrapped(console, line, _HANGING)
    if run.pace != "quick":  # the place of so few calls changes from run to run
        for line in tier_lines(run.rows, published, ranges=True):
            print_wrapped(console, line, _HANGING)
    for line in source_lines(run.rows, published):
        print_wrapped(console, line, _HANGING, "dim")
    print_doubts(console, run, DIFFER)
    print_wrapped(console, CLOSING, _HANGING)


def method_lines(run: Run[LatencyRow]) -> tuple[str, ...]:
    """Say what each figure holds: the timer, the collector, the batches, the histogram."""
    rows = run.rows
    # The metrics of a replay share both.
    runs_of = {row.timer: row.collections for row in rows}
    timers = runs_of.keys()
    low, high = (figures.duration(pick(timer.p50 for timer in timers)) for pick in (min, max))
    p50 = low if low == high else f"{low} to {high}"
    p99 = figures.duration(max(timer.p99 for timer in timers))
    pairs = sum(timer.n for timer in timers)
    runs = " + ".join(f"{sum(counts):,}" for counts in zip(*runs_of.values(), strict=True))
    beyond = sum(row.samples.beyond for row in rows)
    reach = f"{LOWEST_NS} ns to {figures.duration(HIGHEST_NS)}"
    timer = (
        f"timer: {CLOCK}, p50 {p50}, p99 {p99} with nothing to time, {pairs:,} times before, between and "
        f"after the samples. Each sample holds it; nothing is subtracted."
    )
    return (
        *_few_lines(rows),
        timer,
        f"collector: {run.collector}; it ran {runs} times (youngest generation first) among the samples.",
        "batch: the mean of one call in a batch timed as a whole, which holds no timer; the median batch.",
        f"histogram: HDR, {SIGNIFICANT_DIGITS} digits, {reach}; {beyond:,} samples beyond. max is exact.",
    )


def tier_lines(rows: Iterable[LatencyRow], published: Published, *, ranges: bool) -> tuple[str, ...]:
    """Place each metric that has tiers among them; with `ranges`, say what each tier holds."""
    return tuple(
        f"tiers: {row.id}: "
        + (f"p50, p95 of {ranges_text(published.tiers[row.id])}. Here: " if ranges else "")
        + f"{place(row.samples, published.tiers[row.id])}."
        for row in rows
        if row.id in published.tiers
    )


def caveat_lines(rows: Iterable[LatencyRow], published: Published) -> tuple[str, ...]:
    """Say what a reader must know before comparing with each source."""
    return tuple(
        f"ratios to {source.short}: {source.caveat}" for source in _sources(rows, published) if source.caveat
    )


def source_lines(rows: Iterable[LatencyRow], published: Published) -> tuple[str, ...]:
    """Name the sources of the published percentiles; what they say of comparing is in `caveat_lines`."""
    return tuple(msgspec.structs.replace(source, caveat="").line for source in _sources(rows, published))


def percentile_text(samples: Summary, name: str) -> str:
    """Write a percentile, `-` when there are too few samples for it."""
    ns = samples.percentile(name)
    return "-" if ns is None else figures.duration(ns)


def ratio(samples: Summary, theirs: Percentiles, name: str) -> float | None:
    """Return ours over theirs of a percentile, None when they gave none or we have too few samples for it."""
    ours, figure = samples.percentile(name), getattr(theirs, name)
    return None if ours is None or figure is None else ours / float(figure)


def batch_text(row: LatencyRow) -> str:
    """Write the mean of a call in a batch, `-` when there was none."""
    return "-" if row.batch_ns is None else figures.duration(row.batch_ns)


def _lines(row: LatencyRow, published: Published) -> list[tuple[tuple[str, ...], str]]:
    names = (*PERCENTILES, "max")
    own = [percentile_text(row.samples, name) for name in PERCENTILES]
    cells = (f"{row.samples.n:,}", *own, figures.duration(row.samples.max_ns), batch_text(row))
    lines = [((f"{_GAP}{plain(name_of(row.id))}", *cells), "")]
    for theirs in published.distributions.get(row.id, ()):
        found = {name: getattr(theirs, name) for name in names}
        count = "" if theirs.n is None else f"{theirs.n:,}"
        told = ["" if ns is None else figures.duration(ns) for ns in found.values()]
        lines.append(((f"{_GAP * 2}{plain(theirs.name)}", count, *told, ""), "dim"))
        ratios = [_ratio_text(ratio(row.samples, theirs, name)) for name in PERCENTILES]
        most = _ratio_text(None if theirs.max is None else row.samples.max_ns / theirs.max)
        lines.append(((f"{_GAP * 2}here / {plain(theirs.name)}", "", *ratios, most, ""), ""))
    return lines


def _few_lines(rows: Iterable[LatencyRow]) -> tuple[str, ...]:
    """Explain `-`, where it stands for a percentile."""
    least = min(row.samples.n for row in rows)
    needed = [f"{PERCENTILES[name]} needs {fewest:,}" for name, fewest in FEWEST.items() if least < fewest]
    return (f"too few samples (-): {', '.join(needed)}.",) if needed else ()


def _sources(rows: Iterable[LatencyRow], published: Published) -> tuple[Source, ...]:
    return tuple(dict.fromkeys(published.source(row.id) for row in rows if row.id in published.distributions))


def _ratio_text(value: float | None) -> str:
    return "" if value is None else figures.factor(value)
