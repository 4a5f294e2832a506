"""The command line: `python -m benchgate bench | peers | baseline | ids`.

Exit codes: 0 nothing slower and nothing out of date, 1 something is, 2 could not run, 3 could not tell.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

from benchgate import history, published
from benchgate.bench import collected_ids, measure_benches, require_complete
from benchgate.errors import EXIT_COULD_NOT_RUN, EXIT_OK, BenchgateError, Drift
from benchgate.files import write_whole
from benchgate.ids import LIST_PATH, differences, listed, text_of
from benchgate.notes import Ending, print_notes
from benchgate.plugin import FULL_SEC, QUICK_SEC
from benchgate.run import utc_now
from benchgate.table import print_table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code."""
    options = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], None] = options.command
    try:
        command(options)
    except BenchgateError as fault:
        _complain(*fault.faults, f"benchgate: {fault}")
        return fault.exit_code
    except KeyboardInterrupt:
        _complain("benchgate: interrupted, nothing was written")
        return EXIT_COULD_NOT_RUN
    return EXIT_OK


def bench(options: argparse.Namespace) -> None:
    """Measure the selected benches, or all, and show the table."""
    root: Path = options.root
    began = time.monotonic()
    created = utc_now()
    path = history.FOLDER / history.file_name(created)
    figures = published.read(root / published.PATH)
    run = measure_benches(
        root,
        seconds=QUICK_SEC if options.quick else FULL_SEC,
        selected=options.select,
        created=created,
        path=root / path,
    )
    console = Console(highlight=False, emoji=False)
    earlier = history.earlier(root / history.FOLDER, run)
    console.print()
    print_table(console, run, earlier, figures)
    print_notes(console, run, earlier, figures, Ending(path, time.monotonic() - began, options.quick))
    require_complete(run, root, options.select)


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
            raise Drift(
                f"{LIST_PATH} and the benches differ; `python -m benchgate ids --write` mends it", faults
            )
    else:
        sys.stdout.write(text_of(found))


def _complain(*lines: str) -> None:
    sys.stdout.flush()
    sys.stderr.writelines(f"{line}\n" for line in lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchgate", description="Measure benches and report.")
    parser.add_argument(
        "--root", type=Path, default=Path.cwd(), help="the repository; the current folder by default"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = commands.add_parser("bench", help="measure by wall clock and compare with the last run here")
    command.add_argument("--quick", action="store_true", help="fewer rounds: seconds instead of a minute")
    command.add_argument("select", nargs="*", help="beginnings of bench ids, or patterns with * or ?")
    command.set_defaults(command=bench)

    command = commands.add_parser("ids", help="list the bench ids")
    action = command.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true", help=f"compare with {LIST_PATH}")
    action.add_argument("--write", action="store_true", help=f"write {LIST_PATH}")
    command.set_defaults(command=ids)
    return parser
