"""Notice what changes while the gate counts: its passes are then of different things, and tell nothing.

What counts is what a counted process sees: the files of its mirror, and the packages that are installed,
since also one that no bench imports moves counts.
"""

import os
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

import msgspec

from benchgate.figures import first_few
from benchgate.libraries import installed
from benchgate.mirror import linked

_UNREAD = "tests"  # edited while one waits for the gate, and read by no bench


class Present(msgspec.Struct, frozen=True):
    """What there is at one time.

    Attributes:
        packages: The name and version of each package that is installed.
        files: A digest of each file that a bench may read, by its path below the repository's root.
    """

    packages: frozenset[str]
    files: Mapping[str, bytes]


def present(root: Path) -> Present:
    """Read what there is in this interpreter's environment and in the repository at `root`."""
    return Present(installed(), {str(path.relative_to(root)): _digest(path) for path in _files(root)})


def changes(before: Present, after: Present) -> tuple[str, ...]:
    """Say what is another one than before; nothing where all is the same."""
    packages = sorted(before.packages ^ after.packages)
    names = before.files.keys() | after.files.keys()
    files = sorted(name for name in names if before.files.get(name) != after.files.get(name))
    told = []
    if packages:
        told.append(
            f"packages were installed or removed while it counted ({first_few(packages)}): run the gate again"
        )
    if files:
        told.append(f"files were edited while it counted ({first_few(files)}): run the gate again")
    return tuple(told)


def _files(root: Path) -> Iterable[Path]:
    """Return the files that a counted process sees, without hidden ones such as those of an editor."""
    for entry in linked(root):
        if entry.is_file():
            yield entry
        elif entry.name != _UNREAD:
            for folder, folders, names in os.walk(entry):
                folders[:] = [name for name in folders if name != "__pycache__" and not name.startswith(".")]
                yield from (Path(folder, name) for name in names if not name.startswith("."))


def _digest(path: Path) -> bytes:
    try:
        return sha256(path.read_bytes()).digest()
    except OSError:  # gone since its folder was listed, or no file to read
        return b""
