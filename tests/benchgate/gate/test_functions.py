import argparse
import ast
import asyncio.base_events
import collections
import dataclasses
import enum
import inspect
import json.decoder
import sys
import tarfile
import types
import unittest.mock
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchgate.gate.functions import MODULE, Range, scopes


def functions(source: str | bytes) -> dict[str, tuple[Range, ...]]:
    """Return the lines of each code object of a source, by its name; several may share one."""
    return {name: tuple(scope.lines for scope in several) for name, several in scopes(source).items()}


MODULES = (
    argparse,
    ast,
    asyncio.base_events,
    collections,
    dataclasses,
    enum,
    inspect,
    json.decoder,
    tarfile,
    unittest.mock,
)

RARE = """
import functools
@functools.cache
# a comment between
@functools.wraps(lambda: 1)
def decorated(x=lambda: [y for y in ()], *, z: "int" = (i for i in ())) -> (lambda: 0):
    global made, Made
    def made():
        def within(): pass
    class Made:
        def method(self): pass
    def plain():
        async def waiting():
            return [await x async for x in y], {a: (lambda: a) for a in b}, {c for c in (d for d in e)}
    return lambda: (lambda: [lambda: f for f in g for h in (i for i in j) if (k for k in l)])
class Outer(type("Base", (), {"x": lambda self: 1}), metaclass=(lambda: type)()):
    values = [n for n in (1, 2)]; pairs = {n: (lambda: n) for n in (1, 2)}
    class Inner:
        @property
        def __private(self): return sorted([], key=lambda x: (
            x))
        @__private.setter
        def __private(self, value): pass
if True:
    def twice(): pass
else:
    x = 1
def twice(): pass
match 1:
    case int() if (lambda: 1)():
        x = f"{(lambda: 1)()}"
"""


def code_objects(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from code_objects(constant)


def compiled(source: str | bytes) -> set[tuple[str, int]]:
    code = compile(source, "x.py", "exec", dont_inherit=True)
    return {(found.co_qualname, found.co_firstlineno) for found in code_objects(code)}


def read(source: str | bytes) -> set[tuple[str, int]]:
    return {(name, first) for name, ranges in functions(source).items() for first, _ in ranges}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_names_and_first_lines_are_those_of_the_compiler(module: types.ModuleType) -> None:
    assert module.__file__ is not None
    source = Path(module.__file__).read_bytes()
    wanted = compiled(source)
    assert len(wanted) > 10
    assert read(source) == wanted


def test_and_so_they_are_for_rare_forms() -> None:
    assert len(compiled(RARE)) > 25
    assert read(RARE) == compiled(RARE)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is new in 3.12")
def test_type_parameters_do_not_change_a_function_s_name() -> None:
    source = "class A[T]:\n    def f[U: int](self): return lambda: 1\ndef g[T](): pass\ntype X[T] = list[T]\n"
    assert read(source) == {(MODULE, 1), ("A", 1), ("A.f", 2), ("A.f.<locals>.<lambda>", 2), ("g", 3)}
    assert read(source) < compiled(source)


def test_a_function_s_lines_reach_from_its_first_decorator_to_its_last_statement() -> None:
    for source in (Path(argparse.__file__).read_text(encoding="utf-8"), RARE):
        found = functions(source)
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef):
                ranges = [
                    lines for name, several in found.items() for lines in several if name.endswith(node.name)
                ]
                first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                assert (first, node.end_lineno) in ranges


def test_lines_belong_to_the_innermost_function_with_a_name() -> None:
    source = """\
import x
class A:
    limit = 1
    def f(self):
        a = 1
        def g():
            return 2
        return sorted(
            a, key=lambda y: (
                y))
z = 1
"""
    found = {name: several[0] for name, several in scopes(source).items()}
    owners = [
        {name for name, scope in found.items() if scope.touched([(line, line)])} for line in range(1, 12)
    ]
    f, inner = "A.f", "A.f.<locals>.<lambda>"
    assert owners == [
        {MODULE},
        {"A"},
        {"A"},
        {f},
        {f},
        {"A.f.<locals>.g"},
        {"A.f.<locals>.g"},
        {f},
        {f, inner},
        {f, inner},
        {MODULE},
    ]
    assert not found[f].touched([(1, 3), (6, 7), (11, 900)])
    assert found[f].touched([(6, 8)])
    assert not found[f].touched([])


@pytest.mark.parametrize("source", ["def f(:", b"\0", "(" * 5000, b"# coding: nothing\n"])
def test_what_is_not_python_is_refused(source: str | bytes) -> None:
    with pytest.raises((SyntaxError, ValueError, MemoryError, RecursionError)):
        functions(source)


def test_a_warning_of_the_compiler_is_not_ours() -> None:
    assert functions('x = "\\d"\n') == {MODULE: ((1, 1),)}
    assert functions("") == {MODULE: ((1, 1),)}
