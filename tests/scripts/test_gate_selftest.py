"""The self-test's bookkeeping, with a study that answers at once in place of one that counts."""

import argparse
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchgate.errors import CouldNotRun
from benchgate.gate.record import Case, NoOpResult, load_selftest
from scripts import gate_selftest
from scripts.selftest.noops import NOOPS
from scripts.selftest.plants import PLANTS, Plant
from tests.benchgate.samples import ENVIRONMENT


def case(plant: Plant, size: float, **more: Any) -> Case:
    made = Case(
        plant=plant.name,
        layer=plant.layer,
        kind="slow-down",
        size=size,
        row="a/b/c",
        target=True,
        expected=size,
        change=size,
        error=0.0,
        verdict="slower",
        planted=f"{plant.path}::{plant.function}",
        named=f"{plant.path}:1::{plant.function}",
        right=True,
    )
    return msgspec.structs.replace(made, **more)


class FakeStudy:
    """Answers of a gate that finds everything; it is interrupted at one plant, if at all."""

    stops_at = ""

    def __init__(self, *_: object, **__: object) -> None:
        self.environment = ENVIRONMENT
        self.asked: list[str] = []
        studies.append(self)

    def calibrated(self, plant: Plant) -> Plant:
        if plant.name == self.stops_at:
            raise KeyboardInterrupt
        self.asked.append(plant.name)
        return plant

    def slow_down(self, plant: Plant, size: float) -> tuple[list[Case], NoOpResult | None]:
        return [case(plant, size)], NoOpResult(name=f"beside {plant.name} {size}", rows=3, largest=0.0)

    def speed_up(self, plant: Plant) -> tuple[list[Case], NoOpResult | None]:
        return [case(plant, 0.1, kind="speed-up", expected=-0.1, change=-0.1, verdict="not slower")], None

    def noop(self, noop: Any) -> NoOpResult:
        self.asked.append(noop.name)
        return NoOpResult(name=noop.name, rows=83, largest=0.001)


studies: list[FakeStudy] = []


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate_selftest, "Study", FakeStudy)
    monkeypatch.setattr("benchgate.simulator.find", lambda: None)
    monkeypatch.setattr(FakeStudy, "stops_at", "")
    studies.clear()


def options(path: Path, **more: Any) -> argparse.Namespace:
    chosen = {"plants": [plant.name for plant in PLANTS], "noops": len(NOOPS), "named": [], "groups": []}
    return argparse.Namespace(**(chosen | {"quick": False, "resume": False, "output": path} | more))


def test_every_plant_is_tried_in_every_size_and_every_noop_once(tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    found = gate_selftest.run(options(path), tmp_path)
    assert load_selftest(path) == found
    sizes = {(case.plant, case.size) for case in found.cases if case.kind == "slow-down"}
    assert sizes == {(plant.name, size) for plant in PLANTS for size in (0.01, 0.03, 0.1)}
    assert {noop.name for noop in NOOPS} < {result.name for result in found.noops}
    assert gate_selftest.shortfalls(found) == []
    lines = gate_selftest.summary(found)
    assert f"slow-downs of 1%: {len(PLANTS)} of {len(PLANTS)} found" in lines
    assert lines[-1].startswith("false alarms: 0 of ")


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "found.json"
    monkeypatch.setattr(FakeStudy, "stops_at", PLANTS[2].name)
    with pytest.raises(KeyboardInterrupt):
        gate_selftest.run(options(path), tmp_path)
    assert {case.plant for case in load_selftest(path).cases} == {PLANTS[0].name, PLANTS[1].name}
    monkeypatch.setattr(FakeStudy, "stops_at", "")
    found = gate_selftest.run(options(path, resume=True), tmp_path)
    assert studies[-1].asked[0] == PLANTS[2].name
    assert {case.plant for case in found.cases} == {plant.name for plant in PLANTS}


def test_a_run_of_another_environment_is_not_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "found.json"
    gate_selftest.run(options(path, plants=["decode"], noops=1), tmp_path)
    monkeypatch.setattr(
        "tests.scripts.test_gate_selftest.ENVIRONMENT", msgspec.structs.replace(ENVIRONMENT, aslr="on")
    )
    with pytest.raises(CouldNotRun, match="--resume: environment: expected"):
        gate_selftest.run(options(path, resume=True), tmp_path)


def test_some_noops_are_taken_from_all_kinds(tmp_path: Path) -> None:
    found = gate_selftest.run(options(tmp_path / "found.json", plants=["decode"], noops=5), tmp_path)
    names = [result.name for result in found.noops if not result.name.startswith("beside")]
    assert names == [noop.name for noop in NOOPS][:: -(-len(NOOPS) // 5)]


def test_noops_can_be_taken_by_name(tmp_path: Path) -> None:
    names = ["a longer path", "a test"]
    found = gate_selftest.run(options(tmp_path / "found.json", plants=[], named=names), tmp_path)
    assert sorted(result.name for result in found.noops) == names


def test_plants_and_noops_can_be_taken_alone(tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    changes = gate_selftest.run(options(path, plants=[], noops=3), tmp_path)
    assert (changes.cases, len(changes.noops)) == ((), 3)
    assert gate_selftest.shortfalls(changes) == []
    plants = gate_selftest.run(options(path, plants=["decode"], noops=0), tmp_path)
    assert {case.plant for case in plants.cases} == {"decode"}
    assert all(result.name.startswith("beside") for result in plants.noops)


@pytest.mark.parametrize(
    ("more", "line"),
    [
        (
            {"verdict": "not slower", "change": 0.001, "named": "", "right": False},
            "0 of 1 slow-downs of 3% and more",
        ),
        ({"kind": "speed-up", "expected": -0.1}, "became faster and was called slower"),
        ({"target": False}, "no row that a plant was sized for was compared"),
    ],
)
def test_what_falls_short_is_said(tmp_path: Path, more: dict[str, Any], line: str) -> None:
    found = gate_selftest.run(options(tmp_path / "found.json", plants=["decode"], noops=1), tmp_path)
    wrong = msgspec.structs.replace(found, cases=(case(PLANTS[0], 0.1, **more),))
    assert any(line in said for said in gate_selftest.shortfalls(wrong))


def test_a_false_alarm_falls_short(tmp_path: Path) -> None:
    found = gate_selftest.run(options(tmp_path / "found.json", plants=["decode"], noops=1), tmp_path)
    alarm = NoOpResult(name="a comment", rows=83, flagged=("a/b/c",), largest=0.02)
    wrong = msgspec.structs.replace(found, noops=(*found.noops, alarm))
    assert gate_selftest.shortfalls(wrong) == ["a comment: a/b/c called slower"]
