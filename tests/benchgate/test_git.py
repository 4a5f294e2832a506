import signal
import threading
from pathlib import Path

import pytest

from benchgate.errors import CouldNotRun
from benchgate.git import Answer, checked, git
from tests.benchgate.gate.waiting import is_running, wait_for

SLOW = """#!/bin/sh
trap 'echo > cleared; exit 1' TERM
sleep 60 &
echo $! > pid.tmp
mv pid.tmp pid
wait
"""


def test_an_interrupted_git_may_clear_its_locks_and_its_children_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "git").write_text(SLOW)
    (tmp_path / "git").chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    def interrupt() -> None:
        wait_for((tmp_path / "pid").exists)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        git(tmp_path, "status")
    thread.join()
    assert (tmp_path / "cleared").exists()
    child = int((tmp_path / "pid").read_text())
    wait_for(lambda: not is_running(child))


@pytest.mark.parametrize(
    ("err", "reason"),
    [
        ("warning: a\nerror: first\nfatal: second\n", "first"),
        ("hint: x\nfatal: \x1b[31mno\x07\n", "[31mno"),
        ("something\nelse\n\n", "else"),
        ("", "git ended with exit code 5"),
        ("fatal: " + "x" * 5000, "x" * 293),
    ],
)
def test_a_reason_is_one_line_that_can_be_shown(err: str, reason: str) -> None:
    assert Answer(5, b"", err).reason == reason


def test_a_command_that_must_succeed_says_which_it_was(tmp_path: Path) -> None:
    with pytest.raises(CouldNotRun, match="git rev-parse: not a git repository"):
        checked(tmp_path, "rev-parse", "HEAD")
