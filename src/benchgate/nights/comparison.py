"""A night beside the nights before it on the same machine: changes, rows that are new, rows that are gone."""

from collections.abc import Sequence

import msgspec

from benchgate.nights.changepoints import changes
from benchgate.nights.record import Night
from benchgate.run import GitState

RECENT = 14
"""For how many nights a change stays in the report: whoever reads it does not do so every day."""


class RowChange(msgspec.Struct, frozen=True):
    """A row's change of level.

    Attributes:
        ratio: The figures since over those before.
        good: The commit of the last night before; `bad` is that of the first since.
        nights: How many nights have been measured since, `bad` among them.
        new: Whether it is this night that made it known.
    """

    id: str
    ratio: float
    good: GitState
    bad: GitState
    nights: int
    new: bool

    @property
    def range(self) -> str:
        """The commits among which the cause is likely to be, as git writes them."""
        return f"{self.good.commit[:10]}..{self.bad.commit[:10]}"


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """What the nights before say.

    Attributes:
        before: How many nights of this machine there were.
        elsewhere: How many nights were passed over, as another machine's.
        changes: Of the last `RECENT` nights; those that this night made known first, then by size.
        appeared: The ids that the night before did not have.
        gone: The ids that only the night before had.
    """

    before: int = 0
    elsewhere: int = 0
    changes: tuple[RowChange, ...] = ()
    appeared: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    @property
    def new(self) -> tuple[RowChange, ...]:
        """The changes that this night made known."""
        return tuple(change for change in self.changes if change.new)


def compare(night: Night, history: Sequence[Night]) -> Compared:
    """Compare a night with the earlier ones among `history`; those of other machines are passed over."""
    earlier = [other for other in history if other.created < night.created]
    key = night.environment.machine_key
    nights = [other for other in earlier if other.environment.machine_key == key]
    before = len(nights)
    if not before:
        return Compared(elsewhere=len(earlier))
    last = {row.id for row in nights[-1].rows}
    here = {row.id for row in night.rows}
    nights.append(night)
    series: dict[str, list[tuple[int, float]]] = {row.id: [] for row in night.rows}
    for position, one in enumerate(nights):
        for row in one.rows:
            if row.id in series:
                series[row.id].append((position, row.median_ns))
    found: list[RowChange] = []
    for identity, points in series.items():
        for change in changes([figure for _, figure in points]):
            known, at = points[change.known][0], points[change.at][0]
            if known + RECENT < len(nights):
                continue
            good = nights[points[change.at - 1][0]].git
            found.append(
                RowChange(
                    identity, change.ratio, good, nights[at].git, len(nights) - at, known == len(nights) - 1
                )
            )
    return Compared(
        before=before,
        elsewhere=len(earlier) - before,
        changes=tuple(
            sorted(found, key=lambda one: (not one.new, -abs(one.ratio - 1), one.id)),
        ),
        appeared=tuple(sorted(here - last)),
        gone=tuple(sorted(last - here)),
    )
