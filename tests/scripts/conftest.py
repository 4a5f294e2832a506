"""The stand-in for GitHub, and the poster that is run against it.

With `GITHUB_MOCK_MODULES`, the folder of what npm installed (`nox -s poster`), a proxy stands between the two
and refuses each request and each answer that GitHub's description of its REST API does not allow.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchgate.gate.report import save
from tests.scripts.github_mock.fake import REPOSITORY, GitHub, Server
from tests.scripts.github_mock.posting import (
    LIMIT_SEC,
    PROJECT,
    RUN_URL,
    SHA,
    Poster,
    report,
)
from tests.scripts.github_mock.proxy import listening


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
