"""Post the gate's report on the pull request it was made for, as one comment that a later run replaces.

The gate measures code that nobody has reviewed, so it runs without any right. This runs afterwards, from the
default branch and with the right to comment (`.github/workflows/gate-comment.yml`), and takes from that run
its report and nothing else: no number of a pull request, no Markdown. The pull request is asked of GitHub, by
the head that GitHub says the run had; the comment is rendered here, from a record whose types and bounds are
checked.

Its argument is the folder with the run's files; what GitHub says of the run is in the environment (`Run`).
GitHub is reached through `gh api` alone, with the token in GH_TOKEN.

Exit codes: 0 posted, or there is nothing to post on; 1 the comment says that there is no report to read, or
GitHub refused it and it stands in the log.

Sources: GitHub's REST API, version 2022-11-28; "Keeping your GitHub Actions and workflows secure, part 1:
preventing pwn requests", GitHub Security Lab.
"""

import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypeVar
from urllib.parse import urlencode

import msgspec

from benchgate.errors import EXIT_COULD_NOT_TELL, EXIT_OK, Unreadable
from benchgate.gate.comment import markdown
from benchgate.gate.report import REPORT, Report, load
from benchgate.terminal import plain

MARKER = "<!-- tapemark:gate -->"
PER_PAGE = 100  # the most that GitHub gives
MAX_PAGES = 50
LIMIT_SEC = 60  # for one request
GONE = (404, 410)
# A run that somebody or a newer push cancelled, or that never began, has nothing to say.
SPEAKING = ("success", "failure", "timed_out")
# The session of the gate does not fail over what could not be told.
GREEN = (EXIT_OK, EXIT_COULD_NOT_TELL)

Url = Annotated[str, msgspec.Meta(pattern=r"^https?://[^\s()<>]+\Z")]
FullName = Annotated[str, msgspec.Meta(pattern=r"^[\w.-]+/[\w.-]+\Z")]
Commit = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{40}\Z")]
Item = TypeVar("Item")


class Refused(Exception):  # noqa: N818 - named for what happened
    """GitHub did not do what was asked; `status` is 0 when there was no answer."""

    def __init__(self, request: str, status: int, why: str) -> None:
        super().__init__(plain(f"{request}: HTTP {status}: {why}" if status else f"{request}: {why}"))
        self.status = status


class Run(msgspec.Struct, frozen=True):
    """What GitHub says of the run that measured; each field is the variable of that name in capitals.

    Attributes:
        github_repository: Where the pull request is, as `owner/name`.
        github_api_url: The root of the REST API.
        head_sha: The commit at the head of the pull request when the run began.
        head_branch: The branch of that head.
        run_url: The run's page.
        conclusion: How the run ended.
        head_repository: Where the head is, a fork perhaps; empty when it has been deleted.
        comment_author: The login that comments, another one for the token of a GitHub App.
    """

    github_repository: FullName
    github_api_url: Url
    head_sha: Commit
    head_branch: str
    run_url: Url
    conclusion: str
    head_repository: FullName | None = None
    comment_author: str = "github-actions[bot]"

    @classmethod
    def of(cls, variables: Mapping[str, str]) -> "Run":
        """Take the fields from variables; one that is empty is missing.

        Raises:
            msgspec.ValidationError: One is missing or not what GitHub would say.
        """
        values = {name: variables.get(name.upper(), "") for name in cls.__struct_fields__}
        return msgspec.convert({name: value for name, value in values.items() if value}, cls)


class Repository(msgspec.Struct, frozen=True):
    """A repository, as far as it is looked at."""

    full_name: str


class Branch(msgspec.Struct, frozen=True):
    """A side of a pull request; its repository may have been deleted."""

    ref: str
    sha: str
    repo: Repository | None


class Pull(msgspec.Struct, frozen=True):
    """A pull request, as far as it is looked at."""

    number: int
    head: Branch
    base: Branch


class User(msgspec.Struct, frozen=True):
    """An account, as far as it is looked at."""

    login: str
    type: str


class Comment(msgspec.Struct, frozen=True):
    """A comment; its author may have been deleted."""

    id: int
    user: User | None
    body: str | None = None


class GitHub:
    """The five routes of GitHub's REST API that are needed, each through `gh api`."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._root = f"{run.github_api_url}/repos/{run.github_repository}"
        # For a host other than github.com, gh takes the token from another variable.
        token = os.environ.get("GH_TOKEN", "")
        self._environment = os.environ | {"GH_ENTERPRISE_TOKEN": token, "GH_PROMPT_DISABLED": "1"}

    def open_pulls(self) -> list[Pull]:
        """Return the open pull requests whose head is that of the run.

        They are asked for by branch, since GitHub finds none by a commit that only a fork has. All of the
        head is compared, since anybody can open a pull request with a commit of somebody else.
        """
        run = self._run
        if not run.head_repository:
            return []
        head = f"{run.head_repository.partition('/')[0]}:{run.head_branch}"
        ours = (run.head_repository, run.head_branch, run.head_sha)
        return [
            pull
            for pull in self._pages("pulls", Pull, state="open", head=head)
            if pull.head.repo and (pull.head.repo.full_name, pull.head.ref, pull.head.sha) == ours
        ]

    def put(self, number: int, body: str) -> str:
        """Replace our comment on a pull request by `body`, or post one; return which.

        The first of ours is kept, so that links to it stay right. Two runs that end together can post two:
        the others are deleted, lest an old verdict stand beside the new one.
        """
        thread = f"issues/{number}/comments"
        ours = [comment.id for comment in self._pages(thread, Comment) if self._is_ours(comment)]
        for other in ours[1:]:
            self._change("DELETE", other)
        if ours and self._change("PATCH", ours[0], body):
            return "replaced"
        self._ask("POST", thread, body)
        return "posted"

    def _is_ours(self, comment: Comment) -> bool:
        """Tell whether it is from here; anybody can write the marker, so the author counts as well."""
        return (
            comment.user is not None
            and (comment.user.login, comment.user.type) == (self._run.comment_author, "Bot")
            and (comment.body or "").startswith(MARKER)
        )

    def _change(self, method: str, comment: int, body: str | None = None) -> bool:
        """Replace or delete a comment; return whether it was still there."""
        try:
            self._ask(method, f"issues/comments/{comment}", body)
        except Refused as refusal:
            if refusal.status not in GONE:
                raise
            return False
        return True

    def _pages(self, route: str, kind: type[Item], **query: str) -> list[Item]:
        """Return all that a route lists."""
        found: list[Item] = []
        for page in range(1, MAX_PAGES + 1):
            asked = urlencode(query | {"per_page": str(PER_PAGE), "page": str(page)})
            answer = self._ask("GET", f"{route}?{asked}")
            items = [msgspec.convert(item, kind) for item in msgspec.json.decode(answer, type=list[object])]
            found += items
            if len(items) < PER_PAGE:
                break
        return found

    def _ask(self, method: str, route: str, body: str | None = None) -> str:
        """Send one request; return the content of its answer.

        Raises:
            Refused: The answer is another than success, or there is none.
        """
        request = f"{method} {route.partition('?')[0]}"
        command = ["gh", "api", f"{self._root}/{route}", "--include", "--method", method]
        command += ["--header", "Accept: application/vnd.github+json"]
        command += ["--header", "X-GitHub-Api-Version: 2022-11-28"]
        # Not as an argument, where a text could be taken for the name of a file.
        content = "" if body is None else json.dumps({"body": body})
        try:
            done = subprocess.run(  # noqa: S603 - no shell, and the route is made here
                [*command, *(("--input", "-") if content else ())],
                input=content,
                env=self._environment,
                capture_output=True,
                encoding="utf-8",
                timeout=LIMIT_SEC,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as fault:
            raise Refused(request, 0, str(fault)) from None
        head, _, answer = done.stdout.replace("\r\n", "\n").partition("\n\n")
        status = re.match(r"HTTP/[0-9.]+ ([0-9]{3})\b", head)
        if status is None or done.returncode != 0:
            raise Refused(request, int(status[1]) if status else 0, done.stderr or "no answer")
        return answer


def read(folder: Path, commit: str) -> Report:
    """Read the report that a run left on `commit`.

    Raises:
        FileNotFoundError: It left none.
        Unreadable: It is no regular file, too large, not a report, or one on another commit.
    """
    path = folder / REPORT
    if not stat.S_ISREG(path.lstat().st_mode):
        raise Unreadable(f"{REPORT}: expected a regular file, got another kind")
    report = load(path)
    if report.head.commit != commit:
        raise Unreadable(f"{REPORT}: head: expected {commit}, got {report.head.commit}")
    return report


def compose(run: Run, folder: Path) -> tuple[str, Report | None]:
    """Return the comment, and the report that it shows if there is one to read."""
    try:
        report = read(folder, run.head_sha)
    except FileNotFoundError:
        sentence = "There is no report of the gate"
    except Unreadable as fault:
        say(str(fault))
        sentence = "The gate's report cannot be read"
    else:
        # A report is written by what it reports on, and a step after the gate may have failed.
        agree = (run.conclusion == "success") == (report.exit_code in GREEN)
        ended = run.conclusion.replace("_", " ")
        other = f"The run itself ended with {ended}, which this report does not tell"
        doubt = "" if agree else f"**{other}**; see [it]({run.run_url}).\n\n"
        return f"{MARKER}\n{doubt}{markdown(report, run_url=run.run_url)}", report
    return f"{MARKER}\n**{sentence}**; see [its run]({run.run_url}).\n", None


def say(text: str) -> None:
    """Print lines that may hold anything, so that the runner takes none of them for a command to it.

    It obeys a line that begins with `::` after any blanks, and `##[` anywhere in a line.
    """
    for line in text.splitlines():
        print(f"| {plain(line).replace('##[', '## [')}")


def main(arguments: list[str]) -> int:
    """Post the report in the folder that is given; return the exit code."""
    [folder] = arguments
    run = Run.of(os.environ)
    if run.conclusion not in SPEAKING:
        say(f"nothing is posted for a run that ended as {run.conclusion}")
        return 0
    body, report = compose(run, Path(folder))
    github = GitHub(run)
    try:
        pulls = github.open_pulls()
        # A branch may be offered to two bases, each with a run. The report's word only chooses among its own.
        asked = [pull for pull in pulls if report and report.asked == f"origin/{pull.base.ref}"]
        for pull in asked or pulls:
            say(f"#{pull.number}: {github.put(pull.number, body)}")
    except Refused as refusal:
        say(f"{refusal}\nThe comment that could not be posted:\n{body}")
        return 1
    if not pulls:
        say(f"nothing is posted: no open pull request has {run.head_sha} for its head any more")
        return 0
    return 0 if report else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
