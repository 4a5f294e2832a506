import re
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchgate.gate.comment import LEAST, LIMIT, markdown
from benchgate.gate.report import Memory, Report
from tests.benchgate.gate.comments import all_rows, first_line, tables
from tests.benchgate.gate.reports import (
    CLEAN,
    HASHING,
    LOOK_UP,
    SLOW,
    compared,
    hostile_texts,
    report,
    reports,
)


@SLOW
@given(reports(hostile_texts(), most=30), st.integers(LEAST, 30_000))
def test_a_comment_keeps_to_its_limit_and_counts_what_it_left_out(made: Report, limit: int) -> None:
    whole = markdown(made, limit=10_000_000)
    cut = markdown(made, limit=limit)
    assert len(cut.encode("utf-16-le")) // 2 <= limit
    assert first_line(cut) == first_line(whole)
    assert (cut == whole) == (len(whole.encode("utf-16-le")) // 2 <= limit)
    if "All rows:" in cut and "left out for length" not in cut.lower():
        fold = cut[cut.index("All rows:") :].split("\n</details>")[0]
        missing = re.search(r"\.\.\. ([\d,]+) rows left out", fold)
        shown = len(all_rows(cut))
        assert shown + int(missing[1].replace(",", "") if missing else 0) == len(made.rows)
    elif made.rows:
        assert re.search(r"\.\.\. Left out for length, see `report.json`: .*all rows", cut)


def test_a_large_comment_loses_the_table_of_all_rows_first() -> None:
    rows = [compared(f"system/group/quiet_{number:04}") for number in range(1500)]
    slower = [
        compared(f"system/slow/row_{number:04}", 0.01 + number / 1e5, causes=(HASHING,))
        for number in range(60)
    ]
    comment = markdown(report(*rows, *slower))
    assert LIMIT - 200 < len(comment) <= LIMIT
    slow_lines = tables(comment)[("Slower", "Base", "Head", "Change", "Error", "Cause")]
    assert len(slow_lines) == 60
    missing = re.search(r"\.\.\. ([\d,]+) rows left out, see `report.json`", comment)
    assert missing is not None
    assert int(missing[1].replace(",", "")) + len(all_rows(comment)) == 1560
    assert "C library" in comment


def test_a_comment_of_thousands_of_causes_still_fits_and_says_what_to_do() -> None:
    causes = [msgspec.structs.replace(LOOK_UP, name=f"function_{number}") for number in range(2000)]
    rows = [
        compared(f"system/slow/row_{number}", 0.01 + number / 1e6, causes=(cause,))
        for number, cause in enumerate(causes)
    ]
    comment = markdown(report(*rows))
    assert LIMIT - 400 < len(comment) <= LIMIT
    assert first_line(comment).startswith(
        "**2,000 rows slower, please read.** Worst: `system/slow/row_1999` +1.20 %"
    )
    assert re.search(r"\.\.\. 1,\d+ causes left out", comment)
    assert re.search(r"\.\.\. \d steps left out", comment)


def test_a_limit_that_holds_no_headline_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^limit: expected at least 4000, got 3999$"):
        markdown(CLEAN, limit=LEAST - 1)


@pytest.mark.parametrize(
    "text", ["\N{GRINNING FACE}" * 1000, f"a {'`' * 16} " * 105, "\N{HEBREW LETTER ALEF}" * 2000, "|" * 2000]
)
def test_the_least_limit_holds_any_headline(text: str) -> None:
    states: dict[str, dict[str, Any]] = {
        "a": {"state": "failing"},
        "b": {"causes": (msgspec.structs.replace(LOOK_UP, name=text, where=text),)},
        "c": {"verdict": "could not tell"},
        "d": {"accepted": text},
        "e": {"change": -0.5, "error": 0.1, "verdict": "not slower"},
        "f": {
            "change": 0.0,
            "verdict": "not slower",
            "memory_base": Memory(0.0, 0.0, 0.0),
            "memory_head": Memory(1.0, 1.0, 0.0),
        },
    }
    rows = [
        compared(f"{name}{text}"[:2000], **({"change": 1e15, "error": 1e17} | more))
        for name, more in states.items()
    ]
    comment = markdown(report(*rows, failure=text, selected=(text,)), limit=LEAST)
    assert len(comment.encode("utf-16-le")) // 2 <= LEAST
    for said in (
        "could not run",
        "1 bench fails",
        "1 row slower",
        "about 1 row",
        "1 row accepted",
        "1 row faster",
        "allocating more",
    ):
        assert said in first_line(comment)
