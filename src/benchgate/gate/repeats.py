"""Reports of the gate on unchanged code, made one after another: read them, and sum up what moved.

The reports of a series are files `report-NN.json` of one folder. They must be of one commit against itself,
on the same benches and in the same environment, and each of a run of its own.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median

from benchgate.environment import Environment
from benchgate.errors import CouldNotRun
from benchgate.gate import report
from benchgate.gate.record import FEWEST_RUNS, Spread, Steadiness
from benchgate.gate.report import Report, Row

_NAME = re.compile(r"report-(\d{2,6})\.json")


def file_name(number: int) -> str:
    """Return the name of the report of a run, the first of which is 1."""
    return f"report-{number:02}.json"


def files(folder: Path) -> list[Path]:
    """Return the reports in a folder, in the order of their numbers."""
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted((path for path in found if _NAME.fullmatch(path.name)), key=_number)


def kept(folder: Path) -> tuple[Report, ...]:
    """Read the reports that are kept in a folder, in the order of their numbers.

    Raises:
        CouldNotRun: The names leave a number out, so that a run is missing.
        Unreadable: A report is damaged.
    """
    found = files(folder)
    numbers = list(map(_number, found))
    if numbers != list(range(1, len(numbers) + 1)):
        raise CouldNotRun(
            f"{folder}: expected reports numbered from 1 on, got {', '.join(map(str, numbers))}"
        )
    return tuple(map(report.load, found))


def summed_up(reports: Sequence[Report]) -> Steadiness:
    """Say how far the counts of several runs lie apart.

    Raises:
        CouldNotRun: There are too few, or they are not of the same commit, benches and environment.
    """
    if len(reports) < FEWEST_RUNS:
        raise CouldNotRun(f"expected the reports of {FEWEST_RUNS} runs or more, got {len(reports)}")
    environment = require_alike(reports)
    first = min(reports, key=lambda one: one.created)
    return Steadiness(
        created=first.created,
        environment=environment,
        git=first.head,
        runs=len(reports),
        seconds=tuple(one.seconds for one in reports),
        rows=tuple(_spread(rows) for rows in zip(*map(_ordered, reports), strict=True)),
    )


def require_alike(reports: Sequence[Report]) -> Environment:
    """Check that all reports are of one commit against itself, the same benches and the same environment.

    Raises:
        CouldNotRun: They are not, a report is of a run that could not compare, or is there twice.
    """
    first, environment = reports[0], reports[0].environment
    for number, one in enumerate(reports, 1):
        if one.failure or one.environment is None or environment is None:
            raise CouldNotRun(f"run {number}: could not compare: {one.failure or 'no environment'}")
        apart = (
            *_differences("head", first.head, one.head),
            *_differences("base", first.base, one.base),
            *_other_benches(first, one),
            *environment.differences(one.environment),
            *_differences("libraries", environment.libraries, one.environment.libraries),
            # Also one that nobody imports: it moves what stands in memory.
            *_differences("packages installed", first.packages, one.packages),
        )
        if apart:
            raise CouldNotRun(f"run {number} is not like run 1", apart)
        for row in one.rows:
            if row.state != "compared" or len(row.base) < 2 or not row.head:
                raise CouldNotRun(
                    f"run {number}: {row.id}: expected two counts of the base and one of the head"
                )
        if one.base != one.head.commit:
            raise CouldNotRun(
                f"run {number}: expected a commit against itself, got {one.base} and {one.head}"
            )
    if len({one.created for one in reports}) != len(reports):
        raise CouldNotRun("the reports are not of different runs: two began at the same time")
    assert environment is not None
    return environment


def flagged(row: Row) -> bool:
    """Say whether a row would have stopped someone for nothing."""
    return row.verdict in {"slower", "could not tell"}


def _ordered(of: Report) -> list[Row]:
    return sorted(of.rows, key=lambda row: row.id)


def _spread(rows: Sequence[Row]) -> Spread:
    """Sum up one bench from its row in each run."""
    heads = [row.head[0] for row in rows]
    middle = median(heads)
    return Spread(
        id=rows[0].id,
        instructions=middle,
        spread=(max(heads) - min(heads)) / middle,
        base_spread=max(abs(row.base[1] / row.base[0] - 1) for row in rows),
        flagged=sum(map(flagged, rows)),
    )


def _other_benches(here: Report, there: Report) -> Iterable[str]:
    ids, others = ({row.id for row in of.rows} for of in (here, there))
    return (f"benches: {identity} is only in one of them" for identity in sorted(ids ^ others))


def _differences(name: str, here: object, there: object) -> Iterable[str]:
    return () if here == there else (f"{name}: {here} and {there}",)


def _number(path: Path) -> int:
    return int(path.stem.removeprefix("report-"))
