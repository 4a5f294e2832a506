"""Write a file or a folder whole or not at all, so that an interrupted run leaves what was there before.

And say so where a program has failed for want of space, of which most programs say nothing useful.
"""

import errno
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile

from benchgate.errors import CouldNotRun

_LITTLE_BYTES = 1_000_000


def require_writable(path: Path) -> None:
    """Check that a file could be made at `path`, without making it or its folder.

    Raises:
        CouldNotRun: It could not; the message names the folder, or the file in its place, that is in the way.
    """
    if path.is_dir():
        raise CouldNotRun(f"{path}: cannot be written: a folder stands in its place")
    folder = next(parent for parent in path.absolute().parents if os.path.lexists(parent))
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError as fault:
        raise CouldNotRun(f"{path}: cannot be written: {folder}: {fault.strerror}") from None


def write_whole(path: Path, content: bytes) -> None:
    """Replace the file at `path` by `content`, creating its folder when there is none.

    The content goes to a new file beside it, is flushed to the disk and then renamed over the old one; when
    any of that fails, the old file stands as it was and the new one is removed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        with suppress(FileNotFoundError):
            draft.unlink()
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # the rename itself
    finally:
        os.close(folder)


def replace_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Replace a folder by one that has these files, by their paths below it.

    They go to a new folder beside it, which is then renamed. When they cannot be written, the old folder
    stands as it was and the new one is removed. When two processes do this at a time, the later one wins.
    """
    draft, old = (folder.with_name(f".{folder.name}.{os.getpid()}.{ending}") for ending in ("tmp", "old"))
    _remove(draft)
    try:
        for name, content in files.items():
            write_whole(draft / name, content)
        while True:
            _remove(old)
            with suppress(FileNotFoundError):
                folder.rename(old)
            try:
                draft.rename(folder)
            except OSError as fault:
                if fault.errno not in {errno.ENOTEMPTY, errno.EEXIST}:  # another process was faster
                    raise
            else:
                break
    finally:
        _remove(draft)
        _remove(old)


@contextmanager
def space_needed(folder: Path) -> Iterator[None]:
    """Blame the disk of a temporary folder for what fails within the block, when it is as good as full.

    Raises:
        CouldNotRun: The last of its faults is what failed.
    """
    try:
        yield
    except (CouldNotRun, OSError) as fault:
        free = shutil.disk_usage(folder).free
        if free >= _LITTLE_BYTES:
            raise
        faults = (*fault.faults, str(fault)) if isinstance(fault, CouldNotRun) else (str(fault),)
        raise CouldNotRun(
            f"{folder}: {free / 1e6:.1f} MB are left: free some space, or set TMPDIR to another disk", faults
        ) from None


def _remove(folder: Path) -> None:
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
