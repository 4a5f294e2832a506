"""Record a pytest run of benches: progress while it runs, one row a bench, and the `Run` at the end.

A bench that fails, is skipped or measures nothing is listed with its reason and does not lose the others; so
is a file that cannot be imported, and a bench that was selected and never ran. An interrupted run writes
nothing.
"""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from benchgate import allocations, declared, wallclock
from benchgate.environment import Environment
from benchgate.errors import BadBench
from benchgate.figures import duration
from benchgate.libraries import measured_libraries
from benchgate.measure import COLLECTOR, FULL_SEC, Measure, WallClock
from benchgate.rows import REGIONS_KIND, AllocationRow, RegionRow, WallclockRow
from benchgate.run import SCHEMA, Failure, GitState, Run, save
from benchgate.terminal import plain

MEASURED = pytest.StashKey[tuple[Measure, Any]]()  # a bench's fixture, and what holds its figures

Row = WallclockRow | RegionRow | AllocationRow


class Recorder:
    """The pytest plugin that records; one for each run.

    The kind of the run says what is in its rows: how long a call took, what a region that CodSpeed counted
    consists of, or what a call allocates.
    """

    def __init__(self, path: Path, root: Path, created: datetime, kind: str, row_sec: float) -> None:
        self._path, self._root, self._created, self._kind = path, root, created, kind
        self._row_sec = row_sec
        self._cpu_ns = self._wall_ns = 0
        self._benches: dict[str, tuple[str, pytest.Item]] = {}  # by node id
        self._rows: list[Row] = []
        self._failures: dict[str, Failure] = {}
        self._terminal: Any = None
        self._started = 0

    @property
    def lacks_files(self) -> bool:
        """Whether a file could not be imported, and took its ids with it."""
        return bool(self._failures)

    def lacks(self, wanted: str) -> None:
        """List a selection that names no bench of the files that could be imported."""
        reason = "no bench is named so where a file could not be imported"
        self._failures.setdefault(wanted, Failure(wanted, reason))

    def begin(self, benches: dict[str, pytest.Item], collected: set[str] | None, terminal: Any) -> None:
        """Take the benches to run, by id; `collected` are the ids of all benches there are, if that is known.

        Raises:
            BadBench: What a bench declares does not fit, or a component is no bench.
        """
        self._terminal = terminal
        for identity, item in benches.items():
            declared.items(item)
            components = set(declared.components(item))
            unknown = set() if collected is None else components - collected
            # A file that cannot be imported takes its ids with it, and is a failure of its own. Counting
            # collects one group at a time, whose components may be of another.
            if unknown and not self.lacks_files and self._kind != REGIONS_KIND:
                raise BadBench(f"{identity}: components: no bench is named {', '.join(sorted(unknown))}")
            self._benches[item.nodeid] = (identity, item)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """List a file that cannot be imported."""
        if report.failed:
            self._failures[report.nodeid] = Failure(report.nodeid, _last_line(report.longreprtext))

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str]:
        """Count outcomes for pytest's summary without its letters, which would break the progress lines."""
        if report.when == "call" or not report.passed:
            return (report.outcome if report.when == "call" or report.skipped else "error"), "", ""
        return "", "", ""

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Name the bench that runs now."""
        if nodeid in self._benches:
            self._started += 1
            total = len(self._benches)
            width = max(len(identity) for identity, _ in self._benches.values())
            self._show(
                f"[{self._started:>{len(str(total))}}/{total}] {plain(self._benches[nodeid][0]):{width}}  "
            )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the first failure of a bench: those that follow from it say less."""
        if report.nodeid in self._benches and not report.passed:
            identity, _ = self._benches[report.nodeid]
            self._failures.setdefault(identity, Failure(identity, _reason(report)))

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Make the row of the bench and show its figure."""
        if nodeid not in self._benches:
            return
        identity, item = self._benches[nodeid]
        row = None
        if MEASURED in item.stash:
            if identity not in self._failures:
                row = self._row(identity, item, *item.stash[MEASURED])
            del item.stash[MEASURED]  # so that this bench's data is gone when the next one measures
        if row is not None:
            self._rows.append(row)
            self._show(f"{duration(row.median_ns) if isinstance(row, WallclockRow) else 'counted':>8}\n")
            return
        failure = self._failures.setdefault(identity, Failure(identity, "the bench measured nothing"))
        self._show(f"  FAILED  {plain(failure.reason)}\n")

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the record, unless the run was interrupted; benches that did not come to their end failed."""
        if exitstatus not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
            return
        measured = {row.id for row in self._rows}
        for identity, _ in self._benches.values():
            if identity not in measured:
                self._failures.setdefault(identity, Failure(identity, "the run ended before this bench did"))
        timed = self._kind == wallclock.KIND
        run: Run[Row] = Run(
            schema=SCHEMA,
            kind=self._kind,
            created=self._created,
            environment=Environment.read(measured_libraries(self._root)),
            git=GitState.read(self._root),
            collector=COLLECTOR,
            rows=tuple(self._rows),
            failures=tuple(self._failures.values()),
            pace=("full" if self._row_sec >= FULL_SEC else "quick") if timed else None,
            cpu_share=self._cpu_ns / self._wall_ns if self._wall_ns else None,
        )
        save(run, self._path)

    def _row(self, identity: str, item: pytest.Item, measure: Measure, measured: Any) -> Row | None:
        if measure.region is None:
            return None
        calls = measure.region.calls
        items, components = declared.items(item), declared.components(item)
        if self._kind == REGIONS_KIND:
            return RegionRow(
                id=identity,
                nodeid=item.nodeid,
                pid=measured.pid,
                calls=calls,
                items=items,
                components=components,
            )
        if self._kind == allocations.KIND:
            blocks, size = measured.per_call
            return AllocationRow(id=identity, nodeid=item.nodeid, blocks=blocks, bytes=size)
        if not measured.stats:
            return None
        if isinstance(measure.instrument, WallClock):
            self._cpu_ns += measure.instrument.cpu_ns
            self._wall_ns += measure.instrument.wall_ns
        return wallclock.row_of(identity, measured.stats, calls=calls, items=items, components=components)

    def _show(self, text: str) -> None:
        if self._terminal is not None:
            self._terminal.write(text, flush=True)


def _reason(report: pytest.TestReport) -> str:
    if report.skipped and isinstance(report.longrepr, tuple):
        return report.longrepr[2]
    crash = getattr(report.longrepr, "reprcrash", None)
    return _last_line(crash.message if crash else report.longreprtext, first=bool(crash))


def _last_line(text: str, *, first: bool = False) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines[0 if first else -1] if lines else "no reason given").removeprefix("E").strip()
