"""What moved in runs on unchanged code, held against plain sums; and which reports are not summed up."""

from collections.abc import Callable
from datetime import timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchgate.errors import CouldNotRun, Unreadable
from benchgate.gate.repeats import file_name, files, kept, summed_up
from benchgate.gate.report import Report, Row, save
from benchgate.run import GitState
from tests.benchgate.gate.records import CREATED
from tests.benchgate.gate.reports import COUNTING, HEAD, compared, report

Altered = Callable[[Report], Report]


def repeat(number: int, *rows: Row, **more: Any) -> Report:
    """The report of a run on unchanged code, an hour after the one before."""
    facts = {"created": CREATED + timedelta(hours=number), "base": HEAD}
    return report(*(rows or (compared("toy/parts/sum", 0.0),)), **(facts | more))


def counted(identity: str, base: tuple[float, ...], head: tuple[float, ...], verdict: str) -> Row:
    return compared(identity, 0.0, base=base, head=head, verdict=verdict)


_counts = st.integers(1, 10**7)
_verdicts = st.sampled_from(["not slower", "not slower", "slower", "could not tell"])
_rows = st.tuples(
    st.lists(_counts, min_size=2, max_size=4), st.lists(_counts, min_size=1, max_size=3), _verdicts
)


@given(
    st.integers(1, 4).flatmap(
        lambda benches: st.lists(st.lists(_rows, min_size=benches, max_size=benches), min_size=2, max_size=6)
    )
)
def test_spreads_are_those_of_plain_sums(
    runs: list[list[tuple[list[int], list[int], str]]],
) -> None:
    reports = [
        repeat(
            number,
            *(
                counted(f"toy/parts/{place}", tuple(map(float, base)), tuple(map(float, head)), verdict)
                for place, (base, head, verdict) in enumerate(rows)
            ),
        )
        for number, rows in enumerate(runs)
    ]
    found = summed_up(reports)
    assert (found.runs, found.created, found.git) == (len(runs), CREATED, GitState(HEAD, dirty=False))
    assert found.seconds == (312.4,) * len(runs)
    for place, row in enumerate(found.rows):
        heads = sorted(Fraction(rows[place][1][0]) for rows in runs)
        middle = (heads[(len(heads) - 1) // 2] + heads[len(heads) // 2]) / 2
        pairs = [rows[place][0][:2] for rows in runs]
        assert row.id == f"toy/parts/{place}"
        assert row.instructions == float(middle)
        assert row.spread == pytest.approx(float((heads[-1] - heads[0]) / middle))
        widest = max(abs(Fraction(again - first, first)) for first, again in pairs)
        assert row.base_spread == pytest.approx(float(widest))
        assert row.flagged == len([rows for rows in runs if rows[place][2] != "not slower"])


def other(**more: Any) -> Altered:
    return lambda of: msgspec.structs.replace(of, **more)


@pytest.mark.parametrize(
    ("altered", "told"),
    [
        (other(created=CREATED), "two began at the same time"),
        (other(head=GitState("f" * 40, dirty=False)), "head: 0123456789 and ffffffffff"),
        (other(base="f" * 40), f"base: {HEAD} and {'f' * 40}"),
        (other(environment=None), "run 2: could not compare: no environment"),
        (other(failure="the clone is shallow"), "run 2: could not compare: the clone is shallow"),
        (other(environment=msgspec.structs.replace(COUNTING, aslr="on")), "ASLR: off and on"),
        (other(environment=msgspec.structs.replace(COUNTING, libraries={"msgspec": "0.21.0"})), "0.21.0"),
        (other(packages="0123456789ab"), "packages installed:  and 0123456789ab"),
        (other(rows=(compared("toy/parts/sort"),)), "benches: toy/parts/sort is only in one of them"),
        (other(rows=(Row(id="toy/parts/sum", state="new", head=(1.0,)),)), "expected two counts"),
        (other(rows=(compared("toy/parts/sum", base=(1.0,)),)), "run 2: toy/parts/sum: expected two counts"),
    ],
)
def test_runs_that_are_not_alike_are_not_summed_up(altered: Altered, told: str) -> None:
    with pytest.raises(CouldNotRun) as caught:
        summed_up([repeat(0), altered(repeat(1))])
    assert told in " ".join((str(caught.value), *caught.value.faults))


def test_a_change_is_not_taken_for_unchanged_code() -> None:
    with pytest.raises(CouldNotRun, match="expected a commit against itself"):
        summed_up([repeat(0, base="f" * 40), repeat(1, base="f" * 40)])


def test_one_run_has_no_spread() -> None:
    with pytest.raises(CouldNotRun, match="reports of 2 runs or more, got 1"):
        summed_up([repeat(0)])


def test_the_order_of_rows_in_a_report_does_not_matter() -> None:
    rows = (compared("toy/parts/a", 0.0), compared("toy/parts/b", 0.0, head=(7.0,)))
    turned = msgspec.structs.replace(repeat(1, *rows), rows=rows[::-1])
    assert [row.spread for row in summed_up([repeat(0, *rows), turned]).rows] == [0.0, 0.0]


def test_reports_are_read_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    reports = [repeat(number) for number in range(1, 121)]
    for number, one in enumerate(reports, 1):
        save(one, tmp_path / file_name(number))
    (tmp_path / "report.json").write_text("{}")
    assert kept(tmp_path) == tuple(reports)
    assert len(files(tmp_path)) == 120


def test_a_report_that_is_missing_or_damaged_is_told(tmp_path: Path) -> None:
    assert kept(tmp_path / "nowhere") == ()
    for number in (1, 3):
        save(repeat(number), tmp_path / file_name(number))
    with pytest.raises(CouldNotRun, match="numbered from 1 on, got 1, 3"):
        kept(tmp_path)
    (tmp_path / file_name(2)).write_text('{"schema": 1')
    with pytest.raises(Unreadable, match=r"report-02\.json: truncated"):
        kept(tmp_path)
