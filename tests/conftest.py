"""What all tests share: no verdict on time, no child that becomes a test runner, threads that interleave."""

import os
import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# On a shared machine a deadline fails what is right: no test here says anything about time.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# In the background of a shell, or under nohup, these are ignored, and would be by all that tests start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

_RUNNER_PID = os.getpid()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> None:
    """End a process that comes out of a test without being the one that went in."""
    if os.getpid() != _RUNNER_PID:
        os.write(2, f"a forked child came out of {item.nodeid}\n".encode())
        os._exit(70)


@pytest.fixture
def eager_switches() -> Iterator[None]:
    """Let the interpreter switch threads as often as it can, so that those of a short test meet."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
