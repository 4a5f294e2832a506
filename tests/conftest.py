"""What all tests share: children that do not become second test runners, and threads that interleave."""

import os
import sys
from collections.abc import Iterator

import pytest

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
