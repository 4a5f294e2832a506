"""A repository of toys, and the command gate on it: whole, or with models in place of what takes long.

In the model of counting each bench costs 10,000 instructions, and 1,000 more for each object that is written
in src/toy.py.
"""

import os
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec
import pytest

from benchgate import cli, simulator
from benchgate.allocations import KIND as ALLOCATIONS
from benchgate.callgrind import Function, Part
from benchgate.counting import KIND, Counted, count
from benchgate.gate import report as reports
from benchgate.gate.report import Report
from benchgate.ids import LIST_PATH, listed
from benchgate.rows import AllocationRow, CountsRow
from benchgate.run import SCHEMA, GitState, Run, utc_now
from benchgate.selection import select
from benchgate.shard import Show
from benchgate.simulator import Simulator, Valgrind
from benchgate.survey import Sources, Survey
from tests.benchgate.gate.checkouts import ALONE, Checkout
from tests.benchgate.samples import ENVIRONMENT, PYPROJECT

VALGRIND = Valgrind("valgrind", (), Simulator("3.19.0", "haswell 0123456789ab", "glibc 2.36", "ba9876543210"))
_FIND = simulator.find
HOLD = "TOYS_HOLD"
"""The variable that names a file for which a modelled count waits, half a minute at most."""

WORK = """
def work(number):
    return [object() for _ in range(number)]
"""
SLOWER = """
def work(number):
    kept = []
    for _ in range(number):
        kept.append(object())
        kept.append(object())
    return kept
"""
BENCHES = {
    "benches/conftest.py": "",
    "benches/toy/bench_list.py": "def bench_sort(measure):\n    measure(sorted, (3, 1, 2), calls=20)\n",
    "benches/toy/bench_work.py": """
from toy import work

def bench_few(measure):
    measure(work, 20, calls=20)

def bench_many(measure):
    measure(work, 200, calls=20)
""",
}
IDS = ("toy/list/sort", "toy/work/few", "toy/work/many")


def list_of(*identities: str) -> dict[str, str]:
    return {str(LIST_PATH): "".join(f"{identity}\n" for identity in sorted(identities))}


def toy(root: Path, more: dict[str, str] | None = None, folder: str = ".") -> Checkout:
    """Make a repository whose branch `main` has the toys; the branch `change`, the same, is checked out.

    The toys may be in a folder of it.
    """
    made = Checkout(root)
    files = {
        "pyproject.toml": PYPROJECT,
        ".gitignore": "__pycache__/\n/results/\n",
        "src/toy.py": WORK,
        **BENCHES,
        **list_of(*IDS),
    }
    made.commit({f"{folder}/{name}": text for name, text in (files | (more or {})).items()})
    made.git("switch", "--quiet", "--create=change")
    return made


def survey_by_list(sources: Sources, selected: Sequence[str] = (), within: Path | None = None) -> Survey:
    """Say that all listed benches work."""
    assert within is not None
    there = listed(sources.benches / LIST_PATH)
    rows = tuple(AllocationRow(id=name, nodeid=name, blocks=0, bytes=0) for name in select(there, selected))
    return Survey(_run(ALLOCATIONS, rows), there)


def count_by_text(
    sources: Sources,
    _valgrind: Valgrind,
    _created: datetime,
    _show: Show,
    *,
    only: Collection[str],
    layout: int,
    surveyed: Survey,
    within: Path,
) -> Counted:
    """Count what the text of src/toy.py says."""
    assert within.is_dir()
    assert set(only) <= {row.id for row in surveyed.run.rows}
    assert layout in range(3)
    hold = os.environ.get(HOLD)
    for _ in range(600):
        if not hold or Path(hold).exists():
            break
        time.sleep(0.05)
    cost = 10_000.0 + 1_000 * (sources.packages / "src/toy.py").read_text().count("object()")
    return _counted(dict.fromkeys(only, cost))


def _counted(costs: dict[str, float]) -> Counted:
    rows = tuple(
        CountsRow(id=name, calls=1, region=1, instructions=cost, blocks=0, bytes=0, native_blocks=0)
        for name, cost in costs.items()
    )
    work = Function("python", "src/toy.py", "py::work")
    parts = {
        name: Part(name, int(cost), {work: int(cost)}, {work: int(cost)}, {}) for name, cost in costs.items()
    }
    return Counted(_run(KIND, rows), parts)


def _run(kind: str, rows: tuple[AllocationRow, ...] | tuple[CountsRow, ...]) -> Run:  # type: ignore[type-arg]  # of either row
    return Run(
        schema=SCHEMA,
        kind=kind,
        created=utc_now(),
        environment=msgspec.structs.replace(ENVIRONMENT, simulator=VALGRIND.facts),
        git=GitState("", dirty=False),
        collector="off",
        rows=rows,
    )


class Ended(msgspec.Struct, frozen=True):
    """How one run of the gate ended, and what it left in its folder."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def report(self) -> Report:
        return reports.load(self.folder / reports.REPORT)

    @property
    def comment(self) -> str:
        return (self.folder / reports.COMMENT).read_text()

    @property
    def files(self) -> set[str]:
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file()}

    @property
    def complaint(self) -> str:
        """The one line that says why; faults may stand before it."""
        return self.err.splitlines()[-1]


class Place:
    """Runs the gate in this process, and checks that each run leaves nothing but a whole report.

    Counts are the model's; benches are really looked for and run unless `quick` is called.
    """

    def __init__(
        self, temporary: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        temporary.mkdir()
        self.temporary, self._monkeypatch, self._capsys = temporary, monkeypatch, capsys
        for name in [name for name in os.environ if name.startswith(("GITHUB_", "GIT_", "PIP_"))]:
            monkeypatch.delenv(name)
        for name, value in ALONE.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(tempfile, "tempdir", str(temporary))
        monkeypatch.setattr("benchgate.gate.command.simulator.find", lambda: VALGRIND)
        monkeypatch.setattr("benchgate.gate.passes.count", count_by_text)

    def quick(self) -> None:
        """Run no bench at all from now on."""
        self._monkeypatch.setattr("benchgate.gate.command.survey", survey_by_list)

    def really(self) -> None:
        """Count with valgrind from now on."""
        self._monkeypatch.setattr("benchgate.gate.command.simulator.find", _FIND)
        self._monkeypatch.setattr("benchgate.gate.passes.count", count)

    def gate(self, root: Path, *arguments: str) -> Ended:
        self._capsys.readouterr()
        code = cli.main(["--root", str(root), "gate", *(arguments or ("main",))])
        said = self._capsys.readouterr()
        found = Ended(code, said.out, said.err, root / reports.FOLDER)
        assert list(self.temporary.iterdir()) == []
        require_clean(root)
        assert "Traceback" not in found.err
        assert all(line.isprintable() for line in found.err.splitlines())
        if found.folder.exists():
            assert {reports.REPORT, reports.COMMENT} <= found.files
            assert found.report.exit_code == code
            assert found.files - {reports.REPORT, reports.COMMENT} == pictures(found.report)
        if code == 2:
            assert found.complaint.startswith("benchgate: ")
        return found


def require_clean(root: Path) -> None:
    """Check that git knows one worktree and that no draft stands beside the report."""
    if (root / ".git").exists():
        assert not list(root.glob(".git/worktrees/*"))
        assert not list(root.glob(".git/*.lock"))
    left = {path.name for path in (root / reports.FOLDER).parent.glob("*")}
    assert left <= {reports.FOLDER.name, reports.PREVIOUS}


def pictures(report: Report) -> set[str]:
    """Return the names of all flame graphs that a report names."""
    named = [row.flames for row in report.rows if row.flames is not None]
    return {name for flames in named for name in (flames.base, flames.head, flames.difference)}


def told(report: Report) -> Mapping[str, tuple[str, str | None]]:
    """Return state and verdict of each row."""
    return {row.id: (row.state, row.verdict) for row in report.rows}


def require_failure(found: Ended, message: str) -> None:
    """Check that the gate could not run for one reason, which terminal, report and comment give alike."""
    assert found.code == 2
    assert message in found.complaint
    assert found.report.failure == found.complaint.removeprefix("benchgate: ")
    assert found.report.rows == ()
    assert found.files == {reports.REPORT, reports.COMMENT}
    assert "The gate could not run" in found.comment
