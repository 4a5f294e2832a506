"""Wait for what other processes do, never longer than half a minute."""

import re
import subprocess
import time
from collections.abc import Callable


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
