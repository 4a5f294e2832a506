"""Count the instructions and allocations of benches.

All processes see a mirror of the repository, see `benchgate.mirror`. Allocations come first, see
`benchgate.survey`. Then instructions, under callgrind with CodSpeed's harness: one process for each group of
benches (each file), always the same benches in the same order, each of them counted in a copy of that
process. Processes are never balanced by duration, and no figure depends on how many run at a time, see
`benchgate.forking`.

The harness costs the same in every region. What it costs is counted beside, in regions of an empty function
of two sizes, and taken off; the loop that makes the calls stays in, as in every other figure.

Everything temporary is in one folder that is removed also when the run is interrupted, and so are the perf
maps, whose place CPython chooses.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

import msgspec

from benchgate import ids
from benchgate.callgrind import Part
from benchgate.errors import BadBench, Incomplete
from benchgate.figures import counted
from benchgate.files import space_needed
from benchgate.ids import group_of, path_of
from benchgate.measure import COLLECTOR
from benchgate.mirror import pass_folder
from benchgate.native import native_blocks
from benchgate.process import ends_as_interrupts, undisturbed
from benchgate.rows import AllocationRow, CountsRow, RegionRow
from benchgate.run import SCHEMA, GitState, Run
from benchgate.shard import Shard, Show, clear, run_all
from benchgate.simulator import Valgrind
from benchgate.survey import Sources, Survey, compile_in, mirrored, survey_in

KIND = "counts"
FOLDER = Path("results/counts")

LEAST = 1_000
"""How many instructions a region must have beside the harness's, which vary by some 300."""

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


def count(
    sources: Sources,
    valgrind: Valgrind,
    created: datetime,
    show: Show,
    *,
    selected: Sequence[str] = (),
    only: Collection[str] = (),
    layout: int = 0,
    surveyed: Survey | None = None,
    within: Path | None = None,
) -> Counted:
    """Count benches: those with an id in `only`, or the selected ones, or all that are listed.

    `show` gets a line for each. `layout` is the hash seed; `surveyed` is what a survey of the same sources
    found, when there was one already; `within` as for `benchgate.mirror.pass_folder`.

    Raises:
        Incomplete: A bench fails, or the benches are not those that are listed; nothing was counted.
        BadBench: A bench has too little to count.
        CouldNotRun: A process ended early; the faults are what it printed last.
        Unreadable: What callgrind wrote is truncated or has not each bench exactly once.
    """
    with ends_as_interrupts(), pass_folder(within) as folder, space_needed(folder):
        tree = mirrored(sources, folder)
        if surveyed is None:
            show("allocations, in an ordinary process")
            found = survey_in(folder, tree, sources.python, layout=layout, selected=selected, only=only)
        else:
            found = surveyed.of(only) if only else surveyed
        _require_all(found, only or ids.listed(tree / ids.LIST_PATH), whole=not only)
        compile_in(folder, tree, sources.python, only=only)
        work = _blocks_by_group(found)
        shards = [
            Shard(group, tree, folder / f"of.{group.replace('/', '.')}", arguments, work=work[group])
            for group, arguments in _arguments_by_group(found).items()
        ]
        fixed = Shard("none", _fixed_repository(folder / "none"), folder / "of", ["benches"])
        run = partial(run_all, valgrind=valgrind, python=sources.python, layout=layout, show=show)
        show(f"instructions, under valgrind {valgrind.facts.valgrind}")
        try:
            dumps = run([fixed, *shards], tree, folder)
            cost = _fixed_cost(fixed.profiles(dumps))
            rows, profiles = _collected(shards, dumps, found.run, cost)
        finally:
            with undisturbed():
                clear(folder)
        environment = shards[0].regions().environment
        record = Run(
            schema=SCHEMA,
            kind=KIND,
            created=created,
            environment=msgspec.structs.replace(environment, simulator=valgrind.facts),
            git=GitState.read(sources.packages),
            collector=COLLECTOR,
            rows=tuple(rows),
        )
        return Counted(record, profiles)


def _collected(
    shards: Sequence[Shard], dumps: Path, allocated: Run[AllocationRow], cost: float
) -> tuple[list[CountsRow], dict[str, Part]]:
    """Put together what the processes wrote."""
    blocks = {row.id: row for row in allocated.rows}
    rows: list[CountsRow] = []
    profiles: dict[str, Part] = {}
    for shard in shards:
        regions = shard.regions().rows
        expected = [identity for identity in blocks if group_of(identity) == shard.name]
        require_same(expected, [row.id for row in regions], f"the process for {shard.name}")
        profiles |= shard.profiles(dumps)
        rows += [row_of(row, profiles[row.id], blocks[row.id], cost) for row in regions]
    return rows, profiles


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


def _require_all(found: Survey, expected: Iterable[str], *, whole: bool) -> None:
    """Check that every bench works and that they are those expected: all that there are, or some of them."""
    faults = tuple(f"{failure.id}: {failure.reason}" for failure in found.failures)
    if not faults and whole:
        faults = ids.differences(expected, found.ids, "the benches")
    elif not faults:
        there = {row.id for row in found.run.rows}
        faults = tuple(f"{identity} is missing" for identity in sorted(set(expected) - there))
    if faults:
        raise Incomplete("nothing was counted, for not all benches can be", faults)


def _arguments_by_group(found: Survey) -> dict[str, list[str]]:
    """Return pytest's arguments for each group's process: its file, or some of its benches by node id."""
    groups: dict[str, list[str]] = {}
    for row in found.run.rows:
        groups.setdefault(group_of(row.id), []).append(row.nodeid)
    sizes = Counter(map(group_of, found.ids))
    return {
        group: [str(path_of(group))] if len(groups[group]) == sizes[group] else groups[group]
        for group in sorted(groups)
    }


def _blocks_by_group(found: Survey) -> dict[str, float]:
    """Return what one call of each bench allocates, by group: near enough to how long its counting takes."""
    blocks: defaultdict[str, float] = defaultdict(float)
    for row in found.run.rows:
        blocks[group_of(row.id)] += row.blocks
    return blocks


def _fixed_repository(root: Path) -> Path:
    """Write a repository of regions that do nothing."""
    benches = root / "benches" / "harness"
    benches.mkdir(parents=True)
    (root / "pyproject.toml").write_text(_FIXED_SETTINGS)
    (root / "src").mkdir()
    (root / "src" / "benchgate").symlink_to(Path(__file__).parent)
    (benches / "bench_fixed.py").write_text(_FIXED_BENCHES.format(sizes=_FIXED_SIZES, turns=_FIXED_TURNS))
    return root


def _fixed_cost(profiles: Mapping[str, Part]) -> float:
    """Return the instructions of a region that do not grow with its calls.

    A method that has left the interpreter's cache costs some 300 more once, hence the least of some turns.
    """
    few, many = (
        min(profiles[f"harness/fixed/nothing[{calls}-{turn}]"].total for turn in range(_FIXED_TURNS))
        for calls in _FIXED_SIZES
    )
    return few - (many - few) * _FIXED_SIZES[0] / (_FIXED_SIZES[1] - _FIXED_SIZES[0])


def row_of(region: RegionRow, part: Part, allocated: AllocationRow, fixed: float) -> CountsRow:
    """Return a bench's figures.

    Raises:
        BadBench: Its calls cost no more than what varies in the harness: nothing would be known of them.
    """
    if part.total < fixed + LEAST:
        raise BadBench(
            f"{region.id}: expected a region of {LEAST:,} instructions beside the harness's own, got "
            f"{part.total - fixed:,.0f} in {counted(region.calls, 'call')}: measure more calls"
        )
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
