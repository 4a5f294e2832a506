import pytest

from benchgate.figures import counted
from benchgate.gate.amounts import allocations, bound, cost, number, share
from benchgate.gate.headline import verdict_of
from benchgate.gate.report import Memory, Row
from tests.benchgate.gate.reports import ACCEPTED, FAILING, FASTER, NEW, UNSURE, compared


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (0.0, "0 %"),
        (-0.0, "0 %"),
        (0.031, "+3.10 %"),
        (-0.004, "-0.40 %"),
        (0.0001, "+0.01 %"),
        (0.000012, "+0.0012 %"),
        (-0.000012, "-0.0012 %"),
        (0.999, "+99.90 %"),
        (1.0, "2.00 x"),
        (4.0, "5.00 x"),
        (11.5, "12.5 x"),
    ],
)
def test_a_change_is_written_so_that_a_small_one_is_not_none(value: float | None, text: str) -> None:
    assert share(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (0.0, "± 0.00"), (0.001, "± 0.10"), (0.000012, "± 0.0012"), (2.0, "± 200.00")],
)
def test_an_error_is_written_in_the_unit_of_the_change(value: float | None, text: str) -> None:
    assert bound(value) == text


def test_figures_are_means_over_the_passes() -> None:
    assert cost((1000.0, 1001.0, 1005.0)) == "1,002"
    assert cost(()) == "-"


def test_allocations_are_told_where_they_differ() -> None:
    row = compared("a/b/c", memory_base=Memory(2.0, 100.5, 3.0), memory_head=Memory(1.0, 100.75, 3.0))
    assert allocations(row) == "-1 block, +0.25 bytes"
    assert allocations(compared("a/b/c", memory_head=Memory(1.0, 1.0, 1.0))) == ""
    native = compared("a/b/c", memory_base=Memory(0.0, 0.0, 0.0), memory_head=Memory(0.0, 0.0, 1200.0))
    assert allocations(native) == "+1,200 native blocks"


def test_numbers_and_counts() -> None:
    assert (number(3.0), number(-1234.5), number(0.0)) == ("+3", "-1,234.50", "+0")
    assert [
        counted(count, noun) for count, noun in ((1, "row"), (2, "row"), (1, "bench"), (1200, "bench"))
    ] == [
        "1 row",
        "2 rows",
        "1 bench",
        "1,200 benches",
    ]


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        (compared("a/b/c", 0.1), "slower"),
        (UNSURE, "could not tell"),
        (ACCEPTED, "slower, accepted"),
        (FASTER, "not slower, faster"),
        (NEW, "new"),
        (FAILING, "failing"),
    ],
)
def test_a_verdict_in_words(row: Row, verdict: str) -> None:
    assert verdict_of(row) == verdict
