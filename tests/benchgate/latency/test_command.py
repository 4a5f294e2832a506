"""The command from end to end, in a repository of its own."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchgate.cli import main
from benchgate.files import write_whole
from benchgate.latency import files
from benchgate.latency.measuring import KIND, LatencyRow
from benchgate.run import load, save
from tests.benchgate.conftest import RunCli
from tests.benchgate.samples import command, environment_variables, row, run, write
from tests.benchgate.test_published import SOURCE

STATE = """
from benchgate.latency.declaration import Batch, Distribution, Metric, Play, Replay, steady

FRAMES = [str(number) for number in range(300)]

def run(recorder):
    clock_ns, parse, ticker = recorder.clock_ns, recorder.lane("parse"), recorder.lane("ticker")
    for frame in FRAMES:
        before = clock_ns()
        number = int(frame)
        decoded = clock_ns()
        str(number)
        done = clock_ns()
        parse(decoded - before)
        ticker(done - decoded)

def load(*, quick):
    return Play(run, len(FRAMES), {"parse": Batch(lambda: lambda: list(map(int, FRAMES)), len(FRAMES))})

def report():
    assert sorted((3, 1, 2)) == EXPECTED
    return steady(sorted, (3, 1, 2))

DISTRIBUTIONS = (
    Distribution(name="report", load=report, calls=10_000, picture=True),
    Replay(metrics=(Metric("parse"), Metric("ticker")), load=load, passes=2),
)
"""
GOOD = STATE.replace("EXPECTED", "[1, 2, 3]")
FIGURES = SOURCE + '[distribution."toy/state"]\nticker = { p50 = 310, p99 = 1950 }\n'


@pytest.fixture
def root(repository: Path) -> Path:
    write(repository, {"benches/toy/latency_state.py": GOOD, "benches/published.toml": FIGURES})
    return repository


def names(root: Path) -> list[str]:
    return sorted(path.name for path in (root / "results").glob("*"))


def test_matrix_is_shown_and_everything_is_written(root: Path, cli: RunCli) -> None:
    answer = cli("latency", "--quick")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    lines = answer.stdout.splitlines()
    assert lines.pop(1) == "replaying toy/state: a pass to warm up, 1 timed ..."
    assert [line.split()[:2] for line in lines[:3]] == [
        ["[1/3]", "toy/state/report"],
        ["[2/3]", "toy/state/parse"],
        ["[3/3]", "toy/state/ticker"],
    ]
    assert "here / published" in answer.stdout
    assert "timer: time.perf_counter_ns, p50" in answer.stdout
    assert "collector: on, with what was alive before frozen" in answer.stdout
    assert "\x1b" not in answer.stdout
    assert names(root) == [
        "summary.json",
        "toy_state_parse.csv",
        "toy_state_report.csv",
        "toy_state_report.svg",
        "toy_state_ticker.csv",
    ]
    written = load(root / "results/summary.json", KIND, LatencyRow)
    assert [(measured.id, measured.samples.n) for measured in written.rows] == [
        ("toy/state/report", 1000),
        ("toy/state/parse", 300),
        ("toy/state/ticker", 300),
    ]
    assert written.pace == "quick"
    assert written.collector == "on, with what was alive before frozen"
    for found in (measured.samples for measured in written.rows):
        assert 0 <= found.min_ns <= found.p50 <= found.p90 <= found.p95 <= found.p99 <= found.p99_9
        assert found.p99_9 <= found.max_ns
    assert len((root / "results/toy_state_ticker.csv").read_text().splitlines()) == 301

    whole = cli("latency", "toy/state/ticker", "toy/state/rep*")
    assert whole.returncode == 0
    written = load(root / "results/summary.json", KIND, LatencyRow)
    assert [(measured.id, measured.samples.n) for measured in written.rows] == [
        ("toy/state/report", 10_000),
        ("toy/state/ticker", 600),
    ]


def test_record_is_shown_in_the_document_and_held_against_it(root: Path, cli: RunCli) -> None:
    write(root, {"BENCHMARKS.md": "# Benchmarks\n"})
    for refused in (("--quick",), ("toy/state/ticker",)):
        answer = cli("latency", "--record", *refused)
        assert answer.returncode == 2
        assert "--record keeps all metrics at their full length" in answer.stderr
    ids = (root / "benches/ids.txt").read_text().split()
    save(run(*map(row, ids)), root / "benches/baseline.json")
    missing = cli("baseline", "--check")
    assert "toy/state/parse is declared but missing from benches/latency.json" in missing.stderr
    answer = cli("latency", "--record")
    assert answer.returncode == 0, answer.stderr
    assert "benches/latency.json" in answer.stdout.split("Written to")[1]
    assert cli("baseline", "--write").returncode == 0
    assert cli("baseline", "--check").returncode == 0
    assert "## Single calls\n" in (root / "BENCHMARKS.md").read_text()
    write(root, {"benches/toy/latency_state.py": GOOD.replace('Metric("parse")', 'Metric("parse", "So.")')})
    drifted = cli("baseline", "--check")
    assert drifted.returncode == 1
    assert "toy/state/parse: note: benches/latency.json has none, declared is So." in drifted.stderr


def test_a_metric_that_fails_loses_the_files_and_not_the_others(root: Path, cli: RunCli) -> None:
    write(root, {"benches/toy/latency_state.py": STATE.replace("EXPECTED", "[1, 2, 4]")})
    answer = cli("latency", "--quick")
    assert answer.returncode == 2
    assert "toy/state/ticker" in answer.stdout
    assert "toy/state/report: AssertionError (latency_state.py, line 21)" in answer.stderr
    assert answer.stderr.splitlines()[-1] == "benchgate: not all could be measured, nothing was written"
    assert not (root / "results").exists()


def test_what_cannot_be_selected_or_written_is_told_before_anything_is_measured(
    root: Path, cli: RunCli
) -> None:
    answer = cli("latency", "toy/state/tickre")
    assert answer.returncode == 2
    assert "no metric is named toy/state/tickre; near names: toy/state/ticker" in answer.stderr
    assert "; the metrics are toy/state/report, toy/state/parse, toy/state/ticker" in answer.stderr
    write(root, {"benches/ids.txt": "toy/parse/number\n"})
    answer = cli("latency", "toy/parse")
    assert "no metric is named toy/parse" in answer.stderr
    assert "; it has rows in bench only; the metrics are" in answer.stderr
    answer = cli("latency", "--quick", "--foo")
    assert answer.returncode == 2
    assert "usage: python -m benchgate latency [-h] [--quick]" in answer.stderr
    assert "unrecognized arguments: --foo" in answer.stderr
    (root / "results/toy_state_ticker.csv").mkdir(parents=True)
    blocked = cli("latency")
    assert blocked.returncode == 2
    assert "a folder stands in its place" in blocked.stderr
    assert "[1/3]" not in blocked.stdout
    (root / "results/toy_state_ticker.csv").rename(root / "results/toy_state_report.svg")
    blocked = cli("latency")
    assert "toy_state_report.svg: cannot be written: a folder stands in its place" in blocked.stderr
    assert "[1/3]" not in blocked.stdout
    (root / "benches/toy/latency_state.py").unlink()
    assert "no distribution is declared" in cli("latency").stderr


def test_a_histogram_that_cannot_be_made_is_told_before_anything_is_measured(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "hdrh", None)
    assert main(["--root", str(root), "latency"]) == 2
    shown, told = capsys.readouterr()
    assert shown == ""
    assert told.startswith("benchgate: hdrhistogram is not installed: `pip install")


@pytest.mark.parametrize(
    "leaving", ["raise SystemExit(0)\ndef report():", "def report():\n    raise SystemExit(0)"]
)
def test_a_declaration_that_exits_does_not_pass_for_one_that_was_measured(
    leaving: str, root: Path, cli: RunCli
) -> None:
    write(root, {"benches/toy/latency_state.py": GOOD.replace("def report():", leaving)})
    answer = cli("latency", "--quick")
    assert answer.returncode == 2
    assert "SystemExit: 0 (latency_state.py, line " in answer.stderr


def test_an_interrupted_run_writes_nothing(root: Path) -> None:
    slow = GOOD.replace("def run(recorder):", "def run(recorder):\n    import time; time.sleep(30)")
    write(root, {"benches/toy/latency_state.py": slow})
    process = subprocess.Popen(  # noqa: S603 - our own command
        command("latency"),
        cwd=root,
        env=environment_variables(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("[1/3] toy/state/report")
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (2, "benchgate: interrupted; no file is half written\n")
    assert not (root / "results").exists()


def test_a_run_that_is_interrupted_while_it_writes_does_not_say_that_nothing_was_written(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def write_one(path: Path, content: bytes) -> None:
        if names(root):
            raise KeyboardInterrupt
        write_whole(path, content)

    monkeypatch.setattr(files, "write_whole", write_one)
    assert main(["--root", str(root), "latency", "--quick", "toy/state/parse", "toy/state/ticker"]) == 2
    told = capsys.readouterr().err
    assert told == "benchgate: interrupted: what is in results may be in part of this run\n"
    assert names(root) == ["toy_state_parse.csv"]
