"""A record is read back as it was written, and one that cannot be true is refused."""

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchgate.errors import Unreadable
from benchgate.gate.record import (
    SCHEMA,
    Case,
    SelfTest,
    Steadiness,
    joined,
    load_selftest,
    load_steadiness,
    save,
)
from tests.benchgate.gate.records import case, noop, selftest, spread, steadiness

STEADINESS = steadiness(spread("toy/parts/sort", 0.0001, 0.00003, 1), spread("toy/parts/sum", flagged=2))
SELFTEST = selftest(
    case(),
    case(size=0.03),
    case(row="derive/session/mixed", target=False),
    case(kind="speed-up", expected=-0.0099, change=-0.0098, verdict="not slower"),
    noops=(noop(), noop("a comment", flagged=("toy/parts/sum",), untold=("toy/parts/sort",))),
)
Load = Callable[[Path], Steadiness | SelfTest]
KINDS = ((STEADINESS, load_steadiness), (SELFTEST, load_selftest))


@pytest.mark.parametrize(("record", "load"), KINDS)
def test_a_record_is_read_back(tmp_path: Path, record: Steadiness | SelfTest, load: Load) -> None:
    save(record, tmp_path / "record.json")
    assert load(tmp_path / "record.json") == record


@pytest.mark.parametrize(("record", "load"), KINDS)
def test_what_is_no_such_record_is_refused(tmp_path: Path, record: Steadiness | SelfTest, load: Load) -> None:
    path = tmp_path / "record.json"
    with pytest.raises(Unreadable, match="No such file"):
        load(path)
    save(record, path)
    content = path.read_bytes()
    fields = msgspec.json.decode(content)
    assert fields["schema"] == SCHEMA
    for wrong, message in (
        (content[: len(content) // 2], "truncated"),
        (msgspec.json.encode(fields | {"schema": SCHEMA + 1}), f"written with schema {SCHEMA + 1}"),
        (msgspec.json.encode(fields | {"more": 1}), "unknown field `more`"),
        (msgspec.json.encode(fields | {"created": "2026-03-01T12:30:15+01:00"}), "expected a time in UTC"),
        (b"\xff", "truncated"),
    ):
        path.write_bytes(wrong)
        with pytest.raises(Unreadable, match=message):
            load(path)


def test_one_kind_is_not_taken_for_the_other(tmp_path: Path) -> None:
    save(STEADINESS, tmp_path / "record.json")
    with pytest.raises(Unreadable):
        load_selftest(tmp_path / "record.json")


def test_rows_that_were_flagged_are_summed_over_the_runs() -> None:
    assert STEADINESS.flagged == 3


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: steadiness(spread("a"), spread("a")), "rows: expected each once"),
        (lambda: steadiness(spread("a", flagged=4), runs=3), "a: flagged: expected at most 3, got 4"),
        (lambda: steadiness(seconds=(1.0,)), "seconds: expected 20, one for each run, got 1"),
        (
            lambda: steadiness(created=datetime(2026, 3, 1, tzinfo=timezone(timedelta(hours=1)))),
            "expected a time in UTC",
        ),
        (lambda: selftest(case(), case()), "cases: expected each once"),
        (lambda: selftest(noops=(noop(), noop())), "noops: expected each once"),
        (lambda: case(named=""), "right: expected a named function"),
        (lambda: case(kind="speed-up"), "not the sign of a speed-up"),
        (lambda: case(expected=-0.01), "not the sign of a slow-down"),
        (lambda: noop(rows=1, flagged=("a",), untold=("b",)), "at most 1 rows"),
    ],
)
def test_what_cannot_be_is_refused(wrong: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wrong()


@pytest.mark.parametrize(
    ("of", "found"),
    [
        (case(), True),
        (case(verdict="could not tell"), False),
        (case(verdict="not slower"), False),
        (case(kind="speed-up", expected=-0.01, change=-0.0051, verdict="not slower"), True),
        (case(kind="speed-up", expected=-0.01, change=-0.0049, verdict="not slower"), False),
        (case(kind="speed-up", expected=-0.01, change=-0.01, error=0.011, verdict="not slower"), False),
        (case(kind="speed-up", expected=-0.01, change=0.01, verdict="slower"), False),
    ],
)
def test_what_was_planted_is_found_when_the_gate_says_so(of: Case, found: bool) -> None:  # noqa: FBT001 - a parameter of the table above
    assert of.found(threshold=0.005) == found


def test_self_tests_in_parts_count_together_and_what_is_done_anew_replaces_the_old() -> None:
    first = selftest(case(), case(plant="slower_sum"), noops=(noop(), noop("a comment")))
    second = selftest(case(change=0.02), noops=(noop("a comment", largest=0.001),))
    both = joined(first, second)
    assert [(one.plant, one.change) for one in both.all_cases] == [
        ("slower_sum", first.cases[1].change),
        (second.cases[0].plant, 0.02),
    ]
    assert [(one.name, one.largest) for one in both.all_noops] == [
        (first.noops[0].name, first.noops[0].largest),
        ("a comment", 0.001),
    ]
    assert both.parts[1].cases == second.cases
    # A part of which nothing is left is not kept; of parts of parts there are none.
    third = joined(both, selftest(case(plant="slower_sum"), noops=(noop(),)))
    assert [len(part.cases) + len(part.noops) for part in third.parts] == [2, 2]
    assert all(part.earlier == () for part in third.earlier)


def test_self_tests_by_other_thresholds_are_not_put_together() -> None:
    with pytest.raises(ValueError, match="threshold: expected"):
        joined(selftest(case(plant="slower_sum")), msgspec.structs.replace(selftest(case()), threshold=0.1))


def test_a_self_test_in_parts_is_read_back(tmp_path: Path) -> None:
    both = joined(selftest(case(plant="slower_sum")), SELFTEST)
    save(both, tmp_path / "record.json")
    assert load_selftest(tmp_path / "record.json") == both
