"""Find out which benches there are, whether they work and what they allocate, in one ordinary process.

It comes before anything is counted under valgrind, so that failing benches are found before the slow part
begins. What is counted afterwards finds all modules compiled, since a process that compiles what it imports
is not the same afterwards.
"""

import sys
from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from benchgate import allocations, ids
from benchgate.errors import CouldNotRun
from benchgate.files import space_needed
from benchgate.ids import group_of, path_of
from benchgate.mirror import mirror, pass_folder
from benchgate.process import Process, ends_as_interrupts, fixed_environment, pytest_command
from benchgate.rows import AllocationRow
from benchgate.run import Failure, Run, load

QUIET = ("-qq", "-rN", "--tb=short")


class Sources(msgspec.Struct, frozen=True):
    """Whose benches are measured, on whose packages, by which interpreter.

    Attributes:
        benches: The repository whose benches, fixtures and settings are used.
        packages: The repository whose packages in `src` are measured, `benchgate` excepted.
        python: The interpreter, which must have what both need installed.
    """

    benches: Path
    packages: Path
    python: str = sys.executable


class Survey(msgspec.Struct, frozen=True):
    """What there is.

    Attributes:
        run: What each bench that works allocates, and the failures of those that do not.
        ids: The ids of all benches whose file could be imported, selected or not.
    """

    run: Run[AllocationRow]
    ids: tuple[str, ...]

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The benches that fail, and the files that cannot be imported."""
        return self.run.failures

    def of(self, only: Collection[str]) -> "Survey":
        """Return what it found about these benches and their files; it still knows what others there are."""
        rows = tuple(row for row in self.run.rows if row.id in only)
        names = {*only, *_files(only)}
        failures = tuple(failure for failure in self.failures if failure.id in names)
        return Survey(msgspec.structs.replace(self.run, rows=rows, failures=failures), self.ids)


def survey(sources: Sources, selected: Sequence[str] = (), within: Path | None = None) -> Survey:
    """Survey the selected benches, or all; `within` as for `benchgate.mirror.pass_folder`.

    Raises:
        CouldNotRun: pytest could not begin; the faults are what it printed last.
    """
    with ends_as_interrupts(), pass_folder(within) as folder, space_needed(folder):
        return survey_in(folder, mirrored(sources, folder), sources.python, selected=selected)


def mirrored(sources: Sources, folder: Path) -> Path:
    """Make the mirror of the sources in a scratch folder, after a check that there are benches.

    Raises:
        CouldNotRun: There is no folder of benches, or one that CodSpeed's harness cannot name.
    """
    if not (sources.benches / "benches").is_dir():
        raise CouldNotRun(f"{sources.benches}: expected the root of a repository with a folder benches")
    _require_ascii(sources.benches.resolve())
    return mirror(sources.benches, folder / "tree", sources.packages)


def _require_ascii(root: Path) -> None:
    """Check that the harness can name benches: by their path from the top of the git repository."""
    top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
    below = str(root.relative_to(top))
    if not below.isascii():
        raise CouldNotRun(
            f"{below}: expected a folder of the git repository with a name in ASCII, "
            f"since CodSpeed's harness knows no other: rename it"
        )


def survey_in(
    folder: Path,
    tree: Path,
    python: str,
    *,
    layout: int = 0,
    selected: Sequence[str] = (),
    only: Collection[str] = (),
) -> Survey:
    """Survey benches of the mirror `tree`, with everything temporary in `folder`.

    `selected` holds beginnings of ids and patterns; `only` holds ids, and then no other file is imported.

    Raises:
        CouldNotRun: pytest could not begin; the faults are what it printed last.
    """
    path, collected = folder / "allocations.json", folder / "ids.txt"
    options = [f"--bench-json={path}", f"--bench-ids={collected}", "--bench-allocations"]
    options += [f"--bench-select={text}" for text in selected]
    if only:
        wanted = folder / "only.txt"
        wanted.write_text(ids.text_of(only), encoding="utf-8")
        options.append(f"--bench-only={wanted}")
    command = pytest_command(python, *_files(only), *options, "--continue-on-collection-errors", *QUIET)
    process = _process(command, folder, tree, layout)
    code = _run(process)
    if not path.exists():
        raise CouldNotRun(
            f"nothing was counted: pytest ended early, with exit code {code}: does a bench end its process?",
            process.last_lines,
        )
    return Survey(load(path, allocations.KIND, AllocationRow), ids.listed(collected))


def compile_in(folder: Path, tree: Path, python: str, *, only: Collection[str] = ()) -> None:
    """Compile all that counting benches of the mirror `tree` imports, pytest and its plugins too.

    All of the packages as well, of which some is imported while a bench runs. A module that cannot be
    compiled says so to whoever imports it.

    Raises:
        CouldNotRun: The benches cannot even be looked for; the faults are what pytest printed last.
    """
    packages = sorted(map(str, (tree / "src").iterdir()))  # links, which are not followed unless named
    _run(_process([python, "-m", "compileall", "-q", *packages], folder, tree, 0))
    collecting = pytest_command(python, *_files(only), "--collect-only", "--assert=plain", *QUIET)
    process = _process(collecting, folder, tree, 0)
    if code := _run(process):
        raise CouldNotRun(f"nothing was counted: pytest ended with exit code {code}", process.last_lines)


def _files(only: Collection[str]) -> list[str]:
    """Return the arguments of pytest by which it imports the files of these benches alone, or of all."""
    return sorted({str(path_of(group_of(identity))) for identity in only}) or ["benches"]


def _process(command: Sequence[str], folder: Path, tree: Path, layout: int) -> Process:
    environment = fixed_environment(tree, folder / "compiled", layout, CODSPEED_PROFILE_FOLDER=str(folder))
    return Process(command, tree, environment)


def _run(process: Process) -> int:
    """Run it to its end, leave nothing of it, and return its exit code."""
    try:
        return process.run(lambda _: None)
    finally:
        process.stop()
        process.clear()
