"""The rows of a report, from plans and counts whose truth is known."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchgate.callgrind import Function, Part
from benchgate.gate.accepted import Accepted
from benchgate.gate.outcome import pictures, rows
from benchgate.gate.passes import Passes, Plan, Sample
from benchgate.gate.plan import Planned
from benchgate.gate.policy import Policy
from benchgate.gate.report import LONGEST, Memory, Row
from benchgate.gate.verdict import Pair
from benchgate.rows import CountsRow

A, B = "one/a/x", "one/a/y"
HOT = Function("python", "src/toy.py", "py::hot")
POLICY = Policy(threshold=0.005, overrides=(), accepted={}, expired={}, aliases={}, idle=())


def sample(identity: str, cost: float, components: tuple[str, ...] = ()) -> Sample:
    row = CountsRow(
        id=identity,
        calls=1,
        region=int(cost),
        instructions=cost,
        blocks=cost / 100,
        bytes=cost,
        native_blocks=0,
        components=components,
    )
    return Sample(row, Part(identity, int(cost), {HOT: int(cost)}, {HOT: int(cost)}, {}))


def pair(base: float, head: float, again: float | None = None) -> Pair:
    return Pair((base, base if again is None else again), (head,))


def passes(layouts: Mapping[str, list[Pair]], **more: Any) -> Passes:
    found = Passes(
        layouts=dict(layouts),
        base={name: sample(name, found[0].base[0]) for name, found in layouts.items()},
        head={name: sample(name, found[0].head[0]) for name, found in layouts.items()},
        names=[],
        apart=[],
        head_runs=[],
    )
    return msgspec.structs.replace(found, **more)


def plan(*ids: str, **more: Any) -> Planned:
    found = Planned(Plan(ids), rows=(), renamed={}, reasons={}, listed=len(ids))
    return msgspec.structs.replace(found, **more)


def lookup(path: str, qualname: str) -> tuple[str, bool | None]:
    return f"{path}:7", qualname == "hot"


def only(planned: Planned, counted: Passes, policy: Policy = POLICY) -> Row:
    [row] = rows(planned, counted, policy, lookup)
    return row


def test_a_slower_row_has_figures_memory_and_the_function_at_fault() -> None:
    row = only(plan(A), passes({A: [pair(1000, 1020), pair(2000, 2060)]}))
    assert (row.state, row.verdict) == ("compared", "slower")
    assert [*row.base, *row.head] == [1000, 1000, 2000, 2000, 1020, 2060]
    assert row.change == pytest.approx(0.025)
    assert row.error == pytest.approx(0.005)
    assert (row.memory_base, row.memory_head) == (Memory(10.0, 1000, 0), Memory(10.2, 1020, 0))
    [cause] = [cause for cause in row.causes if cause.name == "hot"]
    assert (cause.where, cause.touched, cause.own) == ("src/toy.py:7", True, 20)


def test_a_row_that_did_not_move_has_no_causes() -> None:
    row = only(plan(A), passes({A: [pair(1000, 1002)]}))
    assert (row.verdict, row.causes, row.reason) == ("not slower", (), "")


def test_profiles_that_moved_otherwise_than_the_row_name_nobody() -> None:
    row = only(plan(A), passes({A: [pair(1000, 990), pair(1000, 1020), pair(1000, 1020)]}))
    assert row.verdict == "slower"
    assert row.causes == ()


@pytest.mark.parametrize(
    ("layouts", "why"),
    [
        ([pair(1000, 1030), pair(1000, 975), pair(1000, 1006)], "its counts in other layouts of memory"),
        ([pair(1000, 1000, 1010)], "two counts of the same code differ too much"),
    ],
)
def test_what_cannot_be_told_says_why(layouts: list[Pair], why: str) -> None:
    row = only(plan(A, reasons={A: "the base ran its own file"}), passes({A: layouts}))
    assert row.verdict == "could not tell"
    assert row.reason.startswith(f"the base ran its own file; {why}")


def test_sides_that_cannot_be_compared_name_the_key() -> None:
    row = only(plan(A), passes({A: [pair(1000, 2000)]}, apart=["valgrind: 3.19.0 and 3.20.0"]))
    assert (row.verdict, row.change) == ("could not tell", None)
    assert row.reason == "valgrind: 3.19.0 and 3.20.0"
    long = only(plan(A), passes({A: [pair(1000, 2000)]}, apart=["x" * 5000]))
    assert len(long.reason) == LONGEST  # more would not be read back


@pytest.mark.parametrize(("limit", "accepted"), [(0.03, "worth it"), (0.01, "")])
def test_an_accepted_row_stays_within_its_limit(limit: float, accepted: str) -> None:
    policy = msgspec.structs.replace(POLICY, accepted={A: Accepted(limit, "worth it", date(2030, 1, 1))})
    row = only(plan(A), passes({A: [pair(1000, 1020), pair(1000, 1020)]}), policy)
    assert (row.verdict, row.accepted) == ("slower", accepted)
    assert row.reason == ("" if accepted else "accepted up to +1 % only")


def test_new_renamed_and_failing_rows_stand_among_the_others_by_id() -> None:
    failing = Row(id="one/a/b", state="failing", reason="ValueError")
    planned = plan(B, rows=(failing,), renamed={B: "one/a/old"}, reasons={A: "the base cannot run it"})
    planned = msgspec.structs.replace(planned, plan=Plan((B,), new=(A,)))
    counted = passes({B: [pair(1000, 1000)]})
    counted.head[A] = sample(A, 700)
    found = rows(planned, counted, POLICY, lookup)
    assert [row.id for row in found] == ["one/a/b", A, B]
    assert found[0] == failing
    assert (found[1].state, found[1].head, found[1].verdict) == ("new", (700,), None)
    assert found[1].reason == "the base cannot run it"
    assert (found[2].was, found[2].verdict) == ("one/a/old", "not slower")


def test_a_slower_row_names_its_components_that_are_slower_as_well() -> None:
    moved = [pair(1000, 1020), pair(1000, 1020)]
    counted = passes({A: moved, B: moved, "one/a/z": [pair(1000, 1000)]})
    counted.head[A] = sample(A, 1020, components=(B, "one/a/z"))
    found = {row.id: row for row in rows(plan(A, B, "one/a/z"), counted, POLICY, lookup)}
    assert found[A].components == (B,)


def test_pictures_have_names_of_their_own_that_no_id_leads_out_of_their_folder() -> None:
    counted = passes({"one/a/../x[Y]": [pair(1000, 1020)], "one/a/x-y": [pair(1000, 1020)]})
    names = []
    for number, identity in enumerate(counted.head, 1):
        flames, contents = pictures(Row(id=identity, state="new"), counted, number)
        assert set(contents) == {flames.base, flames.head, flames.difference}
        assert all(content.startswith(b"<") for content in contents.values())
        names += [flames.base, flames.head, flames.difference]
    assert len(set(names)) == 6
    identity = "one/a/" + "x" * 900
    flames, _ = pictures(Row(id=identity, state="new"), passes({identity: [pair(1000, 1020)]}), 1)
    assert len(Path(flames.difference).name) < 200  # the longest that file systems take is 255
    assert {Path(name).parent for name in names} == {Path("flames")}
