"""Count base and head so that what differs is the change: base, head, base again, and what moved once more.

The head's benches run on both sides, so that a row is the same work on other packages. A bench that the base
cannot run so, since its file uses what the base does not have, is counted there from the base's own file.

Both sides count the same benches in the same processes. What moved beyond its threshold is counted again,
with the other benches of its group: the head as it was, so that both sides have two counts of the first
layout, and then base and head in other layouts.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from pathlib import Path

import msgspec

from benchgate.callgrind import Part
from benchgate.counting import Counted, count
from benchgate.errors import OtherEnvironment
from benchgate.gate.verdict import Pair, another_layout_needed
from benchgate.ids import group_of
from benchgate.rows import CountsRow
from benchgate.run import require_same_machine
from benchgate.shard import Show
from benchgate.simulator import Valgrind
from benchgate.survey import Sources, Survey

LAYOUTS = 3
"""How many layouts a row is counted in at most."""


class Plan(msgspec.Struct, frozen=True):
    """Which benches are counted how; each bench is in one of the three.

    Attributes:
        common: Ids of benches that run on both sides from the head's files.
        own: By the id at the head, the id at the base, of benches that the base runs from its own files.
        new: Ids of benches that only the head runs.
    """

    common: tuple[str, ...]
    own: Mapping[str, str] = msgspec.field(default_factory=dict)
    new: tuple[str, ...] = ()


class Sides(msgspec.Struct, frozen=True):
    """Where the sides are counted from.

    Attributes:
        head: The head's benches on the head's packages.
        base: The head's benches on the base's packages.
        base_own: The base's benches on the base's packages.
    """

    head: Sources
    base: Sources
    base_own: Sources


class Sample(msgspec.Struct, frozen=True):
    """One count of one bench: its figures, and which functions they are in."""

    row: CountsRow
    profile: Part


class Passes(msgspec.Struct, frozen=True):
    """What was counted; `compare` fills it.

    Attributes:
        layouts: By the id at the head, the figures of a bench in each layout.
        base: By the id at the head, the first count of the base.
        head: By id, the first count of the head; of new benches, too.
        names: What was counted, in this order.
        apart: Why the two sides cannot be compared at all; empty when they can.
        head_runs: The head's counts in the first layout; none when there was nothing to count.
    """

    layouts: dict[str, list[Pair]]
    base: dict[str, Sample]
    head: dict[str, Sample]
    names: list[str]
    apart: list[str]
    head_runs: list[Counted]

    @property
    def head_run(self) -> Counted:
        """The head's first count, where there is one."""
        return self.head_runs[0]


Threshold = Callable[[str], float]


class Counting:
    """The passes of one comparison; each is `count` with what they have in common.

    All are made in `folder`, so that they have the same path. `surveys` has what is known about the benches
    of each side that is counted.
    """

    def __init__(
        self,
        sides: Sides,
        surveys: Mapping[Sources, Survey],
        valgrind: Valgrind,
        folder: Path,
        *,
        now: Callable[[], datetime],
        show: Show,
    ) -> None:
        self._sides, self._surveys = sides, surveys
        self._valgrind, self._folder, self._now, self._show = valgrind, folder, now, show
        self.names: list[str] = []

    def head(self, only: Collection[str], name: str, layout: int = 0) -> Counted:
        """Count the head."""
        return self._count(self._sides.head, only, name, layout)

    def base(self, only: Collection[str], name: str, layout: int) -> Counted:
        """Count the base with the head's benches."""
        return self._count(self._sides.base, only, name, layout)

    def base_own(self, only: Collection[str], name: str, layout: int) -> Counted:
        """Count the base with its own benches."""
        return self._count(self._sides.base_own, only, name, layout)

    def _count(self, sources: Sources, only: Collection[str], name: str, layout: int) -> Counted:
        self._show(f"pass {len(self.names) + 1}: {name}")
        self.names.append(name)
        return count(
            sources,
            self._valgrind,
            self._now(),
            self._show,
            only=only,
            layout=layout,
            surveyed=self._surveys[sources],
            within=self._folder,
        )


def compare(plan: Plan, counting: Counting, threshold: Threshold) -> Passes:
    """Make the passes of a plan.

    Raises:
        CouldNotRun: A process ended early, as when a bench fails that ran when it was looked for.
        Unreadable: What callgrind wrote is truncated or has not each bench exactly once.
    """
    found = Passes({}, {}, {}, counting.names, [], [])
    common = {identity: identity for identity in plan.common}
    for former, base, which in (
        (common, counting.base, ""),
        (plan.own, counting.base_own, ", its own benches"),
    ):
        if former:
            _compare(former, base, counting, found, threshold=threshold, which=which)
    if plan.new:
        head = counting.head(plan.new, "head, new benches")
        found.head.update(samples(head))
        found.head_runs.append(head)
    return found


def _compare(
    former: Mapping[str, str],
    base: Callable[[Collection[str], str, int], Counted],
    counting: Counting,
    found: Passes,
    *,
    threshold: Threshold,
    which: str,
) -> None:
    """Count benches on both sides, and what moved again; `former` has the id at the base by that at head."""
    there = set(former.values())
    first = base(there, f"base{which}", 0)
    head = counting.head(set(former), f"head{' for these' if which else ''}", 0)
    again = base(there, f"base again{which}", 0)
    found.head_runs.append(head)
    old, new = samples(first), samples(head)
    found.base.update((identity, old[was]) for identity, was in former.items())
    found.head.update(new)
    found.layouts.update(_pairs(former, [first, again], head))
    apart = _apart(first, head)
    found.apart.extend(line for line in apart if line not in found.apart)
    if apart:
        return

    def moved() -> tuple[set[str], dict[str, str]]:
        """Return what must be counted again, and all benches of its groups as `former` has them."""
        rows = {
            identity
            for identity in former
            if another_layout_needed(found.layouts[identity], threshold(identity), LAYOUTS)
        }
        groups = set(map(group_of, rows))
        return rows, {identity: was for identity, was in former.items() if group_of(identity) in groups}

    rows, only = moved()
    if rows:
        repeated = samples(counting.head(set(only), "head again, what moved", 0))
        for identity in rows:
            (pair,) = found.layouts[identity]
            both = (*pair.head, repeated[identity].row.instructions)
            found.layouts[identity] = [Pair(pair.base, both)]
    for layout in range(1, LAYOUTS):
        rows, only = moved()
        if not rows:
            return
        name = f"layout {layout + 1} of what moved"
        pairs = _pairs(
            only,
            [base(set(only.values()), f"base{which}, {name}", layout)],
            counting.head(set(only), f"head, {name}", layout),
        )
        for identity in rows:
            found.layouts[identity] += pairs[identity]


def samples(counted: Counted) -> dict[str, Sample]:
    """Return the counts by id."""
    return {row.id: Sample(row, counted.profiles[row.id]) for row in counted.run.rows}


def _pairs(former: Mapping[str, str], bases: Iterable[Counted], head: Counted) -> dict[str, list[Pair]]:
    """Return, by the id at the head, the figures of one layout."""
    costs = [{row.id: row.instructions for row in counted.run.rows} for counted in bases]
    return {
        row.id: [Pair(tuple(cost[former[row.id]] for cost in costs), (row.instructions,))]
        for row in head.run.rows
    }


def _apart(base: Counted, head: Counted) -> tuple[str, ...]:
    try:
        require_same_machine(base.run, head.run)
    except OtherEnvironment as fault:
        return fault.faults
    return ()
