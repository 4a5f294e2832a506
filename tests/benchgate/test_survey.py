"""What counting finds compiled, in an ordinary process: no valgrind is needed for it."""

import sys
from pathlib import Path

import pytest

from benchgate.errors import CouldNotRun
from benchgate.survey import Sources, compile_in, mirrored
from tests.benchgate.samples import PYPROJECT, write

BENCH = "def bench_late(measure):\n    import toy.late\n\n    measure(toy.late.work)\n"


def made(root: Path, bench: str) -> tuple[Path, Path]:
    """Make a repository and its mirror, whose packages are links; return the pass's folder and the mirror."""
    files = {"src/toy/__init__.py": "", "src/toy/late.py": "def work():\n    pass\n"}
    write(root / "repository", {"pyproject.toml": PYPROJECT, "benches/toy/bench_late.py": bench, **files})
    folder = root / "pass"
    folder.mkdir()
    sources = Sources(root / "repository", root / "repository")
    return folder, mirrored(sources, folder)


def test_what_is_imported_while_a_bench_runs_is_compiled_too(tmp_path: Path) -> None:
    folder, tree = made(tmp_path, BENCH)
    assert (tree / "src" / "toy").is_symlink()
    compile_in(folder, tree, sys.executable)
    found = {path.name.partition(".")[0] for path in (folder / "compiled").rglob("*.pyc")}
    assert {"late", "bench_late", "measure"} <= found


def test_benches_that_cannot_be_collected_are_not_passed_over(tmp_path: Path) -> None:
    folder, tree = made(tmp_path, "raise ValueError('broken')\n")
    with pytest.raises(CouldNotRun, match="pytest ended with exit code"):
        compile_in(folder, tree, sys.executable)
