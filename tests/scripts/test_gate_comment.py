"""`scripts/gate_comment.py`, with GitHub's own `gh`, against a stand-in for GitHub.

With `GITHUB_MOCK_MODULES`, the folder of what npm installed (`nox -s poster`), a proxy stands between the two
and refuses each request and each answer that GitHub's description of its REST API does not allow.
"""

import os
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from benchgate.gate.report import save
from scripts.gate_comment import say
from tests.scripts.github_mock.fake import BOT, ROOT, GitHub, Refusal, Server
from tests.scripts.github_mock.posting import (
    FORK,
    LIMIT_SEC,
    MARKER,
    OTHER,
    SHA,
    Poster,
    expected,
    needs_gh,
    report,
    slower,
)

pytestmark = needs_gh


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
