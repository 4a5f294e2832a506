"""Run one program after another's rules: a fixed environment, its lines as they come, and never left behind.

The size and content of a process's environment shift its stack and its first allocations, so a counted
process gets only what is named here, filled up to a fixed size.
"""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType

from benchgate import perfmap
from benchgate.errors import CouldNotRun

ENVIRONMENT_BYTES = 8192
PLUGINS = ("-ppytest_codspeed.plugin", "-pbenchgate.plugin", "-pno:cacheprovider")

_KEPT = (
    "LD_LIBRARY_PATH",
    "PYTHONPYCACHEPREFIX",
    "VALGRIND_LIB",
)  # without these a program may not even start
_SHOWN_LINES = 15
_PATIENCE_SEC = 1  # for processes that were killed to be gone

SILENCE_SEC = 1800
"""How long a program may print nothing: a file of benches takes minutes under valgrind, on a slow machine."""


def fixed_environment(tree: Path, compiled: Path, layout: int = 0, **more: str) -> dict[str, str]:
    """Return the environment of a process that measures the mirror `tree`, always of the same size.

    Compiled modules are kept below `compiled`, so that a first run finds what every run finds. The hash seed,
    `layout`, decides in which order sets and dictionaries are walked, and so where memory lies.
    """
    variables = {name: os.environ[name] for name in _KEPT if name in os.environ} | {
        "CODSPEED_ENV": "benchgate",
        "LC_ALL": "C.UTF-8",
        "PATH": os.defpath,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONHASHSEED": str(layout),
        "PYTHONPATH": str(tree / "src"),
        "PYTHONPYCACHEPREFIX": str(compiled),
        **more,
    }
    size = sum(len(os.fsencode(f"{name}={value}")) + 1 for name, value in variables.items())
    filler = "BENCHGATE_FILLER"
    return variables | {filler: "." * max(0, ENVIRONMENT_BYTES - size - len(filler) - 2)}


class Process:
    """A program that is run once, from any thread, and can be stopped from another."""

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        environment: dict[str, str],
        *,
        silence_sec: float = SILENCE_SEC,
    ) -> None:
        self._command, self._folder, self._environment = command, folder, environment
        self._silence_sec = silence_sec
        self._lock = threading.Lock()
        self._stopped = self._is_stuck = False
        self._process: subprocess.Popen[str] | None = None
        self._last: list[str] = []

    @property
    def pid(self) -> int:
        """The process id, once the program has been started."""
        assert self._process is not None
        return self._process.pid

    @property
    def last_lines(self) -> tuple[str, ...]:
        """The last lines that it printed."""
        return tuple(self._last)

    def run(self, show: Callable[[str], None]) -> int:
        """Run the program to its end, handing over each line that it prints; return its exit code.

        Raises:
            CouldNotRun: It, or what it has started, lived on and printed nothing for too long.
        """
        with self._lock:
            if self._stopped:
                return -signal.SIGKILL
            # A session of its own: a terminal's interrupt goes to this process alone, which then stops it.
            self._process = subprocess.Popen(  # noqa: S603 - our own command
                self._command,
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        assert self._process.stdout is not None
        watch = self._watch()
        try:
            with self._process.stdout as lines:
                for line in lines:
                    watch.cancel()
                    watch = self._watch()
                    self._last = [*self._last, line.rstrip()][-_SHOWN_LINES:]
                    show(line.rstrip())
            code = self._process.wait()
        finally:
            watch.cancel()
        if self._is_stuck:
            raise CouldNotRun(
                f"nothing happened for {self._silence_sec / 60:g} minutes: a bench waits for ever, for a "
                "thread perhaps, of which a forked process has none, or has started what does not end",
                self.last_lines,
            )
        return code

    def _watch(self) -> threading.Timer:
        """Stop the program when it has been silent for too long."""

        def stop() -> None:
            self._is_stuck = True
            self.stop()

        timer = threading.Timer(self._silence_sec, stop)
        timer.daemon = True
        timer.start()
        return timer

    def stop(self) -> None:
        """Kill the program with all that it has started, or keep it from starting."""
        with self._lock:
            self._stopped = True
            # Until it is waited for, its group cannot be another's, also when it alone has ended.
            if self._process is not None and self._process.returncode is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    end_sec = time.monotonic() + _PATIENCE_SEC
                    os.killpg(self._process.pid, signal.SIGKILL)
                    self._process.wait()
                    # What it has started may live for a moment longer, and leave something behind.
                    while time.monotonic() < end_sec:
                        os.killpg(self._process.pid, 0)
                        time.sleep(0.01)

    def clear(self) -> None:
        """Remove the perf map that the program may have left, whose place CPython chooses."""
        if self._process is not None:
            perfmap.path_of(self._process.pid).unlink(missing_ok=True)


@contextlib.contextmanager
def ends_as_interrupts() -> Iterator[None]:
    """Let a request to end raise KeyboardInterrupt, so that what was begun is cleared away."""

    def interrupt(number: int, _frame: object) -> None:
        raise KeyboardInterrupt(signal.Signals(number).name)

    with _handled(("SIGTERM", "SIGHUP"), interrupt):
        yield


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Hold interrupts back until the end; a second one is common while the first is served."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    with _handled(("SIGINT", "SIGTERM", "SIGHUP"), lambda number, _: held.append(number)):
        yield
    if held:
        raise KeyboardInterrupt(signal.Signals(held[0]).name)


@contextlib.contextmanager
def _handled(names: Sequence[str], handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Handle signals so within the block, but for those that are ignored, as under nohup."""
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    heard = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in heard}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def pytest_command(python: str, *arguments: str) -> list[str]:
    """Return the command of an interpreter's pytest with exactly the plugins that counting needs."""
    return [python, "-m", "pytest", *PLUGINS, "--codspeed", *arguments]
