"""A contender in another interpreter, driven line by line: see `benchgate.worker` for the protocol."""

import os
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

from benchgate.errors import CouldNotRun
from benchgate.worker import MISSING, READY

_STOP_SEC = 10


class Absent(Exception):  # noqa: N818 - a state of the contender, caught by whoever starts it
    """The contender cannot run here; the message says why."""


class WorkerProcess:
    """Starts the worker script and asks it to run; stops it at the end of a `with` block."""

    def __init__(self, name: str, python: Path, script: Path, root: Path) -> None:
        """Start the worker.

        Raises:
            Absent: The library is not installed there.
            CouldNotRun: There is no such interpreter or script, or it ended before it was ready.
        """
        self.name = name
        if not script.is_file():
            raise CouldNotRun(f"{name}: {script}: no such file")
        environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONHASHSEED": "0"}
        try:
            self._process = subprocess.Popen(  # noqa: S603 - an interpreter that the user named, our script
                [python, script],
                cwd=root,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                bufsize=1,
            )
        except OSError as fault:
            raise CouldNotRun(f"{name}: {python}: {fault.strerror}") from None
        answer = self._answer()
        if answer.startswith(MISSING):
            self._stop()
            raise Absent(f"not installed in {python}: {answer.removeprefix(MISSING).strip()}")
        if answer != READY:
            self._stop()
            raise CouldNotRun(f"{name}: {script} ended before it was ready")

    def __enter__(self) -> Self:
        """Return the worker itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the worker."""
        self._stop()

    def run(self, calls: int) -> int:
        """Let the worker make so many calls; return the nanoseconds they took, by its own clock.

        Raises:
            CouldNotRun: The worker has ended, or answered something else than a number.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"run {calls}\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise CouldNotRun(f"{self.name}: the worker has ended") from None
        answer = self._answer()
        if not answer.isdecimal():
            raise CouldNotRun(f"{self.name}: expected nanoseconds, got {answer!r}")
        return int(answer)

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def _stop(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdout.close()
        try:
            self._process.stdin.close()
            self._process.wait(_STOP_SEC)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            self._process.kill()
            self._process.wait()
