"""What tests begin from: a machine, a row, a run, a source of figures, and a small repository of benches."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from benchgate.environment import Environment, Interpreter
from benchgate.published import Source
from benchgate.rows import WallclockRow
from benchgate.run import SCHEMA, GitState, Run

REPOSITORY = Path(__file__).parents[2]

ENVIRONMENT = Environment(
    system="Linux",
    kernel="6.1.0",
    architecture="x86_64",
    cpu="Imaginary 9000",
    cores=8,
    governor="performance",
    boost="off",
    aslr="off",
    affinity=(3,),
    isolated=(3,),
    hypervisor="no",
    interpreter=Interpreter("CPython", "3.11.9", ("GIL",), "default", "0"),
    libraries={"msgspec": "0.20.0"},
)

PYPROJECT = """
[project]
name = "toy"
dependencies = ["msgspec>=0.18"]

[tool.pytest.ini_options]
addopts = ["--strict-config", "--strict-markers", "--import-mode=importlib"]
filterwarnings = ["error"]
pythonpath = ["src", "."]
python_files = ["test_*.py", "bench_*.py"]
python_functions = ["test_*", "bench_*"]
"""

PARTS = """
import pytest


def bench_sum(measure):
    assert sum(range(4)) == 6
    measure(sum, (0, 1, 2, 3))


@pytest.mark.items(3, "numbers")
def bench_sort(measure):
    measure.fresh(list.sort, lambda: ([3, 1, 2],), calls=50)
"""

WHOLE = """
import pytest


@pytest.mark.components("toy/parts/sum", "toy/parts/sort")
@pytest.mark.parametrize("size", [4, 40])
def bench_both(measure, size):
    numbers = list(range(size))
    measure(lambda: sum(sorted(numbers)))
"""


def row(identity: str, median_ns: float = 100.0, spread_ns: float = 2.0, **more: object) -> WallclockRow:
    """A row whose quartiles lie `spread_ns` to both sides of the median, above zero."""
    facts: dict[str, object] = {
        "id": identity,
        "median_ns": median_ns,
        "p25_ns": max(median_ns - spread_ns, median_ns / 2),
        "p75_ns": median_ns + spread_ns,
        "min_ns": max(median_ns - 2 * spread_ns, median_ns / 4),
        "rounds": 40,
        "regions": 3,
        "calls": 200,
    }
    return WallclockRow(**(facts | more))  # type: ignore[arg-type]  # a test may pass any field


def run(*rows: WallclockRow, **more: object) -> Run[WallclockRow]:
    """A run of the imaginary machine."""
    facts: dict[str, object] = {
        "schema": SCHEMA,
        "kind": "wallclock",
        "created": datetime(2026, 3, 1, 12, 30, 15, 250_000, tzinfo=UTC),
        "environment": ENVIRONMENT,
        "git": GitState("0123456789abcdef", dirty=False),
        "collector": "off while measuring",
        "rows": rows,
    }
    return Run(**(facts | more))  # type: ignore[arg-type]  # a test may pass any field


def source(**more: object) -> Source:
    """Someone's benches in Rust, which cover the ids of toys."""
    facts: dict[str, object] = {
        "what": "Someone's benches",
        "language": "Rust",
        "machine": "Machine 1",
        "hardware": "Machine 1, cold",
        "statistic": "median",
        "covers": ("toy/",),
    }
    return Source(**(facts | more))  # type: ignore[arg-type]  # a test may pass any field


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def make_repository(root: Path) -> Path:
    write(
        root,
        {
            "pyproject.toml": PYPROJECT,
            ".gitignore": "__pycache__/\n/results/\n.benchmarks/\n",
            "benches/conftest.py": 'pytest_plugins = ["benchgate.plugin"]\n',
            "benches/toy/bench_parts.py": PARTS,
            "benches/toy/bench_whole.py": WHOLE,
            "benches/ids.txt": "toy/parts/sort\ntoy/parts/sum\ntoy/whole/both[40]\ntoy/whole/both[4]\n",
        },
    )
    return root


def environment_variables() -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "CODSPEED", "COLUMNS"))
    }
    return kept | {"PYTHONPATH": str(REPOSITORY / "src")}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "benchgate", *arguments]
