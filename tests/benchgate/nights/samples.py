"""Nights of the imaginary machine, and the passes that they are made of."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from benchgate.nights.record import PASSES, Night, of_passes
from benchgate.rows import WallclockRow
from benchgate.run import GitState, Run
from tests.benchgate.samples import row, run

FIRST = datetime(2026, 3, 1, 2, 17, tzinfo=UTC)
IDS = ("toy/parts/sort", "toy/parts/sum")


def passes(*medians: dict[str, float], day: int = 0, **more: object) -> tuple[Run[WallclockRow], ...]:
    """Runs with these medians, a minute apart, in the night of a day."""
    return tuple(
        run(
            *(row(identity, ns, ns / 100) for identity, ns in found.items()),
            **{
                "created": FIRST + timedelta(days=day, minutes=minute),
                "git": commit(day),
                "pace": "full",
                "cpu_share": 0.99,
                **more,
            },
        )
        for minute, found in enumerate(medians)
    )


def commit(day: int) -> GitState:
    """The commit of a day."""
    return GitState(f"{day:040x}", dirty=False)


def night(figures: dict[str, float], day: int = 0, **more: object) -> Night:
    """A night whose passes agree."""
    return of_passes(passes(*[figures] * PASSES, day=day, **more))


def nights(series: Sequence[float], identity: str = IDS[0]) -> list[Night]:
    """A night for each figure of one row."""
    return [night({identity: figure}, day) for day, figure in enumerate(series)]
