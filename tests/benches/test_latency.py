"""Distributions: each declaration can be loaded and called, and each published one has a metric."""

import pytest

from benchgate import published
from benchgate.latency.declaration import Distribution
from benchgate.latency.measuring import Entry, declared, metrics_of
from tests.benches.catalogue import ROOT

ENTRIES = declared(ROOT)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: next(iter(entry.metrics)))
def test_a_single_call_can_be_made_and_checked(entry: Entry) -> None:
    if isinstance(entry.declaration, Distribution):
        calls = entry.declaration.load()
        for arguments in calls.arguments(3):
            calls.fn(*arguments)
        calls.check()


def test_every_published_distribution_is_measured() -> None:
    figures = published.read(ROOT / published.PATH)
    assert {*figures.distributions, *figures.tiers} <= metrics_of(ENTRIES).keys()
