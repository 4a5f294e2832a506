import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchgate.gate.comment import LEAST, LIMIT, markdown
from benchgate.gate.headline import headline, sort_rows
from benchgate.gate.report import Memory, Report, load, save
from tests.benchgate.gate.comments import RENDERER, all_rows, first_line, leaves, share_of, tables
from tests.benchgate.gate.reports import (
    BASE,
    BROKEN,
    CLEAN,
    EVERYTHING,
    FAILING,
    FAULTY,
    LINKED,
    NEW,
    QUIET,
    REMOVED,
    REPORTS,
    SLOW,
    SLOWER,
    TICKER,
    compared,
    hostile_texts,
    names,
    report,
    reports,
)

RUN_URL = "https://github.com/owner/name/actions/runs/17"
OUR_TAGS = re.compile(r"<details><summary>[A-Za-z0-9 ,:]+</summary>\n?|</details>\n?|<br>")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        (
            "slower",
            (
                "**3 rows slower, please read.** Worst: `derive/decode_only/ticker` +3.10 % (± 0.10), "
                "by `Cache.look_up` in `src/tapemark/derive/numerals.py:41`."
            ),
        ),
        (
            "could not tell",
            (
                "**Could not tell about 1 row, please read.** First: `derive/session/mixed` "
                "+0.72 % (± 1.03): the layouts disagree."
            ),
        ),
        ("clean", "**Nothing slower, no action needed.** 12 rows compared, largest change +0.11 %."),
        (
            "failing",
            (
                "**1 bench fails, please read.** First: `derive/exec_pipeline/cancel`. "
                "**1 row slower, please read.** Worst: `derive/decode_only/ticker` +3.10 % (± 0.10), "
                "by `Cache.look_up` in `src/tapemark/derive/numerals.py:41`."
            ),
        ),
        (
            "broken",
            (
                "**The gate could not run**: no commit is common to HEAD and `origin/main`: "
                "the clone is shallow."
            ),
        ),
        ("empty", "**Nothing was compared.** There are no rows."),
        ("only new", "**Nothing was compared.** 1 new row."),
        ("renamed", "**Nothing slower, no action needed.** 1 row compared, largest change 0 %."),
        (
            "selected",
            (
                "**Nothing slower, no action needed.** 5 rows compared, largest change +0.04 %. "
                "Only a selection was compared: 5 of 83 rows."
            ),
        ),
    ],
)
def test_the_first_line_says_whether_to_act(name: str, line: str) -> None:
    assert first_line(markdown(REPORTS[name])) == line


def test_what_is_accepted_or_faster_does_not_call_for_action() -> None:
    rows = (
        compared("a/b/c", 0.02, accepted="it pays"),
        compared("a/b/d", -0.3),
        compared("a/b/e", -0.001),
        compared("a/b/f", 0.0009),
    )
    assert first_line(markdown(report(*rows))) == (
        "**Nothing slower but what is accepted, no action needed.** "
        "4 rows compared, largest change of the others -0.10 %. "
        "1 row accepted, worst: `a/b/c` +2.00 % (± 0.10). 1 row faster, most: `a/b/d` -30.00 % (± 0.10)."
    )


@SLOW
@given(reports(names()))
def test_the_headline_says_what_the_rows_say(made: Report) -> None:
    """Counted from the rows here, in another way than there."""
    line = "".join(part.text for part in headline(made))
    failing = [row for row in made.rows if row.state == "failing"]
    others = [row for row in made.rows if row.state != "failing" and not row.accepted]
    slower = [row for row in others if row.verdict == "slower"]
    untold = [row for row in others if row.verdict == "could not tell"]
    for rows, pattern in (
        (failing, r"(\d+) bench(?:es)? fails?, please read"),
        (slower, r"(\d+) rows? slower, please read"),
        (untold, r"Could not tell about (\d+) rows?, please read"),
    ):
        found = re.findall(pattern, line)
        assert found == ([str(len(rows))] if rows else [])
    if slower:
        worst = max(row.change or 0.0 for row in slower)
        named = re.search(r"Worst: (\S+) (\S+(?: [%x])?)", line)
        assert named is not None
        assert {row.change for row in slower if row.id == named[1]} == {worst}
        assert share_of(named[2]) == pytest.approx(worst, abs=0.006, rel=0.01)
    for state in ("new", "removed"):
        count = sum(row.state == state and not row.faster for row in others)
        assert re.findall(rf"(\d+) {state} rows?", line) == ([str(count)] if count else [])
    asks = ("please read", "could not run", "Nothing was compared")
    assert any(text in line for text in asks) == (made.exit_code != 0)
    removed = any(row.state == "removed" and not row.accepted and not row.faster for row in made.rows)
    assert ("see what was removed" in line) == (made.exit_code == 0 and removed)
    assert ("no action needed" in line) == (made.exit_code == 0 and not removed)


@SLOW
@given(reports(names()))
def test_every_row_is_in_the_comment_with_its_figures_and_verdict(made: Report) -> None:
    comment = markdown(made, limit=10_000_000)
    found = {line.ids[0]: line for line in all_rows(comment)}
    assert found.keys() == {row.id for row in made.rows}
    for row in made.rows:
        base, head, change, error, verdict = found[row.id].texts
        assert found[row.id].ids == ((row.id, row.was) if row.was else (row.id,))
        for text, figures in ((base, row.base), (head, row.head)):
            assert float(text.replace(",", "")) == pytest.approx(sum(figures) / len(figures), abs=0.51)
        assert share_of(change) == (
            None if row.change is None else pytest.approx(row.change, abs=0.00006, rel=0.01)
        )
        assert error == "-" if row.error is None else error.startswith("± ")
        told = re.split(r"[,:] ?", verdict)
        assert (row.verdict or row.state) in told
        assert ("accepted" in told) >= bool(row.accepted)
        assert (row.state in told) == (row.state != "compared")


@SLOW
@given(reports(names()))
def test_each_row_that_changed_is_shown_once_and_worst_first(made: Report) -> None:
    comment = markdown(made, limit=10_000_000)
    shown = {titles[0]: lines for titles, lines in tables(comment).items()}
    rows = sort_rows(made)
    assert len(rows.changed) + len(rows.unchanged) == len(made.rows)
    for title, expected in (
        ("Could not tell", rows.untold),
        ("Accepted", rows.accepted),
        ("Faster", rows.faster),
    ):
        assert [line.ids[0] for line in shown.get(title, [])] == [row.id for row in expected]
    slower = shown.get("Slower", [])
    assert sorted(line.ids[0] for line in slower) == sorted(row.id for row in rows.slower)
    changes = {row.id: row.change or 0.0 for row in made.rows}
    by_cause = [line for line in slower if not line.texts[-1].startswith("as ")]
    told = [changes[line.ids[0]] for line in by_cause]
    assert told == sorted(told, reverse=True)
    ours = ("this repository", "dependency")
    firsts = [(row.id, row.causes[0] if row.causes else None) for row in rows.slower]
    keys = {(first.name, first.where) if first and first.kind in ours else name for name, first in firsts}
    assert len(by_cause) == len(keys)


def test_rows_of_one_cause_are_one_line_and_the_others_in_a_fold() -> None:
    lines = tables(markdown(SLOWER))[("Slower", "Base", "Head", "Change", "Error", "Cause")]
    assert [line.ids for line in lines] == [
        (TICKER.id,),
        ("eth/keccak/fast_path[66]",),
        ("derive/decode_only/trades",),
    ]
    assert lines[0].texts == (
        "12,345",
        "12,728",
        "+3.10 %",
        "± 0.10",
        (
            "Cache.look_up in src/tapemark/derive/numerals.py:41: this repository, touched by this change, "
            "+380 instructions a call, +412.50 with all it calls<br>+3 blocks, +96.50 bytes"
        ),
    )
    assert lines[2].texts[-1] == "as derive/decode_only/ticker"
    assert "and 1 more row |" in markdown(SLOWER)


def test_a_row_that_allocates_more_is_shown_however_little_it_costs() -> None:
    before, more, less = Memory(2.0, 100.0, 0.0), Memory(5.0, 196.0, 0.0), Memory(1.0, 300.0, 0.0)
    rows = (
        compared("a/b/c", 0.001, memory_base=before, memory_head=more),
        compared("a/b/d", 0.0, memory_base=before, memory_head=Memory(2.0, 100.0, 1.0)),
        compared("a/b/e", 0.0, memory_base=before, memory_head=less),
        compared("a/b/f", 0.0, memory_base=before, memory_head=before),
    )
    comment = markdown(report(*rows))
    assert first_line(comment) == (
        "**Nothing slower, no action needed.** 4 rows compared, largest change +0.10 %. "
        "2 rows not slower but allocating more, first: `a/b/c`."
    )
    told = "- `a/b/c`: +3 blocks, +96 bytes\n- `a/b/d`: +1 native block\n\n"
    assert f"**Not slower, but allocating more**\n\n{told}" in comment


def test_benches_that_vanish_are_told_first() -> None:
    assert first_line(markdown(report(*QUIET, REMOVED, NEW))) == (
        "**Nothing slower, but see what was removed.** 12 rows compared, largest change +0.11 %. "
        "1 new row, 1 removed row."
    )


def test_a_run_that_stopped_says_what_at() -> None:
    comment = markdown(BROKEN)
    assert "**Faults**\n\n- git merge-base: exit code 1\n" in comment
    assert "Mend what stopped the gate" in comment
    assert "no action needed" not in comment


def test_the_order_is_verdict_changes_next_steps_and_the_rest_folded() -> None:
    comment = markdown(EVERYTHING, run_url=RUN_URL)
    marks = (
        "please read",
        "**Failing**",
        "| Slower |",
        "| Could not tell |",
        "| Accepted |",
        "| Faster |",
        "**New",
        "**Removed",
        "allocating more**",
        "**Renamed**",
        "**Notices**",
        "**What to do next**",
        "<details>",
        "| Row |",
        "How it was measured",
    )
    places = [comment.index(mark) for mark in marks]
    assert places == sorted(places)
    for text in (
        "with uncommitted changes",
        BASE,
        "`haswell 0123456789ab`",
        "`glibc 2.36`",
        "`3.19.0`",
        "`CPython 3.11.9`",
        "`msgspec 0.22.0 -> 0.23.0`",
        "expired on `2026-02-01`",
        "took 312 s",
        "threshold: 0.50 % for 20 rows",
        "the domain separator is checked before each signature",
        f"`ticker-difference.svg` among [the files of the run]({RUN_URL})",
        "python -m nox -s bench -- derive/exec_pipeline/cancel",
        "components that changed with it: `derive/parse_only/ticker_quote`",
    ):
        assert text in comment


def test_a_clean_report_shows_the_verdict_and_the_commits_and_folds_the_rest() -> None:
    visible = re.sub(r"<details>.*?</details>", "", markdown(CLEAN), flags=re.DOTALL)
    verdict, commits = visible.strip().split("\n\n")
    assert verdict == first_line(markdown(CLEAN))
    head, base = CLEAN.head.commit[:12], CLEAN.base[:12]
    assert commits == f"`{head}` compared with `{base}`, the merge base with `{CLEAN.asked}`."


@SLOW
@given(reports(hostile_texts()), st.sampled_from(["", RUN_URL]), st.sampled_from([LEAST, 9_000, LIMIT]))
def test_nothing_that_others_wrote_does_anything(made: Report, run_url: str, limit: int) -> None:
    comment = markdown(made, run_url=run_url, limit=limit)
    tokens = list(leaves(RENDERER.parse(comment)))
    kinds = {token.type.removesuffix("_open").removesuffix("_close") for token in tokens}
    assert kinds <= {
        "paragraph",
        "inline",
        "text",
        "code_inline",
        "softbreak",
        "html_inline",
        "html_block",
        "strong",
        "link",
        "bullet_list",
        "list_item",
        "fence",
        *("table", "thead", "tbody", "tr", "th", "td"),
    }
    for token in tokens:
        if token.type in {"html_block", "html_inline"}:
            assert OUR_TAGS.fullmatch(token.content), token.content
        if token.type == "link_open":
            assert token.attrs == {"href": run_url}
        if token.type == "text":
            assert LINKED.findall(token.content) == []
        if token.type == "fence":
            assert token.info in {"toml", "console"}
    fences = sum(token.type == "fence" for token in tokens)
    items = sum(token.type == "list_item_open" for token in tokens)
    assert items == len(re.findall(r"(?m)^(?:  )?- ", comment))
    assert fences * 2 == len(re.findall(r"(?m)^  ```(?:toml|console)?$", comment))
    assert_folds_are_closed(comment)


def assert_folds_are_closed(comment: str) -> None:
    blocks = [token.content for token in RENDERER.parse(comment) if token.type.startswith("html")]
    tags = [tag for block in blocks for tag in re.findall(r"</?details", block)]
    assert tags == ["<details", "</details"] * (len(tags) // 2)


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "https://x/ [a](b)", "https://x)", "https://x/\n# a", "x"]
)
def test_an_address_that_is_none_is_not_linked(url: str) -> None:
    assert markdown(EVERYTHING, run_url=url) == markdown(EVERYTHING)


def test_the_comment_is_the_same_after_the_report_was_written_and_read(tmp_path: Path) -> None:
    save(EVERYTHING, tmp_path / "report.json")
    assert markdown(load(tmp_path / "report.json")) == markdown(EVERYTHING)


def test_a_row_that_fails_and_is_new_is_not_hidden() -> None:
    comment = markdown(report(*QUIET, FAILING, NEW))
    assert "- `derive/exec_pipeline/cancel`: AssertionError: assert" in comment
    assert "- `derive/signing/nonce_next`: 812 instructions" in comment
    assert first_line(markdown(FAULTY)).startswith("**1 bench fails")
