"""What the tests of the poster have in common: a run, a report on it, and the comment that it becomes."""

import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from benchgate.gate.comment import markdown
from benchgate.gate.report import Report, Row
from benchgate.run import GitState
from tests.scripts.github_mock.fake import REPOSITORY

PROJECT = Path(__file__).parents[3]
LIMIT_SEC = 60  # for what takes a second
SHA, OTHER = "a" * 40, "b" * 40
FORK = "contributor/Hello-World"
RUN_URL = f"https://github.com/{REPOSITORY}/actions/runs/7"
MARKER = "<!-- tapemark:gate -->"
NONE = f"{MARKER}\n**There is no report of the gate**; see [its run]({RUN_URL}).\n"
UNREADABLE = f"{MARKER}\n**The gate's report cannot be read**; see [its run]({RUN_URL}).\n"
GH = shutil.which("gh")
# GitHub's runners have gh; there a skipped test would hide that it is gone.
needs_gh = pytest.mark.skipif(
    GH is None and "GITHUB_ACTIONS" not in os.environ, reason="gh, GitHub's command line, is not installed"
)

Poster = Callable[..., CompletedProcess[str]]


def report(**more: object) -> Report:
    """A report with one slower row."""
    facts: dict[str, object] = {
        "created": datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
        "seconds": 61.5,
        "asked": "origin/main",
        "base": OTHER,
        "head": GitState(SHA, dirty=False),
        "passes": ("base", "head", "base again"),
        "rows": (slower("derive/signing/order"), slower("derive/decode_only/ticker", change=0.5)),
    }
    return Report(**(facts | more))  # type: ignore[arg-type]  # a test may pass any field


def slower(identity: str, change: float = 0.02, **more: object) -> Row:
    facts: dict[str, object] = {
        "id": identity,
        "state": "compared",
        "verdict": "slower",
        "base": (1000.0, 1000.0),
        "head": (1000.0 * (1 + change),),
        "change": change,
        "error": 0.001,
        "threshold": 0.01,
    }
    return Row(**(facts | more))  # type: ignore[arg-type]  # a test may pass any field


def expected(found: Report) -> str:
    return f"{MARKER}\n{markdown(found, run_url=RUN_URL)}"
