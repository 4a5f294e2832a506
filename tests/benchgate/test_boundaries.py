import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.benchgate.samples import REPOSITORY


def imported(package: str) -> Iterator[tuple[Path, str]]:
    for path in sorted((REPOSITORY / "src" / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((path, alias.name.split(".")[0]) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield path, (node.module or "").split(".")[0]


@pytest.mark.parametrize(("package", "other"), [("benchgate", "tapemark"), ("tapemark", "benchgate")])
def test_neither_package_imports_the_other_nor_what_uses_them(package: str, other: str) -> None:
    found = list(imported(package))
    assert found
    assert [(path, name) for path, name in found if name in {other, "benches", "tests"}] == []


def test_the_worker_s_side_needs_only_the_standard_library() -> None:
    own = {"worker", "measure", "pools", "errors"}
    names = {name for path, name in imported("benchgate") if path.stem in own}
    assert names <= {
        "benchgate",
        "collections",
        "contextlib",
        "ctypes",
        "gc",
        "itertools",
        "math",
        "mmap",
        "os",
        "re",
        "signal",
        "sys",
        "tempfile",
        "time",
        "typing",
    }
