"""The sections say what the records hold: rates that can be counted by hand, and each case as it was."""

import re
from collections.abc import Callable
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchgate.gate.amounts import percent, rate
from benchgate.gate.record import BESIDE, Case, Direction, NoOpResult, joined
from benchgate.gate.record_tables import LISTED, MISSES, selftest, steadiness
from benchgate.gate.report import Verdict
from benchgate.run import GitState
from tests.benchgate.gate import records
from tests.benchgate.gate.records import case, noop, spread
from tests.benchgate.gate.reports import HOSTILE

FASTER: dict[str, Any] = {"kind": "speed-up", "expected": -0.0099, "verdict": "not slower"}


def tables(text: str) -> list[list[list[str]]]:
    """Split the tables of a section into their cells, without titles and rules."""
    blocks = re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE)
    return [[re.split(r" (?<!\\)\| ", line[2:-2]) for line in block.splitlines()[2:]] for block in blocks]


def test_steadiness_names_where_it_was_measured_and_the_worst_rows() -> None:
    record = records.steadiness(
        spread("toy/parts/calm"),
        spread("toy/parts/wide", 0.0021, 0.00004, flagged=2),
        spread("toy/parts/base", 0.0001, 0.0032),
    )
    text = steadiness(record)
    assert text.startswith(
        "20 runs of the gate in a row, of a commit against itself: 0123456789, CPython 3.11.9, "
        "valgrind 3.19.0 as haswell 0123456789ab, glibc 2.36, ASLR off; "
        "begun 2026-03-01 12:30 UTC, 300 to 319 s each.\n\n"
    )
    facts, sizes, rows = tables(text)
    assert facts == [
        ["Rows compared", "3 in each of 20 runs"],
        ["Flagged", "2 of 60 verdicts"],
        ["Median of the spreads", "0.01 %"],
        ["Widest spread", "0.21 % `toy/parts/wide`"],
        ["Widest difference of two base counts in a run", "0.32 % `toy/parts/base`"],
    ]
    assert {size: count for size, count in sizes if count != "0"} == {
        "none, equal to the instruction": "1",
        "above 0.001 %, up to 0.01 %": "1",
        "above 0.1 %, up to 0.5 %": "1",
    }
    assert "All rows, the widest spread first." in text
    assert rows == [
        ["`toy/parts/wide`", "12,345", "0.21 %", "0.0040 %", "2"],
        ["`toy/parts/base`", "12,345", "0.01 %", "0.32 %", "0"],
        ["`toy/parts/calm`", "12,345", "0 %", "0 %", "0"],
    ]


def test_no_row_is_blamed_where_none_moved() -> None:
    facts = tables(steadiness(records.steadiness(spread("toy/parts/calm"))))[0]
    assert facts[-2:] == [["Widest spread", "0 %"], ["Widest difference of two base counts in a run", "0 %"]]


def test_measurements_with_local_changes_say_so() -> None:
    dirty = GitState("0123456789abcdef", dirty=True)
    assert "0123456789 with local changes" in steadiness(records.steadiness(git=dirty))
    assert "0123456789 with local changes" in selftest(records.selftest(git=dirty))


def test_a_flagged_row_is_listed_however_narrow_its_spread_is() -> None:
    rows = [spread(f"toy/parts/{number:02}", 0.001 + number / 10_000) for number in range(40)]
    text = steadiness(records.steadiness(*rows, spread("toy/parts/flagged", flagged=1)))
    listed = [line[0] for line in tables(text)[2]]
    assert listed == [
        *(f"`toy/parts/{number:02}`" for number in range(39, 39 - LISTED, -1)),
        "`toy/parts/flagged`",
    ]
    assert f"{LISTED + 1} of 41 rows, the widest spread first." in text


@given(st.lists(st.sampled_from([0.0, 1e-9, 1e-5, 2e-5, 1e-4, 1e-3, 0.005, 0.0051, 3.0]), max_size=30))
def test_every_row_is_in_one_group_of_spreads(spreads: list[float]) -> None:
    rows = [spread(f"toy/parts/{number}", share) for number, share in enumerate(spreads)]
    sizes = tables(steadiness(records.steadiness(*rows)))[1]
    assert sum(int(count) for _, count in sizes) == len(spreads)
    assert sizes[0] == ["none, equal to the instruction", str(spreads.count(0.0))]
    assert sizes[-1] == ["above 0.5 %", str(len([share for share in spreads if share > 0.005]))]


def test_what_is_found_missed_and_untold_is_counted_by_size() -> None:
    record = records.selftest(
        *(case(plant=f"found {number}") for number in range(3)),
        case(plant="other function", right=False, named="src/toy/parse.py:7::quote"),
        case(plant="untold", verdict="could not tell"),
        case(plant="missed", verdict="not slower", named="", right=False),
        case(plant="found 0", size=0.03, expected=0.031, change=0.031),
        case(plant="found 0", **(FASTER | {"change": -0.0098})),
        case(plant="missed", **(FASTER | {"change": -0.004})),
    )
    sizes, cases = tables(selftest(record))
    assert sizes == [
        ["slow-down of 1 %", "6", "4 of 6 (66 %)", "1", "1", "3 of 4 (75 %)"],
        ["slow-down of 3 %", "1", "1 of 1 (100 %)", "0", "0", "1 of 1 (100 %)"],
        ["speed-up of 1 %", "2", "1 of 2 (50 %)", "0", "1", "1 of 1 (100 %)"],
    ]
    assert len(cases) == 9
    frame = "decode: `src/toy/decode.py::frame`"
    row = "`derive/decode_only/ticker`"
    for line in (
        [frame, "+1 %", "+1.02 %", "+1.01 % (± 0.02)", "slower", "`src/toy/parse.py:7::quote`", row],
        [frame, "+1 %", "+1.02 %", "+1.01 % (± 0.02)", "**could not tell**", "it", row],
        [frame, "+1 %", "+1.02 %", "+1.01 % (± 0.02)", "**not slower**", "none", row],
        [frame, "-1 %", "-0.99 %", "-0.98 % (± 0.02)", "faster", "it", row],
        [frame, "-1 %", "-0.99 %", "-0.40 % (± 0.02)", "**not slower**", "it", row],
    ):
        assert cases.count(line) == 1
    assert cases.count([frame, "+1 %", "+1.02 %", "+1.01 % (± 0.02)", "slower", "it", row]) == 3


def test_other_rows_are_counted_by_what_is_expected_of_them_and_misses_listed() -> None:
    beside: dict[str, Any] = {"target": False, "size": 0.1}
    record = records.selftest(
        case(),
        case(row="toy/a/below", **beside, expected=0.0049, change=0.0049, verdict="not slower", right=False),
        case(row="toy/a/above", **beside, expected=0.005, change=0.006),
        case(row="toy/a/missed", **beside, expected=0.02, change=0.004, verdict="not slower", right=False),
        case(row="toy/a/untold", **beside, expected=0.1, change=0.1, verdict="could not tell"),
        case(row="toy/a/faster", **beside, kind="speed-up", expected=-0.2, change=-0.2, verdict="not slower"),
    )
    text = selftest(record)
    sized, others, cases, missed = tables(text)
    assert [line[1] for line in sized] == ["1"]
    assert [line[:5] for line in others] == [
        ["slow-down, 0 % to 0.5 %", "1", "0 of 1 (0 %)", "0", "1"],
        ["slow-down, 0.5 % to 1 %", "1", "1 of 1 (100 %)", "0", "0"],
        ["slow-down, 1 % to 3 %", "1", "0 of 1 (0 %)", "0", "1"],
        ["slow-down, 10 % or more", "1", "0 of 1 (0 %)", "1", "0"],
        ["speed-up, 10 % or more", "1", "1 of 1 (100 %)", "0", "0"],
    ]
    assert len(cases) == 1
    assert [line[-1] for line in missed] == ["`toy/a/untold`", "`toy/a/missed`"]
    assert "is expected: 2 cases:\n" in text


def test_of_many_misses_the_largest_are_listed_and_all_are_counted() -> None:
    beside: dict[str, Any] = {"target": False, "verdict": "not slower", "change": 0.0, "right": False}
    rows = [
        case(row=f"toy/a/{number}", **beside, expected=0.01 + number / 1000) for number in range(MISSES + 9)
    ]
    text = selftest(records.selftest(*rows))
    assert f"{MISSES + 9} cases, the {MISSES} largest of them:" in text
    listed = [line[-1] for line in tables(text)[-1]]
    assert listed == [f"`toy/a/{number}`" for number in range(MISSES + 8, 8, -1)]


def test_false_alarms_are_counted_over_all_changes_that_cost_nothing() -> None:
    record = records.selftest(
        noops=(
            noop(),
            noop("a comment", flagged=("toy/parts/sum",), largest=0.0061),
            noop("a test", untold=("toy/parts/sort", "toy/parts/sum")),
        )
    )
    text = selftest(record)
    assert (
        "3 changes that cost nothing: 249 rows compared, of these 1 called slower and 2 about which" in text
    )
    beside = noop(f"{BESIDE}the slow-down decode of 1%", rows=2)
    assert "3 changes that cost nothing, and the rows beside 1 planted change: 251 rows compared" in selftest(
        msgspec.structs.replace(record, noops=(*record.noops, beside))
    )
    assert "The largest change that was measured is 0.61 %." in text
    assert "Nothing was planted." in text
    assert tables(text)[-1] == [
        ["nothing at all", "83", "0.04 %", "none", "none"],
        ["a comment", "83", "0.61 %", "`toy/parts/sum`", "none"],
        ["a test", "83", "0.04 %", "none", "`toy/parts/sort`, `toy/parts/sum`"],
    ]


def test_how_far_measured_changes_are_off_is_told() -> None:
    text = selftest(
        records.selftest(
            case(plant="decode", expected=0.01, change=0.0101, error=0.0002),
            case(plant="quote", expected=0.01, change=0.0108, error=0.0002, row="toy/a/b"),
            case(plant="order", expected=0.01, change=0.0098, error=0.0003),
        )
    )
    assert (
        "lies 0.02 % of the base from the expected one in the median, 0.08 % at most (`toy/a/b`, quote)"
        in text
    )
    assert "In 1 of 3 (33 %) cases that is more than the error beside it" in text


_texts = st.sampled_from(HOSTILE) | st.text(max_size=8)
_shares = st.sampled_from([0.0, 0.004, 0.0051, 0.02, 0.5])


@st.composite
def _cases(draw: Callable[[st.SearchStrategy[Any]], Any]) -> Case:
    kind = draw(st.sampled_from(get_args(Direction)))
    named = draw(_texts)
    return case(
        plant=draw(_texts),
        layer=draw(_texts),
        kind=kind,
        size=draw(st.sampled_from([0.01, 0.03, 0.1])),
        row=draw(_texts),
        target=draw(st.booleans()),
        expected=draw(_shares) * (-1 if kind == "speed-up" else 1),
        change=draw(_shares) * draw(st.sampled_from([-1, 1])),
        error=draw(_shares),
        verdict=draw(st.sampled_from(get_args(Verdict))),
        planted=draw(_texts),
        named=named,
        right=bool(named) and draw(st.booleans()),
    )


@given(
    st.lists(_cases(), max_size=12, unique_by=lambda case: (case.plant, case.kind, case.size, case.row)),
    st.lists(_texts.map(noop), max_size=4, unique_by=lambda noop: noop.name),
)
def test_any_record_is_shown_whole_and_names_break_no_table(
    cases: list[Case], noops: list[NoOpResult]
) -> None:
    text = selftest(records.selftest(*cases, noops=tuple(noops)))
    sized = [case for case in cases if case.target]
    found = [table for table in tables(text) if table]
    for table in found:
        assert {len(line) for line in table} == {len(table[0])}
    counted = [table for table in found if len(table[0]) == 6]
    assert sum(int(line[1]) for table in counted for line in table) == len(cases)
    for _, total, right, untold, missed, _named in (line for table in counted for line in table):
        assert int(total) == int(right.split()[0]) + int(untold) + int(missed)
    listed = [table for table in found if len(table[0]) == 7]
    assert sum(map(len, listed)) >= len(sized)
    assert sum(len(table) for table in found if len(table[0]) == 5) == len(noops)
    assert "<!--" not in re.sub(r"(`+).*?\1", "", text)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0 %"), (1e-9, "below 0.0001 %"), (0.00002, "0.0020 %"), (0.0123, "1.23 %"), (12, "1,200.00 %")],
)
def test_shares_are_shown_as_nothing_only_when_they_are(value: float, shown: str) -> None:
    assert percent(value) == shown


def test_only_all_are_a_hundred_per_cent() -> None:
    assert [rate(999, 1000), rate(7, 7), rate(0, 0)] == ["999 of 1000 (99 %)", "7 of 7 (100 %)", "-"]


def test_each_part_of_a_self_test_says_where_it_was_measured() -> None:
    earlier = records.selftest(case("sums"), git=GitState("b" * 40, dirty=False), seconds=600.0)
    text = selftest(joined(earlier, records.selftest(case(), noops=(noop(), noop("a comment")))))
    assert "bbbbbbbbbb, CPython 3.11.9" in text
    assert "10 minutes in all (sums); and at 0123456789, CPython 3.11.9" in text
    assert "333 minutes in all (decode and 2 changes that cost nothing)." in text
    (planted, *_), *_ = tables(text)
    assert planted[:3] == ["slow-down of 1 %", "2", "2 of 2 (100 %)"]
