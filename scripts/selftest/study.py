"""The self-test: plants of known size and changes that cost nothing, and what the gate says of each.

A plant is calibrated by counting it in the two least amounts that slow some row by much, which also tells
which rows its function is in the path of. It is then sized for one of these rows, the one in the middle by
growth, so that it slows some rows by more and some by less. Rows slowed by less than the smallest size are
left out of the cases: either answer is right about them. Rows that did not grow with the plant must not be
slower: they count as a change that costs nothing.

Read the other way round, from the planted copy to the clean one, a plant is a speed-up.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from benchgate.counting import count
from benchgate.gate.record import BESIDE, Case, Direction, NoOpResult
from benchgate.gate.report import Row
from benchgate.ids import group_of
from benchgate.run import utc_now
from benchgate.shard import Show
from benchgate.simulator import Valgrind
from benchgate.survey import Sources
from scripts.selftest.calibration import Cost, amount_for, cost, share, slowed
from scripts.selftest.noops import NoOp
from scripts.selftest.plants import Plant
from scripts.selftest.runs import Trial
from scripts.selftest.tree_copy import commit, copy_tree, restore

SIZES = (0.01, 0.03, 0.10)
AMOUNTS = (60, 120, 600, 1200)
SPEED_UP_SIZE = 0.10

_NO_GROWTH = 0.002  # in calibration, whose amounts are larger than most that are planted

Answer = tuple[list[Case], NoOpResult | None]


@dataclass(frozen=True)
class Calibrated:
    """A plant, and by row what it costs.

    Attributes:
        costs: What it costs in each row that it slows, those that it slows most first.
        target: The row that it is sized for.
        beside: The rows that did not grow in calibration.
    """

    plant: Plant
    costs: Mapping[str, Cost]
    target: str
    beside: frozenset[str]

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of the rows that it slows, as a selection."""
        return tuple(sorted({f"{group_of(row)}/" for row in self.costs}))


class Study:
    """Everything that one self-test does, in a folder of its own."""

    def __init__(
        self, root: Path, folder: Path, *, valgrind: Valgrind, today: date, groups: Sequence[str], show: Show
    ) -> None:
        """Copy the repository at `root` and count the copy, restricted to `groups` unless there are none."""
        self._root, self._folder, self._valgrind, self._today = root, folder, valgrind, today
        self._groups, self._show = tuple(groups), show
        self._base = copy_tree(root, folder / "base")
        self._trial = Trial(self._base, folder, valgrind, today)
        self._head = copy_tree(root, folder / "head")
        show("the clean copy, three times")
        self.rows = self._trial.rows(self._head, self._groups)
        assert self._trial.last is not None
        self.environment = self._trial.last.head_run.run.environment
        self._clean = {row.id: row.base[0] for row in self.rows if row.base}

    def calibrated(self, plant: Plant) -> Calibrated:
        """Find out which rows a plant slows, and what it costs in each.

        Raises:
            ValueError: It slows none.
        """
        planted: dict[int, Mapping[str, float]] = {}
        only = [row for row in self._clean if row.startswith(plant.groups or ("",))]
        rows: Sequence[str] = ()
        for amount in AMOUNTS:
            if len(planted) == 2:
                break
            self._show(f"calibrating {plant.name}, {amount} units")
            plant.apply(self._head, amount)
            sources = Sources(self._head, self._head)
            found = count(sources, self._valgrind, utc_now(), lambda _: None, only=only, within=self._folder)
            restore(self._head)
            planted[amount] = {row.id: row.instructions for row in found.run.rows}
            rows = slowed(self._clean, planted[amount])
            if not rows:
                del planted[amount]
        if not rows:
            raise ValueError(f"{plant.name}: expected a row that it slows, got none")
        costs = {
            row: cost(self._clean[row], {amount: counts[row] for amount, counts in planted.items()})
            for row in rows
        }
        grown = planted[min(planted)]
        beside = {row for row in only if abs(grown[row] / self._clean[row] - 1) < _NO_GROWTH}
        return Calibrated(plant, costs, rows[len(rows) // 2], frozenset(beside - costs.keys()))

    def slow_down(self, of: Calibrated, size: float) -> Answer:
        """Plant a slow-down; return what the gate said of the rows that it slows, and of those beside."""
        amount = amount_for(size, self._clean[of.target], of.costs[of.target])
        self._show(f"{of.plant.name}, {size:.0%} of {of.target}: {amount} units")
        of.plant.apply(self._head, amount)
        try:
            rows = self._trial.rows(self._head, of.groups)
        finally:
            restore(self._head)
        return self._cases(rows, of, size, amount, "slow-down")

    def speed_up(self, of: Calibrated) -> Answer:
        """Take a slow-down away: the planted copy is the base, the clean one the head."""
        amount = amount_for(SPEED_UP_SIZE, self._clean[of.target], of.costs[of.target])
        self._show(f"{of.plant.name} taken away, {amount} units")
        base = copy_tree(self._root, self._folder / f"base-with-{of.plant.name}")
        of.plant.apply(base, amount)
        commit(base, "Plant")
        rows = Trial(base, self._folder, self._valgrind, self._today).rows(self._head, of.groups)
        return self._cases(rows, of, SPEED_UP_SIZE, amount, "speed-up")

    def noop(self, noop: NoOp) -> NoOpResult | None:
        """Compare a copy with a change that costs nothing."""
        self._show(f"no change of cost: {noop.name}")
        head = self._head
        if noop.folder != "copy":
            head = copy_tree(self._root, self._folder / noop.folder)
        noop.edit(head)
        try:
            with _surrounded(noop.environment):
                rows = self._trial.rows(head, self._groups)
        finally:
            restore(self._head)
        return _of_nothing(noop.name, rows)

    def _cases(
        self, rows: Sequence[Row], of: Calibrated, size: float, amount: int, kind: Direction
    ) -> Answer:
        cases: list[Case] = []
        for row in rows:
            if row.id not in of.costs or row.change is None or row.verdict is None:
                continue
            expected = share(amount, self._clean[row.id], of.costs[row.id])
            if kind == "speed-up":
                expected = -expected / (1 + expected)
            if abs(expected) < SIZES[0] * 0.99 and row.id != of.target:
                continue
            first = row.causes[0] if row.causes else None
            named = f"{first.where}::{first.name}" if first else ""
            right = (
                first is not None
                and first.name == of.plant.function
                and first.where.rpartition(":")[0] == of.plant.path
            )
            cases.append(
                Case(
                    plant=of.plant.name,
                    layer=of.plant.layer,
                    kind=kind,
                    size=size,
                    row=row.id,
                    target=row.id == of.target,
                    expected=expected,
                    change=row.change or 0.0,
                    error=row.error or 0.0,
                    verdict=row.verdict,
                    planted=f"{of.plant.path}::{of.plant.function}",
                    named=named,
                    right=right,
                )
            )
        if not any(case.target for case in cases):
            raise ValueError(f"{of.plant.name}: expected figures of {of.target}, got none")
        beside = [row for row in rows if row.id in of.beside]
        return cases, _of_nothing(f"{BESIDE}the {kind} {of.plant.name} of {size:.0%}", beside)


def _of_nothing(name: str, rows: Sequence[Row]) -> NoOpResult | None:
    """Return what the gate said of rows that nothing slows, None when there are none."""
    compared = [row for row in rows if row.change is not None]
    if not compared:
        return None
    return NoOpResult(
        name=name,
        rows=len(compared),
        flagged=tuple(row.id for row in compared if row.verdict == "slower"),
        untold=tuple(row.id for row in compared if row.verdict == "could not tell"),
        largest=max(abs(row.change or 0.0) for row in compared),
    )


@contextmanager
def _surrounded(variables: Mapping[str, str]) -> Iterator[None]:
    """Set these variables of the environment while the block runs."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
