"""A checkout of the whole history, and what git knows about it.

Paths are relative to the root that is asked about, with slashes, whatever folder of the repository that is.
Answers are read with NUL between the names (`-z` in git's manuals), so that no name can be taken for two; a
name that is not text shows U+FFFD where it is not.
"""

import re
from pathlib import Path

from benchgate.errors import CouldNotRun
from benchgate.git import checked, git

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_RELEASE = re.compile(r"v([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})")


class Checkout:
    """The working tree at a root, with all that led to it.

    Raises:
        CouldNotRun: git cannot be run or refuses, the root is in no repository, or its history was cut off.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        top = git(root, "rev-parse", "--show-toplevel")
        if top.code:
            raise CouldNotRun(
                f"{root}: expected a git checkout, got none ({top.reason}): run this in a clone"
            )
        if not self._answers("rev-parse", "--verify", "HEAD^{commit}"):
            raise CouldNotRun(f"{root}: expected a checkout with a commit, got none")
        if self._text("rev-parse", "--is-shallow-repository").strip() != "false":
            fetch = "git fetch --unshallow --tags"
            raise CouldNotRun(
                f"{root}: expected the whole history, got a shallow clone: `{fetch}` brings the rest"
            )

    def knows(self, commit: str) -> bool:
        """Whether `commit` is the full name of a commit that is at hand."""
        return bool(_COMMIT.fullmatch(commit)) and self._answers("cat-file", "-e", f"{commit}^{{commit}}")

    def released(self, *, here: bool = True) -> tuple[str, ...]:
        """Return the tags `v<major>.<minor>.<patch>` in the order of their versions.

        `here` leaves out what is not part of the history of HEAD.
        """
        tags = self._text("tag", "--list", "v*", *(["--merged", "HEAD"] if here else [])).splitlines()
        return tuple(sorted(filter(_RELEASE.fullmatch, tags), key=lambda tag: numbers_of(tag) or ()))

    def changed_since(self, commit: str) -> tuple[str, ...]:
        """Return the files that differ between `commit` and the working tree, and those unknown to git."""
        diff = self._text("diff", "--name-only", "--no-renames", "--relative", "-z", commit, "--")
        unknown = self._text("ls-files", "--others", "--exclude-standard", "-z")
        return _names(diff + unknown)

    def files(self) -> tuple[str, ...]:
        """Return all files of the working tree that git knows or would take."""
        return _names(self._text("ls-files", "--cached", "--others", "--exclude-standard", "-z"))

    def lines_at(self, commit: str, path: Path) -> tuple[str, ...]:
        """Return the lines of a file as it was at `commit`, none where it was not."""
        name = f"{commit}:./{path.as_posix()}"
        return tuple(self._text("show", name).splitlines()) if self._answers("cat-file", "-e", name) else ()

    def _answers(self, *arguments: str) -> bool:
        return git(self._root, *arguments).code == 0

    def _text(self, *arguments: str) -> str:
        return checked(self._root, *arguments).out.decode("utf-8", "replace")


def numbers_of(tag: str) -> tuple[int, int, int] | None:
    """Return the numbers of a release's tag, None for any other text."""
    match = _RELEASE.fullmatch(tag)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def _names(answer: str) -> tuple[str, ...]:
    return tuple(sorted({name for name in answer.split("\0") if name}))
