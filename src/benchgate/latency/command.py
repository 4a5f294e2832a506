"""`python -m benchgate latency`: measure the declared distributions, show the matrix and keep the samples."""

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from benchgate import figures, published
from benchgate.environment import Environment
from benchgate.errors import CouldNotRun, Incomplete, NoMatch
from benchgate.files import require_writable
from benchgate.ids import LIST_PATH, group_of, listed
from benchgate.latency import files
from benchgate.latency.declaration import Metric, Replay
from benchgate.latency.histogram import Histogram
from benchgate.latency.measuring import KIND, RECORD_PATH, Entry, Measured, declared, measure, metrics_of
from benchgate.latency.sampling import COLLECTOR, resolution_text
from benchgate.latency.table import percentile_text, print_matrix, print_notes
from benchgate.libraries import measured_libraries
from benchgate.notes import print_wrapped
from benchgate.run import SCHEMA, GitState, Run, save, utc_now
from benchgate.selection import matched, select
from benchgate.terminal import plain, say


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to a parser's."""
    command = commands.add_parser("latency", help="time single calls and show their percentiles")
    command.add_argument("--quick", action="store_true", help="fewer calls, for a first look")
    command.add_argument("--record", action="store_true", help=f"write {RECORD_PATH} as well")
    command.add_argument("select", nargs="*", help="beginnings of metrics' ids, or patterns with * or ?")
    command.set_defaults(command=latency)


def latency(options: argparse.Namespace) -> None:
    """Measure the selected metrics, or all, show the matrix and write what was measured.

    Raises:
        CouldNotRun: Nothing is declared, the library for histograms is missing, a part or a quick run is to
            be recorded, or it was interrupted while it wrote.
        Incomplete: A metric could not be measured; the others are shown and nothing is written.
    """
    root: Path = options.root
    began = time.monotonic()
    created = utc_now()
    if options.record and (options.quick or options.select):
        raise CouldNotRun("--record keeps all metrics at their full length: leave --quick and ids out")
    Histogram.require()
    entries = declared(root)
    if not entries:
        raise CouldNotRun("no distribution is declared: there is no benches/<system>/latency_<group>.py")
    beside = published.read(root / published.PATH)
    metrics = metrics_of(entries)
    chosen = _chosen(root, tuple(metrics), options.select)
    for path in _targets({identity: metrics[identity] for identity in chosen}, record=options.record):
        require_writable(root / path)
    cpu_ns, wall_ns = time.process_time_ns(), time.perf_counter_ns()
    found, failed = _measured(entries, chosen, quick=options.quick)
    cpu_ns, wall_ns = time.process_time_ns() - cpu_ns, time.perf_counter_ns() - wall_ns
    run = Run(
        schema=SCHEMA,
        kind=KIND,
        created=created,
        environment=Environment.read(measured_libraries(root, ["bench"])),
        git=GitState.read(root),
        collector=COLLECTOR,
        rows=tuple(measured.row for measured in found),
        pace="quick" if options.quick else "full",
        cpu_share=min(1.0, cpu_ns / wall_ns),
    )
    console = Console(highlight=False, emoji=False)
    if found:
        say("")
        print_matrix(console, run.rows, beside)
        print_notes(console, run, beside, resolution_text())
    if failed:
        raise Incomplete("not all could be measured, nothing was written", failed)
    pace = ", quick: fewer calls" if options.quick else ""
    count = figures.counted(len(found), "metric")
    taken = f"{count} in {time.monotonic() - began:.1f} s{pace}."
    try:
        written = files.write(root, run, found, beside)
        if options.record:
            save(run, root / RECORD_PATH)
            written.append(RECORD_PATH)
        paths = ", ".join(map(str, written))
        print_wrapped(console, f"{taken} Written to {paths}; {files.SUMMARY_PATH.name} has all figures.", 2)
    except KeyboardInterrupt:
        raise CouldNotRun(f"interrupted: what is in {files.FOLDER} may be in part of this run") from None


def _measured(
    entries: Sequence[Entry], chosen: Sequence[str], *, quick: bool
) -> tuple[list[Measured], tuple[str, ...]]:
    """Measure the chosen metrics; return those, and a line for each declaration that could not be."""
    found: list[Measured] = []
    failed: list[str] = []
    for entry in entries:
        if not entry.metrics.keys() & set(chosen):
            continue
        if isinstance(entry.declaration, Replay):
            passes = 1 if quick else entry.declaration.passes
            group = group_of(next(iter(entry.metrics)))
            say(f"replaying {plain(group)}: a pass to warm up, {passes} timed ...")
        try:
            results = [result for result in measure(entry, quick=quick) if result.row.id in chosen]
        except CouldNotRun as fault:
            failed.append(str(fault))
            continue
        for result in results:
            found.append(result)
            p50, p99 = (percentile_text(result.row.samples, name) for name in ("p50", "p99"))
            say(f"[{len(found)}/{len(chosen)}] {plain(result.row.id)}  p50 {p50}  p99 {p99}")
    return found, tuple(failed)


def _chosen(root: Path, ids: Sequence[str], wanted: Sequence[str]) -> tuple[str, ...]:
    """Select metrics; of what names none, say whether bench has rows of it, and which metrics there are."""
    try:
        return select(ids, wanted, "metric")
    except NoMatch as fault:
        unmatched = matched(ids, wanted)[1][:1]
        in_bench = matched(listed(root / LIST_PATH), unmatched)[0]
        bench_only = "; it has rows in bench only" if in_bench else ""
        raise NoMatch(f"{fault}{bench_only}; the metrics are {', '.join(ids)}") from None


def _targets(chosen: Mapping[str, Metric], *, record: bool) -> list[Path]:
    csvs = [files.file_of(identity, ".csv") for identity in chosen]
    svgs = [files.file_of(identity, ".svg") for identity, metric in chosen.items() if metric.picture]
    return [files.SUMMARY_PATH, *csvs, *svgs, *([RECORD_PATH] if record else [])]
