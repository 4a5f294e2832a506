"""The command line from end to end, in a repository of its own."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchgate.cli import main
from benchgate.notes import CLOSING
from benchgate.peers import KIND, PeersRow
from benchgate.rows import WallclockRow
from benchgate.run import Run, load
from tests.benchgate.conftest import RunCli
from tests.benchgate.samples import REPOSITORY, WHOLE, command, environment_variables, write

IDS = ["toy/parts/sort", "toy/parts/sum", "toy/whole/both[40]", "toy/whole/both[4]"]

PEERS = """
from benchgate.comparison import Claim, Comparison, Contender, Worker

def ours():
    return lambda: sum((1, 2, 3))

def theirs():
    import no_such_library

PEERS = (
    Comparison(
        name="sum",
        reference="ours",
        contenders=(
            Contender("ours", ours),
            Contender("theirs", theirs),
            Worker("sdk", "benches/toy/worker.py"),
        ),
        note="Three numbers.",
        claims=(Claim("ours", at_most=LIMIT),),
    ),
)
"""

WORKER = """
from benchgate.worker import serve

serve(lambda: lambda: sum((1, 2, 3)))
"""


def results(root: Path) -> list[Run[WallclockRow]]:
    paths = sorted((root / "results/bench").glob("*.json"))
    return [load(path, "wallclock", WallclockRow) for path in paths]


def test_bench_measures_shows_and_records_every_row(repository: Path, cli: RunCli) -> None:
    first = cli("bench", "--quick")
    assert first.returncode == 0, first.stdout + first.stderr
    lines = first.stdout.splitlines()
    assert [line.split()[1] for line in lines[:4]] == ["toy/parts/sum", "toy/parts/sort", *IDS[:1:-1]]
    assert lines[0].startswith("[1/4] toy/parts/sum ")
    assert lines[0].endswith(" ns")
    assert lines[-1] == CLOSING
    assert "\x1b" not in first.stdout
    assert "both[4], both[40] share toy/parts/sum" in first.stdout

    (run,) = results(repository)
    assert sorted(row.id for row in run.rows) == IDS
    assert run.collector == "off while measuring"
    assert run.environment.interpreter.hash_seed == "0"
    assert set(run.environment.libraries) == {"msgspec", "pytest", "pytest-benchmark", "pytest-codspeed"}
    rows = {row.id: row for row in run.rows}
    assert all(0 < row.min_ns <= row.p25_ns <= row.median_ns <= row.p75_ns for row in run.rows)
    assert (rows["toy/parts/sum"].calls, rows["toy/parts/sort"].calls) == (200, 50)
    assert rows["toy/parts/sort"].regions == 1
    assert rows["toy/parts/sort"].items is not None
    assert rows["toy/whole/both[4]"].components == ("toy/parts/sum", "toy/parts/sort")

    second = cli("bench", "--quick", "toy/parts")
    assert second.returncode == 0
    assert "2 rows in" in second.stdout
    assert "change: from the last run on this machine" in second.stdout
    assert sorted(row.id for row in results(repository)[1].rows) == IDS[:2]


def test_unmatched_selection_says_what_is_near_and_writes_nothing(repository: Path, cli: RunCli) -> None:
    answer = cli("bench", "--quick", "toy/part/sum")
    assert answer.returncode == 2
    assert "no bench is named toy/part/sum; near names: toy/parts/sum" in answer.stderr
    assert not (repository / "results").exists()


def test_failing_benches_are_listed_and_lose_no_others(repository: Path, cli: RunCli) -> None:
    write(
        repository,
        {
            "benches/toy/bench_broken.py": (
                "import pytest\n"
                "def bench_wrong(measure):\n    assert 1 + 1 == 3\n"
                "def bench_idle(measure):\n    pass\n"
                "def bench_none():\n    pass\n"
                "def bench_twice(measure):\n    measure(len, ())\n    measure(len, ())\n"
                "def bench_skipped(measure):\n    pytest.skip('not here')\n"
                "def bench_raises(measure):\n    measure(int, 'x')\n"
            ),
            "benches/toy/bench_gone.py": "import no_such_library\n",
        },
    )
    answer = cli("bench", "--quick")
    assert answer.returncode == 2
    (run,) = results(repository)
    assert sorted(row.id for row in run.rows) == IDS
    reasons = {failure.id: failure.reason for failure in run.failures}
    assert reasons == {
        "toy/broken/wrong": "assert (1 + 1) == 3",
        "toy/broken/idle": "benchgate.errors.BadBench: the bench measured nothing",
        "toy/broken/none": "the bench measured nothing",
        "toy/broken/twice": "benchgate.errors.BadBench: a bench has one measured call, this one has two",
        "toy/broken/skipped": "Skipped: not here",
        "toy/broken/raises": "ValueError: invalid literal for int() with base 10: 'x'",
        "benches/toy/bench_gone.py": "ModuleNotFoundError: No module named 'no_such_library'",
    }
    for identity, reason in reasons.items():
        assert f"{identity}: {reason}" in answer.stderr
    assert answer.stderr.splitlines()[-1] == "benchgate: 7 benches have no figure"
    assert CLOSING in answer.stdout


def test_a_run_that_is_cut_short_did_not_pass(repository: Path, cli: RunCli) -> None:
    write(
        repository,
        {
            "benches/toy/bench_exit.py": (
                "import pytest\n"
                "def bench_first(measure):\n    pytest.exit('x', returncode=0)\n"
                "def bench_second(measure):\n    measure(len, ())\n"
            )
        },
    )
    answer = cli("bench", "--quick", "toy/exit")
    assert answer.returncode == 2
    assert answer.stderr.splitlines()[-3:] == [
        "toy/exit/first: the run ended before this bench did",
        "toy/exit/second: the run ended before this bench did",
        "benchgate: 2 benches have no figure",
    ]


def test_a_group_that_cannot_be_imported_does_not_lose_the_selected_rest(
    repository: Path, cli: RunCli
) -> None:
    write(repository, {"benches/toy/bench_gone.py": "import no_such_library\n"})
    answer = cli("bench", "--quick", "toy/parts", "toy/gone")
    assert answer.returncode == 2
    assert answer.stderr.splitlines() == [
        "benches/toy/bench_gone.py: ModuleNotFoundError: No module named 'no_such_library'",
        "toy/gone: no bench is named so where a file could not be imported",
        "benchgate: 2 benches have no figure",
    ]
    (run,) = results(repository)
    assert [row.id for row in run.rows] == ["toy/parts/sum", "toy/parts/sort"]
    cut = cli("bench", "--quick", "toy/gone")
    assert (cut.returncode, len(results(repository)[1].rows)) == (2, 0)


def test_a_users_own_pytest_settings_do_not_count(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "no_such_plugin")
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY / "src"))
    code = main(["--root", str(repository), "bench", "--quick", "toy/parts/sum"])
    assert (code, len(results(repository))) == (0, 1), capfd.readouterr().err
    assert results(repository)[0].pace == "quick"
    assert results(repository)[0].cpu_share is not None


def test_fewer_benches_than_listed_is_not_a_run(repository: Path, cli: RunCli) -> None:
    (repository / "benches/toy/bench_whole.py").unlink()
    answer = cli("bench", "--quick")
    assert answer.returncode == 2
    assert "toy/whole/both[4] is listed in benches/ids.txt but was not measured" in answer.stderr
    check = cli("ids", "--check")
    assert check.returncode == 1
    assert "toy/whole/both[40] is listed in benches/ids.txt but missing from the benches" in check.stderr


def test_ids_are_listed_checked_and_written(repository: Path, cli: RunCli) -> None:
    shown = cli("ids")
    assert shown.stdout.split("\n") == [*IDS, ""]
    assert shown.stderr == ""
    assert cli("ids", "--check").returncode == 0
    write(repository, {"benches/toy/bench_more.py": WHOLE.replace("both", "more")})
    assert cli("ids", "--check").returncode == 1
    assert cli("ids", "--write").stdout == "benches/ids.txt: 6 ids\n"
    assert (repository / "benches/ids.txt").read_text().split() == sorted(
        [*IDS, "toy/more/more[4]", "toy/more/more[40]"]
    )
    write(repository, {"benches/toy/bench_gone.py": "import no_such_library\n"})
    gone = cli("ids")
    assert gone.returncode == 2
    assert "No module named 'no_such_library'" in gone.stderr


@pytest.mark.parametrize(
    ("bench", "message"),
    [
        (
            "class TestMore:\n    def bench_x(self, measure):\n        measure(len, ())\n",
            "expected benches/<system>",
        ),
        (WHOLE.replace('"toy/parts/sum"', '"toy/parts/som"'), "no bench is named toy/parts/som"),
        (WHOLE.replace("components(", "items("), "items: expected a positive count and a unit"),
        (WHOLE.replace('"toy/parts/sum", "toy/parts/sort"', "3"), "components: expected bench ids"),
    ],
)
def test_benches_that_break_the_contract_stop_the_run(
    repository: Path, cli: RunCli, bench: str, message: str
) -> None:
    write(repository, {"benches/toy/bench_more.py": bench})
    answer = cli("bench", "--quick")
    assert answer.returncode == 2
    assert message in answer.stderr
    assert not (repository / "results").exists()


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_a_request_to_end_ends_pytest_too(repository: Path) -> None:
    nap = (
        "import os, time\nfrom pathlib import Path\n\n"
        "def bench_nap(measure):\n    Path('pid').write_text(str(os.getpid()))\n    measure(time.sleep, 1)\n"
    )
    write(repository, {"benches/toy/bench_slow.py": nap})
    with subprocess.Popen(  # noqa: S603 - our own command
        command("bench", "--quick", "toy/slow"),
        cwd=repository,
        env=environment_variables(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        pid = repository / "pid"
        deadline = time.monotonic() + 30
        while not (pid.exists() and pid.read_text()) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.terminate()
        _, complaint = process.communicate(timeout=30)
    assert process.returncode == 2
    assert complaint.splitlines()[-1] == "benchgate: interrupted, nothing was written"
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


@pytest.mark.skipif(os.name != "posix", reason="signals a process group")
def test_interrupted_run_leaves_no_file(repository: Path) -> None:
    write(
        repository,
        {"benches/toy/bench_slow.py": "import time\n\ndef bench_nap(measure):\n    measure(time.sleep, 1)\n"},
    )
    with subprocess.Popen(  # noqa: S603 - our own command
        command("bench", "--quick", "toy/slow"),
        cwd=repository,
        env=environment_variables(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.read(len("[1/1] toy/slow/nap")) == "[1/1] toy/slow/nap"
        os.killpg(process.pid, signal.SIGINT)
        _, complaint = process.communicate(timeout=30)
    assert process.returncode == 2
    assert complaint.splitlines()[-1] == "benchgate: interrupted, nothing was written"
    assert not list(repository.rglob("results/bench/*"))


def test_baseline_is_measured_checked_and_drifts(
    repository: Path, cli: RunCli, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (repository / "benches/toy/bench_whole.py").unlink()
    readme = "<!-- begin generated: run -->\n<!-- end generated: run -->\n"
    write(repository, {"benches/ids.txt": "toy/parts/sort\ntoy/parts/sum\n", "README.md": readme})
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY / "src"))
    monkeypatch.setattr("benchgate.wallclock.WHOLE_CPU", 0.0)  # the machine that tests may be busy
    code = main(["--root", str(repository), "baseline"])
    output, complaint = capfd.readouterr()
    assert code == 0, output + complaint
    assert "of 2 rows have an IQR above 10 % of the median" in output
    assert output.endswith("Written to benches/baseline.json, BENCHMARKS.md and README.md.\n")
    made = load(repository / "benches/baseline.json", "wallclock", WallclockRow)
    assert ("Not a pinned machine (" in output) is not made.environment.pinned
    assert made.pace == "full"
    assert cli("baseline", "--check").returncode == 0
    path = repository / "BENCHMARKS.md"
    path.write_text(path.read_text().replace("| `toy/parts/sum` |", "| `toy/parts/som` |"))
    drifted = cli("baseline", "--check")
    assert drifted.returncode == 1
    assert drifted.stderr.splitlines() == [
        "BENCHMARKS.md: section extra differs from the data",
        "benchgate: the baseline is out of date",
    ]
    assert cli("baseline", "--write").returncode == 0
    assert cli("baseline", "--check").returncode == 0
    data = repository / "benches/baseline.json"
    data.write_bytes(data.read_bytes()[:-20])
    damaged = cli("baseline", "--check")
    assert damaged.returncode == 2
    assert "truncated" in damaged.stderr


def test_baseline_of_a_tree_with_changes_is_refused(repository: Path, cli: RunCli) -> None:
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-C", str(repository)]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "begin"]):
        subprocess.run([*git, *arguments], check=True)  # noqa: S603 - our own arguments
    write(repository, {"benches/toy/bench_more.py": WHOLE, "BENCHMARKS.md": "# Mine\n"})
    refused = cli("baseline")
    assert refused.returncode == 2
    assert refused.stderr.splitlines() == [
        "benches/toy/bench_more.py",
        "benchgate: a baseline is of a commit: commit these files first, or remove them",
    ]
    assert not (repository / "benches/baseline.json").exists()


def test_peers_are_compared_and_recorded(repository: Path, cli: RunCli) -> None:
    write(
        repository,
        {"benches/toy/peers_parts.py": PEERS.replace("LIMIT", "1"), "benches/toy/worker.py": WORKER},
    )
    answer = cli("peers", "--quick", "--record", "--worker-python", sys.executable)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "theirs  not installed: no_such_library" in answer.stdout
    assert "ours takes at most 1 x the time of ours: holds" in answer.stdout
    recorded = load(repository / "benches/peers.json", KIND, PeersRow)
    assert recorded == load(repository / "results/peers.json", KIND, PeersRow)
    (row,) = recorded.rows
    assert row.id == "toy/parts/sum"
    assert [standing.absent for standing in row.standings] == ["", "not installed: no_such_library", ""]

    write(repository, {"benches/toy/peers_parts.py": PEERS.replace("LIMIT", "0.5")})
    broken = cli("peers", "--quick")
    assert broken.returncode == 1
    assert "ours takes at most 0.5 x the time of ours: does not hold" in broken.stderr
    assert "sdk     not installed: needs --worker-python" in broken.stdout
    assert broken.stderr.splitlines()[-1] == "benchgate: 1 claim does not hold"
    other = cli("peers", "--quick", "toy/other")
    assert (other.returncode, other.stderr.split(";")[0].strip()) == (
        2,
        "benchgate: no comparison is named toy/other",
    )

    write(
        repository,
        {
            "benches/toy/peers_more.py": PEERS.replace("import no_such_library", "assert 6 == 7").replace(
                "LIMIT", "9"
            )
        },
    )
    failed = cli("peers", "--quick")
    assert failed.returncode == 2
    assert "toy/more/sum: theirs: AssertionError" in failed.stderr
    assert "toy/parts/sum  20 rounds" in failed.stdout


def test_without_benches_nothing_runs(tmp_path: Path, cli: RunCli) -> None:
    answer = cli("--root", str(tmp_path / "elsewhere"), "bench")
    assert answer.returncode == 2
    assert "expected the root of a repository with a folder benches" in answer.stderr


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


def test_a_relative_root_is_not_taken_twice(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository.parent)
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY / "src"))
    code = main(["--root", repository.name, "bench", "--quick", "toy/parts/sum"])
    assert (code, len(results(repository))) == (0, 1), capfd.readouterr().err
    assert not (repository / repository.name).exists()


@pytest.mark.parametrize("name", ["results", "results/bench"])
def test_a_file_in_the_place_of_results_stops_the_run_before_it_measures(
    repository: Path, cli: RunCli, name: str
) -> None:
    write(repository, {name: ""})
    answer = cli("bench", "--quick")
    assert (answer.returncode, answer.stdout) == (2, "")
    (line,) = answer.stderr.splitlines()
    assert line.endswith(f"{repository / name}: Not a directory")


def test_odd_earlier_runs_do_not_lose_the_table(repository: Path, cli: RunCli) -> None:
    (repository / "results/bench/20200101T000000000Z.json").mkdir(parents=True)
    answer = cli("bench", "--quick", "toy/parts/sum")
    assert answer.returncode == 0, answer.stderr
    assert "20200101T000000000Z.json: Is a directory" in " ".join(answer.stdout.split())


def test_a_fault_of_the_instrument_is_one_line_and_never_reads_as_slower(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stray(_path: Path) -> None:
        raise ZeroDivisionError("division\nby zero")

    monkeypatch.setattr("benchgate.published.read", stray)
    assert main(["--root", str(repository), "bench"]) == 2
    assert re.fullmatch(
        r"benchgate: ZeroDivisionError: division by zero \(test_cli\.py, line \d+\)\n",
        capsys.readouterr().err,
    )


def test_a_terminal_without_a_letter_gets_an_escape(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    wrong = "def bench_wrong(measure):\n    raise ValueError('caf\u00e9 \\x1b[31m')\n"
    write(repository, {"benches/toy/bench_wrong.py": wrong})
    answer = subprocess.run(  # noqa: S603 - our own command
        command("bench", "--quick", "toy/wrong"),
        cwd=repository,
        env=environment_variables(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert answer.returncode == 2
    assert b"FAILED toy/wrong/wrong: ValueError: caf\\xe9 [31m" in answer.stdout
    assert answer.stderr.splitlines()[-2:] == [
        b"toy/wrong/wrong: ValueError: caf\\xe9 [31m",
        b"benchgate: 1 bench has no figure",
    ]


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
