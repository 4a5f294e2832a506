"""What is printed comes from benches and recorded files: it must not steer the terminal that shows it."""

import io
import os
import sys
import unicodedata
from contextlib import suppress
from pathlib import Path

from rich.text import Text


def plain(text: str) -> str:
    """Return `text` as one line without control and format characters; other blanks become spaces."""
    return "".join(
        " " if char.isspace() else char
        for char in text
        if char.isspace() or not unicodedata.category(char).startswith("C")
    )


def plain_line(text: str, style: str = "") -> Text:
    """Return `text` as one plain line in a style."""
    return Text(plain(text), style)


def say(line: str) -> None:
    """Print one line of progress at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def survive_other_terminals() -> None:
    """Let what the terminal's encoding lacks be written as an escape, and what has no terminal vanish."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - it stands to the end
            setattr(sys, name, nowhere)
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def complain(*lines: str) -> None:
    """Say it where that can be read; that nobody reads it must not change the exit code."""
    for stream, said in ((sys.stdout, ()), (sys.stderr, lines)):
        try:
            stream.writelines(f"{plain(line)}\n" for line in said)
            stream.flush()
        except OSError:  # closed or full; the interpreter would try again at its end, and fail
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
