"""The pytest side of the instrument."""

from collections.abc import Iterator

import pytest

from benchgate.measure import CodSpeed, Instrument, Measure, WallClock


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("benchgate")
    group.addoption("--bench-seconds", type=float, default=0.45, metavar="SEC", help="time for one row")


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers."""
    config.addinivalue_line(
        "markers", "components(*ids): the ids of the rows that a pipeline's row consists of"
    )
    config.addinivalue_line("markers", "items(count, unit): one call handles so many items")


@pytest.fixture
def measure(benchmark: object, request: pytest.FixtureRequest) -> Iterator[Measure]:
    """Measure the one call that a bench ends with."""
    instrument: Instrument
    if request.config.pluginmanager.has_plugin("codspeed_plugin") and (
        request.config.pluginmanager.get_plugin("codspeed_plugin").is_codspeed_enabled
    ):
        instrument = CodSpeed(benchmark)
    else:
        instrument = WallClock(benchmark, request.config.getoption("--bench-seconds"))
    yield Measure(instrument)
