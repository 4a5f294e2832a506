"""Run the gate on edited copies of the repository, and see how it answers.

The gate's own code counts, judges and names causes; only what the base costs is counted once and kept, since
it is the same for every edit. Groups of benches are processes of their own, so what is found out about some
groups is what a run of all groups would find.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from pathlib import Path

from benchgate.counting import Counted
from benchgate.gate import changed, outcome, policy
from benchgate.gate.passes import Counting, Passes, Sides, compare
from benchgate.gate.plan import planned
from benchgate.gate.report import Row
from benchgate.git import git
from benchgate.run import utc_now
from benchgate.simulator import Valgrind
from benchgate.survey import Sources, Survey, survey


class Kept(Counting):
    """The passes of a comparison, with those over the base taken from earlier ones where there are any.

    The base's first count and its second in the same layout stay two counts.
    """

    def __init__(
        self,
        sides: Sides,
        surveys: Mapping[Sources, Survey],
        valgrind: Valgrind,
        folder: Path,
        kept: dict[tuple[object, ...], Counted],
    ) -> None:
        super().__init__(sides, surveys, valgrind, folder, now=utc_now, show=lambda _: None)
        self._kept = kept

    def base(self, only: Collection[str], name: str, layout: int) -> Counted:
        """Count the base with the head's benches, or take the count from before."""
        key = ("again" in name, layout, surroundings(self._sides.base.benches), frozenset(only))
        if key not in self._kept:
            self._kept[key] = super().base(only, name, layout)
        self.names.append(name)
        return self._kept[key]


class Trial:
    """Comparisons of edited copies with one base; all passes are made in `folder`.

    Attributes:
        last: The passes of the last comparison.
    """

    def __init__(self, base: Path, folder: Path, valgrind: Valgrind, today: date) -> None:
        self._base, self._folder, self._valgrind, self._today = base, folder, valgrind, today
        self._kept: dict[tuple[object, ...], Counted] = {}
        self._surveys: dict[tuple[object, ...], Survey] = {}
        self.last: Passes | None = None

    def rows(self, head: Path, selected: Sequence[str] = ()) -> tuple[Row, ...]:
        """Return the rows of the gate's report for the copy at `head`, of the selected benches or of all."""
        sides = Sides(
            head=Sources(head, head), base=Sources(head, self._base), base_own=Sources(self._base, self._base)
        )
        rules = policy.read(head, self._today)
        plan = planned(sides, selected, rules.aliases, self._surveyed)
        counting = Kept(sides, plan.surveys, self._valgrind, self._folder, self._kept)
        passes = compare(plan.plan, counting, rules.threshold_of)
        change = changed.read(head, git(head, "rev-parse", "HEAD").text)

        def lookup(path: str, qualname: str) -> tuple[str, bool | None]:
            return change.where(path, qualname, head), change.touches(path, qualname, head)

        self.last = passes
        return outcome.rows(plan, passes, rules, lookup)

    def _surveyed(self, sources: Sources, selected: Sequence[str]) -> Survey:
        """Survey, or take the base's survey from before."""
        if sources.packages != self._base:
            return survey(sources, selected, self._folder)
        key = (surroundings(sources.benches), tuple(selected))
        if key not in self._surveys:
            self._surveys[key] = survey(sources, selected, self._folder)
        return self._surveys[key]


def surroundings(root: Path) -> str:
    """Return a digest of what the base's processes see of the head: all but the packages under test.

    That is the names of all folders, and what benches, fixtures and the settings of pytest hold.
    """
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root)
        if name.parts[0] in {".git", "src"} or "__pycache__" in name.parts:
            continue
        digest.update(f"{name}\0".encode())
        if path.is_file() and (name.parts[0] in {"benches", "fixtures"} or len(name.parts) == 1):
            digest.update(path.read_bytes() if name.suffix != ".md" else b"")
            digest.update(b"\0")
    return digest.hexdigest()


def changes(rows: Sequence[Row]) -> Mapping[str, float]:
    """Return the change of each row that was compared."""
    return {row.id: row.change for row in rows if row.change is not None}
