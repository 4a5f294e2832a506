"""Read a comment back with another reader of Markdown."""

from collections.abc import Iterator
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


class Cells(NamedTuple):
    """A line of a table, read back: the ids in its first cell, and the texts of the others."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]


def leaves(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from token.children or ()


def tables(comment: str) -> dict[tuple[str, ...], list[Cells]]:
    """The tables of a comment by their titles."""
    found: dict[tuple[str, ...], list[Cells]] = {}
    lines: list[list[Token]] = []
    for token in RENDERER.parse(comment):
        if token.type == "table_open":
            lines = []
        elif token.type == "tr_open":
            lines.append([])
        elif token.type == "inline" and lines:
            lines[-1].append(token)
        elif token.type == "table_close":
            titles, *rows = lines
            found.setdefault(tuple(cell.content for cell in titles), []).extend(map(cells, rows))
            lines = []
    return found


def cells(line: list[Token]) -> Cells:
    first = line[0].children or []
    ids = tuple(token.content for token in first if token.type == "code_inline")
    texts = ("".join(token.content for token in cell.children or []) for cell in line[1:])
    return Cells(ids, tuple(text.replace("\N{NO-BREAK SPACE}", " ") for text in texts))


def all_rows(comment: str) -> list[Cells]:
    return tables(comment).get(("Row", "Base", "Head", "Change", "Error", "Verdict"), [])


def share_of(text: str) -> float | None:
    """Read back a change, independently of how it was written."""
    if text == "-":
        return None
    if text.endswith(" x"):
        return float(text[:-2]) - 1
    assert text.endswith(" %")
    return float(text[:-2].replace(",", "")) / 100


def first_line(comment: str) -> str:
    return comment.split("\n", 1)[0]
