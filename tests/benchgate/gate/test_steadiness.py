"""The command on a program that stands for the gate and hands out a prepared report each time it is run."""

import argparse
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchgate.errors import CouldNotRun, Failed, Unreadable
from benchgate.gate import record, steadiness
from benchgate.gate.record import load_steadiness
from benchgate.gate.repeats import file_name, kept
from benchgate.gate.report import FOLDER, REPORT, Report, save
from benchgate.run import GitState
from tests.benchgate.gate.reports import compared
from tests.benchgate.gate.test_repeats import repeat
from tests.benchgate.gate.waiting import is_running, wait_for
from tests.benchgate.samples import REPOSITORY, environment_variables, write

# `python -m` looks into the folder it is run in first, and finds this package there.
GATE = """
import os
import signal
import sys
import time
from pathlib import Path

prepared = sorted(Path("prepared").iterdir())
print("what the gate prints")
Path("asked").write_text(" ".join(sys.argv[1:]))
Path("summary").write_text(os.environ.get("GITHUB_STEP_SUMMARY", "none"))
if not prepared:
    def end(*_):
        Path("cleared").write_text("")
        sys.exit(2)
    signal.signal(signal.SIGTERM, end)
    Path("pid").write_text(str(os.getpid()))
    time.sleep(60)
first = prepared[0]
code = int(first.suffix[1:])
if first.stat().st_size:
    Path("results/gate").mkdir(parents=True, exist_ok=True)
    first.replace("results/gate/report.json")
else:
    first.unlink()
sys.exit(code)
"""
SLOWER = compared("toy/parts/sort", 0.01)
CALM = compared("toy/parts/sum", 0.0)
UNTOLD = compared("toy/parts/sum", 0.0, verdict="could not tell")
SAME = compared("toy/parts/sort", 0.0)


def prepare(root: Path, *reports: Report) -> None:
    for number, one in enumerate(reports):
        save(one, root / "prepared" / f"{number:03}.{one.exit_code}")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, {"benchgate/__init__.py": "", "benchgate/__main__.py": GATE})
    (tmp_path / "prepared").mkdir()
    return tmp_path


def run(root: Path, *arguments: str) -> None:
    parser = argparse.ArgumentParser()
    steadiness.add_parser(parser.add_subparsers())
    options = parser.parse_args(["steadiness", *arguments])
    options.root = root
    options.command(options)


def test_runs_are_counted_kept_and_summed_up(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(root / "page.md"))
    reports = (repeat(1, CALM, SAME), repeat(2, CALM, SLOWER), repeat(3, UNTOLD, SAME))
    prepare(root, *reports)
    with pytest.raises(Failed, match="unchanged code had 2 rows flagged"):
        run(root, "--runs", "3", "toy", "toy/parts/s*")
    assert (root / "asked").read_text() == "gate HEAD toy toy/parts/s*"
    assert (root / "summary").read_text() == "none"
    assert kept(root / steadiness.FOLDER) == reports
    found = load_steadiness(root / steadiness.RESULT)
    assert found.runs == 3
    assert {row.id: row.flagged for row in found.rows} == {"toy/parts/sort": 1, "toy/parts/sum": 1}
    shown = capsys.readouterr().out
    assert "run 1 of 3: 312 s, nothing flagged\n" in shown
    assert "run 2 of 3: 312 s, 1 flagged\n" in shown
    assert "run 3 of 3: 312 s, 1 flagged\n" in shown
    assert "Flagged: 2 of 6 verdicts.\n" in shown
    assert "Widest spread: 1.00 %, toy/parts/sort.\n" in shown
    assert shown.endswith("Written to results/steadiness.json.\n")
    assert not (root / record.STEADINESS_PATH).exists()


def test_the_widest_spread_is_shown_last(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prepare(root, repeat(1, CALM, SAME), repeat(2, CALM, SLOWER))
    with pytest.raises(Failed, match="unchanged code had 1 row flagged"):
        run(root, "--runs", "2")
    table = re.findall(
        r"^(toy/\S+) +([\d,]+) +(\S+ %) +(\S+ %) +(\S+)$", capsys.readouterr().out, re.MULTILINE
    )
    assert table == [
        ("toy/parts/sum", "12,345", "0 %", "0 %", "-"),
        ("toy/parts/sort", "12,407", "1.00 %", "0 %", "1"),
    ]


def test_a_record_is_written_when_asked_for(root: Path) -> None:
    prepare(root, repeat(1), repeat(2))
    run(root, "--runs", "2", "--record")
    assert load_steadiness(root / record.STEADINESS_PATH) == load_steadiness(root / steadiness.RESULT)


def test_a_record_is_of_all_rows_of_a_commit(root: Path) -> None:
    with pytest.raises(CouldNotRun, match="expected no selection, got toy"):
        run(root, "--record", "toy")
    for folder, more in (
        ("dirty", {"head": GitState(repeat(1).head.commit, dirty=True)}),
        ("some", {"selected": ("toy",)}),
    ):
        for number in (1, 2):
            save(repeat(number, **more), root / folder / file_name(number))
        with pytest.raises(CouldNotRun, match="is of all rows of a commit"):
            run(root, "--record", "--from", str(root / folder))
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)  # noqa: S607 - the git of the PATH
    with pytest.raises(CouldNotRun, match="commit these files first"):
        run(root, "--record")
    assert not (root / "asked").exists()
    assert not (root / record.STEADINESS_PATH).exists()


def test_reports_from_elsewhere_are_summed_up(root: Path) -> None:
    for number in (1, 2):
        save(repeat(number, CALM, SAME), root / "elsewhere" / file_name(number))
    run(root, "--from", str(root / "elsewhere"))
    assert load_steadiness(root / steadiness.RESULT).runs == 2
    assert not (root / "asked").exists()
    with pytest.raises(CouldNotRun, match="selects none, got toy"):
        run(root, "--from", str(root / "elsewhere"), "toy")
    with pytest.raises(CouldNotRun, match="2 runs or more, got 0"):
        run(root, "--from", str(root / "nowhere"))


def test_an_earlier_series_is_taken_up_or_removed(root: Path) -> None:
    for number in (1, 2):
        save(repeat(number), root / steadiness.FOLDER / file_name(number))
    prepare(root, repeat(3))
    run(root, "--runs", "3", "--resume")
    assert kept(root / steadiness.FOLDER) == (repeat(1), repeat(2), repeat(3))
    prepare(root, repeat(4), repeat(5))
    run(root, "--runs", "2")
    assert kept(root / steadiness.FOLDER) == (repeat(4), repeat(5))


@pytest.mark.parametrize("code", [2, 4, 134])
def test_a_run_that_could_not_compare_ends_the_series(root: Path, code: int) -> None:
    prepare(root, repeat(1))
    (root / "prepared" / f"001.{code}").touch()
    with pytest.raises(CouldNotRun, match=f"ended with exit code {code}") as caught:
        run(root, "--runs", "3")
    assert caught.value.faults == ("what the gate prints",)
    assert kept(root / steadiness.FOLDER) == (repeat(1),)
    assert not (root / steadiness.RESULT).exists()


def test_a_report_of_another_run_is_not_taken(root: Path) -> None:
    save(repeat(1), root / FOLDER / REPORT)
    (root / "prepared" / "000.0").touch()
    with pytest.raises(Unreadable, match="No such file"):
        run(root)
    save(repeat(1), root / "prepared" / "000.3")
    with pytest.raises(CouldNotRun, match="exit code 3, its report says 0"):
        run(root)


def test_a_run_that_is_not_like_the_others_ends_the_series(root: Path) -> None:
    prepare(root, repeat(1, CALM, SAME), repeat(2, CALM))
    with pytest.raises(CouldNotRun, match="run 2 is not like run 1") as caught:
        run(root, "--runs", "3")
    assert caught.value.faults == ("benches: toy/parts/sort is only in one of them",)
    assert kept(root / steadiness.FOLDER) == (repeat(1, CALM, SAME),)


def test_one_run_is_refused_before_it_is_made(root: Path) -> None:
    with pytest.raises(CouldNotRun, match="expected 2 or more"):
        run(root, "--runs", "1")
    assert not (root / "asked").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_gate_and_keeps_what_is_there(root: Path, number: int) -> None:
    prepare(root, repeat(1))
    program = (
        "import signal, sys\n"
        "from pathlib import Path\n"
        "from tests.benchgate.gate.test_steadiness import run\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # where interrupts are ignored
        "run(Path(sys.argv[1]))\n"
    )
    variables = environment_variables()
    variables["PYTHONPATH"] += f"{os.pathsep}{REPOSITORY}"
    with subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-c", program, str(root)],
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        wait_for(lambda: (root / "pid").exists() and bool((root / "pid").read_text()))
        process.send_signal(number)
        _, complaint = process.communicate(timeout=30)
    assert b"interrupted after 1 of 20 runs; `--resume` goes on with these" in complaint
    assert (root / "cleared").exists()
    assert not is_running(int((root / "pid").read_text()))
    assert kept(root / steadiness.FOLDER) == (repeat(1),)
