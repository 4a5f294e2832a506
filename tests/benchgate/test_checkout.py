import os
import subprocess
from pathlib import Path

import pytest

from benchgate.checkout import Checkout
from benchgate.errors import CouldNotRun
from tests.benchgate.samples import write


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-C", str(root), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603 - our own


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one commit."""
    write(tmp_path, {"a.txt": "one\ntwo\n", "in/b.txt": "b\n", ".gitignore": "ignored\n"})
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "first")
    return tmp_path


def test_what_differs_from_a_commit(root: Path) -> None:
    commit = git(root, "rev-parse", "HEAD").strip()
    assert Checkout(root).changed_since(commit) == ()
    write(root, {"c.txt": "c", "ignored": "", "in/odd\nname \u00e9": "new"})
    git(root, "add", "c.txt")
    git(root, "mv", "in/b.txt", "in/moved.txt")
    git(root, "commit", "--quiet", "--message", "second")
    write(root, {"a.txt": "changed\n"})
    (root / os.fsdecode(b"in/\xff")).touch()
    assert Checkout(root).changed_since(commit) == (
        "a.txt",
        "c.txt",
        "in/b.txt",
        "in/moved.txt",
        "in/odd\nname \u00e9",
        "in/\ufffd",
    )
    assert Checkout(root / "in").changed_since(commit) == ("b.txt", "moved.txt", "odd\nname \u00e9", "\ufffd")
    assert "ignored" not in Checkout(root).files()


def test_a_commit_is_known_by_its_full_name_only(root: Path) -> None:
    commit = git(root, "rev-parse", "HEAD").strip()
    checkout = Checkout(root)
    assert checkout.knows(commit)
    tree = git(root, "rev-parse", "HEAD^{tree}").strip()
    for other in ("", "HEAD", commit[:10], "0" * 40, tree, "--output=x", f"{commit}\n"):
        assert not checkout.knows(other)


def test_lines_of_a_file_as_it_was(root: Path) -> None:
    write(root, {"a.txt": "changed\n"})
    assert Checkout(root).lines_at("HEAD", Path("a.txt")) == ("one", "two")
    assert Checkout(root).lines_at("HEAD", Path("c.txt")) == ()
    assert Checkout(root / "in").lines_at("HEAD", Path("b.txt")) == ("b",)


def test_releases_are_tags_of_three_numbers_in_their_order(root: Path) -> None:
    for tag in ("v0.10.0", "v0.9.1", "v1.0.0rc1", "v2", "v0.2.0-x", "0.3.0", "version"):
        git(root, "tag", tag)
    git(root, "switch", "--quiet", "--create", "other")
    git(root, "commit", "--quiet", "--allow-empty", "--message", "apart")
    git(root, "tag", "v0.11.0")
    assert Checkout(root).released() == ("v0.9.1", "v0.10.0", "v0.11.0")
    git(root, "switch", "--quiet", "-")
    assert Checkout(root).released() == ("v0.9.1", "v0.10.0")
    assert Checkout(root).released(here=False) == ("v0.9.1", "v0.10.0", "v0.11.0")


def test_a_shallow_clone_is_refused_with_what_to_do(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    git(root, "commit", "--quiet", "--allow-empty", "--message", "second")
    clone = tmp_path_factory.mktemp("clone")
    git(root, "clone", "--quiet", "--depth=1", root.as_uri(), str(clone))
    with pytest.raises(CouldNotRun, match=r"shallow clone: `git fetch --unshallow --tags`"):
        Checkout(clone)
    git(clone, "fetch", "--quiet", "--unshallow", "--tags")
    Checkout(clone)


def test_a_hook_that_calls_does_not_name_another_repository(
    root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    commit = git(root, "rev-parse", "HEAD").strip()
    monkeypatch.setenv("GIT_DIR", str(tmp_path_factory.mktemp("other")))
    assert Checkout(root).knows(commit)


def test_what_is_no_checkout_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        CouldNotRun,
        match=r"expected a git checkout, got none \(not a git repository.*\): run this in a clone",
    ):
        Checkout(tmp_path)
    git(tmp_path, "init", "--quiet")
    with pytest.raises(CouldNotRun, match="expected a checkout with a commit"):
        Checkout(tmp_path)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(CouldNotRun, match="git cannot be run"):
        Checkout(tmp_path)
