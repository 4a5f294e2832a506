"""The command line from end to end, in a repository of its own: what measures, and what lists its benches."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchgate.cli import main
from benchgate.notes import CLOSING
from benchgate.rows import WallclockRow
from benchgate.run import Run, load
from tests.benchgate.conftest import RunCli
from tests.benchgate.samples import REPOSITORY, WHOLE, command, environment_variables, write

IDS = ["toy/parts/sort", "toy/parts/sum", "toy/whole/both[40]", "toy/whole/both[4]"]


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
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")  # of whatever runs this side by side
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY / "src"))
    code = main(["--root", str(repository), "bench", "--quick", "toy/parts/sum"])
    assert (code, len(results(repository))) == (0, 1), capfd.readouterr().err
    assert results(repository)[0].pace == "quick"
    assert results(repository)[0].cpu_share is not None


@pytest.mark.parametrize("closed", ["2>&-", "2>/dev/full", ">&-", ">/dev/full", ">&- 2>&-"])
def test_output_that_cannot_be_written_changes_no_exit_code(repository: Path, closed: str) -> None:
    ended = subprocess.run(  # noqa: S602 - the shell is what closes it
        f"{shlex.quote(sys.executable)} -m benchgate gate no-such-branch {closed}",
        shell=True,
        cwd=repository,
        env=environment_variables(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr + ended.stdout
    assert "Exception ignored" not in ended.stderr


def test_a_root_that_cannot_be_entered_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert main(["--root", str(tmp_path / "loop"), "ids"]) == 2
    assert "loop: expected " in capsys.readouterr().err.splitlines()[-1]


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


def test_without_benches_nothing_runs(tmp_path: Path, cli: RunCli) -> None:
    answer = cli("--root", str(tmp_path / "elsewhere"), "bench")
    assert answer.returncode == 2
    assert "expected the root of a repository with a folder benches" in answer.stderr


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
