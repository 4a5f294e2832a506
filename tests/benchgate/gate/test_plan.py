"""Which bench is counted how, from surveys that say what works where."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pytest

from benchgate.allocations import KIND
from benchgate.errors import CouldNotRun, Incomplete, NoMatch
from benchgate.gate.passes import Plan, Sides
from benchgate.gate.plan import Planned, planned
from benchgate.gate.report import Row
from benchgate.rows import AllocationRow
from benchgate.run import SCHEMA, Failure, GitState, Run, utc_now
from benchgate.survey import Sources, Survey
from tests.benchgate.samples import ENVIRONMENT


def surveyed(working: Collection[str], failures: Mapping[str, str] | None = None) -> Survey:
    failures = failures or {}
    run = Run(
        schema=SCHEMA,
        kind=KIND,
        created=utc_now(),
        environment=ENVIRONMENT,
        git=GitState("", dirty=False),
        collector="off",
        rows=tuple(AllocationRow(id=name, nodeid=name, blocks=0, bytes=0) for name in working),
        failures=tuple(Failure(name, reason) for name, reason in failures.items()),
    )
    there = {*working, *(name for name in failures if not name.endswith(".py"))}
    return Survey(run, tuple(sorted(there)))


class World:
    """Two repositories with their lists of ids, and what each side's survey finds."""

    def __init__(self, folder: Path, head: Collection[str], base: Collection[str] | None) -> None:
        roots = folder / "head", folder / "base"
        for root, ids in zip(roots, (head, base), strict=True):
            (root / "benches").mkdir(parents=True)
            if ids is not None:
                (root / "benches/ids.txt").write_text("".join(f"{name}\n" for name in sorted(ids)))
        self.sides = Sides(
            head=Sources(roots[0], roots[0]),
            base=Sources(roots[0], roots[1]),
            base_own=Sources(roots[1], roots[1]),
        )
        self.head: Survey | CouldNotRun = surveyed(head)
        self.base: Survey | CouldNotRun = surveyed(head)
        self.base_own: Survey | CouldNotRun = surveyed(base or ())
        self.asked: list[Sources] = []

    def plan(self, *selected: str, aliases: Mapping[str, str] | None = None) -> Planned:
        return planned(self.sides, selected, aliases or {}, self._survey)

    def _survey(self, sources: Sources, _selected: Sequence[str]) -> Survey:
        self.asked.append(sources)
        order = (self.sides.head, self.sides.base, self.sides.base_own)
        found = (self.head, self.base, self.base_own)[order.index(sources)]
        if isinstance(found, CouldNotRun):
            raise found
        return found


A, B, C = "one/a/x", "one/a/y", "two/b/z"


def test_benches_that_run_on_both_sides_are_counted_from_the_heads_files(tmp_path: Path) -> None:
    world = World(tmp_path, [A, B, C], [A, B, C])
    found = world.plan()
    assert found.plan == Plan((A, B, C))
    assert (found.rows, dict(found.reasons), dict(found.renamed)) == ((), {}, {})
    assert world.asked == [world.sides.head, world.sides.base]


def test_a_bench_of_which_the_base_has_no_name_is_new_whether_it_runs_there_or_not(tmp_path: Path) -> None:
    world = World(tmp_path, [A, B, C], [A])
    world.base = surveyed([A, B], {C: "ImportError: no such thing"})
    found = world.plan()
    assert found.plan == Plan((A, B), new=(C,))
    assert found.reasons[C] == "the base cannot run it: ImportError: no such thing"
    assert found.reasons[B] == "the base has no bench of this name, and was measured with the head's"


def test_a_base_without_a_list_of_ids_is_measured_with_the_heads_benches(tmp_path: Path) -> None:
    found = World(tmp_path, [A], None).plan()
    assert found.plan == Plan((A,))
    assert A in found.reasons


def test_what_the_base_cannot_run_from_the_heads_file_it_runs_from_its_own(tmp_path: Path) -> None:
    """The head's file imports what the base lacks: both of its benches fail, of which one is new."""
    world = World(tmp_path, [A, B, C], [A, C])
    world.base = surveyed([C], {"benches/one/bench_a.py": "ImportError: work2"})
    found = world.plan()
    assert found.plan == Plan((C,), own={A: A}, new=(B,))
    assert "its own file" in found.reasons[A]
    assert found.rows == ()


def test_a_bench_that_the_base_cannot_run_at_all_could_not_be_told(tmp_path: Path) -> None:
    world = World(tmp_path, [A, B], [A, B])
    world.base = surveyed([B], {A: "AssertionError: wrong"})
    world.base_own = surveyed([B], {A: "ValueError: broken there"})
    found = world.plan()
    assert found.plan == Plan((B,))
    reason = "it fails at the base: ValueError: broken there"
    assert found.rows == (Row(id=A, state="compared", verdict="could not tell", reason=reason),)


def test_benches_that_cannot_be_looked_for_on_the_base_fail_there_all_together(tmp_path: Path) -> None:
    world = World(tmp_path, [A, B, C], [A, B])
    world.base = CouldNotRun("pytest ended", ("E   first", "E   ImportError: prepare"))
    found = world.plan()
    assert found.plan == Plan((), own={A: A, B: B}, new=(C,))
    assert found.reasons[C] == "the base cannot run it: pytest ended: ImportError: prepare"
    world.base_own = CouldNotRun("x" * 5000)
    found = world.plan()
    assert found.plan == Plan((), new=(C,))
    assert {(row.id, row.verdict) for row in found.rows} == {(A, "could not tell"), (B, "could not tell")}
    assert all(len(row.reason) < 2000 for row in found.rows)
    world.head = CouldNotRun("the head itself")
    with pytest.raises(CouldNotRun, match="the head itself"):
        world.plan()


def test_a_bench_that_does_not_come_about_on_the_base_is_not_counted_there(tmp_path: Path) -> None:
    """As when its parameters are those of the package that is measured."""
    world = World(tmp_path, [A, B, C], [A, B])
    world.base, world.base_own = surveyed([A]), surveyed([A])
    found = world.plan()
    assert found.plan == Plan((A,), new=(C,))
    assert [(row.id, row.reason) for row in found.rows] == [
        (B, "it fails at the base: no bench of this name is found there")
    ]


def test_a_bench_that_fails_at_the_head_is_listed_and_the_others_are_counted(tmp_path: Path) -> None:
    world = World(tmp_path, [A, B], [A, B])
    world.head = surveyed([B], {A: "AssertionError: wrong"})
    found = world.plan()
    assert found.plan == Plan((B,))
    assert found.rows == (Row(id=A, state="failing", reason="AssertionError: wrong"),)


def test_a_file_that_cannot_be_imported_fails_all_its_benches(tmp_path: Path) -> None:
    world = World(tmp_path, [A, B, C], [A, B, C])
    world.head = surveyed([C], {"benches/one/bench_a.py": "SyntaxError: invalid"})
    found = world.plan()
    assert [row.id for row in found.rows] == [A, B]
    assert {row.state for row in found.rows} == {"failing"}
    assert all("cannot be imported: SyntaxError: invalid" in row.reason for row in found.rows)


def test_a_removed_bench_is_a_row(tmp_path: Path) -> None:
    found = World(tmp_path, [A], [A, B]).plan()
    assert found.rows == (Row(id=B, state="removed"),)
    assert found.plan == Plan((A,))


def test_a_renamed_bench_keeps_its_history(tmp_path: Path) -> None:
    world = World(tmp_path, [A, C], [B, C])
    found = world.plan(aliases={A: B})
    assert dict(found.renamed) == {A: B}
    assert found.rows == ()
    # Also when the base runs it only under its former name.
    world.base = surveyed([C], {A: "ImportError: no such thing"})
    assert world.plan(aliases={A: B}).plan == Plan((C,), own={A: B})


def test_an_alias_that_did_nothing_hides_no_removed_bench(tmp_path: Path) -> None:
    found = World(tmp_path, [A, C], [A, B, C]).plan(aliases={A: B})
    assert dict(found.renamed) == {}
    assert found.rows == (Row(id=B, state="removed"),)


def test_a_renamed_bench_that_fails_keeps_its_former_name(tmp_path: Path) -> None:
    world = World(tmp_path, [A, C], [B, C])
    world.head = surveyed([C], {A: "AssertionError"})
    world.base_own = surveyed([B, C])
    found = world.plan(aliases={A: B})
    assert found.rows == (Row(id=A, was=B, state="failing", reason="AssertionError"),)
    # Also when only others were asked for, what was renamed is not removed.
    assert World(tmp_path / "again", [A, C], [B, C]).plan(C, aliases={A: B}).rows == ()


def test_an_alias_has_done_its_work_once_the_base_has_the_new_name(tmp_path: Path) -> None:
    found = World(tmp_path, [A, C], [A, C]).plan(aliases={A: B})
    assert (found.plan, dict(found.renamed), dict(found.reasons)) == (Plan((A, C)), {}, {})


def test_a_file_that_nobody_lists_and_that_fails_is_an_error(tmp_path: Path) -> None:
    world = World(tmp_path, [A], [A])
    world.head = surveyed([A], {"benches/two/bench_b.py": "SyntaxError: invalid"})
    with pytest.raises(Incomplete) as caught:
        world.plan()
    [fault] = caught.value.faults
    assert fault == "benches/two/bench_b.py is not listed in benches/ids.txt and fails: SyntaxError: invalid"


@pytest.mark.parametrize("there", [[A], [A, B, C]])
def test_benches_that_differ_from_their_list_are_an_error(tmp_path: Path, there: list[str]) -> None:
    world = World(tmp_path, [A, B], [A, B])
    world.head = surveyed(there)
    with pytest.raises(Incomplete) as caught:
        world.plan()
    assert len(caught.value.faults) == 1
    assert ("one/a/y" if len(there) == 1 else "two/b/z") in caught.value.faults[0]


def test_a_list_without_benches_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Incomplete, match="lists no bench: there is nothing to compare"):
        World(tmp_path, [], [A]).plan()


def test_a_selection_restricts_every_kind_of_row(tmp_path: Path) -> None:
    world = World(tmp_path, [A, C], [A, B, C, "two/b/gone"])
    world.head = surveyed([A], {C: "broken"})
    found = world.plan("one/")
    assert found.plan == Plan((A,))
    assert [row.id for row in found.rows] == [B]
    with pytest.raises(NoMatch, match="no bench is named three"):
        world.plan("three")


def test_what_was_found_is_kept_for_the_passes(tmp_path: Path) -> None:
    world = World(tmp_path, head=("one/a/x", "one/a/y"), base=("one/a/x",))
    world.base = surveyed(("one/a/x",), {"one/a/y": "no such thing"})
    kept = world.plan().surveys
    assert kept == {world.sides.head: world.head, world.sides.base: world.base}


def test_a_survey_of_some_benches_knows_those_alone_and_what_else_there_is() -> None:
    failures = dict.fromkeys(
        ("one/a/z", "one/a/w", "benches/one/bench_a.py", "benches/two/bench_b.py"), "broken"
    )
    found = surveyed(("one/a/x", "one/a/y"), failures).of({"one/a/y", "one/a/z"})
    assert [row.id for row in found.run.rows] == ["one/a/y"]
    assert [failure.id for failure in found.failures] == ["one/a/z", "benches/one/bench_a.py"]
    assert found.ids == ("one/a/w", "one/a/x", "one/a/y", "one/a/z")
