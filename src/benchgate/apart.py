"""Do something in a copy of this process that ends afterwards.

What is counted there leaves nothing behind for the next one: no memory in other places, and no translated
code thrown away, which is what valgrind does to all of it whenever counting begins or ends.
"""

import os
from collections.abc import Callable

from benchgate.errors import BadBench


def do_apart(work: Callable[[], object]) -> int:
    """Do `work` in a copy of this process; return the id that the copy had.

    Raises:
        BadBench: The work raised, or the copy was killed.
    """
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        _end_after(work, writing)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8", errors="replace") as file:
        said = file.read()
    _, status = os.waitpid(pid, 0)
    if code := os.waitstatus_to_exitcode(status):
        raise BadBench(said or f"the process that it was counted in ended with exit code {code}")
    return pid


def _end_after(work: Callable[[], object], writing: int) -> None:
    """Do the work and end this process, without what the original has to do at its end."""
    code = 1
    try:
        work()
        code = 0
    except BaseException as error:  # noqa: BLE001 - whatever it is, this process ends and the other one tells
        os.write(writing, f"{type(error).__name__}: {error}".encode(errors="replace"))
    finally:
        os._exit(code)
