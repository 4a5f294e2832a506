"""The forks of one interpreter, without valgrind: their turns and what each leaves behind."""

import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from benchgate.jobs import Job, Jobs
from tests.benchgate.samples import environment_variables


def started(
    tmp_path: Path, tests: dict[str, tuple[str, float]], at_a_time: int
) -> subprocess.CompletedProcess[str]:
    """Run a job for each test body with its work, until the program that began them ends."""
    jobs = []
    for name, (body, work) in tests.items():
        tree, out = tmp_path / "tree" / name, tmp_path / "out" / name
        tree.mkdir(parents=True)
        out.mkdir(parents=True)
        (tree / "test_it.py").write_text(f"import os\n\n\ndef test_it():\n    {body}\n")
        arguments = ("-q", "-p", "no:cacheprovider", "test_it.py")
        jobs.append(Job(name, str(tree), str(out), arguments, work))
    path = tmp_path / "jobs.json"
    path.write_bytes(msgspec.json.encode(Jobs(tuple(jobs), at_a_time)))
    return subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "benchgate.forking", str(path)],
        env=environment_variables(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def run(tmp_path: Path, tests: dict[str, tuple[str, float]], at_a_time: int) -> list[str]:
    """Run the jobs as `started` does; return the lines that were printed."""
    ended = started(tmp_path, tests, at_a_time)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


def test_those_with_most_to_do_have_their_turn_first(tmp_path: Path) -> None:
    tests = {"a": ("pass", 1.0), "b": ("pass", 3.5), "c": ("pass", 0.0), "d": ("pass", 2.0)}
    assert run(tmp_path, tests, 1) == ["0 b", "0 d", "0 a", "0 c"]


@pytest.mark.parametrize("at_a_time", [1, 2, 9])
def test_every_job_runs_once_and_leaves_its_exit_code(tmp_path: Path, at_a_time: int) -> None:
    tests = {"good": ("pass", 1.0), "bad": ("assert not 1", 2.0), "also": ("pass", 3.0)}
    assert sorted(run(tmp_path, tests, at_a_time)) == ["0 also", "0 good", "1 bad"]
    for name, code in (("good", "0"), ("bad", "1"), ("also", "0")):
        folder = tmp_path / "out" / name
        assert (folder / "ended").read_text() == code
        assert int((folder / "pid").read_text()) > 0
        assert ("1 passed" if code == "0" else "1 failed") in (folder / "printed").read_text()


def test_a_job_that_dies_gives_its_turn_to_the_next(tmp_path: Path) -> None:
    tests = {"dies": ("os.kill(os.getpid(), 9)", 2.0), "lives": ("pass", 1.0)}
    assert run(tmp_path, tests, 1) == ["0 lives"]
    assert not (tmp_path / "out" / "dies" / "ended").exists()


def test_jobs_that_still_wait_end_when_the_program_is_killed(tmp_path: Path) -> None:
    tests = {
        "kills": ("os.kill(os.getppid(), 9)", 3.0),
        "waits": ("pass", 2.0),
        "last": ("pass", 1.0),
    }
    # Every job holds the pipe that is read here: one that waited on would let this run into its limit.
    assert started(tmp_path, tests, 1).returncode == -signal.SIGKILL
    out = tmp_path / "out"
    assert (out / "kills" / "ended").read_text() == "0"
    for name in ("waits", "last"):
        assert (out / name / "pid").exists()
        assert not (out / name / "ended").exists()
        assert not (out / name / "printed").exists()
