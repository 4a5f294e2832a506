"""What a change touches: the lines that differ between a commit and the working tree, and whose they are.

The working tree counts as it stands, with what is not committed and with new files that git does not ignore;
a file that is renamed is followed where git sees it. Each change has its lines on both sides: what was only
taken away has none at the head, and belongs to the function that had it at the base.

What git prints is read as it is written for programs, so neither a user's settings nor odd file names matter.
The formats: git's documentation of `diff`, "Raw output format" and "Generating patch text with -p".
"""

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG

import msgspec

from benchgate.errors import Unreadable
from benchgate.gate.functions import Range, Scope, scopes
from benchgate.git import checked, git

_DIFF = (
    "diff",
    "--find-renames",
    "--ignore-submodules=all",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--relative",
)
_PATCH = ("--patch", "--unified=0", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/")
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_ESCAPED = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
}
_BINARY_HEAD = 8000  # git takes a file for binary by a null byte among these, too


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """The difference between a commit and a working tree. Paths are below the root, with `/`.

    Attributes:
        commit: What the working tree is compared with.
        lines: Every file that the change touches and the head has, with the lines that are new or altered.
        base_lines: Every file that the change touches and the base has, with the lines altered or gone.
        origins: The file's path at the base, for each file of `lines` that the base has.
        binary: The files without lines since git does not take them for text, by their path at the head, or
            at the base for those that are gone.
    """

    commit: str
    lines: dict[str, tuple[Range, ...]]
    base_lines: dict[str, tuple[Range, ...]]
    origins: dict[str, str]
    binary: frozenset[str]

    def touches(self, path: str, qualname: str, root: Path) -> bool | None:
        """Whether the change touches a function's own lines, not only those of one defined within it.

        A file at `path` below `root` is meant, and a name as in `benchgate.gate.functions`. None when it
        cannot be known: the file is elsewhere, is not Python, or has no such function on either side.
        """
        name = _below(root, path)
        if name is None:
            return None
        origin = self.origins.get(name) if name in self.lines else name
        if name not in self.lines and origin not in self.base_lines:
            return False if (root / name).is_file() else None
        sides = [(self.lines.get(name, ()), _scopes(_content(root / name)))]
        if origin is not None:
            sides.append((self.base_lines.get(origin, ()), _scopes(self._base(root, origin))))
        known = [
            any(scope.touched(changed) for scope in found[qualname])
            for changed, found in sides
            if found is not None and qualname in found
        ]
        if any(known):
            return True
        unread = any(changed and found is None for changed, found in sides)
        return None if not known or unread or name in self.binary else False

    def where(self, path: str, qualname: str, root: Path) -> str:
        """Return `path:line` for a function of the head below `root`, and the path alone for any other."""
        name = _below(root, path)
        found = None if name is None else _scopes(_content(root / name))
        if name is None or not found or qualname not in found:
            return path
        return f"{name}:{found[qualname][0].lines[0]}"

    def _base(self, root: Path, name: str) -> bytes | None:
        answer = git(root, "cat-file", "blob", f"{self.commit}:./{name}")
        return answer.out if answer.code == 0 else None


def read(root: Path, commit: str) -> Change:
    """Compare the working tree at `root` with a commit, given by its full id.

    Raises:
        CouldNotRun: git cannot, with the reason that it gives.
        Unreadable: It answers in a form that this does not know.
    """
    listing = checked(root, *_DIFF, "--raw", "--numstat", "-z", commit, "--", ".").out
    pairs, binary = _listed(listing)
    lines: dict[str, list[Range]] = {new: [] for _, new in pairs if new is not None}
    base_lines: dict[str, list[Range]] = {old: [] for old, _ in pairs if old is not None}
    for old, new, before, after in _hunks(checked(root, *_DIFF, *_PATCH, commit, "--", ".").out):
        if old is not None and before is not None:
            base_lines.setdefault(old, []).append(before)
        if new is not None and after is not None:
            lines.setdefault(new, []).append(after)
    untracked = checked(root, "ls-files", "--others", "--exclude-standard", "-z", "--", ".").out
    for name in map(os.fsdecode, filter(None, untracked.split(b"\0"))):
        content = _content(root / name)
        if content is not None:
            count = content.count(b"\n") + (not content.endswith(b"\n"))
            is_binary = b"\0" in content[:_BINARY_HEAD]
            lines[name] = [(1, count)] if content and not is_binary else []
            binary |= {name} if is_binary else set()
    return Change(
        commit=commit,
        lines={name: tuple(ranges) for name, ranges in lines.items()},
        base_lines={name: tuple(ranges) for name, ranges in base_lines.items()},
        origins={new: old for old, new in pairs if old is not None and new is not None},
        binary=frozenset(binary),
    )


def _listed(listing: bytes) -> tuple[list[tuple[str | None, str | None]], set[str]]:
    """Return the files before and after, None where there is none, and which of them git takes for binary."""
    pairs: list[tuple[str | None, str | None]] = []
    binary: set[str] = set()
    fields = iter(listing.split(b"\0")[:-1])
    try:
        for field in fields:
            if field.startswith(b":"):
                status = field.rsplit(b" ", 1)[1][:1]
                path = os.fsdecode(next(fields))
                old, new = (path, os.fsdecode(next(fields))) if status in {b"R", b"C"} else (path, path)
                pairs.append((None if status == b"A" else old, None if status == b"D" else new))
                continue
            added, _, name = field.split(b"\t", 2)
            if not name:
                next(fields)
                name = next(fields)
            if added == b"-":
                binary.add(os.fsdecode(name))
    except (StopIteration, IndexError, ValueError):
        raise Unreadable("git diff --raw --numstat: expected its documented format, got another") from None
    return pairs, binary


def _hunks(patch: bytes) -> Iterator[tuple[str | None, str | None, Range | None, Range | None]]:
    """Yield for each hunk the file and its lines before and after, None where there are none."""
    old: str | None = None
    new: str | None = None
    left = 0
    for line in patch.split(b"\n"):
        if left:
            left -= not line.startswith(b"\\")  # "\ No newline at end of file" is not a line of either
        elif line.startswith(b"--- "):
            old = _path(line[4:])
        elif line.startswith(b"+++ "):
            new = _path(line[4:])
        elif match := _HUNK.match(line):
            start, count, new_start, new_count = (1 if text is None else int(text) for text in match.groups())
            left = count + new_count
            before = (start, start + count - 1) if count else None
            yield old, new, before, (new_start, new_start + new_count - 1) if new_count else None
    if left:
        raise Unreadable("git diff: expected a whole patch, got one that is cut off")


def _path(header: bytes) -> str | None:
    """Return the path in a header of a patch, None when there is no file on that side."""
    if header.startswith(b'"'):
        header = _ESCAPE.sub(_unescaped, header.rstrip(b"\t")[1:-1])
    else:
        header = header.removesuffix(b"\t")  # which git adds to a path with a space
        if header == b"/dev/null":
            return None
    return os.fsdecode(header[2:])


def _unescaped(match: re.Match[bytes]) -> bytes:
    text = match[1]
    return bytes([int(text, 8)]) if len(text) == 3 else _ESCAPED.get(text, text)


def _below(root: Path, path: str) -> str | None:
    """Return a path's name below the root, None when it is not there."""
    inside = Path(os.path.relpath(root / path, root))
    return None if not inside.parts or inside.parts[0] == ".." else inside.as_posix()


def _content(path: Path) -> bytes | None:
    """Return a regular file's content, None when it is none or cannot be read."""
    try:
        return path.read_bytes() if S_ISREG(path.lstat().st_mode) else None
    except (OSError, ValueError):  # ValueError: a null byte in the path
        return None


@lru_cache(maxsize=256)
def _scopes(source: bytes | None) -> dict[str, tuple[Scope, ...]] | None:
    """Return a source's scopes, None when it has none that can be read."""
    if source is None:
        return None
    try:
        return scopes(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
