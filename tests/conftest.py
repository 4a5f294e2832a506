"""Keep forked children from going on as second test runners, which would fork again without end."""

import os

import pytest

_RUNNER_PID = os.getpid()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> None:
    """End a process that comes out of a test without being the one that went in."""
    if os.getpid() != _RUNNER_PID:
        os.write(2, f"a forked child came out of {item.nodeid}\n".encode())
        os._exit(70)
