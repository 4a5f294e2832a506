"""Do something in a copy of this process that ends afterwards.

What is counted there leaves nothing behind for the next one: no memory in other places. And this process
keeps what valgrind has translated of its code, all of which it drops wherever counting begins or ends.
"""

import os
import signal
import sys
from collections.abc import Callable
from tempfile import TemporaryFile
from typing import IO

from benchgate.errors import BadBench


def do_apart(work: Callable[[], object]) -> int:
    """Do `work` in a copy of this process; return the id that the copy had.

    Raises:
        BadBench: The work raised, or the copy was killed.
    """
    with TemporaryFile() as told:  # a pipe would stay open for as long as whatever the work has started
        # A signal while it forks would be lost, or come before there is anybody to end the copy.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            pid = os.fork()
        except OSError:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            raise
        if pid == 0:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            _end_after(work, told)
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            _, status = os.waitpid(pid, 0)
        except BaseException:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise
        if code := os.waitstatus_to_exitcode(status):
            told.seek(0)
            said = told.read().decode(errors="replace")
            raise BadBench(said or f"the process that it was counted in ended with exit code {code}")
    return pid


def _end_after(work: Callable[[], object], told: IO[bytes]) -> None:
    """Do the work and end this process, without what the original has to do at its end."""
    code = 1
    try:
        work()
        code = 0
    except BaseException as error:  # noqa: BLE001 - whatever it is, this process ends and the other one tells
        first = next(iter(str(error).splitlines()), "")
        told.write(f"{type(error).__name__}: {first}".encode(errors="replace"))
        told.flush()
        sys.excepthook(type(error), error, error.__traceback__)
        sys.stderr.flush()
    finally:
        os._exit(code)
