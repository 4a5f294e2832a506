"""Count base and head so that what differs is the change: base, head, base again, and what moved once more.

The head's benches run on both sides, so that a row is the same work on other packages. A bench that the base
cannot run so, since its file uses what the base does not have, is counted there from the base's own file.

Both sides count the same benches in the same processes. What moved beyond its threshold is counted again in
other layouts, with all benches of its group, on the base and on the head.
"""

from collections import defaultdict
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
from benchgate.survey import Sources

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
    """What was counted.

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
    apart: tuple[str, ...]
    head_runs: tuple[Counted, ...]

    @property
    def head_run(self) -> Counted:
        """The head's first count, where there is one."""
        return self.head_runs[0]


Threshold = Callable[[str], float]


class Counting:
    """The passes of one comparison; each is `count` with what they have in common.

    All are made in `folder`, so that they have the same path.
    """

    def __init__(
        self, sides: Sides, valgrind: Valgrind, folder: Path, now: Callable[[], datetime], show: Show
    ) -> None:
        self._sides, self._valgrind, self._folder, self._now, self._show = sides, valgrind, folder, now, show
        self.names: list[str] = []

    def head(self, only: Collection[str], name: str = "head", layout: int = 0) -> Counted:
        """Count the head."""
        return self._count(self._sides.head, only, name, layout)

    def base(self, only: Collection[str], name: str = "base", layout: int = 0) -> Counted:
        """Count the base with the head's benches."""
        return self._count(self._sides.base, only, name, layout)

    def base_own(self, only: Collection[str], name: str) -> Counted:
        """Count the base with its own benches."""
        return self._count(self._sides.base_own, only, name, 0)

    def _count(self, sources: Sources, only: Collection[str], name: str, layout: int) -> Counted:
        self._show(f"pass {len(self.names) + 1}: {name}")
        self.names.append(name)
        return count(
            sources, self._valgrind, self._now(), self._show, only=only, layout=layout, within=self._folder
        )


def compare(plan: Plan, counting: Counting, threshold: Threshold) -> Passes:
    """Make the passes of a plan.

    Raises:
        Incomplete: A bench that ran when it was looked for fails; nothing is compared.
        CouldNotRun: A process ended early.
        Unreadable: What callgrind wrote is truncated or has not each bench exactly once.
    """
    layouts: dict[str, list[Pair]] = {}
    bases: dict[str, Sample] = {}
    heads: dict[str, Sample] = {}
    runs: list[Counted] = []
    apart: tuple[str, ...] = ()
    if plan.common:
        first = counting.base(plan.common)
        head = counting.head(plan.common)
        again = counting.base(plan.common, "base again")
        apart = _apart(first, head)
        runs.append(head)
        bases |= samples(first)
        heads |= samples(head)
        layouts |= pairs([first, again], [head])
    if plan.own:
        there = set(plan.own.values())
        first = counting.base_own(there, "base, its own benches")
        head = counting.head(set(plan.own), "head, the same")
        again = counting.base_own(there, "base again, the same")
        apart = apart or _apart(first, head)
        runs.append(head)
        old, new, old_again = samples(first), samples(head), samples(again)
        for identity, was in plan.own.items():
            bases[identity], heads[identity] = old[was], new[identity]
            figures = (old[was].row.instructions, old_again[was].row.instructions)
            layouts[identity] = [Pair(figures, (new[identity].row.instructions,))]
    if plan.new:
        head = counting.head(plan.new, "head, new benches")
        runs.append(head)
        heads |= samples(head)
    if not apart:
        _count_again(plan.common, layouts, counting, threshold)
    return Passes(layouts, bases, heads, counting.names, apart, tuple(runs))


def _count_again(
    ids: Iterable[str], layouts: dict[str, list[Pair]], counting: Counting, threshold: Threshold
) -> None:
    """Count the groups of what moved in other layouts, until each row can be judged."""
    groups: dict[str, list[str]] = defaultdict(list)
    for identity in ids:
        groups[group_of(identity)].append(identity)
    for layout in range(1, LAYOUTS):
        open_rows = {
            identity
            for identity in ids
            if another_layout_needed(layouts[identity], threshold(identity), LAYOUTS)
        }
        if not open_rows:
            return
        only = [identity for group in sorted({*map(group_of, open_rows)}) for identity in groups[group]]
        base = counting.base(only, f"base, layout {layout + 1}, {len(open_rows)} moved", layout)
        head = counting.head(only, f"head, layout {layout + 1}", layout)
        found = pairs([base], [head])
        for identity in open_rows:
            layouts[identity].append(found[identity][0])


def samples(counted: Counted) -> dict[str, Sample]:
    """Return the counts by id."""
    return {row.id: Sample(row, counted.profiles[row.id]) for row in counted.run.rows}


def pairs(bases: Iterable[Counted], heads: Iterable[Counted]) -> dict[str, list[Pair]]:
    """Return, by id, the figures of one layout."""
    figures: list[dict[str, list[float]]] = [defaultdict(list), defaultdict(list)]
    for side, runs in zip(figures, (bases, heads), strict=True):
        for counted in runs:
            for row in counted.run.rows:
                side[row.id].append(row.instructions)
    base, head = figures
    return {identity: [Pair(tuple(base[identity]), tuple(head[identity]))] for identity in head}


def _apart(base: Counted, head: Counted) -> tuple[str, ...]:
    try:
        require_same_machine(base.run, head.run)
    except OtherEnvironment as fault:
        return fault.faults
    return ()
