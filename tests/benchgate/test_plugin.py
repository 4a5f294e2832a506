"""Benches run by pytest itself, in a repository of their own."""

import json
import subprocess
import sys
from pathlib import Path

from tests.benchgate.samples import environment_variables


def pytest_in(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own arguments
        [sys.executable, "-m", "pytest", "-p", "no:hypothesispytest", *arguments],
        cwd=root,
        env=environment_variables(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_benches_run_under_plain_pytest_and_under_codspeed(repository: Path) -> None:
    plain = pytest_in(repository, "benches", "--bench-seconds=0.01")
    assert plain.returncode == 0, plain.stdout
    assert "4 passed" in plain.stdout
    counted = pytest_in(repository, "benches", "--codspeed", "--bench-json=regions.json")
    assert counted.returncode == 0, counted.stdout
    run = json.loads((repository / "regions.json").read_text())
    assert run["kind"] == "regions"
    assert {row["id"]: (row["nodeid"], row["calls"]) for row in run["rows"]} == {
        "toy/parts/sum": ("benches/toy/bench_parts.py::bench_sum", 200),
        "toy/parts/sort": ("benches/toy/bench_parts.py::bench_sort", 50),
        "toy/whole/both[4]": ("benches/toy/bench_whole.py::bench_both[4]", 200),
        "toy/whole/both[40]": ("benches/toy/bench_whole.py::bench_both[40]", 200),
    }


def test_duplicate_ids_are_refused(repository: Path) -> None:
    twice = pytest_in(repository, *["benches/toy/bench_parts.py"] * 2, "--keep-duplicates", "--collect-only")
    assert twice.returncode == 4
    assert "bench ids must be unique, these are not: toy/parts/sort, toy/parts/sum" in twice.stderr
