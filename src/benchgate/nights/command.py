"""`python -m benchgate nightly`: measure a night, or take one that was measured elsewhere, and keep it.

Where a night is measured, code runs that was only just merged; so what it wrote may be read elsewhere, with
`--from`, by a job that has the rights to publish it and runs no bench. Everything that decides whether the
night may be kept is decided again there, from the record.
"""

import argparse
import os
from pathlib import Path

from rich.console import Console

from benchgate import baseline
from benchgate.errors import CouldNotRun, CouldNotTell, Incomplete
from benchgate.files import require_writable, write_whole
from benchgate.ids import LIST_PATH, differences, listed
from benchgate.measure import FULL_SEC, QUICK_SEC
from benchgate.nights import noise, passes, store
from benchgate.nights.comparison import compare
from benchgate.nights.findings import Findings
from benchgate.nights.record import FOLDER, SUMMARY, Night
from benchgate.nights.store import Nights
from benchgate.nights.summary import markdown
from benchgate.nights.view import print_night
from benchgate.run import require_committed
from benchgate.terminal import say


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to a parser's."""
    command = commands.add_parser("nightly", help="measure several passes and compare with earlier nights")
    command.add_argument("--history", type=Path, metavar="PATH", help="the nights before; this one is added")
    command.add_argument("--write", action="store_true", help="make the middle pass the baseline")
    command.add_argument("--from", dest="source", type=Path, metavar="FOLDER", help="take a measured night")
    command.add_argument("--unpinned", action="store_true", help="also on a machine that is not pinned")
    command.add_argument("--quick", action="store_true", help="fewer rounds, to try it out: nothing is kept")
    command.set_defaults(command=nightly)


def nightly(options: argparse.Namespace) -> None:
    """Measure a night or take one, show it, and keep it if it may be kept.

    Raises:
        CouldNotRun: It is to be kept and is not of a commit alone, or not of full length.
        CouldNotTell: The machine is not pinned, or the night is noisier than its limits.
        Incomplete: A row has no figure.
    """
    root: Path = options.root
    keep = options.write or options.history is not None
    if keep and options.quick:
        raise CouldNotRun("--quick is for trying it out: such a night is neither written nor added")
    bounds = noise.limits(root)
    nights = store.read(options.history) if options.history else None
    targets = [root / FOLDER / SUMMARY, *([options.history] if options.history else [])]
    if options.write:
        targets += [root / path for path in _WRITTEN]
    for path in targets:
        require_writable(path)
    if options.source is not None:
        night, middle = passes.load(options.source, root)
        if not (night.environment.pinned or options.unpinned):
            raise CouldNotTell("the night's machine was not pinned", night.environment.unpinned_because)
    else:
        if keep:
            require_committed(root, "a night")
        seconds = QUICK_SEC if options.quick else FULL_SEC
        night, middle = passes.measure_night(passes.passes_of(root, seconds), say, unpinned=options.unpinned)
        passes.save(night, middle, root / FOLDER)
    findings = find(night, bounds, nights, root)
    _show(findings, root / FOLDER / SUMMARY)
    _require_usable(findings, keep=keep)
    if options.write:
        written = ", ".join(map(str, baseline.record(middle, root)))
        say(f"Written to {written}.")
    if options.history is not None:
        added = store.append(options.history, night)
        say(f"{options.history}: {'one night added' if added else 'this night stands there already'}.")


def find(night: Night, bounds: noise.Limits, nights: Nights | None, root: Path) -> Findings:
    """Find out what is to be said of a night.

    Raises:
        Unreadable: There is no list of ids, or it is not in order.
    """
    failed = {failure.id: f"{failure.id}: {failure.reason}" for failure in night.failures}
    ids = listed(root / LIST_PATH)
    known = {row.id for row in night.rows} | (failed.keys() & set(ids))  # files of benches fail, too
    return Findings(
        night=night,
        bounds=bounds,
        lacking=(*failed.values(), *differences(ids, known, "the night")),
        excess=noise.excess(night, bounds),
        remarks=(nights.dropped,) if nights and nights.dropped else (),
        compared=None if nights is None else compare(night, nights.nights),
    )


_WRITTEN = (baseline.DATA_PATH, baseline.DOCUMENT_PATH, baseline.README_PATH)


def _require_usable(findings: Findings, *, keep: bool) -> None:
    if findings.lacking:
        raise Incomplete("rows have no figure, nothing was kept", findings.lacking)
    if findings.excess:
        raise CouldNotTell("the night is noisier than its limits, nothing was kept", findings.excess)
    if keep and findings.night.pace != "full":
        raise CouldNotRun("a quick night is neither written nor added")


def _show(findings: Findings, path: Path) -> None:
    text = markdown(findings)
    write_whole(path, text.encode())
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(text)
    print_night(Console(highlight=False, emoji=False), findings)
