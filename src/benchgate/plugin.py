"""The pytest side of the instrument: the `measure` fixture, bench ids and their selection.

Load it with `-p benchgate.plugin` or name it in `pytest_plugins`. The fixture works in any pytest run, also
under `--codspeed`; `--bench-json` records the run, see `benchgate.recorder`.
"""

import gc
from collections.abc import Generator, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from benchgate import allocations, wallclock
from benchgate.allocations import Allocations
from benchgate.declared import MARKERS
from benchgate.errors import BadBench, BenchgateError
from benchgate.files import write_whole
from benchgate.ids import bench_id, listed, refuse_duplicates, text_of
from benchgate.measure import FULL_SEC, CodSpeed, Instrument, Measure, WallClock
from benchgate.recorder import MEASURED, Recorder
from benchgate.rows import REGIONS_KIND
from benchgate.run import utc_now
from benchgate.selection import matched, select

_RECORDER = "benchgate-recorder"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("benchgate", "the measuring gate")
    group.addoption(
        "--bench-select",
        action="append",
        default=[],
        metavar="ID",
        help="run the benches whose ids begin with ID, or match it when it has * or ?; may be repeated",
    )
    group.addoption(
        "--bench-only", type=Path, metavar="PATH", help="run the benches whose ids PATH lists, one a line"
    )
    group.addoption("--bench-seconds", type=float, default=FULL_SEC, metavar="SEC", help="time for one row")
    group.addoption("--bench-json", type=Path, metavar="PATH", help="record the run in PATH")
    group.addoption(
        "--bench-created",
        type=datetime.fromisoformat,
        metavar="TIME",
        help="the beginning of the run to record, ISO 8601 in UTC; now by default",
    )
    group.addoption(
        "--bench-allocations",
        action="store_true",
        help="count what benches allocate instead of measuring them",
    )
    group.addoption(
        "--bench-apart",
        action="store_true",
        help="with --codspeed: measure each bench in a copy of the process",
    )
    group.addoption("--bench-ids", type=Path, metavar="PATH", help="write the collected ids to PATH")


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers, and the recorder when the run is to be recorded."""
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    path = config.getoption("--bench-json")
    if path is not None and not config.getoption("collectonly"):
        created = config.getoption("--bench-created") or utc_now()
        recorder = Recorder(
            path, config.rootpath, created, _kind(config), config.getoption("--bench-seconds")
        )
        config.pluginmanager.register(recorder, _RECORDER)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give each bench its id and keep the selected ones; tests beside them are left alone."""
    recorder: Recorder | None = config.pluginmanager.get_plugin(_RECORDER)
    ids_path: Path | None = config.getoption("--bench-ids")
    try:
        named = [(bench_id(item.nodeid), item) for item in items if item.nodeid.startswith("benches/")]
        refuse_duplicates(identity for identity, _ in named)
        benches = dict(named)
        wanted: list[str] = config.getoption("--bench-select")
        only: Path | None = config.getoption("--bench-only")
        if only is not None:
            chosen = tuple(identity for identity in listed(only) if identity in benches)
        elif recorder is not None and recorder.lacks_files:
            # What cannot be found may be in a file that could not be imported: the rest is measured.
            chosen, unmatched = matched(tuple(benches), wanted)
            for text in unmatched:
                recorder.lacks(text)
        else:
            chosen = select(tuple(benches), wanted)
        if recorder is not None:
            recorder.begin(
                {identity: item for identity, item in named if identity in chosen},
                None if only else set(benches),
                config.pluginmanager.get_plugin("terminalreporter"),
            )
    except BenchgateError as fault:
        raise pytest.UsageError(str(fault)) from None
    if ids_path is not None:
        write_whole(ids_path, text_of(benches).encode())
    dropped = [item for identity, item in named if identity not in chosen]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = [item for item in items if item not in dropped]


def pytest_collection_finish() -> None:
    """Take what the benches were imported with out of the collector's sight.

    Every instrument collects before it measures, which would visit all of that each time.
    """
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Give it back, for a process that goes on."""
    gc.unfreeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Fail a bench that ends without its measured call."""
    yield
    if MEASURED in item.stash and item.stash[MEASURED][0].region is None:
        raise BadBench("the bench measured nothing")


@pytest.fixture
def measure(benchmark: Any, request: pytest.FixtureRequest) -> Iterator[Measure]:
    """Measure the one call that a bench ends with: see `benchgate.measure.Measure`."""
    instrument: Instrument
    measured: Any = benchmark
    match _kind(request.config):
        case allocations.KIND:
            instrument = measured = Allocations()
        case wallclock.KIND:
            instrument = WallClock(benchmark, request.config.getoption("--bench-seconds"))
        case _:
            instrument = measured = CodSpeed(benchmark, apart=request.config.getoption("--bench-apart"))
    measuring = Measure(instrument)
    request.node.stash[MEASURED] = (measuring, measured)
    yield measuring
    # That a bench measures is checked above. pytest-benchmark's own check is a warning, hence an error, in
    # the teardown of benches that have failed already and of those interrupted while they warm up.
    benchmark.skipped = True


def _kind(config: pytest.Config) -> str:
    """Return the kind of run that this is, the wall clock's unless asked for another."""
    if config.getoption("--bench-allocations"):
        return allocations.KIND
    plugin: Any = config.pluginmanager.get_plugin("codspeed_plugin")
    return REGIONS_KIND if plugin is not None and plugin.is_codspeed_enabled else wallclock.KIND
