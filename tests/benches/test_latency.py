"""Distributions: each declaration can be loaded and called, and each published one has a metric."""

from itertools import count

import pytest

from benches.market.session import load_short
from benchgate import published
from benchgate.latency.declaration import Distribution, Play, Replay
from benchgate.latency.measuring import Entry, declared, metrics_of
from benchgate.latency.sampling import Lanes
from tests.benches.catalogue import ROOT

ENTRIES = declared(ROOT)


def played(replay: Replay) -> tuple[Play, Lanes]:
    """Make one short pass with a clock that goes on by one at each reading."""
    play, ticks = replay.load(quick=True), count()
    lanes = Lanes([metric.name for metric in replay.metrics], play.room, lambda: next(ticks))
    play.run(lanes)
    return play, lanes


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: next(iter(entry.metrics)))
def test_a_declaration_can_be_loaded_run_and_checked(entry: Entry) -> None:
    if isinstance(entry.declaration, Distribution):
        calls = entry.declaration.load()
        for arguments in calls.arguments(3):
            calls.fn(*arguments)
        calls.check()
        return
    play, lanes = played(entry.declaration)
    for name, lane in lanes.of.items():
        assert min(lane.samples_ns) >= 1, name
    for batch in play.batches.values():
        batch.load()()


def test_market_state_has_a_sample_for_each_write_and_each_frame_of_a_session() -> None:
    counts = load_short().counts
    found: dict[str, int] = {}
    for entry in ENTRIES:
        if isinstance(entry.declaration, Replay):
            lanes = played(entry.declaration)[1]
            found |= {key: len(lanes.of[metric.name].samples_ns) for key, metric in entry.metrics.items()}
    assert found == {
        "market/state/ticker": counts["tickers"],
        "market/state/mark_price": counts["marks"],
        "market/state/order_update": counts["orders"],
        "market/state/book_snapshot": counts["snapshots"],
        "market/state/book_delta": counts["level_changes"],
        "market/pipeline/parse": counts["frames"],
        "market/pipeline/end_to_end": counts["frames"],
    }


def test_every_published_distribution_is_measured() -> None:
    figures = published.read(ROOT / published.PATH)
    assert {*figures.distributions, *figures.tiers} <= metrics_of(ENTRIES).keys()
