"""A stand-in for GitHub's REST API on loopback: pull requests and their comments, and nothing else.

It answers with the examples of GitHub's own description, filled in, so that what it says can be held against
that description by a proxy (`proxy.py`).
"""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.scripts.github_mock.description import example

REPOSITORY = "octocat/Hello-World"
ROOT = f"/repos/{REPOSITORY}"
BOT = ("github-actions[bot]", "Bot")


class Refusal(Exception):  # noqa: N818 - named for what happens
    """An answer other than success."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class GitHub:
    """What GitHub knows, and the requests it had.

    Attributes:
        pulls: The pull requests, as GitHub describes them.
        comments: The comments of all pull requests, by id.
        requests: Method, path and the value of `Authorization` of each request.
        refusals: What a method is refused with, whatever it asks for.
        vanishing: The comments that somebody deletes after they were listed, by id, and the status then.
    """

    def __init__(self) -> None:
        self.pulls: list[dict[str, Any]] = []
        self.comments: dict[int, dict[str, Any]] = {}
        self.requests: list[tuple[str, str, str]] = []
        self.refusals: dict[str, Refusal] = {}
        self.vanishing: dict[int, int] = {}

    def open(
        self, number: int, *, sha: str, branch: str = "change", repo: str = REPOSITORY, base: str = "main"
    ) -> dict[str, Any]:
        """Open a pull request."""
        [pull] = example("pull-request-simple-items")
        owner, name = repo.split("/")
        # The example's team lacks a field that the description requires.
        pull |= {"number": number, "state": "open", "requested_teams": []}
        pull["head"] |= {"ref": branch, "sha": sha, "label": f"{owner}:{branch}"}
        pull["head"]["repo"] |= {"full_name": repo, "name": name, "fork": repo != REPOSITORY}
        pull["head"]["repo"]["owner"] |= {"login": owner}
        pull["base"] |= {"ref": base, "label": f"octocat:{base}"}
        self.pulls.append(pull)
        return pull  # type: ignore[no-any-return]  # an example is any JSON

    def say(self, number: int, body: str, author: tuple[str, str] = BOT) -> int:
        """Comment on a pull request; return the comment's id."""
        comment = example("issue-comment")
        identity = 1000 + len(self.comments)
        while identity in self.comments:
            identity += 1
        comment |= {
            "id": identity,
            "body": body,
            "issue_url": f"https://api.github.com{ROOT}/issues/{number}",
        }
        comment["user"] |= {"login": author[0], "type": author[1]}
        self.comments[identity] = comment
        return identity

    def bodies(self, number: int) -> list[str]:
        """Return the texts under a pull request, oldest first."""
        return [comment["body"] for comment in self._thread(number)]

    def answer(self, method: str, target: str, content: Any) -> tuple[int, Any]:
        """Do what a request asks for; return the status and the content of the answer."""
        if method in self.refusals:
            raise self.refusals[method]
        url = urlsplit(target)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if (method, url.path) == ("GET", f"{ROOT}/pulls"):
            return 200, _page(self._found(query), query)
        if thread := re.fullmatch(rf"{ROOT}/issues/(\d+)/comments", url.path):
            number = int(thread[1])
            if number not in {pull["number"] for pull in self.pulls}:
                raise Refusal(404, "Not Found")
            if method == "GET":
                return 200, _page(self._thread(number), query)
            return 201, self.comments[self.say(number, content["body"])]
        if single := re.fullmatch(rf"{ROOT}/issues/comments/(\d+)", url.path):
            return self._change(method, int(single[1]), content)
        raise Refusal(404, "Not Found")

    def _change(self, method: str, identity: int, content: Any) -> tuple[int, Any]:
        if identity in self.vanishing:
            del self.comments[identity]
            raise Refusal(self.vanishing[identity], "Not Found")
        if method == "DELETE":
            del self.comments[identity]
            return 204, None
        self.comments[identity]["body"] = content["body"]
        return 200, self.comments[identity]

    def _thread(self, number: int) -> list[dict[str, Any]]:
        return [
            comment
            for _, comment in sorted(self.comments.items())
            if comment["issue_url"].endswith(f"/issues/{number}")
        ]

    def _found(self, query: dict[str, str]) -> list[dict[str, Any]]:
        """Filter as GitHub does: by the owner of the head's repository and its branch."""
        return [
            pull
            for pull in self.pulls
            if pull["state"] == query["state"] and pull["head"]["label"] == query["head"]
        ]


def _page(items: list[dict[str, Any]], query: dict[str, str]) -> list[dict[str, Any]]:
    size, page = int(query.get("per_page", "30")), int(query.get("page", "1"))
    return items[(page - 1) * size : page * size]


class Server:
    """The stand-in, listening at `url`; `github` is replaced for every test."""

    def __init__(self) -> None:
        self.github = GitHub()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_request(self) -> None:
                content = self._content()
                server.github.requests.append(
                    (self.command, self.path, self.headers.get("Authorization", ""))
                )
                try:
                    status, answer = server.github.answer(
                        self.command, self.path, json.loads(content or "null")
                    )
                except Refusal as refusal:
                    status, answer = refusal.status, {"message": str(refusal), "documentation_url": ""}
                body = b"" if answer is None else json.dumps(answer).encode()
                self.send_response(status)
                if body:
                    self.send_header("Content-Type", "application/json; charset=utf-8")
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def _content(self) -> bytes:
                if self.headers.get("Transfer-Encoding") != "chunked":
                    return self.rfile.read(int(self.headers.get("Content-Length", "0")))
                content = b""
                while size := int(self.rfile.readline(), 16):
                    content += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return content

            def log_message(self, *_: object) -> None:
                """Keep quiet."""

            do_GET = do_POST = do_PATCH = do_DELETE = handle_request  # noqa: N815 - names of http.server

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
