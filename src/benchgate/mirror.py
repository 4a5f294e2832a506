"""A repository as a counted process sees it: always at a path of the same length, and with nothing beside it.

Where a repository lies, and what else lies in its root (environments, caches, results), is in the strings and
listings that Python keeps of every folder it imports from, and so in the heap that the benches share. A
mirror is a temporary folder of links: to the root's folders that git does not ignore, to the files that
configure pytest, and to the packages in `src`, where `benchgate` is always the one that is running.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir

from benchgate.errors import CouldNotRun
from benchgate.process import undisturbed
from benchgate.terminal import plain

_NUMBERS = 1000
_PLAIN = re.compile(r"[\w ./+,=@~()-]+", re.ASCII)

RESULTS = "results"  # left out also where git does not know to ignore it
FILES = ("conftest.py", "pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini")


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make a temporary folder, named by the first number that is free, and remove it at the end.

    A random name would be in every path of the mirror, and the order of sets follows such texts' hashes.
    Runs that follow each other get the same name, also after one that was killed, whose folder is removed.

    Raises:
        CouldNotRun: All numbers are taken, or valgrind and Python could not be given such a path.
    """
    place = gettempdir()
    if not _PLAIN.fullmatch(place):
        raise CouldNotRun(
            f"{plain(place)}: the folder for temporary files has to have a plain name, of ASCII without `:`, "
            "`%` and quotes: set TMPDIR to another"
        )
    for number in range(_NUMBERS):
        folder = Path(place) / f"benchgate-{number:03}"
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        with _owned(folder) as is_ours:
            if not is_ours:
                continue
            try:
                for left in folder.iterdir():  # of a run that was killed
                    left.unlink() if left.is_symlink() or left.is_file() else shutil.rmtree(left)
                yield folder
            finally:
                with undisturbed():
                    shutil.rmtree(folder)
            return
    raise CouldNotRun(f"{place}: the folders benchgate-000 and so on are all taken")


@contextmanager
def _owned(folder: Path) -> Iterator[bool]:
    """Hold a folder and say whether it is free and ours; the system lets go of it when this process dies.

    In a folder that all may write to, somebody may have put a link in its place, or a folder of their own.
    """
    import fcntl  # noqa: PLC0415 - what does not count runs also where there is none

    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:  # or it has just been removed
        yield False
        return
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            held = os.fstat(handle)
            is_ours = held.st_uid == os.getuid() and os.path.samestat(folder.lstat(), held)
        except OSError:  # another run has it, or has just removed it
            is_ours = False
        yield is_ours
    finally:
        os.close(handle)


@contextmanager
def pass_folder(within: Path | None) -> Iterator[Path]:
    """Make the folder of one pass in `within`, or a scratch folder of its own, and remove it at the end.

    Passes that are compared must have the same path. Whoever makes several keeps one folder for all of them:
    other runs may come and go on the machine meanwhile, and the next scratch folder may have another number.
    """
    if within is None:
        with scratch_folder() as folder:
            yield folder
        return
    folder = within / "pass"
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        with undisturbed():
            shutil.rmtree(folder)


def mirror(root: Path, folder: Path, sources: Path | None = None) -> Path:
    """Make `folder` a mirror of the repository at `root`; return it.

    The packages in `src` are those of the repository at `sources`, when another is given.
    """
    (folder / "src").mkdir(parents=True)
    for entry in linked(root):
        if entry.name != "src":
            (folder / entry.name).symlink_to(entry.resolve())
    ours = Path(__file__).parent
    (folder / "src" / ours.name).symlink_to(ours)
    packages = (sources or root) / "src"
    if packages.is_dir():
        for entry in sorted(packages.iterdir()):
            if entry.name not in {ours.name, "__pycache__"}:
                (folder / "src" / entry.name).symlink_to(entry.resolve())
    return folder


def linked(root: Path) -> tuple[Path, ...]:
    """Return what a mirror of the repository at `root` shows: folders, then files, in a fixed order."""
    folders = [entry for entry in root.iterdir() if entry.is_dir() and not entry.name.startswith(".")]
    return (*_not_ignored(root, folders), *(root / name for name in FILES if (root / name).is_file()))


def _not_ignored(root: Path, entries: Iterable[Path]) -> list[Path]:
    """Return the entries that git does not ignore, all of them outside a repository, in a fixed order."""
    ordered = sorted(entry for entry in entries if entry.name not in {"__pycache__", RESULTS})
    names = b"".join(os.fsencode(f"{entry.name}/\0") for entry in ordered)
    try:
        answer = subprocess.run(
            ["git", "check-ignore", "-z", "--stdin"],  # noqa: S607 - the user's git is the one to ask
            cwd=root,
            input=names,
            capture_output=True,
            check=False,
        )
    except OSError:
        return ordered
    answered = os.fsdecode(answer.stdout).split("\0") if answer.returncode == 0 else []
    ignored = {name.rstrip("/") for name in answered}
    return [entry for entry in ordered if entry.name not in ignored]
