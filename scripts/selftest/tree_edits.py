"""Edits of a whole tree, to build changes from: each takes the root of a copy of the repository.

An edit that finds nothing to do raises, so that a no-op which has come to change nothing at all is noticed.
"""

import ast
import os
import re
import tokenize
from collections.abc import Callable
from io import StringIO
from pathlib import Path

from scripts.selftest.functions import NotFound

Edit = Callable[[Path], None]
Change = Callable[[str], str]


def edited(path: str, change: Change) -> Edit:
    """Change the text of one file."""

    def edit(root: Path) -> None:
        file = root / path
        before = file.read_text(encoding="utf-8")
        after = change(before)
        if after == before:
            raise NotFound(f"{path}: expected something to change")
        file.write_text(after, encoding="utf-8", newline="")

    return edit


def replaced(path: str, old: str, new: str) -> Edit:
    """Replace the one place of a text in one file."""

    def change(text: str) -> str:
        if text.count(old) != 1:
            raise NotFound(f"{path}: expected one place of {old!r}, found {text.count(old)}")
        return text.replace(old, new)

    return edited(path, change)


def renamed(path: str, old: str, new: str) -> Edit:
    """Replace every place of a name in one file."""

    def change(text: str) -> str:
        if re.search(rf"\b{new}\b", text):
            raise NotFound(f"{path}: expected no name {new} in it yet")
        return re.sub(rf"\b{old}\b", new, text)

    return edited(path, change)


def appended(path: str, more: str) -> Edit:
    """Append to one file."""
    return edited(path, lambda text: f"{text}{more}")


def added(path: str, text: str) -> Edit:
    """Add a file, and its folder where there is none."""

    def edit(root: Path) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        with (root / path).open("x", encoding="utf-8") as file:
            file.write(text)

    return edit


def listed(identity: str) -> Edit:
    """Add a bench to the list of ids."""
    return edited(
        "benches/ids.txt", lambda text: "".join(sorted([*text.splitlines(keepends=True), f"{identity}\n"]))
    )


def empty_folders(below: str, count: int) -> Edit:
    """Add empty folders, which git does not see."""

    def edit(root: Path) -> None:
        for number in range(count):
            (root / below / f"empty_{number:03}").mkdir()

    return edit


def older(below: str) -> Edit:
    """Give every module below a folder the time of another year."""

    def edit(root: Path) -> None:
        for path in sorted((root / below).rglob("*.py")):
            os.utime(path, (1_000_000_000, 1_000_000_000))

    return edit


def everywhere(below: str, change: Change) -> Edit:
    """Change the text of every module below a folder; at least one of them must change."""

    def edit(root: Path) -> None:
        paths = sorted((root / below).rglob("*.py"))
        before = [path.read_text(encoding="utf-8") for path in paths]
        after = [change(text) for text in before]
        if after == before:
            raise NotFound(f"{below}: expected something to change")
        for path, text in zip(paths, after, strict=True):
            path.write_text(text, encoding="utf-8", newline="")

    return edit


def together(*edits: Edit) -> Edit:
    """Make several edits, in their order."""

    def edit(root: Path) -> None:
        for each in edits:
            each(root)

    return edit


def without_comments(text: str) -> str:
    """Remove the comments that have a line of their own."""
    rows = text.splitlines(keepends=True)
    tokens = tokenize.generate_tokens(StringIO(text).readline)
    gone = {
        token.start[0]
        for token in tokens
        if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip()
    }
    return "".join(row for number, row in enumerate(rows, 1) if number not in gone)


def with_comments(text: str) -> str:
    """Put a comment before every function and class that stands at a module's left edge."""
    return re.sub(r"^(?=(?:def|class) )", "# What follows is as it was before.\n", text, flags=re.MULTILINE)


def spread(text: str) -> str:
    """Triple the blank lines before every function and class that stands at a module's left edge."""
    return re.sub(r"\n\n\n(?=(?:@|def|class) ?)", "\n" * 7, text)


def unparsed(text: str) -> str:
    """Write the module anew from its syntax tree, without comments and in another layout."""
    return f"{ast.unparse(ast.parse(text))}\n"


def with_windows_line_ends(text: str) -> str:
    """End every line as Windows does."""
    return text.replace("\n", "\r\n")


def with_short_docstrings(text: str) -> str:
    """Cut the docstring of every function down to its first line."""
    rows = text.splitlines(keepends=True)
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    for node in sorted(functions, key=lambda node: node.lineno, reverse=True):
        first, docstring = node.body[0], ast.get_docstring(node)
        if docstring and first.end_lineno is not None and first.end_lineno > first.lineno:
            row = rows[first.lineno - 1].rstrip("\n")
            rows[first.lineno - 1 : first.end_lineno] = [f'{row}"""\n']
    return "".join(rows)
