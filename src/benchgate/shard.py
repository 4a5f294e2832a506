"""One counted process: what it is asked, what it leaves in its folder, and its benches' profiles."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import msgspec

from benchgate import perfmap
from benchgate.callgrind import REQUEST, Part, parts
from benchgate.errors import CouldNotRun, Unreadable
from benchgate.jobs import Job, Jobs
from benchgate.process import PLUGINS, Process, fixed_environment
from benchgate.rows import REGIONS_KIND, RegionRow
from benchgate.run import Run, load
from benchgate.simulator import Valgrind
from benchgate.survey import QUIET

AT_A_TIME = 4

DUMPS = "dumps"
_DUMP, _LOG = "callgrind.", "valgrind."  # before the id of the process

_METADATA = f"{REQUEST}Metadata: "  # what the harness says about itself
_SHOWN_LINES = 15

Show = Callable[[str], None]


class Shard:
    """One counted process; its files are in `folder`, which is made, and `work` is a job's."""

    def __init__(
        self, name: str, tree: Path, folder: Path, arguments: Sequence[str], *, work: float = 0.0
    ) -> None:
        self.name, self._tree, self._folder, self._arguments = name, tree, folder, arguments
        self._work = work
        folder.mkdir()

    @property
    def job(self) -> Job:
        """What the process is asked to do."""
        regions = f"--bench-json={self._folder / 'regions.json'}"
        # Rewritten assertions would be those of plugins that the parent has imported already.
        arguments = (
            *PLUGINS,
            "--codspeed",
            "--bench-apart",
            "--assert=plain",
            *self._arguments,
            regions,
            *QUIET,
        )
        return Job(self.name, str(self._tree), str(self._folder), arguments, self._work)

    @property
    def pid(self) -> int | None:
        """The id of the process, None when it has not begun."""
        text = self._said("pid")
        return int(text) if text else None

    @property
    def has_begun(self) -> bool:
        """Whether the process has had its turn."""
        return (self._folder / "printed").exists()

    def require_ended(self) -> None:
        """Check that the process came to its end and counted.

        Raises:
            CouldNotRun: It failed; the faults are the last lines that it printed.
        """
        code = self._said("ended")
        if code != "0" or not (self._folder / "regions.json").exists():
            how = f"with exit code {code}" if code else "early"
            lines = self._said("printed").splitlines()[-_SHOWN_LINES:]
            raise CouldNotRun(f"{self.name}: the process under valgrind ended {how}", tuple(lines))

    def regions(self) -> Run[RegionRow]:
        """Return what the counted regions consist of."""
        return load(self._folder / "regions.json", REGIONS_KIND, RegionRow)

    def profiles(self, dumps: Path) -> dict[str, Part]:
        """Return callgrind's part of each bench, by id; `dumps` is the folder that callgrind writes to.

        Raises:
            Unreadable: A row has no part or several, or a part belongs to no row.
        """
        assert self.pid is not None
        rows = self.regions().rows
        # Nothing should be counted in the process itself, but if it is, it must not be passed over.
        pids = (self.pid, *(row.pid for row in rows))
        found = chain.from_iterable(self._parts(dumps, pid) for pid in dict.fromkeys(pids))
        return profiles_by_id(found, rows, self.name)

    def _parts(self, dumps: Path, pid: int) -> Iterator[Part]:
        """Read what callgrind wrote of one process, with names of Python functions where there are any."""
        names = perfmap.path_of(pid)
        python = None
        if sys.version_info >= (3, 12) and names.exists():  # before, it would be of another program
            with names.open(encoding="utf-8", errors="replace") as lines:
                python = perfmap.parse(lines, str(names), self._tree)
        path = dumps / f"{_DUMP}{pid}"
        try:
            with path.open(encoding="utf-8", errors="replace") as lines:
                yield from parts(lines, path.name, python)
        except FileNotFoundError:
            raise Unreadable(f"{self.name}: callgrind has written nothing") from None

    def _said(self, name: str) -> str:
        path = self._folder / name
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def clear(folder: Path) -> None:
    """Remove the perf maps, whose place CPython chooses, of all that `run_all` has run in `folder`."""
    for log in folder.glob(f"{DUMPS}/{_LOG}*"):
        perfmap.path_of(int(log.name.removeprefix(_LOG))).unlink(missing_ok=True)


def profiles_by_id(found: Iterable[Part], rows: Iterable[RegionRow], name: str) -> dict[str, Part]:
    """Give each row its part: the one whose trigger is the row's node id, relative to the git repository.

    Raises:
        Unreadable: A row has no part or several, or a part belongs to no row; the message names it.
    """
    addresses = {row.nodeid: row.id for row in rows}
    profiles: dict[str, Part] = {}
    for part in found:
        address = part.trigger.removeprefix(REQUEST)
        if address == part.trigger or part.trigger.startswith(_METADATA):
            if part.total:
                raise Unreadable(
                    f"{name}: {part.total} instructions belong to no bench but to {part.trigger!r}"
                )
            continue
        # The repository of the benches may be a folder of a larger one.
        found_at = (row for nodeid, row in addresses.items() if f"/{address}".endswith(f"/{nodeid}"))
        identity = next(found_at, None)
        if identity is None:
            raise Unreadable(f"{name}: {address} was counted but not asked for")
        if identity in profiles:
            raise Unreadable(f"{name}: {identity} was counted twice")
        profiles[identity] = part
    missing = [identity for identity in addresses.values() if identity not in profiles]
    if missing:
        raise Unreadable(f"{name}: not counted: {', '.join(missing)}")
    return profiles


def run_all(
    shards: Sequence[Shard],
    tree: Path,
    folder: Path,
    *,
    valgrind: Valgrind,
    python: str,
    layout: int,
    show: Show,
) -> Path:
    """Run the shards, as many at a time as there are CPUs, four at most; return the folder of the dumps.

    `show` gets a line for each shard that has ended, but for the first. Everything is written below `folder`,
    where compiled modules are in `compiled`.

    Raises:
        CouldNotRun: A process failed; the others have been ended.
    """
    dumps = folder / DUMPS
    dumps.mkdir()
    jobs = Jobs(tuple(shard.job for shard in shards), min(AT_A_TIME, os.cpu_count() or 1))
    (folder / "jobs.json").write_bytes(msgspec.json.encode(jobs))
    output, log = str(dumps / f"{_DUMP}%p"), str(dumps / f"{_LOG}%p")
    command = [
        *valgrind.callgrind(output=output, log=log, trampolines=sys.version_info >= (3, 12)),
        *(python, "-m", "benchgate.forking", str(folder / "jobs.json")),
    ]
    # Processes that run at a time must not find what the other has just compiled.
    more = {"CODSPEED_PROFILE_FOLDER": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    process = Process(command, tree, fixed_environment(tree, folder / "compiled", layout, **more))
    by_name = {shard.name: shard for shard in shards}
    width = max(map(len, by_name))
    ended: list[str] = []

    def progress(line: str) -> None:
        code, _, name = line.partition(" ")
        if name not in by_name:
            return
        ended.append(name)
        if code != "0":
            process.stop()
        elif name != shards[0].name:
            total = len(shards) - 1
            count = sum(other != shards[0].name for other in ended)
            show(f"[{count:>{len(str(total))}}/{total}] {name:{width}}  counted")

    try:
        code = process.run(progress)
    except CouldNotRun as fault:
        begun = ", ".join(shard.name for shard in shards if shard.has_begun and shard.name not in ended)
        raise CouldNotRun(f"{begun}: {fault}", fault.faults) from None
    finally:
        process.stop()
    failed = [shard for shard in shards if shard.name in ended] + [
        shard for shard in shards if shard.name not in ended
    ]
    for shard in failed:
        shard.require_ended()
    if code:
        raise CouldNotRun(f"the process under valgrind ended with exit code {code}", process.last_lines)
    return dumps
