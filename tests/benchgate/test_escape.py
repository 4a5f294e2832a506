import re
import tomllib
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from benchgate.escape import EMPTY, NAME, PROSE, cell, clean, code, prose, quoted, shortened, units
from tests.benchgate.gate.reports import HOSTILE, LINKED, hostile_texts

RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def inline(markdown: str) -> list[Token]:
    """The inline tokens of a text that must be one paragraph."""
    tokens = RENDERER.parse(markdown)
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    return tokens[1].children or []


def words_and_code(tokens: list[Token]) -> tuple[str, list[str]]:
    """The text and the code spans among tokens, of which there may be no others."""
    assert {token.type for token in tokens} <= {"text", "code_inline"}
    text = "\0".join(token.content for token in tokens if token.type == "text")
    return text, [token.content for token in tokens if token.type == "code_inline"]


def expected(data: str, most: int) -> str:
    shown = shortened(clean(data), most)
    runs = re.findall("`+", shown)
    return shown.replace("`", "'") if runs and max(map(len, runs)) > 16 else shown


@given(hostile_texts())
@example("`" * 200)
@example("` `` ``` x`")
@example("\\`")
@example("a" * NAME + "`")
def test_a_name_is_one_code_span_that_holds_it_whole(data: str) -> None:
    text, spans = words_and_code(inline(f"Look at {code(data)} first"))
    shown = expected(data, NAME)
    assert spans == ([shown] if shown else [])
    assert text == ("Look at \0 first" if shown else f"Look at {EMPTY} first")
    assert units(shown) <= NAME


@given(hostile_texts())
@example("0000000")
@example("a 0 ` b")
@example("1. # heading")
@example("closes #1, see GH-1 or owner/repo#1 and @team at www.example.com: 0123456789abcdef0123 (deadbeef)")
def test_prose_is_words_and_code_spans_and_loses_nothing(data: str) -> None:
    tokens = inline(prose(data))
    text, _ = words_and_code(tokens)
    assert LINKED.findall(text) == []
    shown = "".join(token.content for token in tokens)
    assert "".join(shown.split()) in {
        "".join((shortened(clean(data), PROSE) or EMPTY).split()),
        "".join(expected(data, PROSE).split()),
    } or "`" * 17 in "".join(data.split())


@given(hostile_texts(), st.sampled_from([code, prose]))
@example("a|b\\|c\\\\|d", code)
@example("`|`", code)
def test_a_cell_keeps_its_column(data: str, show: type[str]) -> None:
    tokens = RENDERER.parse(f"| a | b |\n| --- | --- |\n| {cell(f'x {show(data)}')} | last |\n")
    cells = [token.children or [] for token in tokens if token.type == "inline"]
    assert len(cells) == 4
    assert cells[2] != []
    assert [token.content for token in cells[3]] == ["last"]
    # The same as outside of a table: the pipes are whole again.
    outside = inline(f"x {show(data)}")
    assert [(token.type, token.content) for token in cells[2]] == [
        (token.type, token.content) for token in outside
    ]


@pytest.mark.parametrize(
    ("data", "markdown"),
    [
        ("the layouts disagree", "the layouts disagree"),
        (
            "base and head differ by 0.4 %, more than 0.3 %.",
            "base and head differ by 0.4 %, more than 0.3 %.",
        ),
        ("AssertionError: assert {1: 2} == {1: 3}", "AssertionError: assert `{1: 2} == {1: 3}`"),
        ("see derive/signing: it doesn't fit (yet)", "see `derive/signing`: it doesn't fit (yet)"),
        ("thanks, @octocat!", "thanks, `@octocat!`"),
        ("fixes #12", "fixes `#12`"),
        ("commit deadbeef is bad", "commit `deadbeef` is bad"),
        ("a\nb\x1b[31m\u202e\u200bc", "a `b[31mc`"),
        ("  ", EMPTY),
    ],
)
def test_prose_reads_as_it_was_written(data: str, markdown: str) -> None:
    assert prose(data) == markdown


@given(st.text() | hostile_texts())
def test_what_is_cleaned_is_visible_and_in_order(data: str) -> None:
    shown = clean(data)
    assert shown == " ".join(shown.split())
    assert {unicodedata.category(char)[0] for char in shown} <= set("LNPSZ")
    assert {unicodedata.bidirectional(char) for char in shown}.isdisjoint({"R", "AL", "AN", "RLO", "RLE"})


@given(st.text(alphabet="a\U0001f600"), st.integers(1, 20))
def test_a_text_is_cut_by_what_github_counts(data: str, most: int) -> None:
    shown = shortened(data, most)
    assert len(shown.encode("utf-16-le")) // 2 == units(shown) <= most
    assert shown == data or (shown.endswith("…") and data.startswith(shown[:-1]) and units(data) > most)


@given(st.text() | hostile_texts())
def test_a_quoted_text_is_that_text_in_toml_and_one_visible_line(data: str) -> None:
    line = f"id = {quoted(data)}"
    assert tomllib.loads(line) == {"id": data}
    assert {unicodedata.category(char)[0] for char in line} <= set("LNPSZ")
    assert len(line.splitlines()) == 1


@pytest.mark.parametrize("data", HOSTILE[:11])
def test_the_oracle_knows_what_github_links(data: str) -> None:
    assert LINKED.search(data)
    assert LINKED.search(prose(data).replace(f"`{data}`", "")) is None
