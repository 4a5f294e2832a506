"""`scripts/gate_comment.py`, with GitHub's own `gh`, against a stand-in for GitHub.

With `GITHUB_MOCK_MODULES`, the folder of what npm installed (`nox -s poster`), a proxy stands between the two
and refuses each request and each answer that GitHub's description of its REST API does not allow.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import msgspec
import pytest
from markdown_it import MarkdownIt

from benchgate.gate.comment import markdown
from benchgate.gate.report import MAX_BYTES, Cause, Report, Row, save
from benchgate.run import GitState
from scripts.gate_comment import say
from tests.scripts.github_mock.fake import BOT, REPOSITORY, ROOT, GitHub, Refusal, Server
from tests.scripts.github_mock.proxy import listening

PROJECT = Path(__file__).parents[2]
LIMIT_SEC = 60  # for what takes a second
SHA, OTHER = "a" * 40, "b" * 40
FORK = "contributor/Hello-World"
RUN_URL = f"https://github.com/{REPOSITORY}/actions/runs/7"
MARKER = "<!-- tapemark:gate -->"
NONE = f"{MARKER}\n**There is no report of the gate**; see [its run]({RUN_URL}).\n"
UNREADABLE = f"{MARKER}\n**The gate's report cannot be read**; see [its run]({RUN_URL}).\n"
GH = shutil.which("gh")
# GitHub's runners have gh; there a skipped test would hide that it is gone.
pytestmark = pytest.mark.skipif(
    GH is None and "GITHUB_ACTIONS" not in os.environ, reason="gh, GitHub's command line, is not installed"
)

Poster = Callable[..., "subprocess.CompletedProcess[str]"]


def report(**more: object) -> Report:
    """A report with one slower row."""
    facts: dict[str, object] = {
        "created": datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
        "seconds": 61.5,
        "asked": "origin/main",
        "base": OTHER,
        "head": GitState(SHA, dirty=False),
        "passes": ("base", "head", "base again"),
        "rows": (slower("derive/signing/order"), slower("derive/decode_only/ticker", change=0.5)),
    }
    return Report(**(facts | more))  # type: ignore[arg-type]  # a test may pass any field


def slower(identity: str, change: float = 0.02, **more: object) -> Row:
    facts: dict[str, object] = {
        "id": identity,
        "state": "compared",
        "verdict": "slower",
        "base": (1000.0, 1000.0),
        "head": (1000.0 * (1 + change),),
        "change": change,
        "error": 0.001,
        "threshold": 0.01,
    }
    return Row(**(facts | more))  # type: ignore[arg-type]  # a test may pass any field


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture(scope="module")
def api(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    modules = os.environ.get("GITHUB_MOCK_MODULES")
    if not modules:
        yield server.url
        return
    with listening(Path(modules), server.url, tmp_path_factory.mktemp("proxy") / "log") as url:
        yield url


@pytest.fixture
def github(server: Server) -> GitHub:
    server.github = GitHub()
    return server.github


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What the run that measured has left."""
    folder = tmp_path / "left"
    save(report(), folder / "report.json")
    return folder


@pytest.fixture
def post(api: str, folder: Path, tmp_path: Path) -> Poster:
    def post(**variables: str) -> "subprocess.CompletedProcess[str]":
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{PROJECT / 'src'}{os.pathsep}{PROJECT}",
            "HOME": str(tmp_path),
            "GH_TOKEN": "the-token",
            "GITHUB_API_URL": api,
            "GITHUB_REPOSITORY": REPOSITORY,
            "HEAD_SHA": SHA,
            "HEAD_REPOSITORY": REPOSITORY,
            "HEAD_BRANCH": "change",
            "CONCLUSION": "failure",
            "RUN_URL": RUN_URL,
        }
        return subprocess.run(  # noqa: S603 - this repository's script
            [sys.executable, str(PROJECT / "scripts" / "gate_comment.py"), str(folder)],
            env=environment | variables,
            capture_output=True,
            encoding="utf-8",
            timeout=LIMIT_SEC,
            check=False,
        )

    return post


def changes(github: GitHub) -> list[str]:
    """Return the methods of the requests that changed something."""
    return [method for method, _, _ in github.requests if method != "GET"]


def posted(api: str, content: str) -> int:
    """Post a comment without the script; return the status of the answer."""
    head = {"Content-Type": "application/json"}
    request = Request(f"{api}{ROOT}/issues/7/comments", content.encode(), head)  # noqa: S310 - on loopback
    try:
        with urlopen(request, timeout=LIMIT_SEC) as answer:  # noqa: S310 - on loopback
            return int(answer.status)
    except HTTPError as refusal:
        with refusal:
            return refusal.code


def expected(found: Report) -> str:
    return f"{MARKER}\n{markdown(found, run_url=RUN_URL)}"


def test_the_report_is_posted_as_the_first_comment(github: GitHub, post: Poster) -> None:
    github.open(7, sha=SHA)
    github.open(8, sha=OTHER, branch="another")
    done = post()
    assert (done.returncode, done.stdout, done.stderr) == (0, "| #7: posted\n", "")
    assert github.bodies(7) == [expected(report())]
    assert github.bodies(8) == []
    assert {token for _, _, token in github.requests} == {"token the-token"}


def test_a_later_report_replaces_the_comment_and_no_other(github: GitHub, post: Poster) -> None:
    github.open(7, sha=SHA)
    github.say(7, f"{MARKER}\nby a person", ("octocat", "User"))
    github.say(7, f"{MARKER}\nby one who took a name like ours", (BOT[0], "User"))
    github.say(7, "by another workflow")
    before = github.bodies(7)
    github.say(7, f"{MARKER}\nthe last report")
    done = post()
    assert (done.returncode, done.stdout) == (0, "| #7: replaced\n")
    assert github.bodies(7) == [*before, expected(report())]
    assert changes(github) == ["PATCH"]
    post()
    assert github.bodies(7) == [*before, expected(report())]


def test_the_comment_is_found_far_down_a_long_thread(github: GitHub, post: Poster) -> None:
    github.open(7, sha=SHA)
    for count in range(250):
        github.say(7, f"talk {count}", ("octocat", "User"))
    github.say(7, MARKER)
    assert post().returncode == 0
    assert len(github.comments) == 251
    assert github.bodies(7)[-1] == expected(report())


def test_of_two_comments_the_first_is_kept(github: GitHub, post: Poster) -> None:
    github.open(7, sha=SHA)
    first = github.say(7, MARKER)
    github.say(7, MARKER)
    github.say(7, MARKER)
    assert post().returncode == 0
    assert {identity: comment["body"] for identity, comment in github.comments.items()} == {
        first: expected(report())
    }


def test_a_report_as_long_as_github_takes_is_posted(github: GitHub, folder: Path, post: Poster) -> None:
    github.open(7, sha=SHA)
    long = report(rows=tuple(slower(f"derive/signing/order[{n}]") for n in range(2000)))
    save(long, folder / "report.json")
    assert post().returncode == 0
    [body] = github.bodies(7)
    assert body == expected(long)
    assert 50_000 < len(body) <= 65_536


def test_a_pull_request_of_a_fork_is_found(github: GitHub, post: Poster) -> None:
    github.open(7, sha=SHA, repo=FORK)
    assert post(HEAD_REPOSITORY=FORK).returncode == 0
    assert github.bodies(7) == [expected(report())]


@pytest.mark.parametrize("branch", ["feature/a b", "a&state=closed", "ü#1?x=%20+", "main:x"])
def test_a_branch_may_have_an_odd_name(github: GitHub, post: Poster, branch: str) -> None:
    github.open(7, sha=SHA, branch=branch)
    assert post(HEAD_BRANCH=branch).returncode == 0
    assert len(github.bodies(7)) == 1


def test_a_pull_request_with_a_commit_of_another_is_left_alone(github: GitHub, post: Poster) -> None:
    github.open(7, sha=SHA)
    github.open(8, sha=SHA, repo=FORK)
    github.open(9, sha=SHA, repo="contributor/Another-Fork")
    assert post(HEAD_REPOSITORY=FORK).returncode == 0
    assert [len(github.bodies(number)) for number in (7, 8, 9)] == [0, 1, 0]


def test_each_of_two_bases_gets_its_own_report(github: GitHub, folder: Path, post: Poster) -> None:
    github.open(7, sha=SHA)
    github.open(8, sha=SHA, base="release")
    assert post().returncode == 0
    assert [len(github.bodies(number)) for number in (7, 8)] == [1, 0]
    to_release = report(asked="origin/release")
    save(to_release, folder / "report.json")
    assert post().returncode == 0
    assert github.bodies(7) + github.bodies(8) == [expected(report()), expected(to_release)]


def test_a_report_without_a_base_of_its_own_goes_to_every_one(
    github: GitHub, folder: Path, post: Poster
) -> None:
    github.open(7, sha=SHA)
    github.open(8, sha=SHA, base="release")
    save(report(asked="somewhere"), folder / "report.json")
    assert post().returncode == 0
    assert [len(github.bodies(number)) for number in (7, 8)] == [1, 1]


def test_nothing_is_posted_once_a_newer_push_has_moved_the_head(github: GitHub, post: Poster) -> None:
    github.open(7, sha=OTHER)
    done = post()
    assert done.returncode == 0
    assert f"no open pull request has {SHA}" in done.stdout
    assert changes(github) == []


def test_nothing_is_posted_on_a_closed_pull_request(github: GitHub, post: Poster) -> None:
    github.open(7, sha=SHA)["state"] = "closed"
    assert post().returncode == 0
    assert changes(github) == []


def test_nothing_is_posted_for_a_fork_that_is_gone(github: GitHub, post: Poster) -> None:
    github.open(7, sha=SHA)
    assert post(HEAD_REPOSITORY="").returncode == 0
    assert github.requests == []


def test_an_app_of_ones_own_can_be_the_author(github: GitHub, post: Poster) -> None:
    github.open(7, sha=SHA)
    github.say(7, f"{MARKER}\nthe last report", ("our-app[bot]", "Bot"))
    assert post(COMMENT_AUTHOR="our-app[bot]").returncode == 0
    assert github.bodies(7) == [expected(report())]


@pytest.mark.skipif("GITHUB_MOCK_MODULES" not in os.environ, reason="no proxy: `nox -s poster` installs it")
def test_the_proxy_refuses_what_github_does_not_describe(api: str, github: GitHub, post: Poster) -> None:
    del github.open(7, sha=SHA)["base"]
    done = post()
    assert (done.returncode, github.comments) == (1, {})
    assert done.stdout.startswith("| GET pulls: HTTP 500: ")
    assert [posted(api, content) for content in ("{}", '{"body": 1}', '{"body": "text"}')] == [422, 422, 201]


# GitHub's description does not tell of these answers, so no proxy may stand between.


@pytest.mark.parametrize("status", [404, 410])
def test_a_comment_that_vanished_is_posted_anew(
    server: Server, github: GitHub, post: Poster, status: int
) -> None:
    github.open(7, sha=SHA)
    github.vanishing[github.say(7, MARKER)] = status
    github.vanishing[github.say(7, MARKER)] = status
    done = post(GITHUB_API_URL=server.url)
    assert (done.returncode, done.stdout) == (0, "| #7: posted\n")
    assert github.bodies(7) == [expected(report())]


@pytest.mark.parametrize(
    ("method", "refusal"),
    [
        ("POST", Refusal(403, "Unable to create comment because issue is locked.")),
        ("GET", Refusal(403, "API rate limit exceeded for installation.")),
        ("GET", Refusal(429, "You have exceeded a secondary rate limit.")),
        ("GET", Refusal(500, "")),
        ("GET", Refusal(401, "Bad credentials")),
    ],
    ids=lambda value: str(getattr(value, "status", value)),
)
def test_a_refusal_is_one_line_and_the_comment_is_in_the_log(
    server: Server, github: GitHub, post: Poster, method: str, refusal: Refusal
) -> None:
    github.open(7, sha=SHA)
    github.refusals[method] = refusal
    done = post(GITHUB_API_URL=server.url)
    line, _, *body = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (1, "")
    assert line.startswith(f"| {method} ")
    assert f": HTTP {refusal.status}: " in line
    assert str(refusal) in line
    assert "derive/decode_only/ticker" in "\n".join(body)
    assert github.comments == {}


def test_no_answer_is_one_line(server: Server, github: GitHub, post: Poster) -> None:
    github.open(7, sha=SHA)
    other = Server()
    other.close()
    for done in (post(GITHUB_API_URL=other.url), post(GITHUB_API_URL=server.url, PATH="")):
        assert (done.returncode, done.stderr) == (1, "")
        assert done.stdout.startswith("| GET pulls: ")


HOSTILE = "x\n::error::a\r  ::stop-commands::b\u2028::c ##[error]d ###[e\x1b[2J\x85::f"


def is_harmless(log: str) -> bool:
    """Tell whether the runner, and a terminal, take no part of a log for a command."""
    lines = log.replace("\r", "\n").split("\n")
    return "##[" not in log and "\x1b" not in log and not any(line.strip().startswith("::") for line in lines)


def test_no_line_of_the_log_is_a_command_to_the_runner(
    server: Server, github: GitHub, folder: Path, post: Poster
) -> None:
    save(report(rows=(slower(HOSTILE),)), folder / "report.json")
    github.open(7, sha=SHA)
    github.refusals["POST"] = Refusal(403, HOSTILE)
    done = post(GITHUB_API_URL=server.url)
    assert done.returncode == 1
    assert "stop-commands" in done.stdout
    assert is_harmless(done.stdout)


def test_no_text_that_is_said_is_a_command_to_the_runner(capsys: pytest.CaptureFixture[str]) -> None:
    assert not is_harmless(HOSTILE)
    say(HOSTILE)
    log = capsys.readouterr().out
    assert is_harmless(log)
    assert "stop-commands" in log


# What the run that measured may have left.


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
