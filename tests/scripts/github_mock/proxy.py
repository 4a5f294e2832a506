"""Prism as a proxy that refuses each request and each answer that GitHub's description does not allow."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.scripts.github_mock.description import CUT

START_SEC = 60


@contextmanager
def listening(modules: Path, upstream: str, log: Path) -> Iterator[str]:
    """Start the proxy that npm installed into `modules`, before `upstream`; give its address."""
    node = shutil.which("node")
    assert node
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = str(modules / "@stoplight" / "prism-cli" / "dist" / "index.js")
    command = [node, program, "proxy", str(CUT), upstream, "--errors", "--port", str(port)]
    with log.open("w") as output, subprocess.Popen(command, stdout=output, stderr=output) as prism:  # noqa: S603 - no shell
        try:
            _wait(port, prism, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            prism.terminate()


def _wait(port: int, prism: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + START_SEC
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if prism.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"prism did not start: {log.read_text()}") from None
            time.sleep(0.05)
        else:
            return
