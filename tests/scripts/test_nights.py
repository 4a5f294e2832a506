"""`scripts/nights.py` against a repository that stands for GitHub's."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "nights.py"
LIMIT_SEC = 30  # for what takes a fraction of one


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(  # noqa: S603 - our own command
        ["git", *identity, *arguments],  # noqa: S607 - the user's git is the one to ask
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=LIMIT_SEC,
    )
    return done.stdout


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with one commit, whose origin is a bare repository beside it."""
    origin, clone = tmp_path / "origin.git", tmp_path / "clone"
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", str(origin))
    git(tmp_path, "clone", "--quiet", origin.as_uri(), str(clone))
    (clone / "code.py").write_text("")
    git(clone, "add", ".")
    git(clone, "commit", "--quiet", "--message", "First")
    git(clone, "push", "--quiet", "origin", "HEAD:main")
    return clone


def nights(clone: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "GH_TOKEN"} | variables
    return subprocess.run(  # noqa: S603 - our own command
        [sys.executable, str(SCRIPT), *arguments],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_SEC,
    )


def kept(clone: Path) -> str:
    return git(clone.parent / "origin.git", "show", "nights:nights.jsonl")


def add(folder: Path, line: str) -> None:
    with (folder / "nights.jsonl").open("a") as file:
        file.write(f"{line}\n")


def test_the_first_night_begins_a_branch_that_holds_nothing_else(clone: Path) -> None:
    done = nights(clone, "fetch", "kept")
    assert done.returncode == 0, done.stderr
    assert "no branch nights yet" in done.stdout
    add(clone / "kept", "one")
    assert nights(clone, "push", "kept").returncode == 0
    assert kept(clone) == "one\n"
    assert git(clone.parent / "origin.git", "ls-tree", "--name-only", "nights") == "nights.jsonl\n"
    assert git(clone.parent / "origin.git", "rev-list", "--count", "nights") == "1\n"
    assert git(clone.parent / "origin.git", "rev-list", "--count", "main") == "1\n"


def test_each_night_joins_those_before(clone: Path) -> None:
    for count, line in enumerate(("one", "two", "three")):
        folder = f"kept{count}"
        assert nights(clone, "fetch", folder).returncode == 0
        add(clone / folder, line)
        assert nights(clone, "push", folder).returncode == 0
    assert kept(clone) == "one\ntwo\nthree\n"


def test_nothing_new_is_nothing_to_push(clone: Path) -> None:
    nights(clone, "fetch", "kept")
    add(clone / "kept", "one")
    nights(clone, "push", "kept")
    nights(clone, "fetch", "again")
    done = nights(clone, "push", "again")
    assert (done.returncode, done.stdout) == (0, "Nothing new to keep.\n")
    assert kept(clone) == "one\n"


def test_nights_that_others_pushed_meanwhile_are_never_lost(clone: Path) -> None:
    nights(clone, "fetch", "kept")
    add(clone / "kept", "one")
    nights(clone, "push", "kept")
    for folder in ("here", "there"):
        nights(clone, "fetch", folder)
        add(clone / folder, folder)
    assert nights(clone, "push", "there").returncode == 0
    assert nights(clone, "push", "here").returncode != 0
    assert kept(clone) == "one\nthere\n"


def test_an_origin_that_cannot_be_asked_is_no_missing_branch(clone: Path) -> None:
    git(clone, "remote", "set-url", "origin", (clone.parent / "gone.git").as_uri())
    done = nights(clone, "fetch", "kept")
    assert done.returncode not in {0, 2}
    assert not (clone / "kept").exists()


def test_a_token_reaches_git_by_its_helper_and_no_command(clone: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    stand_in = tmp_path / "bin" / "git"
    stand_in.parent.mkdir()
    stand_in.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >>"{log}"\nexit 2\n')
    stand_in.chmod(stand_in.stat().st_mode | stat.S_IXUSR)
    path = f"{stand_in.parent}{os.pathsep}{os.environ['PATH']}"
    done = nights(clone, "fetch", "kept", GH_TOKEN="t0ken", PATH=path)
    assert done.returncode == 2
    [call, *_] = log.read_text().splitlines()
    assert call.startswith("-c credential.helper= -c credential.helper=!gh auth git-credential ")
    assert "t0ken" not in log.read_text() + done.stdout + done.stderr
    log.unlink()
    nights(clone, "fetch", "kept", PATH=path)
    assert "credential" not in log.read_text()
