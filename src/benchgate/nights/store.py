"""The nights before: a file with one line a night, oldest first, which is only ever appended to.

A line is written by one call and flushed to the disk, so whatever ends the writer leaves the lines before
whole and at most the last one cut: without the end of its line. Such a rest is reported and dropped, by the
reader for itself and by the next `append` for good. Anything else that is not a night is an error, because a
history that loses nights in its middle would tell of changes in the wrong place.
"""

import os
from pathlib import Path

import msgspec

from benchgate.errors import CouldNotRun, Unreadable
from benchgate.files import write_whole
from benchgate.nights.record import Night, decode, encode


class Nights(msgspec.Struct, frozen=True):
    """What a file holds; `dropped` says in one line what was cut off at its end, if anything was."""

    nights: tuple[Night, ...] = ()
    dropped: str = ""


def read(path: Path) -> Nights:
    """Read the nights at `path`; no file is no nights.

    Raises:
        Unreadable: A whole line is not a night, the nights are not in order, or the file cannot be read.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Nights()
    except OSError as fault:
        raise Unreadable(f"{path}: {fault.strerror}") from None
    *lines, rest = content.split(b"\n")
    nights: list[Night] = []
    for number, line in enumerate(lines, 1):
        try:
            night = decode(line)
        except ValueError as fault:
            raise Unreadable(f"{path}: line {number}: not a night: {fault}") from None
        if nights and night.created <= nights[-1].created:
            raise Unreadable(f"{path}: line {number}: expected a night after that of line {number - 1}")
        nights.append(night)
    dropped = f"{path}: line {len(lines) + 1} was cut off while it was written: dropped" if rest else ""
    return Nights(tuple(nights), dropped)


def append(path: Path, night: Night) -> bool:
    """Add a night at the end; return False when it stands there already, since a job may run again.

    Raises:
        CouldNotRun: The file holds a night of that time or a later one.
        Unreadable: The file is damaged.
    """
    before = read(path)
    if night in before.nights:
        return False
    if before.nights and night.created <= before.nights[-1].created:
        last = before.nights[-1].created
        raise CouldNotRun(
            f"{path}: expected a night after {last.isoformat()}, got {night.created.isoformat()}"
        )
    if before.dropped:
        write_whole(path, b"".join(encode(kept) + b"\n" for kept in before.nights))
    path.parent.mkdir(parents=True, exist_ok=True)
    line = encode(night) + b"\n"
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        written = os.write(file, line)
        os.fsync(file)
    finally:
        os.close(file)
    if written != len(line):
        raise CouldNotRun(f"{path}: only {written} of {len(line)} bytes could be written")
    return True
