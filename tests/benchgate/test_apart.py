import os
import signal
import time
from pathlib import Path

import pytest

from benchgate.apart import do_apart
from benchgate.errors import BadBench


def test_it_is_done_in_another_process_which_has_ended_then() -> None:
    reading, writing = os.pipe()
    seen: list[int] = []

    def work() -> None:
        seen.append(1)
        os.write(writing, str(os.getpid()).encode())

    pid = do_apart(work)
    os.close(writing)
    with os.fdopen(reading) as file:
        assert file.read() == str(pid) != str(os.getpid())
    assert seen == []
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_what_it_raises_is_told_in_one_line_even_an_exit() -> None:
    def work() -> None:
        raise ValueError("expected a frame, got ä\ud800\nand more")

    with pytest.raises(BadBench, match=r"^ValueError: expected a frame, got ä\?$"):
        do_apart(work)
    with pytest.raises(BadBench, match="SystemExit: 3"):
        do_apart(lambda: (_ for _ in ()).throw(SystemExit(3)))


def test_a_copy_that_is_killed_is_a_failure() -> None:
    with pytest.raises(BadBench, match="ended with exit code -9"):
        do_apart(lambda: os.kill(os.getpid(), signal.SIGKILL))


def test_it_does_not_wait_for_what_the_work_has_started() -> None:
    began = time.monotonic()
    started: list[int] = []
    reading, writing = os.pipe()

    def work() -> None:
        if (pid := os.fork()) == 0:
            time.sleep(60)
            os._exit(0)
        os.write(writing, str(pid).encode())

    try:
        do_apart(work)
        started.append(int(os.read(reading, 20)))
        os.kill(started[0], 0)  # it is still there
        assert time.monotonic() - began < 50
    finally:
        for pid in started:
            os.kill(pid, signal.SIGKILL)
        os.close(reading)
        os.close(writing)


def test_an_interrupt_ends_the_copy() -> None:
    copy: list[int] = []
    reading, writing = os.pipe()

    def interrupt(*_: object) -> None:
        copy.append(int(os.read(reading, 20)))
        raise KeyboardInterrupt

    def work() -> None:
        signal.signal(signal.SIGUSR1, signal.SIG_DFL)
        os.write(writing, str(os.getpid()).encode())
        os.kill(os.getppid(), signal.SIGUSR1)
        time.sleep(60)

    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            do_apart(work)
    finally:
        signal.signal(signal.SIGUSR1, before)
        os.close(reading)
        os.close(writing)
    with pytest.raises(ProcessLookupError):
        os.kill(copy[0], 0)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_no_file_stays_open() -> None:
    before = open_files()
    do_apart(lambda: None)
    with pytest.raises(BadBench):
        do_apart(lambda: 1 // 0)
    assert open_files() == before
