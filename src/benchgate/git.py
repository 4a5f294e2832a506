"""Ask git about a checkout, whoever calls and whatever the user has set.

A caller that is itself a git hook has variables that point git at its repository and index; they are taken
out. Hooks do not run, no file-system monitor is started, nothing waits for a password, and what git says is
in English. A call that is interrupted ends git with all that it has started, and lets it clear its own locks
first.

Which variables belong to one repository: `git rev-parse --local-env-vars`. Those that carry settings are
kept, since a CI machine may pass `safe.directory` that way.
"""

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from benchgate.errors import CouldNotRun
from benchgate.terminal import plain

_MISLEADING = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIFF_OPTS",
        "GIT_DIR",
        "GIT_EXTERNAL_DIFF",
        "GIT_GLOB_PATHSPECS",
        "GIT_GRAFT_FILE",
        "GIT_ICASE_PATHSPECS",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_LITERAL_PATHSPECS",
        "GIT_NAMESPACE",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_QUARANTINE_PATH",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)
_ALWAYS = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LANGUAGE": "C", "LC_ALL": "C"}
_SETTINGS = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.quotePath=false")
_PATIENCE_SEC = 10
_LONGEST_LINE = 300


class Answer(NamedTuple):
    """What git said; file names in `out` are bytes."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """The output without its last line end, as file names are decoded."""
        return os.fsdecode(self.out.removesuffix(b"\n"))

    @property
    def reason(self) -> str:
        """The first line in which git names an error, fit to be shown; else its last line."""
        lines = [plain(line).strip() for line in self.err.splitlines() if line.strip()]
        telling = [line for line in lines if line.startswith(("fatal:", "error:"))] or lines[-1:]
        text = telling[0] if telling else f"git ended with exit code {self.code}"
        return text[:_LONGEST_LINE].removeprefix("fatal:").removeprefix("error:").strip()


def git(root: Path, *arguments: str) -> Answer:
    """Run git in the folder `root` and return its answer, whatever its exit code.

    Raises:
        CouldNotRun: There is no git, or `root` is no folder that can be entered.
    """
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    try:
        process = subprocess.Popen(  # noqa: S603 - the arguments are the gate's own
            ["git", *settings, *arguments],  # noqa: S607 - the user's git is the one to ask
            cwd=root,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # an interrupt at the terminal comes to this process, which then ends git
        )
    except OSError as fault:
        if not root.is_dir():
            raise CouldNotRun(f"{root}: expected a folder of a git checkout, got none") from None
        raise CouldNotRun(f"git cannot be run: {fault.strerror}: install it to compare with a base") from None
    try:
        out, err = process.communicate()
    except BaseException:
        _end(process)
        raise
    return Answer(process.returncode, out, err.decode("utf-8", "replace"))


def checked(root: Path, *arguments: str) -> Answer:
    """Run git, which is expected to succeed.

    Raises:
        CouldNotRun: It does not; the message has git's own words.
    """
    answer = git(root, *arguments)
    if answer.code:
        raise CouldNotRun(f"git {arguments[0]}: {answer.reason}")
    return answer


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _MISLEADING} | _ALWAYS


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ask git and its children to end, and make them when they do not."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(_PATIENCE_SEC)
    finally:
        with suppress(ProcessLookupError, PermissionError):  # macOS: no permission for what is a zombie
            os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
