"""The command `gate BASE`: compare the working tree with its merge base and write the report.

Written to results/gate: the report, the comment that is made from it and flame graphs of the rows that became
slower, all of them or none. What an earlier run left there is removed first, so that a report is never taken
for that of a run which could not finish.
"""

import argparse
import os
import shutil
import sys
import time
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path

import msgspec
from rich.console import Console

from benchgate import simulator
from benchgate.errors import BenchgateError, CouldNotRun
from benchgate.files import require_writable, write_whole
from benchgate.gate import changed, locks, outcome, report
from benchgate.gate import policy as policy_of
from benchgate.gate.comment import markdown
from benchgate.gate.installed import environment_for
from benchgate.gate.passes import Counting, Sides, compare
from benchgate.gate.plan import planned
from benchgate.gate.report import Report
from benchgate.gate.terminal_view import print_report
from benchgate.gate.worktree import merge_base, worktree
from benchgate.mirror import scratch_folder
from benchgate.process import ends_as_interrupts
from benchgate.run import GitState, utc_now
from benchgate.shard import Show
from benchgate.survey import Sources, survey

_SUMMARY_FILE = "GITHUB_STEP_SUMMARY"


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    command = commands.add_parser("gate", help="say what became slower since BASE, and which function did it")
    command.add_argument(
        "base", metavar="BASE", help="a branch, a tag or a commit; its merge base is compared"
    )
    command.add_argument("select", nargs="*", help="beginnings of bench ids, or patterns with * or ?")
    command.set_defaults(command=gate)


def gate(options: argparse.Namespace) -> int:
    """Compare, write and show the report; return the exit code that its rows give.

    Raises:
        BenchgateError: It could not run; the report says so as well.
    """
    root: Path = options.root
    folder = root / report.FOLDER
    created, began = utc_now(), time.monotonic()
    require_writable(folder / report.REPORT)
    shutil.rmtree(folder, ignore_errors=True)

    def basics(base: str = "") -> Report:
        return Report(
            created=created,
            seconds=max(time.monotonic() - began, 0.001),
            asked=options.base,
            base=base,
            head=GitState.read(root),
            selected=tuple(options.select),
        )

    try:
        with ends_as_interrupts():
            found, files = _compared(root, options, created, _say)
    except BenchgateError as fault:
        failed = msgspec.structs.replace(basics(), failure=str(fault)[:2000], faults=_cut(fault.faults))
        _write(folder, failed, {})
        raise
    found = msgspec.structs.replace(found, seconds=max(time.monotonic() - began, 0.001))
    _write(folder, found, files)
    console = Console(highlight=False, emoji=False)
    console.print()
    print_report(console, found)
    return found.exit_code


def _compared(
    root: Path, options: argparse.Namespace, created: datetime, show: Show
) -> tuple[Report, Mapping[str, bytes]]:
    """Count both sides; return the report, and the pictures by name."""
    valgrind = simulator.find()
    commit = merge_base(root, options.base)
    policy = policy_of.read(root, created.date())
    head = GitState.read(root)
    show(f"base {commit[:10]}, the merge base of {options.base} and HEAD; head {head}")
    with worktree(root, commit) as base_root, scratch_folder() as folder:
        change = changed.read(root, commit)
        libraries = locks.differences(base_root, root)
        python = environment_for(base_root, root, folder / "environment")
        if python is not None:
            show("the base has other locked versions: it is counted with these")
        there = python or sys.executable
        sides = Sides(
            head=Sources(root, root),
            base=Sources(root, base_root, there),
            base_own=Sources(base_root, base_root, there),
        )
        show("looking for the benches of both sides")
        plan = planned(sides, options.select, policy.aliases, partial(survey, within=folder))
        counting = Counting(sides, valgrind, folder, utc_now, show)
        passes = compare(plan.plan, counting, policy.threshold_of)

        def lookup(path: str, qualname: str) -> tuple[str, bool | None]:
            return change.where(path, qualname, root), change.touches(path, qualname, root)

        rows = outcome.rows(plan, passes, policy, lookup)
    told = [row.id for row in rows if row.verdict in {"slower", "not slower"}]
    slower = [row.id for row in rows if row.verdict == "slower"]
    found = Report(
        created=created,
        seconds=1.0,
        asked=options.base,
        base=commit,
        head=head,
        environment=passes.head_run.run.environment,
        passes=tuple(passes.names),
        libraries=libraries,
        notices=policy.notices(slower, told),
        selected=tuple(options.select),
        listed=plan.listed,
        rows=rows,
    )
    files: dict[str, bytes] = {}
    pictured = {}
    for row in found.slower[: outcome.PICTURED]:
        flames, contents = outcome.pictures(row, passes)
        pictured[row.id] = msgspec.structs.replace(row, flames=flames)
        files |= contents
    return msgspec.structs.replace(found, rows=tuple(pictured.get(row.id, row) for row in rows)), files


def _write(folder: Path, found: Report, files: Mapping[str, bytes]) -> None:
    """Write everything, or nothing when that fails; the comment goes to a workflow's summary as well.

    Raises:
        CouldNotRun: It cannot be written.
    """
    comment = markdown(found, run_url=_run_url(os.environ))
    summary = os.environ.get(_SUMMARY_FILE)
    try:
        for name, content in files.items():
            write_whole(folder / name, content)
        write_whole(folder / report.COMMENT, comment.encode())
        report.save(found, folder / report.REPORT)
        if summary:
            with Path(summary).open("a", encoding="utf-8") as file:
                file.write(comment)
    except BaseException as fault:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(fault, OSError):
            raise CouldNotRun(f"{folder}: the report cannot be written: {fault.strerror}") from None
        raise


def _run_url(environment: Mapping[str, str]) -> str:
    """Return the address of the workflow's run, empty outside one."""
    names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")
    server, repository, run = (environment.get(name, "") for name in names)
    return f"{server}/{repository}/actions/runs/{run}" if server and repository and run else ""


def _cut(faults: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(fault[:2000] for fault in faults[:100])


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
