"""See what other processes do, and wait for it, never longer than half a minute."""

import os
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("nothing happened within half a minute")


def is_running(pid: int) -> bool:
    """Whether the process runs; one that has ended and waits for its parent does not."""
    answer = subprocess.run(  # noqa: S603 - a number
        ["ps", "-o", "stat=", "-p", str(pid)],  # noqa: S607 - POSIX's
        capture_output=True,
        text=True,
        check=False,
    )
    return re.match(r"[^Z\s]", answer.stdout) is not None


def running_in(folder: Path) -> set[int]:
    """Return the processes whose command names the folder, or that run in it."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            here = (entry / "cwd").readlink().is_relative_to(folder)
            named = str(folder).encode() in (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if here or named:
            found.add(int(entry.name))
    return found - {os.getpid()}
