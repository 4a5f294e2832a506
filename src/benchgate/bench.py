"""Measure benches in a pytest process of their own, in the repository's root.

A process of its own, so that a run does not depend on what was imported before, and with a fixed hash seed,
so that the order of sets and the collisions of dictionaries are the same in every run.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TextIO

from benchgate import ids
from benchgate.errors import CouldNotRun, Incomplete
from benchgate.process import ends_as_interrupts
from benchgate.rows import WallclockRow
from benchgate.run import Run, load
from benchgate.wallclock import KIND

_STOP_SEC = 10
_INTERRUPTED, _REFUSED = 2, (3, 4)  # pytest's exit codes: of the latter it says the reason
_UNUSED = ("no:cacheprovider", "no:hypothesispytest")  # the latter takes a second to import
_CARRIED = (
    "PYTEST_ADDOPTS",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD",
    "PYTEST_PLUGINS",
    "PYTEST_XDIST_WORKER",
    "CODSPEED_ENV",
)  # would change what is measured, or how


def measure_benches(
    root: Path, *, seconds: float, selected: Sequence[str], created: datetime, path: Path
) -> Run[WallclockRow]:
    """Measure the selected benches of the repository at `root`, or all; the record goes to `path`.

    Raises:
        CouldNotRun: pytest could not begin or was interrupted; it has said why.
    """
    options = [f"--bench-json={path}", f"--bench-seconds={seconds}", f"--bench-created={created.isoformat()}"]
    options += [f"--bench-select={text}" for text in selected]
    path.unlink(missing_ok=True)
    code = _pytest(
        root, [*options, "--benchmark-quiet", "--continue-on-collection-errors", "-qq", "-rN", "--tb=short"]
    )
    if code == _INTERRUPTED:
        raise CouldNotRun("interrupted, nothing was written")
    if not path.exists():
        because = "for the reason above" if code in _REFUSED else f"pytest ended with exit code {code}"
        raise CouldNotRun(f"nothing was measured, {because}")
    return load(path, KIND, WallclockRow)


def collected_ids(root: Path) -> tuple[str, ...]:
    """Return the ids of all benches of the repository at `root`, sorted.

    Raises:
        CouldNotRun: A bench cannot be imported or breaks the contract; pytest has said which.
    """
    with TemporaryDirectory() as folder, TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        path = Path(folder) / "ids.txt"
        code = _pytest(root, ["--collect-only", f"--bench-ids={path}", "-qqq"], output)
        if code or not path.exists():
            output.seek(0)
            sys.stderr.write(output.read())
            raise CouldNotRun(f"the benches could not be collected: pytest ended with exit code {code}")
        return ids.listed(path)


def require_complete(run: Run[WallclockRow], root: Path, selected: Sequence[str]) -> None:
    """Check that nothing failed and, for a run of all benches, that all that are listed were measured.

    Raises:
        Incomplete: Something is missing; the faults say what.
        Unreadable: There is no list of ids, or it is not in order.
    """
    faults = tuple(f"{failure.id}: {failure.reason}" for failure in run.failures)
    if not selected:
        known = {failure.id for failure in run.failures}
        missing = sorted(set(ids.listed(root / ids.LIST_PATH)) - {row.id for row in run.rows} - known)
        faults += tuple(
            f"{identity} is listed in {ids.LIST_PATH} but was not measured" for identity in missing
        )
    if faults:
        count = "1 bench has" if len(faults) == 1 else f"{len(faults)} benches have"
        raise Incomplete(f"{count} no figure", faults)


def _pytest(root: Path, options: Sequence[str], output: TextIO | None = None) -> int:
    """Run pytest on the benches; what it prints goes to `output`, or to where this process prints."""
    if not (root / "benches").is_dir():
        raise CouldNotRun(f"{root}: expected the root of a repository with a folder benches")
    environment = {name: value for name, value in os.environ.items() if name not in _CARRIED}
    paths = [str(root / "src"), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    environment["PYTHONHASHSEED"] = "0"
    plugins = [f"-p{name}" for name in ("benchgate.plugin", *_UNUSED)]
    command = [sys.executable, "-m", "pytest", "benches", *plugins]
    with ends_as_interrupts():
        process = subprocess.Popen(  # noqa: S603 - our own command
            [*command, *options], cwd=root, env=environment, stdout=output
        )
        try:
            return process.wait()
        except KeyboardInterrupt as request:
            # A terminal sends pytest the same interrupt, which it handles in its own way. A request to end
            # comes to this process alone, and has a name.
            if request.args:
                process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_STOP_SEC)
            return _INTERRUPTED
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
