"""Measure a night: one warm-up pass, then the measured ones, each in a process of its own.

The baseline that a night gives is one of its passes, whole, as it was measured: the one whose rows lie
nearest to the medians of all passes. A run pieced together from the rows of several would be one that
nobody made, with no time and no CPU share of its own.
"""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchgate import run as run_of
from benchgate.bench import measure_benches
from benchgate.errors import CouldNotRun, CouldNotTell, Unreadable
from benchgate.nights import record
from benchgate.nights.record import NIGHT, PASSES, RUN, Night
from benchgate.rows import WallclockRow
from benchgate.run import GitState, Run, utc_now
from benchgate.wallclock import KIND

MeasurePass = Callable[[], Run[WallclockRow]]


def passes_of(root: Path, seconds: float) -> MeasurePass:
    """Return what measures all rows of the repository at `root` once, `seconds` for each."""

    def measure() -> Run[WallclockRow]:
        with TemporaryDirectory() as folder:
            path = Path(folder) / RUN
            return measure_benches(root, seconds=seconds, selected=(), created=utc_now(), path=path)

    return measure


def measure_night(
    measure: MeasurePass, say: Callable[[str], None], *, unpinned: bool
) -> tuple[Night, Run[WallclockRow]]:
    """Measure all passes; return the night, and the pass in its middle.

    Args:
        measure: Measures one pass.
        say: Shows a line.
        unpinned: Whether to go on when the machine is not pinned.

    Raises:
        CouldNotRun: The passes share no row, or one could not begin.
        CouldNotTell: The machine is not pinned, or changed between the passes.
    """
    say("Warm-up pass: its figures are dropped.")
    where = measure().environment
    if not (unpinned or where.pinned):
        raise CouldNotTell("the machine is not pinned, scripts/pinned.sh pins one", where.unpinned_because)
    runs = []
    for number in range(1, PASSES + 1):
        say(f"Measured pass {number} of {PASSES}.")
        runs.append(measure())
    night = record.of_passes(runs)
    if not night.rows:
        raise CouldNotRun(
            "no bench has a figure of every pass", tuple(f"{one.id}: {one.reason}" for one in night.failures)
        )
    return night, runs[record.middle(night)]


def save(night: Night, middle: Run[WallclockRow], folder: Path) -> None:
    """Write a night and its middle pass, for `load`."""
    run_of.save(middle, folder / RUN)
    record.save(night, folder / NIGHT)


def load(folder: Path, root: Path) -> tuple[Night, Run[WallclockRow]]:
    """Read a night that was measured elsewhere, and its middle pass.

    Raises:
        CouldNotTell: It is of another commit than the one at `root`.
        Unreadable: A file is missing or damaged, or the run is not the night's middle pass.
    """
    night = record.load(folder / NIGHT)
    run = run_of.load(folder / RUN, KIND, WallclockRow)
    try:
        record.require_plain(msgspec.to_builtins(run))
    except ValueError as fault:
        raise Unreadable(f"{folder / RUN}: {fault}") from None
    differing = [
        name
        for name, same in (
            ("git", run.git == night.git),
            ("environment", run.environment == night.environment),
            ("pace", run.pace == night.pace),
            ("created, cpu_share and rows", night.rows and _is_middle(run, night)),
        )
        if not same
    ]
    if differing:
        raise Unreadable(f"{folder / RUN}: not the middle pass of {NIGHT}: {', '.join(differing)} differ")
    here = GitState.read(root)
    if night.git != here:
        raise CouldNotTell(f"the night is of another commit: {night.git}, this is {here}")
    return night, run


def _is_middle(run: Run[WallclockRow], night: Night) -> bool:
    position = record.middle(night)
    found = {row.id: record.figure_of(row) for row in run.rows}
    return night.passes[position] == record.Pass(run.created, run.cpu_share) and all(
        found.get(row.id) == row.passes[position] for row in night.rows
    )
