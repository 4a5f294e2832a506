"""Programs that are run, watched and ended; what a real run leaves behind is tested with counting."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchgate.errors import CouldNotRun
from benchgate.process import Process, ends_as_interrupts, undisturbed
from tests.benchgate.samples import REPOSITORY

SLEEP = "import time; time.sleep(60)"


def process(code: str, folder: Path, *, silence_sec: float = 60.0) -> Process:
    return Process([sys.executable, "-c", code], folder, dict(os.environ), silence_sec=silence_sec)


def test_lines_are_handed_over_as_they_come(tmp_path: Path) -> None:
    lines: list[str] = []
    one = process("print('a'); print('b'); raise SystemExit(3)", tmp_path)
    assert one.run(lines.append) == 3
    assert lines == ["a", "b"] == list(one.last_lines)


def test_a_program_that_is_silent_for_too_long_is_ended(tmp_path: Path) -> None:
    one = process(f"print('a', flush=True); {SLEEP}", tmp_path, silence_sec=0.5)
    with pytest.raises(CouldNotRun, match=r"^nothing happened for .* minutes: a bench waits") as caught:
        one.run(lambda _: None)
    assert caught.value.faults == ("a",)


def test_what_a_program_has_started_is_ended_when_it_holds_on(tmp_path: Path) -> None:
    """It has ended itself, and its child has what it printed to."""
    begin = f"import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', {SLEEP!r}]).pid)"
    pids: list[str] = []
    with pytest.raises(CouldNotRun, match="has started what does not end"):
        process(begin, tmp_path, silence_sec=1.0).run(pids.append)
    ended_by = time.monotonic() + 10
    while _is_running(pids[0]) and time.monotonic() < ended_by:
        time.sleep(0.01)
    assert not _is_running(pids[0])


def test_a_program_that_goes_on_printing_is_left_alone(tmp_path: Path) -> None:
    code = "import time\nfor _ in range(8):\n print('x', flush=True); time.sleep(0.25)"
    assert process(code, tmp_path, silence_sec=1.5).run(lambda _: None) == 0


def test_a_program_that_was_stopped_before_does_not_begin(tmp_path: Path) -> None:
    one = process("open('begun', 'w')", tmp_path)
    one.stop()
    assert one.run(lambda _: None) == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []


def test_a_signal_that_is_ignored_stays_so_as_under_nohup() -> None:
    code = (
        "import signal\n"
        "from benchgate.process import ends_as_interrupts, undisturbed\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "with ends_as_interrupts():\n"
        "    signal.raise_signal(signal.SIGHUP)\n"
        "    with undisturbed():\n"
        "        signal.raise_signal(signal.SIGHUP)\n"
        "print('went on')\n"
    )
    ended = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "went on\n"), ended.stderr


def test_a_request_to_end_is_an_interrupt_and_waits_where_it_must() -> None:
    before = signal.getsignal(signal.SIGTERM)
    done: list[str] = []

    def work() -> None:
        with ends_as_interrupts():
            with undisturbed():
                signal.raise_signal(signal.SIGTERM)
                done.append("cleared")
            done.append("went on")

    with pytest.raises(KeyboardInterrupt, match="SIGTERM"):
        work()
    assert done == ["cleared"]
    assert signal.getsignal(signal.SIGTERM) is before


def _is_running(pid: str) -> bool:
    """Whether it is there and no zombie, whom nobody has waited for."""
    try:
        state = Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
