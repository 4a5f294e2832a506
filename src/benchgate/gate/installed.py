"""An environment with the base's own libraries, where the change alters their lock.

Otherwise a change that raises a version would be measured with the new one on both sides. The versions and
hashes are those of the base's `requirements/bench.txt`; the interpreter is the running one, and so is pip
where there is one. Pip reads its user's settings as ever; what it says is shown without the addresses of
package indexes, which may hold passwords.
"""

import os
import re
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from benchgate.errors import CouldNotRun
from benchgate.gate import locks
from benchgate.process import Process
from benchgate.terminal import plain

_ADDRESS = re.compile(r"""\b[A-Za-z][A-Za-z0-9+.-]*://[^\s'")>]*""")
_HOST = re.compile(r"""://(?:[^\s/@]*@)?([^\s/:'")>]+)|\bhost='([^']+)'""")
_CHATTER = ("Looking in ", "WARNING:", "[notice]")
_ERROR = "ERROR:"
_LONGEST_LINE = 300
_SHOWN_LINES = 15


def environment_for(base_root: Path, head_root: Path, folder: Path) -> str | None:
    """Return the path of a Python with the base's libraries, installed below `folder` for this purpose.

    None when the base has no lock, or the same as the head, byte by byte: the running one will do.

    Raises:
        CouldNotRun: It cannot be installed; the faults are what pip said last.
        Unreadable: A lock cannot be read.
    """
    wanted = locks.content(base_root)
    if wanted is None or wanted == locks.content(head_root):
        return None
    python = str(folder.absolute() / "bin" / "python")
    make, pip = [sys.executable, "-I", "-m", "venv"], [sys.executable, "-I", "-m", "pip", "--python", python]
    if find_spec("pip") is None:
        pip = [python, "-I", "-m", "pip"]
    else:
        make.append("--without-pip")  # installing it takes longer than all the rest
    _run(base_root, *make, str(folder.absolute()))
    options = ("--quiet", "--no-input", "--disable-pip-version-check", "--require-hashes")
    _run(base_root, *pip, "install", *options, "--requirement", str(locks.LOCK))
    return python


def _run(root: Path, *command: str) -> None:
    """Run a command in the folder `root` without this process's Python settings."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    process = Process(command, root, environment)
    said: list[str] = []
    try:
        code = process.run(said.append)
    finally:
        process.stop()
    if code:
        shown = _shown(said)
        errors = [line.removeprefix(_ERROR).strip() for line in shown if line.startswith(_ERROR)]
        reason = (errors or shown or (f"exit code {code}",))[-1]
        raise CouldNotRun(f"the base's requirements cannot be installed: {reason}", shown[-_SHOWN_LINES:])


def _shown(lines: Sequence[str]) -> tuple[str, ...]:
    """Return lines that may be shown: without warnings, addresses and hosts, and control characters."""
    hosts = {host for line in lines for match in _HOST.finditer(line) for host in match.groups() if host}
    shown = []
    for line in lines:
        if line.strip() and not line.startswith(_CHATTER):
            kept = _ADDRESS.sub("(address)", line)
            for host in hosts:
                kept = kept.replace(host, "(host)")
            shown.append(plain(kept).strip()[:_LONGEST_LINE])
    return tuple(shown)
