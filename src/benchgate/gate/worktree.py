"""The base of a comparison: which commit it is, and a folder in which its files stand.

The base is the merge base of what was asked for and HEAD, so that what others have merged since is in neither
side's figures. A shallow clone may lack it, or hide a later one than it shows: then there is an error that
says what to fetch, never a base that might be another.

The files stand in a worktree outside the repository, on no branch. It is removed with its entry in the
repository however its use ends, and so are the entries of earlier runs that were killed and whose folders are
gone. Entries of anyone else are left alone, also those that `git worktree prune` would take.
"""

import difflib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from benchgate.errors import CouldNotRun
from benchgate.git import checked, git
from benchgate.mirror import scratch_folder
from benchgate.process import undisturbed
from benchgate.terminal import plain

_REMOTE = "origin"
_FETCH = "git fetch --unshallow, or in a workflow fetch-depth: 0 for actions/checkout"
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_FOLDER = "base"
_OURS = re.compile(rf"benchgate-\d{{3}}/{_FOLDER}")
_FULL = ("No space left on device", "Disk quota exceeded", "unable to write")
_SHOWN_NAMES = 3


def merge_base(root: Path, asked: str) -> str:
    """Return the full id of the commit from which HEAD and `asked` both come.

    `asked` is a branch, a tag or a commit, see `known_as`.

    Raises:
        CouldNotRun: There is no git, no checkout at `root`, no commit yet, nothing of that name, no common
            commit, or the clone is too shallow to tell.
    """
    inside = git(root, "rev-parse", "--is-inside-work-tree")
    if inside.code or inside.text != "true":
        reason = inside.reason if inside.code else "this is a repository without one"
        advice = f": git config --global --add safe.directory {root}" if "dubious" in reason else ""
        raise CouldNotRun(f"{root}: expected a git checkout: {reason}{advice}")
    head = _commit(root, "HEAD")
    if not head:
        raise CouldNotRun("HEAD: expected a commit, got a branch without any: commit the change first")
    name = known_as(root, asked)
    other = _commit(root, name)
    answer = git(root, "merge-base", other, head)
    if answer.code > 1:
        raise CouldNotRun(f"git merge-base: {answer.reason}")
    found = answer.text
    if not found:
        if _cuts(root):
            raise CouldNotRun(
                f"this clone is too shallow to have the merge base of {name} and HEAD: {_FETCH}"
            )
        raise CouldNotRun(
            f"{name} and HEAD have no commit in common: expected a branch that the change was made from"
        )
    if found not in {other, head}:
        _require_certain(root, found, (other, head), name)
    return found


def known_as(root: Path, asked: str) -> str:
    """Return the name under which git knows `asked`: itself, else the branch of that name at `origin`.

    Raises:
        CouldNotRun: It is neither, or what no name can be: empty, unprintable or begun with `-`.
    """
    shown = plain(asked)[:100]
    if not asked or asked.startswith("-") or not asked.isprintable():
        raise CouldNotRun(f"base: expected a branch, a tag or a commit, got {shown!r}")
    both = [f"refs/heads/{asked}", f"refs/tags/{asked}"]
    if len(set(map(partial(_commit, root), both)) - {""}) > 1:
        raise CouldNotRun(f"base: a branch and a tag are called {shown}: say {' or '.join(both)}")
    remote = f"{_REMOTE}/{asked}"
    for name in (asked, remote):
        if _commit(root, name):
            return name
    listed = git(root, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes", "refs/tags")
    names = [name for name in listed.text.splitlines() if name != _REMOTE]
    near = difflib.get_close_matches(asked, names, _SHOWN_NAMES) + difflib.get_close_matches(remote, names, 1)
    hint = f"is it {' or '.join(dict.fromkeys(near))}? else " if near else ""
    if _cuts(root):
        raise CouldNotRun(f"base: no branch, tag or commit {shown!r} in this shallow clone: {hint}{_FETCH}")
    raise CouldNotRun(
        f"base: no branch, tag or commit {shown!r} here, nor {_REMOTE}/{shown}: "
        f"{hint}git fetch {_REMOTE}, or in a workflow fetch-depth: 0 for actions/checkout"
    )


@contextmanager
def worktree(root: Path, commit: str) -> Iterator[Path]:
    """Check the commit out in a temporary folder, which is removed at the end.

    `commit` is a full id. Where `root` is a folder within its repository, the base's same folder is given.

    Raises:
        CouldNotRun: It cannot be checked out, for want of space among others, or has no such folder.
    """
    if not _COMMIT.fullmatch(commit):
        raise CouldNotRun(f"base: expected the full id of a commit, got {plain(commit)[:100]!r}")
    prefix = checked(root, "rev-parse", "--show-prefix").text
    top = Path(checked(root, "rev-parse", "--show-toplevel").text).resolve()
    place = Path(tempfile.gettempdir()).resolve()
    if place.is_relative_to(top):
        raise CouldNotRun(
            f"{place}: the folder for temporary files is in the repository: set TMPDIR to another"
        )
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(scratch_folder()).resolve()
        except OSError as fault:
            raise CouldNotRun(f"{place}: the base cannot be checked out: {fault.strerror}") from None
        _forget_killed_runs(root, place)  # once what they left is gone
        path = folder / _FOLDER
        stack.callback(_remove, root, path)
        added = git(root, "worktree", "add", "--quiet", "--detach", str(path), commit)
        if added.code:
            reason = added.reason
            if any(words in added.err for words in _FULL):
                free = shutil.disk_usage(folder).free // 1_000_000
                reason += f", with {free} MB left: free some space, or set TMPDIR to another disk"
            raise CouldNotRun(f"{place}: the base {commit[:10]} cannot be checked out: {reason}")
        base = path / prefix
        if not base.is_dir():
            raise CouldNotRun(f"{prefix}: the base {commit[:10]} has no such folder")
        _require_within(base, path)
        yield base


def _require_within(base: Path, tree: Path) -> None:
    """Check that no link of the base's sources leads out of its tree, to the head's as a rule.

    Raises:
        CouldNotRun: One does: both sides would have the same code.
    """
    for folder, folders, files in os.walk(base / "src"):
        for link in (Path(folder, name) for name in (*folders, *files)):
            if link.is_symlink() and not link.resolve().is_relative_to(tree):
                raise CouldNotRun(
                    f"{link.relative_to(base)}: expected a link within the repository, got one to "
                    f"{plain(str(link.readlink()))}, which is no other at the base: make it relative"
                )


def _commit(root: Path, name: str) -> str:
    """Return the id of the commit that a name stands for, empty when there is none."""
    answer = git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return answer.text if answer.code == 0 else ""


def _cuts(root: Path) -> frozenset[str]:
    """Return the commits whose parents a shallow clone does not have."""
    path = root / checked(root, "rev-parse", "--git-path", "shallow").text
    return frozenset(path.read_text().split()) if path.exists() else frozenset()


def _require_certain(root: Path, found: str, tips: tuple[str, str], name: str) -> None:
    """Refuse a merge base beside which a shallow clone may hide a later one.

    What is found is an ancestor of both in any case. A later one can only be hidden behind a commit that has
    lost its parents and does not itself lie before the one found.
    """
    cuts = _cuts(root)
    if cuts and not cuts.isdisjoint(checked(root, "rev-list", *tips, f"^{found}").text.split()):
        raise CouldNotRun(
            f"this clone is too shallow to be sure of the merge base of {name} and HEAD: {_FETCH}"
        )


def _entries(root: Path) -> list[str]:
    """Return the paths of the repository's worktrees."""
    lines = checked(root, "worktree", "list", "--porcelain").text.splitlines()
    return [line.removeprefix("worktree ") for line in lines if line.startswith("worktree ")]


def _forget_killed_runs(root: Path, place: Path) -> None:
    """Remove the entries of our worktrees below `place` whose folders are gone."""
    for entry in _entries(root):
        ours = Path(entry).is_relative_to(place) and _OURS.fullmatch(str(Path(entry).relative_to(place)))
        if ours and not Path(entry).exists():
            git(root, "worktree", "remove", "--force", "--force", entry)


def _remove(root: Path, path: Path) -> None:
    """Remove a worktree, whole or half made, and its entry.

    The folder goes first, since git refuses to remove what is half made, and does not refuse what is gone.
    """
    with undisturbed():
        shutil.rmtree(path, ignore_errors=True)
        git(root, "worktree", "remove", "--force", "--force", str(path))
        if str(path) in _entries(root):
            raise CouldNotRun(f"{path}: could not be removed: git worktree remove --force --force {path}")
