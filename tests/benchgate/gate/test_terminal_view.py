import re
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from rich.console import Console

from benchgate.gate.comment import markdown
from benchgate.gate.headline import headline
from benchgate.gate.report import Report, Row
from benchgate.gate.terminal_view import print_report
from tests.benchgate.gate.comments import all_rows
from tests.benchgate.gate.reports import (
    CLEAN,
    EVERYTHING,
    FAULTY,
    KECCAK,
    REPORTS,
    SLOWER,
    TICKER,
    TRADES,
    UNTOLD,
    compared,
    hostile_texts,
    names,
    report,
    reports,
)

SLOW = settings(max_examples=40)
CAUSE = "Cache.look_up in src/tapemark/derive/numerals.py:41"
WORST = f"Worst: derive/decode_only/ticker +3.10 % (± 0.10), by {CAUSE}."
STEERING = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
TITLES = ("not slower", "failing", "slower", "could not tell", "accepted", "faster", "new", "removed")
TITLE = re.compile(rf"({'|'.join(TITLES)})  +(?:base +head +)?change +error")
FIGURES = re.compile(
    r"  (?P<id>\S+) +(?:[\d,]+|-)? +(?:[\d,]+|-)? *(?P<change>\S+(?: [%x])?)  +(?P<error>-|± \S+)"
)


def printed(made: Report, width: int = 200, *, colour: bool = False) -> str:
    file = StringIO()
    console = Console(
        file=file,
        width=width,
        highlight=False,
        emoji=False,
        force_terminal=True,
        color_system="standard" if colour else None,
    )
    print_report(console, made)
    return file.getvalue()


def rows_by_title(text: str) -> dict[str, list[tuple[str, str, str]]]:
    """Read the rows back: id, change and error below the title that they stand under."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    title = ""
    for line in text.splitlines():
        head = TITLE.fullmatch(line)
        if head:
            title = head[1]
        figures = FIGURES.fullmatch(line)
        if figures and title:
            found.setdefault(title, []).append((figures["id"], figures["change"], figures["error"]))
    return found


def title_of(row: Row) -> str:
    """Under which title a row must stand, said anew."""
    if row.state == "failing":
        return "failing"
    if row.verdict in {"slower", "could not tell"}:
        return "accepted" if row.accepted else str(row.verdict)
    if row.verdict == "not slower":
        return "faster" if row.faster else "not slower"
    return row.state


@pytest.mark.parametrize("width", [80, 200])
@pytest.mark.parametrize("name", sorted(REPORTS))
def test_both_views_show_the_same_rows_with_the_same_figures(name: str, width: int) -> None:
    made = REPORTS[name]
    shown = rows_by_title(printed(made, width))
    expected = {line.ids[0]: line.texts for line in all_rows(markdown(made))}
    assert {identity: (change, error) for rows in shown.values() for identity, change, error in rows} == {
        identity: texts[2:4] for identity, texts in expected.items()
    }
    assert {identity: title for title, rows in shown.items() for identity, *_ in rows} == {
        row.id: title_of(row) for row in made.rows
    }


@SLOW
@given(reports(names()))
def test_any_row_stands_below_its_verdict_with_the_figures_of_the_comment(made: Report) -> None:
    shown = rows_by_title(printed(made))
    listed = [(identity, title) for title, rows in shown.items() for identity, *_ in rows]
    assert sorted(listed) == sorted((row.id, title_of(row)) for row in made.rows)
    expected = {line.ids[0]: line.texts[2:4] for line in all_rows(markdown(made, limit=10_000_000))}
    assert {
        identity: (change, error) for rows in shown.values() for identity, change, error in rows
    } == expected


@SLOW
@given(reports(names()))
def test_the_headline_is_the_comment_s(made: Report) -> None:
    text = printed(made, width=10_000)
    line = "".join(part.text for part in headline(made))
    assert line in text.splitlines()
    assert markdown(made, limit=10_000_000).split("\n", 1)[0].replace("*", "").replace("`", "") == line


@SLOW
@given(reports(hostile_texts()))
def test_nothing_that_others_wrote_steers_the_terminal(made: Report) -> None:
    assert STEERING.findall(printed(made)) == []


def test_slower_rows_stand_worst_first_and_by_cause() -> None:
    rows = rows_by_title(printed(SLOWER))["slower"]
    assert [identity for identity, *_ in rows] == [TICKER.id, TRADES.id, KECCAK.id]
    lines = [line.strip() for line in printed(SLOWER).splitlines()]
    place = lines.index("the same slows 1 more row:")
    assert lines[place + 1].startswith(TRADES.id)
    for line in (
        (
            "Cache.look_up in src/tapemark/derive/numerals.py:41: this repository, touched by this change, "
            "+380 instructions a call, +412.50 with all it calls"
        ),
        "+3 blocks, +96.50 bytes",
        "flame graphs: ticker-base.svg, ticker-head.svg, ticker-difference.svg",
    ):
        assert line in lines[:place]


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_a_narrow_terminal_breaks_no_line_but_those_to_be_copied(name: str) -> None:
    lines = printed(REPORTS[name], 80).splitlines()
    assert [line for line in lines if len(line) > 80 and "python -m nox" not in line] == []


def test_where_base_and_head_have_no_room_they_stand_below() -> None:
    long = compared("derive/exec_pipeline/submit_limit_presigned_at_once", 0.02)
    wide, narrow = printed(report(long), 200), printed(report(long), 80)
    assert "12,345 -> 12,592 instructions" in narrow
    assert "12,345 -> 12,592 instructions" not in wide
    assert rows_by_title(narrow) == rows_by_title(wide) == {"slower": [(long.id, "+2.00 %", "± 0.10")]}


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_colours_only_repeat_what_the_words_say(name: str) -> None:
    coloured = printed(REPORTS[name], colour=True)
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == printed(REPORTS[name])


@pytest.mark.parametrize(
    ("made", "last"),
    [
        (CLEAN, "Exit code 0, nothing is slower: Nothing slower, no action needed."),
        (SLOWER, f"Exit code 1, something became slower: 3 rows slower, please read. {WORST}"),
        (
            FAULTY,
            (
                "Exit code 2, the gate could not run, or a bench fails: "
                f"1 bench fails, please read. 1 row slower, please read. {WORST}"
            ),
        ),
        (UNTOLD, "Exit code 3, it could not tell about everything: Could not tell about 1 row, please read."),
    ],
)
def test_the_last_line_says_what_the_exit_code_means(made: Report, last: str) -> None:
    assert " ".join(printed(made).split()).endswith(f"are there, too. {last}" if made.slower else last)


def test_the_files_are_named() -> None:
    file = StringIO()
    print_report(Console(file=file, width=200), EVERYTHING, Path("elsewhere"))
    written = (
        "Written to elsewhere/report.json and elsewhere/comment.md. Flame graphs of 1 row are there, too."
    )
    assert written in file.getvalue().splitlines()
