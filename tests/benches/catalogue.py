"""Every bench function by its id, found by importing the modules and not by collecting them."""

import importlib
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchgate import ids
from benchgate.declared import MARKERS

ROOT = Path(__file__).resolve().parents[2]

Benches = dict[str, Callable[..., None]]


def find_benches(config: pytest.Config) -> Benches:
    """Return the bench functions by id without a parameter; their markers are made known first."""
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    found: Benches = {}
    for path in sorted((ROOT / "benches").glob("*/bench_*.py")):
        module = importlib.import_module(f"benches.{path.parent.name}.{path.stem}")
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if name.startswith("bench_") and function.__module__ == module.__name__:
                found[ids.bench_id(f"{path.relative_to(ROOT)}::{name}")] = function
    return found


def marks(bench: Callable[..., None], name: str) -> Iterator[pytest.Mark]:
    """Give the markers of that name."""
    return (mark for mark in getattr(bench, "pytestmark", ()) if mark.name == name)
