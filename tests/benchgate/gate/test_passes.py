"""The passes of a comparison, with counts from a model in place of valgrind."""

from collections.abc import Callable, Collection
from pathlib import Path

import msgspec
import pytest

from benchgate.callgrind import Part
from benchgate.counting import KIND, Counted
from benchgate.gate.passes import Counting, Plan, Sides, compare
from benchgate.gate.verdict import Pair
from benchgate.ids import group_of
from benchgate.rows import CountsRow
from benchgate.run import SCHEMA, GitState, Run, utc_now
from benchgate.simulator import Simulator, Valgrind
from benchgate.survey import Sources
from tests.benchgate.samples import ENVIRONMENT

SIMULATOR = Simulator("3.19.0", "haswell 0123456789ab", "glibc 2.36", "ba9876543210")
SIDES = Sides(
    head=Sources(Path("head"), Path("head")),
    base=Sources(Path("head"), Path("base")),
    base_own=Sources(Path("base"), Path("base")),
)
A, B, C = "one/a/x", "one/a/y", "two/b/z"

Cost = Callable[[str, Sources, int], float]


class Model(Counting):
    """Counts that a function of id, side and layout gives, and a note of what was asked for."""

    def __init__(self, cost: Cost, libraries: dict[str, str] | None = None) -> None:
        super().__init__(
            SIDES, {}, Valgrind("valgrind", (), SIMULATOR), Path("/none"), now=utc_now, show=lambda _: None
        )
        self._cost = cost
        self._libraries = libraries or {}
        self.asked: list[tuple[Sources, set[str], int]] = []

    def _count(self, sources: Sources, only: Collection[str], name: str, layout: int) -> Counted:
        self.names.append(name)
        self.asked.append((sources, set(only), layout))
        environment = msgspec.structs.replace(ENVIRONMENT, simulator=SIMULATOR)
        if sources is SIDES.head:
            environment = msgspec.structs.replace(environment, libraries=self._libraries)
        rows = tuple(
            CountsRow(
                id=name,
                calls=1,
                region=1,
                instructions=self._cost(name, sources, layout),
                blocks=0,
                bytes=0,
                native_blocks=0,
            )
            for name in sorted(only)
        )
        run = Run(
            schema=SCHEMA,
            kind=KIND,
            created=utc_now(),
            environment=environment,
            git=GitState("", dirty=False),
            collector="off",
            rows=rows,
        )
        return Counted(run, {row.id: Part(row.id, 1, {}, {}, {}) for row in rows})


def test_the_same_tree_is_counted_three_times_and_no_more() -> None:
    model = Model(lambda *_: 1000.0)
    passes = compare(Plan((A, B, C)), model, lambda _: 0.005)
    assert passes.names == ["base", "head", "base again"]
    everything = {A, B, C}
    assert model.asked == [
        (SIDES.base, everything, 0),
        (SIDES.head, everything, 0),
        (SIDES.base, everything, 0),
    ]
    assert {pair.change for pairs in passes.layouts.values() for pair in pairs} == {0.0}
    assert passes.apart == []


def test_what_moved_is_counted_again_with_its_whole_group_in_another_layout() -> None:
    model = Model(lambda name, sources, _: 1020.0 if (name, sources) == (A, SIDES.head) else 1000.0)
    passes = compare(Plan((A, B, C)), model, lambda _: 0.005)
    assert model.asked[3:] == [(SIDES.head, {A, B}, 0), (SIDES.base, {A, B}, 1), (SIDES.head, {A, B}, 1)]
    first, second = passes.layouts[A]
    assert (first, second) == (Pair((1000.0, 1000.0), (1020.0, 1020.0)), Pair((1000.0,), (1020.0,)))
    assert [len(passes.layouts[name]) for name in (A, B, C)] == [2, 1, 1]
    assert [pair.change for pair in passes.layouts[A]] == pytest.approx([0.02, 0.02])


def test_layouts_that_disagree_get_a_third() -> None:
    def cost(name: str, sources: Sources, layout: int) -> float:
        return 1020.0 if (name, layout) == (A, 0) and sources is SIDES.head else 1000.0

    passes = compare(Plan((A, C)), Model(cost), lambda _: 0.005)
    assert [pair.change for pair in passes.layouts[A]] == pytest.approx([0.02, 0.0, 0.0])


def test_the_threshold_of_each_row_decides_what_moved() -> None:
    model = Model(lambda _name, sources, _: 1020.0 if sources is SIDES.head else 1000.0)
    passes = compare(Plan((A, C)), model, lambda name: 0.005 if group_of(name) == "two/b" else 0.05)
    assert [len(passes.layouts[name]) for name in (A, C)] == [1, 2]


def test_benches_of_the_bases_own_file_are_counted_under_their_former_names() -> None:
    def cost(name: str, sources: Sources, _layout: int) -> float:
        return {"one/old/x": 900.0, A: 990.0}.get(name, 1000.0 if sources is SIDES.base_own else 1010.0)

    model = Model(cost)
    passes = compare(Plan((C,), own={A: "one/old/x", B: B}), model, lambda _: 0.02)
    own = [entry for entry in model.asked if C not in entry[1]]
    assert own[:3] == [
        (SIDES.base_own, {"one/old/x", B}, 0),
        (SIDES.head, {A, B}, 0),
        (SIDES.base_own, {"one/old/x", B}, 0),
    ]
    # What moved is counted again here as well, with the other bench of its group.
    assert own[3:] == [
        (SIDES.head, {A, B}, 0),
        (SIDES.base_own, {"one/old/x", B}, 1),
        (SIDES.head, {A, B}, 1),
    ]
    assert [pair.change for pair in passes.layouts[A]] == pytest.approx([0.1, 0.1])
    assert [pair.change for pair in passes.layouts[B]] == pytest.approx([0.01])
    assert passes.base[A].row.id == "one/old/x"


def test_new_benches_are_counted_once_at_the_head() -> None:
    model = Model(lambda *_: 1000.0)
    passes = compare(Plan((A,), new=(B,)), model, lambda _: 0.005)
    assert model.asked[3:] == [(SIDES.head, {B}, 0)]
    assert B in passes.head
    assert B not in passes.layouts


def test_sides_that_cannot_be_compared_are_not_counted_again() -> None:
    model = Model(
        lambda _name, sources, _: 2000.0 if sources is SIDES.head else 1000.0, {"pytest-codspeed": "9.9"}
    )
    passes = compare(Plan((A,)), model, lambda _: 0.005)
    assert passes.apart == ["pytest-codspeed: unknown and 9.9"]
    assert len(model.asked) == 3


def test_a_plan_without_benches_counts_nothing() -> None:
    model = Model(lambda *_: 1000.0)
    passes = compare(Plan(()), model, lambda _: 0.005)
    assert (model.asked, passes.names, passes.head_runs, passes.layouts) == ([], [], [], {})
