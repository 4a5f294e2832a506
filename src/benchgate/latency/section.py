"""The generated section of BENCHMARKS.md that holds the recorded distributions."""

from collections.abc import Sequence

from benchgate import figures
from benchgate.latency.measuring import LatencyRow
from benchgate.latency.table import (
    DIFFER,
    OTHER_THAN_BENCH,
    PERCENTILES,
    batch_text,
    caveat_lines,
    method_lines,
    percentile_text,
    ratio,
    source_lines,
    tier_lines,
)
from benchgate.latency.tiers import bounds_text
from benchgate.markdown import measured_where, pipe_table
from benchgate.published import Figure, Published
from benchgate.run import Run


def section(run: Run[LatencyRow], published: Published) -> str:
    """Show every recorded distribution, those with published percentiles beside them, and the tiers."""
    rows = run.rows
    titles = ("Metric", "n", *PERCENTILES.values(), "max", "batch", "timer p50")
    blocks = [measured_where(run, DIFFER), pipe_table(titles, map(_cells, rows), numbers=len(titles) - 1)]
    compared = [cells for row in rows for cells in _compared(row, published)]
    if compared:
        heads = ("Metric", "Percentile", "Here", "Published", "Here / published", "Published by")
        blocks.append(pipe_table(heads, compared, numbers=4))
        blocks += [f"{line[0].upper()}{line[1:]}\n" for line in caveat_lines(rows, published)]
    blocks += [_tiers(row, published) for row in rows if row.id in published.tiers]
    lines = (
        OTHER_THAN_BENCH,
        *method_lines(run),
        *tier_lines(rows, published, ranges=False),
        *source_lines(rows, published),
    )
    notes = [f"- `{row.id}`: {row.note}\n" for row in rows if row.note]
    blocks.append("".join([*notes, *(f"- {line}\n" for line in lines)]))
    return "\n".join(blocks)


def _cells(row: LatencyRow) -> tuple[str, ...]:
    return (
        f"`{row.id}`",
        f"{row.samples.n:,}",
        *(percentile_text(row.samples, name) for name in PERCENTILES),
        figures.duration(row.samples.max_ns),
        batch_text(row),
        figures.duration(row.timer.p50),
    )


def _compared(row: LatencyRow, published: Published) -> Sequence[tuple[str, ...]]:
    return [
        (
            f"`{row.id}`",
            shown,
            percentile_text(row.samples, name),
            Figure(theirs.label, getattr(theirs, name)).text,
            figures.factor(times),
            published.source(row.id).short,
        )
        for theirs in published.distributions.get(row.id, ())
        for name, shown in PERCENTILES.items()
        if (times := ratio(row.samples, theirs, name)) is not None
    ]


def _tiers(row: LatencyRow, published: Published) -> str:
    cells = [
        (f"{name}: {tier.hardware}", bounds_text(tier.p50), bounds_text(tier.p95))
        for name, tier in published.tiers[row.id].items()
    ]
    here = ("here", figures.duration(row.samples.p50), figures.duration(row.samples.p95))
    return pipe_table((f"Tiers of `{row.id}`", "p50", "p95"), [*cells, here], numbers=2)
