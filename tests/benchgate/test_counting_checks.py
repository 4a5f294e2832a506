"""Each check of counting alone, without valgrind."""

from pathlib import Path

import pytest

from benchgate import simulator
from benchgate.callgrind import Part
from benchgate.counting import require_same, row_of
from benchgate.errors import BadBench, CouldNotRun, Incomplete, Unreadable
from benchgate.process import ENVIRONMENT_BYTES, fixed_environment
from benchgate.rows import AllocationRow, RegionRow
from benchgate.shard import profiles_by_id


def test_a_valgrind_that_does_not_start_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "valgrind"
    broken.write_text("#!/bin/sh\necho broken\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CouldNotRun, match="valgrind: expected a version of valgrind, got nothing"):
        simulator.find()


def test_other_platforms_are_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    with pytest.raises(
        CouldNotRun, match=r"^instructions are counted by valgrind, on Linux only; .* Darwin$"
    ):
        simulator.find()


@pytest.mark.parametrize("tree", ["/a", "/a/much/longer/path/" + "x" * 200])
def test_the_environment_of_a_counted_process_has_one_size(
    tree: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONMALLOC", "malloc")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/lib/of/some/kind")
    variables = fixed_environment(Path(tree), Path("/compiled"), CODSPEED_PROFILE_FOLDER="/profile")
    assert sum(len(f"{name}={value}") + 1 for name, value in variables.items()) == ENVIRONMENT_BYTES
    assert "PYTHONMALLOC" not in variables
    assert variables["LD_LIBRARY_PATH"] == "/lib/of/some/kind"
    assert variables["PYTHONPATH"] == f"{tree}/src"
    assert variables["CODSPEED_ENV"]


def part(trigger: str, total: int = 5) -> Part:
    return Part(trigger, total, {}, {}, {})


def region(name: str) -> RegionRow:
    return RegionRow(id=f"a/b/{name}", nodeid=f"benches/a/bench_b.py::bench_{name}", pid=1, calls=10)


def test_a_region_that_costs_no_more_than_the_harness_is_refused() -> None:
    allocated = AllocationRow(id="a/b/x", nodeid="x", blocks=0, bytes=0)
    row = RegionRow(id="a/b/x", nodeid="x", pid=1, calls=1)
    for total in (5_000, 5_865, 6_999):
        with pytest.raises(
            BadBench, match=r"^a/b/x: expected a region of 1,000 .* in 1 call: measure more calls"
        ):
            row_of(row, part("x", total), allocated, 6_000.0)
    assert row_of(row, part("x", 7_000), allocated, 6_000.0).instructions == 1_000


ASKED = "Client Request: benches/a/bench_b.py::bench_"
EMPTY = (part("Client Request: Metadata: pytest-codspeed 5.0.4", 0), part("Program termination", 0))


def test_parts_are_matched_to_rows_also_below_a_larger_repository() -> None:
    nested = part("Client Request: tools/gate/benches/a/bench_b.py::bench_y")
    found = profiles_by_id([EMPTY[0], part(f"{ASKED}x"), nested, EMPTY[1]], [region("x"), region("y")], "a")
    assert found == {"a/b/x": part(f"{ASKED}x"), "a/b/y": nested}


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ([part(f"{ASKED}x"), *EMPTY], "a: not counted: a/b/y"),
        ([part(f"{ASKED}x"), part(f"{ASKED}y"), part(f"{ASKED}x")], "a: a/b/x was counted twice"),
        ([part(f"{ASKED}z")], "a: benches/a/bench_b.py::bench_z was counted but not asked for"),
        ([part("Program termination", 3)], "a: 3 instructions belong to no bench"),
    ],
    ids=["missing", "twice", "foreign", "nobody's"],
)
def test_each_row_has_exactly_one_part(found: list[Part], message: str) -> None:
    with pytest.raises(Unreadable) as caught:
        profiles_by_id(found, [region("x"), region("y")], "a")
    assert message in str(caught.value)


def test_what_was_counted_must_be_what_was_asked_for() -> None:
    require_same(["a/b/x"], ["a/b/x"], "the process for a")
    with pytest.raises(Incomplete) as caught:
        require_same(["a/b/x", "a/b/y"], ["a/b/x", "a/b/z"], "the process for a")
    assert caught.value.faults == ("a/b/y was not counted", "a/b/z was counted but not asked for")
