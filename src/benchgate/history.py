"""The runs made on this machine before, kept as one file each in a folder of their kind.

A run's file is named after the time it began, so that names sort by age. The last run of a row is the newest
one with the same machine key that measured it: a run of a few selected rows does not hide the others.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Generic

import msgspec

from benchgate.errors import Unreadable
from benchgate.run import R, Run, load

FOLDER = Path("results/bench")

_LOOKED_AT = 100  # files, newest first: older runs say little about the code of today


class Earlier(msgspec.Struct, Generic[R], frozen=True):
    """What earlier runs say about the rows of a run.

    Attributes:
        rows: The last row of each id, on this machine.
        runs: The runs that these rows are from, newest first.
        unreadable: One line for each file that was passed over.
    """

    rows: dict[str, R]
    runs: tuple[Run[R], ...] = ()
    unreadable: tuple[str, ...] = ()


def file_name(created: datetime) -> str:
    """Name the file of a run that began at `created`, to the millisecond."""
    return f"{created:%Y%m%dT%H%M%S}{created.microsecond // 1000:03}Z.json"


def earlier(
    folder: Path,
    run: Run[R],
    row_type: type[R],
    comparable: Callable[[Run[R], str], bool] = lambda _run, _id: True,
) -> Earlier[R]:
    """Look for the last rows of this machine for the ids of `run`, among the files older than it.

    `comparable` says whether an earlier run's row of an id may be compared with this run's.
    """
    missing = {row.id for row in run.rows}
    rows: dict[str, R] = {}
    runs: list[Run[R]] = []
    unreadable: list[str] = []
    for path in _newest_first(folder, file_name(run.created)):
        if not missing:
            break
        try:
            other = load(path, run.kind, row_type)
        except Unreadable as fault:
            unreadable.append(str(fault))
            continue
        if other.environment.machine_key != run.environment.machine_key:
            continue
        found = {row.id: row for row in other.rows if row.id in missing and comparable(other, row.id)}
        if found:
            rows |= found
            missing -= found.keys()
            runs.append(other)
    return Earlier(rows, tuple(runs), tuple(unreadable))


def _newest_first(folder: Path, before: str) -> Iterable[Path]:
    names = sorted((path.name for path in folder.glob("*Z.json") if path.name < before), reverse=True)
    return [folder / name for name in names[:_LOOKED_AT]]
