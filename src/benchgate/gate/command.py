"""The command `gate BASE`: compare the working tree with its merge base and write the report.

Written to results/gate: the report, the comment that is made from it and flame graphs of the rows that became
slower, all of them or none. What an earlier run left there is moved to
results/gate-previous first, so that a report is never taken for that of a run which could not finish.
"""

import argparse
import errno
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path

import msgspec
from rich.console import Console

from benchgate import simulator
from benchgate.errors import EXIT_COULD_NOT_TELL, BenchgateError, CouldNotRun, Incomplete, Unreadable
from benchgate.files import replace_folder, require_writable
from benchgate.gate import changed, locks, outcome, report
from benchgate.gate import policy as policy_of
from benchgate.gate.comment import markdown
from benchgate.gate.headline import headline
from benchgate.gate.installed import environment_for
from benchgate.gate.meanwhile import changes, present
from benchgate.gate.passes import Counting, Sides, compare
from benchgate.gate.plan import planned
from benchgate.gate.report import Report
from benchgate.gate.terminal_view import print_report
from benchgate.gate.worktree import merge_base, worktree
from benchgate.libraries import digest
from benchgate.mirror import scratch_folder
from benchgate.process import ends_as_interrupts
from benchgate.run import GitState, utc_now
from benchgate.simulator import Valgrind
from benchgate.stray import stray_text
from benchgate.survey import Sources, survey
from benchgate.terminal import plain, say

_DESCRIPTION = (
    "Count every bench under valgrind, on Linux, at the merge base of BASE and HEAD and in the working tree, "
    "and say what became slower, how sure that is, and which function did it (its name on Python 3.12 or "
    "later). Report, comment and flame graphs go to results/gate. Exit codes: 0 nothing became slower, 1 "
    "something did, 2 it could not run or a bench fails, 3 it could not tell about everything."
)
_SUMMARY_FILE = "GITHUB_STEP_SUMMARY"
_MOST_FAULTS = 100
_MOVING = "addresses were randomised, since setarch -R is missing or refused: counts may differ by more"
_SAME = "base and head are the same commit: nothing was changed"
_SUBMODULES = "submodules are not checked out at the base: a bench that needs one fails there"
_FULL = (errno.ENOSPC, errno.EDQUOT)


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    told = "say what became slower since BASE, and which function did it"
    command = commands.add_parser("gate", help=told, description=_DESCRIPTION)
    command.add_argument(
        "base",
        metavar="BASE",
        nargs="?",
        help="a branch, a tag or a commit, such as origin/main; its merge base is compared",
    )
    command.add_argument("select", nargs="*", help="beginnings of bench ids, or patterns with * or ?")
    command.set_defaults(command=gate)


def gate(options: argparse.Namespace) -> int:
    """Compare, write and show the report; return the exit code that its rows give.

    Raises:
        Incomplete: Benches fail at the head; the report has the others.
        BenchgateError: It could not run; the report says so as well.
    """
    root: Path = options.root
    if not options.base:
        raise CouldNotRun("base: which one? For example `python -m nox -s gate -- origin/main`")
    options.select = [text for text in options.select if text]  # an empty one is a variable that was not set
    folder = root / report.FOLDER
    created, began = utc_now(), time.monotonic()
    require_writable(folder / report.REPORT)
    with ends_as_interrupts():
        _set_aside(folder)
        commit = ""
        try:
            valgrind = simulator.find()
            commit = merge_base(root, options.base)
            found, files = _compared(root, commit, options, created, valgrind)
        except Exception as error:  # noqa: BLE001 - whatever it is, the comment must say that there is no result
            fault = error if isinstance(error, BenchgateError) else _could_not(error)
            failed = Report(
                created=created,
                seconds=max(time.monotonic() - began, 0.001),
                asked=_cut(options.base),
                base=commit,
                head=GitState.read(root),
                selected=tuple(map(_cut, options.select)),
                failure=_cut(str(fault)),
                faults=tuple(map(_cut, fault.faults[:_MOST_FAULTS])),
            )
            try:
                _write(folder, failed, {})
            except CouldNotRun as other:
                fault.faults = (*fault.faults, str(other))
            raise fault from None
        found = msgspec.structs.replace(found, seconds=max(time.monotonic() - began, 0.001))
        _write(folder, found, files)
    console = Console(highlight=False, emoji=False)
    console.print()
    print_report(console, found)
    if found.exit_code == EXIT_COULD_NOT_TELL and os.environ.get("GITHUB_ACTIONS"):
        say(_warning(found))
    if found.failing:
        count = "1 bench fails" if len(found.failing) == 1 else f"{len(found.failing)} benches fail"
        raise Incomplete(count, tuple(f"{row.id}: {row.reason}" for row in found.failing))
    return found.exit_code


def _compared(
    root: Path, commit: str, options: argparse.Namespace, created: datetime, valgrind: Valgrind
) -> tuple[Report, Mapping[str, bytes]]:
    """Count the commit and the working tree; return the report, and the pictures by name."""
    before = present(root)
    policy = policy_of.read(root, created.date())
    head = GitState.read(root)
    say(f"base {commit[:10]}, the merge base of {options.base} and HEAD; head {head}")
    with worktree(root, commit) as base_root, scratch_folder() as folder:
        change = changed.read(root, commit)
        libraries = locks.differences(base_root, root)
        # Locks that differ in comments alone need no environment of their own.
        python = environment_for(base_root, root, folder / "environment") if libraries else None
        if python is not None:
            say("the base has other locked versions: it is counted with these")
        there = python or sys.executable
        sides = Sides(
            head=Sources(root, root),
            base=Sources(root, base_root, there),
            base_own=Sources(base_root, base_root, there),
        )
        say("looking for the benches of both sides")
        policy = policy.since(policy_of.accepted_at(base_root))
        plan = planned(sides, options.select, policy.aliases, partial(survey, within=folder))
        counting = Counting(sides, plan.surveys, valgrind, folder, now=utc_now, show=say)
        passes = compare(plan.plan, counting, policy.threshold_of)
        passes.apart.extend(changes(before, present(root)))

        def lookup(path: str, qualname: str) -> tuple[str, bool | None]:
            real = _real(root, path)
            return change.where(real, qualname, root), change.touches(real, qualname, root)

        rows = outcome.rows(plan, passes, policy, lookup)
    told = [row.id for row in rows if row.verdict in {"slower", "not slower"}]
    slower = [row.id for row in rows if row.verdict == "slower"]
    environment = passes.head_run.run.environment if passes.head_runs else None
    moving = environment is not None and environment.aslr != "off"
    found = Report(
        created=created,
        seconds=1.0,
        asked=_cut(options.base),
        base=commit,
        head=head,
        environment=environment,
        passes=tuple(passes.names),
        libraries=libraries,
        packages=digest(before.packages),
        notices=(
            *policy.notices(slower, told),
            *policy_of.edited({*change.lines, *change.base_lines}),
            *([_MOVING] if moving else []),
            *([_SAME] if head.commit == commit and not head.dirty else []),
            *([_SUBMODULES] if (root / ".gitmodules").exists() else []),
        ),
        selected=tuple(map(_cut, options.select)),
        listed=plan.listed,
        rows=rows,
    )
    files: dict[str, bytes] = {}
    pictured = {}
    for number, row in enumerate(found.slower[: outcome.PICTURED], 1):
        flames, contents = outcome.pictures(row, passes, number)
        pictured[row.id] = msgspec.structs.replace(row, flames=flames)
        files |= contents
    return msgspec.structs.replace(found, rows=tuple(pictured.get(row.id, row) for row in rows)), files


def _real(root: Path, path: str) -> str:
    """Return a path below the root without links, as a change names files; one that leads out as it is."""
    real = (root / path).resolve()
    return str(real.relative_to(root)) if real.is_relative_to(root) else path


def _set_aside(folder: Path) -> None:
    """Put what an earlier run left beside the folder, the report of one that could not run excepted.

    Raises:
        CouldNotRun: It cannot be moved or removed, and could be taken for the report of this run.
    """
    if folder.is_symlink():
        folder.unlink()  # and not what it leads to
    with suppress(Unreadable, OSError):
        if not report.load(folder / report.REPORT).failure:
            previous = folder.with_name(report.PREVIOUS)
            shutil.rmtree(previous, ignore_errors=True)
            folder.rename(previous)
    shutil.rmtree(folder, ignore_errors=True)
    if (folder / report.REPORT).exists():
        raise CouldNotRun(f"{folder}: the report of an earlier run cannot be removed: remove it by hand")


def _write(folder: Path, found: Report, files: Mapping[str, bytes]) -> None:
    """Write everything, or nothing when that fails; the comment goes to a workflow's summary as well.

    Raises:
        CouldNotRun: It cannot be written.
    """
    comment = markdown(found, run_url=_run_url(os.environ))
    try:
        replace_folder(
            folder, {**files, report.COMMENT: comment.encode(), report.REPORT: report.encoded(found)}
        )
    except OSError as fault:
        raise CouldNotRun(f"{folder}: the report cannot be written: {fault.strerror}") from None
    summary = os.environ.get(_SUMMARY_FILE)
    if not summary:
        return
    try:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(comment)
    except OSError as fault:  # the report is there, and so is what it says of the change
        sys.stderr.write(f"benchgate: {_SUMMARY_FILE}: {plain(summary)}: {fault.strerror}\n")


def _could_not(fault: Exception) -> CouldNotRun:
    """Say what the system refused, most often for want of space, or what is wrong with the gate itself."""
    if isinstance(fault, BrokenPipeError):
        return CouldNotRun("what it prints to was closed: let its output be read to the end, or go to a file")
    if not isinstance(fault, OSError):
        return CouldNotRun(f"a fault of the gate: {stray_text(fault)}")
    where = fault.filename or tempfile.gettempdir()
    advice = ": free some space, or set TMPDIR to another disk" if fault.errno in _FULL else ""
    return CouldNotRun(f"{where}: {fault.strerror}{advice}")


def _warning(found: Report) -> str:
    """Return the line that shows a warning beside a workflow's check, which is green also then."""
    told = "".join(part.text for part in headline(found))
    return f"::warning title=Gate::{plain(told).replace('%', '%25')}"


def _run_url(environment: Mapping[str, str]) -> str:
    """Return the address of the workflow's run, empty outside one."""
    names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")
    server, repository, run = (environment.get(name, "") for name in names)
    return f"{server}/{repository}/actions/runs/{run}" if server and repository and run else ""


def _cut(text: str) -> str:
    return plain(text)[: report.LONGEST]
