"""Count the instructions and allocations of benches.

All processes see a mirror of the repository, see `benchgate.mirror`. Allocations come first, in one ordinary
process: it finds failing benches before the slow part begins, and compiles every module, since a process that
compiles what it imports is not the same afterwards. Then instructions, under callgrind with CodSpeed's
harness: one process for each `benches/<system>`, always the same benches in the same order, because benches
of one process share its heap. Processes are never balanced by duration, and no figure depends on how many run
at a time.

The harness costs the same in every region. What it costs is counted beside, in regions of an empty function
of two sizes, and taken off; the loop that makes the calls stays in, as in every other figure.

Everything temporary is in one folder that is removed also when the run is interrupted, and so are the perf
maps, whose place CPython chooses.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

import msgspec

from benchgate import allocations, ids
from benchgate.callgrind import Part
from benchgate.errors import CouldNotRun, Incomplete
from benchgate.ids import system_of
from benchgate.measure import COLLECTOR
from benchgate.mirror import mirror, scratch_folder
from benchgate.native import native_blocks
from benchgate.process import Process, ends_as_interrupts, fixed_environment, pytest_command
from benchgate.rows import AllocationRow, CountsRow, RegionRow
from benchgate.run import SCHEMA, GitState, Run, load
from benchgate.shard import QUIET, Shard, Show, run_all
from benchgate.simulator import Valgrind

KIND = "counts"
FOLDER = Path("results/counts")

_FIXED_SIZES, _FIXED_TURNS = (100, 200), 3
_FIXED_BENCHES = """
import pytest

def nothing():
    pass

@pytest.mark.parametrize("turn", range({turns}))
@pytest.mark.parametrize("calls", {sizes})
def bench_nothing(measure, calls, turn):
    measure(nothing, calls=calls)
"""
_FIXED_SETTINGS = """
[tool.pytest.ini_options]
addopts = ["--import-mode=importlib"]
python_files = ["bench_*.py"]
python_functions = ["bench_*"]
"""


class Counted(msgspec.Struct, frozen=True):
    """What was counted.

    Attributes:
        run: The record.
        profiles: Callgrind's part of each bench, by id: which functions its region's instructions are in.
    """

    run: Run[CountsRow]
    profiles: dict[str, Part]


def count(root: Path, valgrind: Valgrind, selected: Sequence[str], created: datetime, show: Show) -> Counted:
    """Count the selected benches of the repository at `root`, or all; `show` gets a line for each.

    Raises:
        Incomplete: A bench fails, or the benches are not those that are listed; nothing was counted.
        CouldNotRun: A process ended early; the faults are what it printed last.
        Unreadable: What callgrind wrote is truncated or has not each bench exactly once.
    """
    if not (root / "benches").is_dir():
        raise CouldNotRun(f"{root}: expected the root of a repository with a folder benches")
    with ends_as_interrupts(), scratch_folder() as folder:
        compiled, tree = folder / "compiled", mirror(root, folder / "tree")
        allocated = _allocated(tree, folder, selected, show)
        chosen = {row.id: row.nodeid for row in allocated.rows}
        make = partial(Shard, compiled=compiled, valgrind=valgrind)
        shards = [
            make(system, tree, folder / f"of.{system}", arguments=arguments)
            for system, arguments in _arguments_by_system(chosen, whole=not selected).items()
        ]
        fixed = make("none", _fixed_repository(folder / "none"), folder / "of", arguments=["benches"])
        show(f"instructions, under valgrind {valgrind.facts.valgrind}")
        try:
            run_all(shards, fixed, show)
            return _collected(shards, fixed, allocated, created, root)
        finally:
            for shard in (fixed, *shards):
                shard.clear()


def _collected(
    shards: Sequence[Shard],
    fixed: Shard,
    allocated: Run[AllocationRow],
    created: datetime,
    root: Path,
) -> Counted:
    """Put together what the processes wrote."""
    cost = _fixed_cost(fixed)
    blocks = {row.id: row for row in allocated.rows}
    rows: list[CountsRow] = []
    profiles: dict[str, Part] = {}
    for shard in shards:
        regions = shard.regions().rows
        expected = [identity for identity in blocks if system_of(identity) == shard.name]
        require_same(expected, [row.id for row in regions], f"the process for {shard.name}")
        profiles |= shard.profiles()
        rows += [_row(row, profiles[row.id], blocks[row.id], cost) for row in regions]
    facts = shards[0].valgrind.facts
    run = Run(
        schema=SCHEMA,
        kind=KIND,
        created=created,
        environment=msgspec.structs.replace(shards[0].regions().environment, simulator=facts),
        git=GitState.read(root),
        collector=COLLECTOR,
        rows=tuple(rows),
    )
    return Counted(run, profiles)


def require_same(expected: Iterable[str], found: Sequence[str], where: str) -> None:
    """Check that `found` are the expected ids.

    Raises:
        Incomplete: Some are missing or too many; the faults name them.
    """
    wanted, present = set(expected), set(found)
    faults = (
        *(f"{identity} was not counted" for identity in sorted(wanted - present)),
        *(f"{identity} was counted but not asked for" for identity in sorted(present - wanted)),
    )
    if faults:
        raise Incomplete(f"{where} has not counted what it should", faults)


def _allocated(tree: Path, folder: Path, selected: Sequence[str], show: Show) -> Run[AllocationRow]:
    """Count allocations, and find out which benches there are and whether they work."""
    path, collected = folder / "allocations.json", folder / "ids.txt"
    options = [f"--bench-json={path}", f"--bench-ids={collected}", "--bench-allocations"]
    options += [f"--bench-select={text}" for text in selected]
    command = pytest_command("benches", *options, "--continue-on-collection-errors", *QUIET)
    environment = fixed_environment(tree, folder / "compiled", CODSPEED_PROFILE_FOLDER=str(folder))
    process = Process(command, tree, environment)
    show("allocations, in an ordinary process")
    try:
        code = process.run(lambda _: None)
    finally:
        process.stop()
        process.clear()
    if not path.exists():
        raise CouldNotRun(f"nothing was counted: pytest ended with exit code {code}", process.last_lines)
    run = load(path, allocations.KIND, AllocationRow)
    faults = tuple(f"{failure.id}: {failure.reason}" for failure in run.failures)
    if not faults:
        faults = ids.differences(ids.listed(tree / ids.LIST_PATH), ids.listed(collected), "the benches")
    if faults:
        raise Incomplete("nothing was counted, for not all benches can be", faults)
    return run


def _arguments_by_system(chosen: Mapping[str, str], *, whole: bool) -> dict[str, list[str]]:
    """Return pytest's arguments for each system's process: its folder, or the chosen benches by node id."""
    systems: dict[str, list[str]] = {}
    for identity, nodeid in chosen.items():
        systems.setdefault(system_of(identity), []).append(nodeid)
    if whole:
        return {system: [f"benches/{system}"] for system in sorted(systems)}
    return {system: systems[system] for system in sorted(systems)}


def _fixed_repository(root: Path) -> Path:
    """Write a repository of regions that do nothing."""
    benches = root / "benches" / "harness"
    benches.mkdir(parents=True)
    (root / "pyproject.toml").write_text(_FIXED_SETTINGS)
    (root / "src").mkdir()
    (root / "src" / "benchgate").symlink_to(Path(__file__).parent)
    (benches / "bench_fixed.py").write_text(_FIXED_BENCHES.format(sizes=_FIXED_SIZES, turns=_FIXED_TURNS))
    return root


def _fixed_cost(shard: Shard) -> float:
    """Return the instructions of a region that do not grow with its calls.

    A method that has left the interpreter's cache costs some 300 more once, hence the least of some turns.
    """
    profiles = shard.profiles()
    few, many = (
        min(profiles[f"harness/fixed/nothing[{calls}-{turn}]"].total for turn in range(_FIXED_TURNS))
        for calls in _FIXED_SIZES
    )
    return few - (many - few) * _FIXED_SIZES[0] / (_FIXED_SIZES[1] - _FIXED_SIZES[0])


def _row(region: RegionRow, part: Part, allocated: AllocationRow, fixed: float) -> CountsRow:
    return CountsRow(
        id=region.id,
        calls=region.calls,
        region=part.total,
        instructions=(part.total - fixed) / region.calls,
        blocks=allocated.blocks,
        bytes=allocated.bytes,
        native_blocks=native_blocks(part) / region.calls,
        items=region.items,
        components=region.components,
    )
