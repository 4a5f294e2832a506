"""One simulated process: its command, its files, and the profile of each bench that it counted."""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from benchgate import perfmap
from benchgate.callgrind import REQUEST, Part, parts
from benchgate.errors import CouldNotRun, Unreadable
from benchgate.process import Process, fixed_environment, pytest_command
from benchgate.recorder import REGIONS_KIND
from benchgate.rows import RegionRow
from benchgate.run import Run, load
from benchgate.simulator import Valgrind
from benchgate.survey import QUIET

AT_A_TIME = 4

_METADATA = f"{REQUEST}Metadata: "  # what the harness says about itself

Show = Callable[[str], None]


class Shard:
    """One simulated process and what it writes into `folder`."""

    def __init__(
        self,
        name: str,
        tree: Path,
        folder: Path,
        *,
        compiled: Path,
        valgrind: Valgrind,
        python: str,
        layout: int,
        arguments: Sequence[str],
    ) -> None:
        self.name, self.valgrind, self._tree, self._folder = name, valgrind, tree, folder
        folder.mkdir()
        output, log = str(folder / "callgrind.%p"), str(folder / "valgrind.%p")
        command = [
            *valgrind.callgrind(output=output, log=log, trampolines=sys.version_info >= (3, 12)),
            *pytest_command(python, *arguments, f"--bench-json={folder / 'regions.json'}", *QUIET),
        ]
        # Processes that run at a time must not find what the other has just compiled.
        more = {"CODSPEED_PROFILE_FOLDER": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
        self._process = Process(command, tree, fixed_environment(tree, compiled, layout, **more))

    def run(self, show: Show) -> None:
        """Run the process to its end.

        Raises:
            CouldNotRun: It failed.
        """
        code = self._process.run(show)
        if code or not (self._folder / "regions.json").exists():
            log = self._folder / f"valgrind.{self._process.pid}"
            said = log.read_text(errors="replace").splitlines()[-5:] if log.exists() else []
            raise CouldNotRun(
                f"{self.name}: the process under valgrind ended with exit code {code}",
                (*self._process.last_lines, *said),
            )

    def stop(self) -> None:
        """Kill the process if it runs."""
        self._process.stop()

    def clear(self) -> None:
        """Remove what the process left outside its folder."""
        self._process.clear()

    def regions(self) -> Run[RegionRow]:
        """Return what the counted regions consist of."""
        return load(self._folder / "regions.json", REGIONS_KIND, RegionRow)

    def profiles(self) -> dict[str, Part]:
        """Return callgrind's part of each bench, by id.

        Raises:
            Unreadable: A row has no part or several, or a part belongs to no row.
        """
        path = self._folder / f"callgrind.{self._process.pid}"
        names = perfmap.path_of(self._process.pid)
        python = None
        if names.exists():
            with names.open(encoding="utf-8", errors="replace") as lines:
                python = perfmap.parse(lines, str(names), self._tree)
        try:
            with path.open(encoding="utf-8", errors="replace") as lines:
                return profiles_by_id(parts(lines, path.name, python), self.regions().rows, self.name)
        except FileNotFoundError:
            raise Unreadable(f"{self.name}: callgrind has written nothing") from None


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


def run_all(shards: Sequence[Shard], unshown: Shard, show: Show) -> None:
    """Run the shards, as many at a time as there are CPUs, four at most; the first to fail ends them all.

    `show` gets the lines about benches, but for those of `unshown`, which runs first.
    """

    def progress(line: str) -> None:
        if line.startswith("["):
            show(line)

    at_a_time = min(AT_A_TIME, os.cpu_count() or 1)
    with ThreadPoolExecutor(at_a_time) as pool:
        try:
            runs = [pool.submit(unshown.run, lambda _: None)]
            runs += [pool.submit(shard.run, progress) for shard in shards]
            for done in as_completed(runs):
                done.result()
        except BaseException:
            # Before the pool waits for its threads, which wait for the processes.
            for shard in (unshown, *shards):
                shard.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
