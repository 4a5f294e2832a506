"""What is printed comes from benches and recorded files: it must not steer the terminal that shows it."""

import sys
import unicodedata

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
