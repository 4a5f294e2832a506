"""A repository in a folder of its own, and the command line run in it."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.benchgate.samples import command, environment_variables, make_repository

RunCli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with four benches."""
    return make_repository(tmp_path)


@pytest.fixture
def cli(repository: Path) -> RunCli:
    """Run the command line in that repository."""

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603 - our own command
            command(*arguments),
            cwd=repository,
            env=environment_variables(),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return call
