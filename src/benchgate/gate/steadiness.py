"""The command `steadiness`: run the gate of a commit against itself again and again, and sum up what moved.

Nothing differs between the sides, so every difference is the instrument's own. Each run is a process of its
own, as on a pull request. Its report is kept as soon as it is there, so that a series that was interrupted
can be taken up, and reports that were made elsewhere can be summed up as well.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile

from rich.console import Console
from rich.text import Text

from benchgate.errors import EXIT_COULD_NOT_TELL, EXIT_FAILED, EXIT_OK, CouldNotRun, Failed
from benchgate.figures import counted
from benchgate.files import require_writable
from benchgate.gate import record, report
from benchgate.gate.amounts import percent
from benchgate.gate.record import FEWEST_RUNS, Steadiness
from benchgate.gate.record_tables import facts, widest_first
from benchgate.gate.repeats import file_name, files, flagged, kept, require_alike, summed_up
from benchgate.gate.report import Report
from benchgate.process import ends_as_interrupts
from benchgate.run import require_committed
from benchgate.shard import Show
from benchgate.terminal import plain, plain_line, say

RUNS = 20
FOLDER = Path("results/steadiness")
RESULT = Path("results/steadiness.json")

_SUMMARY_FILE = "GITHUB_STEP_SUMMARY"  # a workflow's page is for one comment, not for that of each run
_SHOWN_LINES = 15


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    command = commands.add_parser("steadiness", help="run the gate on unchanged code and say what moves")
    command.add_argument("--runs", type=int, default=RUNS, metavar="N", help=f"how often, {RUNS} by default")
    command.add_argument("--record", action="store_true", help=f"write {record.STEADINESS_PATH} as well")
    action = command.add_mutually_exclusive_group()
    action.add_argument("--resume", action="store_true", help="go on with an interrupted series")
    action.add_argument(
        "--from", dest="source", type=Path, metavar="FOLDER", help="sum up its report-NN.json"
    )
    command.add_argument("select", nargs="*", help="beginnings of bench ids, or patterns with * or ?")
    command.set_defaults(command=steadiness)


def steadiness(options: argparse.Namespace) -> None:
    """Make the runs, or read the reports of earlier ones; show what moved and write it.

    Raises:
        CouldNotRun: A run could not, the runs are not of the same commit, benches and environment, or what
            is to be recorded is not of a commit alone.
        Unreadable: A report is missing or damaged.
        Failed: A row of unchanged code was flagged; everything has been written.
    """
    root: Path = options.root
    targets = [RESULT, *([record.STEADINESS_PATH] if options.record else [])]
    for path in targets:
        require_writable(root / path)
    if options.source is not None:
        if options.select:
            raise CouldNotRun(
                f"--from sums up whole reports and selects none, got {', '.join(options.select)}"
            )
        reports = kept(options.source)
    else:
        if options.record:
            _require_whole(root, options.select)
        command = (sys.executable, "-m", "benchgate", "gate", "HEAD", *options.select)
        reports = series(command, root, options.runs, say, resume=options.resume)
    found = summed_up(reports)
    if options.record and (found.git.dirty or any(one.selected for one in reports)):
        what = f"{found.git}, {counted(len(found.rows), 'row')}"
        raise CouldNotRun(f"{record.STEADINESS_PATH} is of all rows of a commit, and the runs are of {what}")
    for path in targets:
        record.save(found, root / path)
    console = Console(highlight=False, emoji=False)
    console.print()
    print_steadiness(console, found)
    say(f"Written to {' and '.join(map(str, targets))}.")
    if found.flagged:
        raise Failed(f"unchanged code had {counted(found.flagged, 'row')} flagged")


def series(
    command: Sequence[str], root: Path, runs: int, show: Show, *, resume: bool = False
) -> tuple[Report, ...]:
    """Run the gate until there are `runs` reports; return them.

    Args:
        command: What runs the gate, in `root`, and writes its report there.
        root: The repository; reports are kept in `FOLDER` below it.
        runs: How many reports there shall be.
        show: Takes a line after each run.
        resume: Whether the reports that are there are the first ones, else they are removed.

    Raises:
        CouldNotRun: A run ended with an exit code that tells of no comparison, its report tells of another,
            it does not fit those before, or the series was interrupted.
        Unreadable: A report is missing or damaged.
    """
    if runs < FEWEST_RUNS:
        raise CouldNotRun(f"--runs: expected {FEWEST_RUNS} or more, since one run has no spread, got {runs}")
    folder = root / FOLDER
    done = list(kept(folder)) if resume else []
    if not resume:
        for path in files(folder):
            path.unlink()
    show(f"{runs} runs of the gate on unchanged code; each report is kept in {FOLDER}")
    try:
        with ends_as_interrupts():
            for number in range(len(done) + 1, runs + 1):
                found = _run(command, root)
                require_alike((*done, found))
                report.save(found, folder / file_name(number))
                done.append(found)
                count = sum(map(flagged, found.rows))
                show(f"run {number} of {runs}: {found.seconds:,.0f} s, {count or 'nothing'} flagged")
    except KeyboardInterrupt:
        told = f"interrupted after {len(done)} of {runs} runs; `--resume` goes on with these"
        raise CouldNotRun(told) from None
    return tuple(done)


def print_steadiness(console: Console, found: Steadiness) -> None:
    """Print every row, the widest spread last, then the summary, since a terminal shows the end."""
    titles = ("bench", "instructions", "spread", "in a run", "flagged")
    lines = [
        (
            plain(row.id),
            f"{row.instructions:,.0f}",
            percent(row.spread),
            percent(row.base_spread),
            f"{row.flagged}" if row.flagged else "-",
        )
        for row in reversed(widest_first(found.rows))
    ]
    widths = [max(map(len, column)) for column in zip(titles, *lines, strict=True)]
    for place, line in enumerate((titles, *lines)):
        first, *others = line
        cells = [first.ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(others, widths[1:], strict=True))]
        console.print(Text("  ".join(cells), "" if place else "dim"), soft_wrap=True)
    console.print()
    console.print(plain_line(f"{found.runs} runs of {found.git} against itself."), soft_wrap=True)
    for title, said, bench in facts(found):
        console.print(plain_line(f"{title}: {said}{f', {bench}' if bench else ''}."), soft_wrap=True)


def _run(command: Sequence[str], root: Path) -> Report:
    """Run the gate once; return its report."""
    path = root / report.FOLDER / report.REPORT
    path.unlink(missing_ok=True)  # an earlier one must not be taken for that of this run
    variables = {name: value for name, value in os.environ.items() if name != _SUMMARY_FILE}
    with TemporaryFile() as output:
        # A session of its own: a terminal's interrupt goes to this process alone, which then ends the gate.
        process = subprocess.Popen(  # noqa: S603 - our own command, or a test's
            command,
            cwd=root,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait()
        except BaseException:
            process.terminate()  # the gate then clears away what it began
            process.wait()
            raise
        output.seek(0)
        printed = output.read().decode(errors="replace").splitlines()
    if code not in {EXIT_OK, EXIT_FAILED, EXIT_COULD_NOT_TELL}:
        raise CouldNotRun(f"the gate ended with exit code {code}", tuple(printed[-_SHOWN_LINES:]))
    found = report.load(path)
    if code != found.exit_code:
        raise CouldNotRun(f"the gate ended with exit code {code}, its report says {found.exit_code}")
    return found


def _require_whole(root: Path, select: Sequence[str]) -> None:
    """Refuse before hours of measuring what could not be recorded after them."""
    if select:
        raise CouldNotRun(f"a record is of all rows: expected no selection, got {', '.join(select)}")
    require_committed(root, "a record")
