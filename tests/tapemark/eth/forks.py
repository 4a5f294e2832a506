"""Run code in a forked child and bring its findings back."""

import ctypes
import json
import os
import traceback
import warnings
from collections.abc import Callable
from typing import Any

Fork = Callable[[], int]


def raw_fork() -> int:
    """Fork behind Python's back: no hook of `os.register_at_fork` runs. The GIL is kept, as it must be."""
    forked: int = ctypes.PyDLL(None).fork()
    return forked


def seen_fork() -> int:
    """Fork as `os.fork` does, also while other threads run: that they are not in the child is the point."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


FORKS = [seen_fork, raw_fork]


class Child:
    """A forked child that reports once, as JSON, and is gone."""

    def __init__(self, pid: int, report: int) -> None:
        self._pid, self._report = pid, report

    def result(self) -> Any:
        """Wait for the child's report; fail if it failed."""
        with os.fdopen(self._report, "rb") as pipe:
            raw = pipe.read()
        _, status = os.waitpid(self._pid, 0)
        outcome = json.loads(raw) if raw else {"error": f"no report, status {status}"}
        assert "error" not in outcome, outcome["error"]
        return outcome["result"]


def start_child(work: Callable[[], Any], fork: Fork = seen_fork) -> Child:
    """Fork, do the work in the child and return the parent's handle on it."""
    receive, send = os.pipe()
    pid = fork()
    if pid == 0:
        leave_child(work, send)
    os.close(send)
    return Child(pid, receive)


def leave_child(work: Callable[[], Any], send: int) -> None:
    """Do the last work of a child, report it and exit without returning to the test runner."""
    try:
        outcome = {"result": work()}
    except BaseException:  # noqa: BLE001 - whatever happens, the child must not go on as a second test runner
        outcome = {"error": traceback.format_exc()}
    data = json.dumps(outcome).encode()
    while data:
        data = data[os.write(send, data) :]
    os._exit(0)
