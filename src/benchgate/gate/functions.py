"""The functions of a Python source, by the names and lines that CPython gives their code objects.

A name is `co_qualname` as CPython compiles it: `Class.method`, `outer.<locals>.inner`, `f.<locals>.<lambda>`,
`<module>` for what belongs to no function. A first line is `co_firstlineno`, that of the first decorator.
Class bodies are here, since they are code that runs; so are comprehensions where the running interpreter
calls them: all of them on 3.11, generator expressions alone from 3.12 on (PEP 709). The scopes of type
parameters (PEP 695) are not: they run once, when the function is made.

The rule: `compiler_set_qualname` in CPython's `Python/compile.c`.
"""

import ast
import sys
import warnings
from collections.abc import Iterable, Sequence
from typing import NamedTuple

MODULE = "<module>"

Range = tuple[int, int]
"""The first and the last of some lines, from 1 on."""

_INLINED = sys.version_info >= (3, 12)

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_COMPREHENSIONS = {
    ast.ListComp: "<listcomp>",
    ast.SetComp: "<setcomp>",
    ast.DictComp: "<dictcomp>",
    ast.GeneratorExp: "<genexpr>",
}


class Scope(NamedTuple):
    """A code object's place in its source.

    Attributes:
        inner: The lines of the functions and classes within it that have a name of their own, which are not
            its own lines.
    """

    name: str
    lines: Range
    inner: tuple[Range, ...]

    def touched(self, changed: Iterable[Range]) -> bool:
        """Whether any of the changed lines is its own."""
        first, last = self.lines
        return any(
            not any(start <= line <= end for start, end in self.inner)
            for begin, end_of_change in changed
            for line in range(max(begin, first), min(end_of_change, last) + 1)
        )


def scopes(source: str | bytes) -> dict[str, tuple[Scope, ...]]:
    """Return the scopes of a source by name; several may share one.

    Raises:
        SyntaxError: It is not Python as the running interpreter reads it.
        ValueError: It contains a null byte.
        RecursionError: It is nested too deeply.
        MemoryError: The same.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the source's faults are not this program's
        tree = ast.parse(source)
    reader = _Reader()
    reader.read(tree, MODULE, (1, max(1, _lines(source))), tree.body)
    found: dict[str, list[Scope]] = {}
    for scope in reader.scopes:
        found.setdefault(scope.name, []).append(scope)
    return {name: tuple(several) for name, several in found.items()}


def _lines(source: str | bytes) -> int:
    end, text = ("\n", source) if isinstance(source, str) else (b"\n", source)
    return text.count(end) + (not text.endswith(end))  # type: ignore[arg-type]  # both are of one type


class _Frame:
    """A scope while its content is read."""

    def __init__(self, node: ast.AST, name: str) -> None:
        self.node, self.name = node, name
        self.declared_global: set[str] = set()
        self.inner: list[Range] = []

    def qualified(self, name: str) -> str:
        """Return the name of a scope within this one."""
        if isinstance(self.node, ast.Module) or name in self.declared_global:
            return name
        return f"{self.name}.<locals>.{name}" if isinstance(self.node, _Function) else f"{self.name}.{name}"


class _Reader(ast.NodeVisitor):
    """Collect scopes; decorators, defaults and annotations belong to the scope around a function."""

    def __init__(self) -> None:
        self.scopes: list[Scope] = []
        self._frames: list[_Frame] = []

    def read(self, node: ast.AST, name: str, lines: Range, content: Sequence[ast.AST]) -> None:
        """Read what is in one scope."""
        frame = _Frame(node, name)
        self._frames.append(frame)
        self._visit_all(content)
        self._frames.pop()
        self.scopes.append(Scope(name, lines, tuple(frame.inner)))
        if self._frames:
            named = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            self._frames[-1].inner += [lines] if named else frame.inner

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._visit_all([*node.decorator_list, node.args, *([node.returns] if node.returns else [])])
        self.read(node, self._frames[-1].qualified(node.name), _decorated(node), node.body)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - the same

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._visit_all([*node.decorator_list, *node.bases, *node.keywords])
        self.read(node, self._frames[-1].qualified(node.name), _decorated(node), node.body)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit(node.args)
        self.read(node, self._frames[-1].qualified("<lambda>"), _span(node), [node.body])

    def visit_GeneratorExp(self, node: _Comprehension) -> None:
        first, *others = node.generators
        self.visit(first.iter)  # evaluated outside, and handed over
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        content = [*results, first.target, *first.ifs, *others]
        if _INLINED and not isinstance(node, ast.GeneratorExp):
            self._visit_all(content)
        else:
            name = self._frames[-1].qualified(_COMPREHENSIONS[type(node)])
            self.read(node, name, _span(node), content)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp  # noqa: N815 - the same

    def visit_Global(self, node: ast.Global) -> None:
        self._frames[-1].declared_global.update(node.names)

    def _visit_all(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)


def _span(node: ast.expr | ast.stmt) -> Range:
    assert node.end_lineno is not None
    return node.lineno, node.end_lineno


def _decorated(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Range:
    first, last = _span(node)
    return min([first, *(decorator.lineno for decorator in node.decorator_list)]), last
