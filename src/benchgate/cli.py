"""The command line: `python -m benchgate COMMAND`.

Commands that show a table are here; the gate, the night, the release and the distributions have theirs
beside what they do.

Exit codes: 0 nothing slower and nothing out of date, 1 something is, 2 could not run, 3 could not tell.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from benchgate import baseline as baseline_of
from benchgate import counting, history, published, simulator
from benchgate import peers as peers_of
from benchgate.bench import collected_ids, measure_benches, require_complete
from benchgate.counts_table import print_counts, print_counts_notes, print_published_blocks, same_process
from benchgate.environment import Environment
from benchgate.errors import (
    EXIT_COULD_NOT_RUN,
    EXIT_OK,
    BenchgateError,
    CouldNotRun,
    Drift,
    Failed,
    Incomplete,
)
from benchgate.files import require_writable, write_whole
from benchgate.gate import command as gate_of
from benchgate.gate import steadiness
from benchgate.ids import LIST_PATH, differences, listed, text_of
from benchgate.latency import command as latency
from benchgate.libraries import measured_libraries
from benchgate.measure import COLLECTOR, FULL_SEC, QUICK_SEC
from benchgate.nights import command as nights
from benchgate.notes import Ending, print_notes, unpinned_text
from benchgate.peers_table import print_comparison
from benchgate.release import release
from benchgate.rows import CountsRow, WallclockRow
from benchgate.run import SCHEMA, GitState, Run, require_committed, save, utc_now
from benchgate.selection import select
from benchgate.stray import stray_text
from benchgate.survey import Sources
from benchgate.table import print_table
from benchgate.terminal import complain, plain, say, survive_other_terminals
from benchgate.wallclock import unsteady, unsteady_text


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code."""
    survive_other_terminals()
    options = _parser().parse_args(arguments)
    try:
        options.root = _resolved(options.root)  # commands run in it, and take paths below it
        command: Callable[[argparse.Namespace], int | None] = options.command
        code = command(options)
    except BenchgateError as fault:
        complain(*fault.faults, f"benchgate: {fault}")
        return fault.exit_code
    except KeyboardInterrupt:
        complain("benchgate: interrupted; no file is half written")
        return EXIT_COULD_NOT_RUN
    except (Exception, SystemExit) as fault:  # noqa: BLE001 - no fault of ours may read as "slower", exit code 1
        complain(f"benchgate: {stray_text(fault)}")
        return EXIT_COULD_NOT_RUN
    return code or EXIT_OK


def bench(options: argparse.Namespace) -> None:
    """Measure the selected benches, or all, and show the table."""
    root: Path = options.root
    began = time.monotonic()
    created = utc_now()
    path = history.FOLDER / history.file_name(created)
    require_writable(root / path)
    figures = published.read(root / published.PATH)
    run = measure_benches(
        root,
        seconds=QUICK_SEC if options.quick else FULL_SEC,
        selected=options.select,
        created=created,
        path=root / path,
    )
    console = Console(highlight=False, emoji=False)
    earlier = history.earlier(root / history.FOLDER, run, WallclockRow)
    console.print()
    print_table(console, run, earlier, figures)
    print_notes(console, run, earlier, figures, Ending(path, time.monotonic() - began, options.quick))
    require_complete(run, root, options.select)


def counts(options: argparse.Namespace) -> None:
    """Count instructions and allocations of the selected benches, or of all, and show the table."""
    root: Path = options.root
    began = time.monotonic()
    created = utc_now()
    path = counting.FOLDER / history.file_name(created)
    targets = (root / path, *([options.json] if options.json else []))
    for target in targets:
        require_writable(target)
    valgrind = simulator.find()
    run = counting.count(Sources(root, root), valgrind, created, say, selected=options.select).run
    for target in targets:
        save(run, target)
    console = Console(highlight=False, emoji=False)
    earlier = history.earlier(root / counting.FOLDER, run, CountsRow, partial(same_process, run))
    console.print()
    print_counts(console, run, earlier)
    print_published_blocks(console, run, published.read(root / published.PATH))
    print_counts_notes(console, run, earlier, options.json or path, time.monotonic() - began)


def peers(options: argparse.Namespace) -> None:
    """Compare with peers, show the tables and record the result.

    Raises:
        Failed: A claim does not hold.
        Incomplete: A comparison could not run; the others are shown and none is recorded.
    """
    root: Path = options.root
    created = utc_now()
    declared = peers_of.declared(root)
    if not declared:
        raise CouldNotRun("no comparison is declared: there is no benches/<system>/peers_<group>.py")
    paths = [peers_of.RESULT_PATH, *([peers_of.RECORD_PATH] if options.record else [])]
    for path in paths:
        require_writable(root / path)
    console = Console(highlight=False, emoji=False)
    rows: list[peers_of.PeersRow] = []
    failed: list[str] = []
    for identity in select(tuple(declared), options.select, "comparison"):
        pace = peers_of.QUICK if options.quick else peers_of.FULL
        try:
            row = peers_of.compare(identity, declared[identity], pace, root, options.worker_python)
        except CouldNotRun as fault:
            failed.append(str(fault))
            continue
        rows.append(row)
        print_comparison(console, row)
    if failed:
        raise Incomplete("not all could be compared, nothing was written", tuple(failed))
    run = Run(
        schema=SCHEMA,
        kind=peers_of.KIND,
        created=created,
        environment=Environment.read(measured_libraries(root, options.groups.split(","))),
        git=GitState.read(root),
        collector=COLLECTOR,
        rows=tuple(rows),
    )
    for path in paths:
        save(run, root / path)
    sys.stdout.write(f"Written to {' and '.join(map(str, paths))}.\n")
    broken = peers_of.broken_claims(rows)
    if broken:
        count = "1 claim does" if len(broken) == 1 else f"{len(broken)} claims do"
        raise Failed(f"{count} not hold", broken)


def baseline(options: argparse.Namespace) -> None:
    """Measure the baseline and write data and document; or only check them; or only write the document.

    Raises:
        CouldNotRun: Files differ from the commit, so the figures would be of code that nobody else has; or
            git cannot be run, which would know.
        Drift: The document, the data, the list of ids and the declared comparisons disagree.
    """
    root: Path = options.root
    if options.check:
        faults = baseline_of.faults(root)
        if faults:
            raise Drift("the baseline is out of date", faults)
        return
    if options.write:
        baseline_of.write_document(root)
        return
    require_committed(root, "a baseline")
    for path in (baseline_of.DATA_PATH, baseline_of.DOCUMENT_PATH, baseline_of.README_PATH):
        require_writable(root / path)
    _measured(root, "Warm-up pass: its figures are dropped.")
    run = _measured(root, "Measured pass.")
    *others, last = map(str, baseline_of.record(run, root))
    named = ", ".join(unsteady(run.rows))
    sys.stdout.write(f"{unsteady_text(run.rows)}{': ' if named else ''}{named}.\n")
    if not run.environment.pinned:
        say(unpinned_text(run.environment))
    say(f"Written to {', '.join(others)} and {last}.")


def ids(options: argparse.Namespace) -> None:
    """Print the ids of all benches, or check or write the list of them."""
    root: Path = options.root
    found = collected_ids(root)
    if options.write:
        write_whole(root / LIST_PATH, text_of(found).encode())
        sys.stdout.write(f"{LIST_PATH}: {len(found)} ids\n")
    elif options.check:
        faults = differences(listed(root / LIST_PATH), found, "the benches")
        if faults:
            raise Drift(f"{LIST_PATH} and the benches differ; `nox -s ids` mends it", faults)
    else:
        sys.stdout.write(text_of(map(plain, found)))


def _measured(root: Path, title: str) -> Run[WallclockRow]:
    sys.stdout.write(f"{title}\n")
    sys.stdout.flush()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        return measure_benches(root, seconds=FULL_SEC, selected=(), created=utc_now(), path=path)


def _resolved(root: Path) -> Path:
    try:
        return root.resolve()
    except (OSError, RuntimeError) as fault:  # the latter up to Python 3.12
        raise CouldNotRun(f"{root}: expected a folder, got none that can be entered: {fault}") from None


class _CommandParser(argparse.ArgumentParser):
    """A command's parser, which refuses what it does not know with its own usage, not with that of all."""

    def parse_known_args(  # type: ignore[override]  # this one is given a namespace or None
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse, and refuse what is unknown."""
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return options, unknown


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchgate", description="Measure benches and report.")
    parser.add_argument(
        "--root", type=Path, default=Path(), help="the repository; the current folder by default"
    )
    commands: argparse._SubParsersAction[argparse.ArgumentParser] = parser.add_subparsers(
        required=True, metavar="COMMAND", parser_class=_CommandParser
    )

    command = commands.add_parser("bench", help="measure by wall clock and compare with the last run here")
    command.add_argument("--quick", action="store_true", help="fewer rounds, for a first look")
    command.add_argument("select", nargs="*", help="beginnings of bench ids, or patterns with * or ?")
    command.set_defaults(command=bench)

    command = commands.add_parser("counts", help="count instructions and allocations, under valgrind")
    command.add_argument("--json", type=Path, metavar="PATH", help="write the run to PATH as well")
    command.add_argument("select", nargs="*", help="beginnings of bench ids, or patterns with * or ?")
    command.set_defaults(command=counts)

    gate_of.add_parser(commands)
    steadiness.add_parser(commands)

    command = commands.add_parser("peers", help="compare with the libraries a user would pick instead")
    command.add_argument("--quick", action="store_true", help="fewer rounds")
    command.add_argument("--record", action="store_true", help=f"write {peers_of.RECORD_PATH} as well")
    command.add_argument("--worker-python", type=Path, metavar="PATH", help="the interpreter for workers")
    command.add_argument(
        "--groups", default="peers", metavar="NAME,...", help="dependency groups whose versions are recorded"
    )
    command.add_argument("select", nargs="*", help="beginnings of comparisons' ids, or patterns")
    command.set_defaults(command=peers)

    latency.add_to(commands)

    command = commands.add_parser("baseline", help="measure all benches twice and write the second pass down")
    action = command.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true", help="only compare document, data and ids")
    action.add_argument("--write", action="store_true", help="only write the document, from the data at hand")
    command.set_defaults(command=baseline)

    nights.add_to(commands)

    command = commands.add_parser("ids", help="list the bench ids")
    action = command.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true", help=f"compare with {LIST_PATH}")
    action.add_argument("--write", action="store_true", help=f"write {LIST_PATH}")
    command.set_defaults(command=ids)

    command = commands.add_parser("release", help="say what is in the way of a release")
    command.set_defaults(command=release)
    return parser
