"""Edits of one function in a source text, found by its qualified name.

A name is what CPython writes into `co_qualname`: `frame`, `Dispatcher.flush`, `_one_shot.<locals>.keccak256`.
Positions come from the syntax tree, so the text may be formatted in any way, and all else in it stays as it
is. An edit that does not find its place raises `NotFound` and never returns the text unchanged.
"""

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

Function = ast.FunctionDef | ast.AsyncFunctionDef

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class NotFound(LookupError):  # noqa: N818 - named for what happened
    """The text has no such function, statement or name, or more than one."""


def function(text: str, name: str) -> Function:
    """Find the one function of a qualified name.

    Raises:
        NotFound: There is none, or more than one.
    """
    found = [node for qualified, node in _functions(ast.parse(text), "") if qualified == name]
    if len(found) != 1:
        raise NotFound(f"{name}: expected one function of this name, found {len(found)}")
    return found[0]


def insert(text: str, name: str, lines: Sequence[str], before: str = "") -> str:
    """Insert lines into a function, at its start, behind the docstring, or before one of its statements.

    Args:
        text: The module.
        name: The function.
        lines: What to insert, without indentation.
        before: How the source of that statement begins; empty for the function's first.

    Raises:
        NotFound: There is no such function, or not exactly one such statement, or it shares its line.
    """
    rows = text.splitlines(keepends=True)
    at = _place(rows, function(text, name), name, before)
    first = _first_row(at)
    indent = rows[first][: at.col_offset]
    if indent.strip():
        raise NotFound(f"{name}: expected a statement that begins its line, got {rows[first].strip()!r}")
    rows[first:first] = [f"{indent}{line}\n" for line in lines]
    return "".join(rows)


def rename_local(text: str, name: str, old: str, new: str) -> str:
    """Rename a local variable of a function, everywhere in it.

    Raises:
        NotFound: There is no such function, `old` is none of its local variables, or `new` is a name in it.
    """
    node = function(text, name)
    names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    arguments = {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
    shared = {shared for part in ast.walk(node) if isinstance(part, ast.Nonlocal) for shared in part.names}
    found = [part for part in names if part.id == old]
    if not any(isinstance(part.ctx, ast.Store) for part in found) or old in arguments | shared:
        raise NotFound(f"{name}: expected a local variable {old}")
    if new in arguments | {part.id for part in names}:
        raise NotFound(f"{name}: expected no name {new} in it yet")
    rows = [row.encode() for row in text.splitlines(keepends=True)]  # columns are counted in bytes
    for part in sorted(found, key=lambda part: (part.lineno, part.col_offset), reverse=True):
        row, begin = rows[part.lineno - 1], part.col_offset
        end = begin + len(old.encode())
        if row[begin:end].decode() != old:
            raise NotFound(f"{name}: expected {old} in line {part.lineno}, got {row[begin:end]!r}")
        rows[part.lineno - 1] = row[:begin] + new.encode() + row[end:]
    return b"".join(rows).decode()


def swap(text: str, first: str, second: str) -> str:
    """Let two functions, or methods of one class, change places.

    Raises:
        NotFound: There is no such function, or the first does not end before the second begins.
    """
    rows = text.splitlines(keepends=True)
    nodes = [function(text, name) for name in (first, second)]
    (a, b), (c, d) = ((_first_row(node), node.end_lineno or 0) for node in nodes)
    if b > c:
        raise NotFound(f"{first}: expected it to end before {second} begins")
    return "".join(rows[:a] + rows[c:d] + rows[b:c] + rows[a:b] + rows[d:])


def reversed_imports(text: str) -> str:
    """Reverse the order of a module's import statements, each of which keeps its own lines.

    Raises:
        NotFound: There are fewer than two, or two on one line.
    """
    rows = text.splitlines(keepends=True)
    nodes = [node for node in ast.parse(text).body if isinstance(node, ast.Import | ast.ImportFrom)]
    spans = [(node.lineno - 1, node.end_lineno or 0) for node in nodes]
    if len(spans) < 2 or any(end > begin for (_, end), (begin, _) in pairwise(spans)):
        raise NotFound("expected import statements on lines of their own")
    blocks = [rows[begin:end] for begin, end in spans]
    for (begin, end), block in zip(reversed(spans), blocks, strict=True):
        rows[begin:end] = block
    return "".join(rows)


def quoted_returns(text: str) -> str:
    """Put quotes around every return annotation that fits on its line, which leaves its meaning."""
    rows = [row.encode() for row in text.splitlines(keepends=True)]
    nodes = [node.returns for _, node in _functions(ast.parse(text), "")]
    marks = [node for node in nodes if node is not None and not isinstance(node, ast.Constant)]
    for node in marks:
        if node.lineno == node.end_lineno and node.end_col_offset is not None:
            row = rows[node.lineno - 1]
            begin, end = node.col_offset, node.end_col_offset
            rows[node.lineno - 1] = row[:begin] + b'"' + row[begin:end] + b'"' + row[end:]
    return b"".join(rows).decode()


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, Function]]:
    """Give each function below a node, with its qualified name."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _SCOPES):
            yield from _functions(child, prefix)
            continue
        name = f"{prefix}{child.name}"
        if isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{name}.")
        else:
            yield name, child
            yield from _functions(child, f"{name}.<locals>.")


def _place(rows: Sequence[str], node: Function, name: str, before: str) -> ast.stmt:
    """Find the statement that an insertion goes before."""
    if before:
        places = [
            part
            for part in ast.walk(node)
            if isinstance(part, ast.stmt)
            and rows[part.lineno - 1].encode()[part.col_offset :].startswith(before.encode())
        ]
        if len(places) != 1:
            raise NotFound(f"{name}: expected one statement that begins with {before!r}, found {len(places)}")
        return places[0]
    body = node.body[ast.get_docstring(node, clean=False) is not None :]
    if not body:
        raise NotFound(f"{name}: expected a statement behind the docstring")
    return body[0]


def _first_row(node: ast.stmt) -> int:
    """Return the index of a statement's first row, its decorators included."""
    decorators = node.decorator_list if isinstance(node, _SCOPES) else []
    return min([node.lineno, *(decorator.lineno for decorator in decorators)]) - 1
