"""The runs made on this machine before, kept as one file each in `results/bench`.

A run's file is named after the time it began, so that names sort by age. The last run of a row is the newest
one with the same machine key that measured it: a run of a few selected rows does not hide the others.
"""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import msgspec

from benchgate.errors import Unreadable
from benchgate.rows import WallclockRow
from benchgate.run import Run, load
from benchgate.wallclock import KIND

FOLDER = Path("results/bench")

_LOOKED_AT = 100  # files, newest first: older runs say little about the code of today


class Earlier(msgspec.Struct, frozen=True):
    """What earlier runs say about the rows of a run.

    Attributes:
        rows: The last row of each id, on this machine.
        runs: The runs that these rows are from, newest first.
        unreadable: One line for each file that was passed over.
    """

    rows: dict[str, WallclockRow]
    runs: tuple[Run[WallclockRow], ...] = ()
    unreadable: tuple[str, ...] = ()


def file_name(created: datetime) -> str:
    """Name the file of a run that began at `created`, to the millisecond."""
    return f"{created:%Y%m%dT%H%M%S}{created.microsecond // 1000:03}Z.json"


def earlier(folder: Path, run: Run[WallclockRow]) -> Earlier:
    """Look for the last rows of this machine for the ids of `run`, among the files older than it."""
    missing = {row.id for row in run.rows}
    rows: dict[str, WallclockRow] = {}
    runs: list[Run[WallclockRow]] = []
    unreadable: list[str] = []
    for path in _newest_first(folder, file_name(run.created)):
        if not missing:
            break
        try:
            other = load(path, KIND, WallclockRow)
        except Unreadable as fault:
            unreadable.append(str(fault))
            continue
        if other.environment.machine_key != run.environment.machine_key:
            continue
        found = {row.id: row for row in other.rows if row.id in missing}
        if found:
            rows |= found
            missing -= found.keys()
            runs.append(other)
    return Earlier(rows, tuple(runs), tuple(unreadable))


def _newest_first(folder: Path, before: str) -> Iterable[Path]:
    names = sorted((path.name for path in folder.glob("*Z.json") if path.name < before), reverse=True)
    return [folder / name for name in names[:_LOOKED_AT]]
