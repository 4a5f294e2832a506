"""What the comment advises, and that what it offers to copy works."""

import shlex
import tomllib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given

from benchgate.errors import Unreadable
from benchgate.escape import clean
from benchgate.gate import accepted, aliases
from benchgate.gate.comment import markdown
from benchgate.ids import group_of
from tests.benchgate.gate.comments import RENDERER, tables
from tests.benchgate.gate.reports import (
    BASE,
    COUNTING,
    HASHING,
    NEW,
    QUIET,
    REMOVED,
    SLOW,
    UNSURE,
    UNTOLD,
    compared,
    hostile_texts,
    report,
)


def test_rows_that_share_no_more_than_the_interpreter_have_each_a_line_and_how_to_know_more() -> None:
    loop = msgspec.structs.replace(HASHING, name="_PyEval_EvalFrameDefault", where="libpython3.11.so.1.0")
    rows = [compared(f"{system}/group/row", 0.02, causes=(loop,)) for system in ("eth", "fix", "market")]
    comment = markdown(report(*rows))
    assert len(tables(comment)[("Slower", "Base", "Head", "Change", "Error", "Cause")]) == 3
    assert "more row" not in comment
    said = "- Run the gate on Python 3.12 or later, which names the Python functions that slow"
    assert f"{said} `eth/group/row` (+2.00 %) and 2 more: here" in comment
    assert "Look at" not in comment
    newer = msgspec.structs.replace(COUNTING.interpreter, version="3.13.0")
    counted = msgspec.structs.replace(COUNTING, interpreter=newer)
    assert "look at what the change gives it to do" in markdown(report(*rows, environment=counted))


def test_what_to_do_about_removed_rows_is_an_entry_that_the_gate_reads(tmp_path: Path) -> None:
    renamed = msgspec.structs.replace(NEW, id="derive/signing/next")
    comment = markdown(report(*QUIET, REMOVED, renamed))
    (block,) = [token for token in RENDERER.parse(comment) if token.type == "fence" and token.info == "toml"]
    (tmp_path / "benches").mkdir()
    (tmp_path / aliases.PATH).write_text(block.content, encoding="utf-8")
    assert aliases.read(tmp_path, [renamed.id]) == {renamed.id: REMOVED.id}
    alone = markdown(report(*QUIET, REMOVED))
    assert "`Changed benches` of `CHANGELOG.md`." in alone
    assert "```toml" not in alone


def test_what_cannot_be_told_says_why_and_what_then() -> None:
    comment = markdown(UNTOLD)
    assert "| the layouts disagree |" in comment
    assert f"python -m nox -s gate -- {BASE[:12]} derive/session/\n" in comment
    lonely = msgspec.structs.replace(UNSURE, change=None, error=None, threshold=None, reason="")
    assert "mend what is named beside them" in markdown(report(lonely))
    assert "| the reason is not known |" in markdown(report(lonely))


@pytest.mark.parametrize("identity", ["derive/decode_only/ticker", 'a/b/c["\\@octocat]', "a/b/c[\u05d0]"])
def test_the_entries_to_accept_rows_are_ones_that_the_gate_reads(identity: str, tmp_path: Path) -> None:
    made = report(compared(identity, 0.0311), compared("a/b/d", 0.01), compared("a/b/e", 0.001))
    blocks = [
        token for token in RENDERER.parse(markdown(made)) if token.type == "fence" and token.info == "toml"
    ]
    assert len(blocks) == 1
    (tmp_path / "benches").mkdir()
    (tmp_path / accepted.PATH).write_text(blocks[0].content, encoding="utf-8")
    with pytest.raises(Unreadable, match="expected what the cost buys"):
        accepted.read(tmp_path, {identity, "a/b/d"})
    written = blocks[0].content.replace(accepted.PLACEHOLDER, "the signature is checked now")
    (tmp_path / accepted.PATH).write_text(written, encoding="utf-8")
    entries = accepted.read(tmp_path, {identity, "a/b/d"})
    assert list(entries) == [identity, "a/b/d"]
    assert 0.0321 <= entries[identity].limit <= 0.035
    assert 0.011 <= entries["a/b/d"].limit <= 0.014
    assert all(made.created.date() < entry.expires for entry in entries.values())
    assert list(tomllib.loads(blocks[0].content)) == ["accepted"]


@given(hostile_texts().filter(lambda text: clean(text) == text != ""))
@SLOW
def test_a_command_names_the_rows_group_and_runs_nothing_else(identity: str) -> None:
    made = report(compared(identity, 0.0311))
    blocks = [token for token in RENDERER.parse(markdown(made)) if token.type == "fence"]
    assert [block.info for block in blocks] == ["console", "toml"]
    command = blocks[0].content.removesuffix("\n")
    gate, group = ["python", "-m", "nox", "-s", "gate", "--", BASE[:12]], f"{group_of(identity)}/"
    assert shlex.split(command) == [*gate, group]
