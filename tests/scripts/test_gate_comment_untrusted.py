"""`scripts/gate_comment.py` believes nothing of what the run that measured has left behind."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from markdown_it import MarkdownIt

from benchgate.gate.report import MAX_BYTES, Cause, Row, save
from tests.scripts.github_mock.fake import GitHub
from tests.scripts.github_mock.posting import (
    MARKER,
    NONE,
    OTHER,
    RUN_URL,
    SHA,
    UNREADABLE,
    Poster,
    expected,
    needs_gh,
    report,
    slower,
)

pytestmark = needs_gh


def forged(**fields: object) -> bytes:
    return msgspec.json.encode(msgspec.to_builtins(report()) | fields)


def as_link(path: Path) -> None:
    path.with_name("target").write_bytes(msgspec.json.encode(report()))
    path.symlink_to("target")


FORGERIES: dict[str, Callable[[Path], object]] = {
    "a link to a good report": as_link,
    "a link to nowhere": lambda path: path.symlink_to("/nowhere"),
    "a folder": Path.mkdir,
    "a pipe that nobody writes to": os.mkfifo,
    "nothing in it": Path.touch,
    "no JSON": lambda path: path.write_bytes(b"\xff\x00 no"),
    "cut short": lambda path: path.write_bytes(msgspec.json.encode(report())[:-1]),
    "a large report": lambda path: path.write_bytes(msgspec.json.encode(report()) + b" " * MAX_BYTES),
    "deeply nested": lambda path: path.write_bytes(b'{"schema": 1, "rows": ' + b"[" * 1_000_000),
    "another schema": lambda path: path.write_bytes(forged(schema=2)),
    "a number of a pull request": lambda path: path.write_bytes(forged(pull_request=8)),
    "another commit": lambda path: path.write_bytes(forged(head={"commit": OTHER, "dirty": False})),
    "a long text": lambda path: path.write_bytes(forged(base="x" * 3000)),
    "no number": lambda path: path.write_bytes(forged(seconds="@octocat")),
}


@pytest.mark.parametrize("kind", FORGERIES)
def test_of_what_is_no_report_nothing_is_shown(github: GitHub, folder: Path, post: Poster, kind: str) -> None:
    github.open(7, sha=SHA)
    github.open(8, sha=OTHER, branch="another")
    github.say(7, MARKER)
    (folder / "report.json").unlink()
    FORGERIES[kind](folder / "report.json")
    done = post()
    assert done.returncode == 1
    assert done.stderr == ""
    assert github.bodies(7) == [UNREADABLE]
    assert github.bodies(8) == []


def test_other_files_count_for_nothing(github: GitHub, folder: Path, post: Poster) -> None:
    github.open(7, sha=SHA)
    github.open(8, sha=OTHER, branch="another")
    (folder / "comment.md").write_text("@octocat, [click](https://example.com)")
    (folder / "pr_number").write_text("8")
    assert post().returncode == 0
    assert github.bodies(7) == [expected(report())]
    assert github.bodies(8) == []


def test_what_a_report_says_is_text_and_nothing_else(github: GitHub, folder: Path, post: Poster) -> None:
    hostile = (
        "@octocat <img src=//x.example> [a](https://x.example) ![b](https://x.example) | `c` **d** #8 -->"
    )
    cause = Cause(name=hostile, where=hostile, kind="dependency", own=20.0, inclusive=20.0)
    rows = (slower(hostile, causes=(cause,), reason=hostile), slower(f"{hostile}\n\n# e\n", reason="f"))
    save(report(rows=rows, notices=(hostile,), libraries=(hostile,)), folder / "report.json")
    github.open(7, sha=SHA)
    assert post().returncode == 0
    [body] = github.bodies(7)
    addresses, words = [], []
    for block in MarkdownIt("gfm-like", {"linkify": False}).parse(body):
        for token in block.children or [block]:
            if token.type in {"link_open", "image"}:
                addresses.append(str(token.attrs.get("href", token.attrs.get("src"))))
            if token.type in {"text", "html_inline", "html_block"}:
                words.append(token.content)
    assert all(address.startswith(RUN_URL) for address in addresses)
    assert "@octocat" not in "".join(words)
    assert "<img" not in "".join(words)
    assert "x.example" in body


@pytest.mark.parametrize(
    ("conclusion", "rows", "is_odd"),
    [
        ("failure", (slower("a/b/c"),), False),
        ("success", (slower("a/b/c", accepted="it pays"),), False),
        ("success", (), False),  # nothing was compared, which is no failure
        ("failure", (slower("a/b/c", accepted="it pays"),), True),
        ("timed_out", (), True),
        ("success", (slower("a/b/c"),), True),
    ],
)
def test_a_report_that_tells_another_end_than_the_run_s_is_doubted(
    github: GitHub, folder: Path, post: Poster, conclusion: str, rows: tuple[Row, ...], *, is_odd: bool
) -> None:
    github.open(7, sha=SHA)
    save(report(rows=rows), folder / "report.json")
    assert post(CONCLUSION=conclusion).returncode == 0
    (body,) = github.bodies(7)
    told = f"**The run itself ended with {conclusion.replace('_', ' ')}, which this report does not tell**"
    assert body.startswith(f"{MARKER}\n{told}" if is_odd else expected(report(rows=rows)))


@pytest.mark.parametrize("left", ["an empty folder", "nothing"])
@pytest.mark.parametrize("conclusion", ["failure", "timed_out", "success"])
def test_a_run_without_a_report_is_told(
    github: GitHub, folder: Path, post: Poster, left: str, conclusion: str
) -> None:
    github.open(7, sha=SHA)
    shutil.rmtree(folder)
    if left == "an empty folder":
        folder.mkdir()
    assert post(CONCLUSION=conclusion).returncode == 1
    assert github.bodies(7) == [NONE]


@pytest.mark.parametrize("conclusion", ["cancelled", "skipped", "action_required", "stale"])
def test_a_run_that_was_cancelled_leaves_what_stands(github: GitHub, post: Poster, conclusion: str) -> None:
    github.open(7, sha=SHA)
    github.say(7, f"{MARKER}\nthe last report")
    assert post(CONCLUSION=conclusion).returncode == 0
    assert github.requests == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("HEAD_SHA", ""), ("HEAD_SHA", f"{SHA}/../x"), ("GITHUB_REPOSITORY", "a/b/c"), ("RUN_URL", "no) url")],
)
def test_what_github_would_not_say_is_refused(github: GitHub, post: Poster, name: str, value: str) -> None:
    assert post(**{name: value}).returncode == 1
    assert github.requests == []
