"""Bench ids are public names: histories, published figures and thresholds hang on them."""

from collections.abc import Callable

import pytest

from benchgate import ids, peers, published
from benchgate.bench import collected_ids
from tests.benches.catalogue import ROOT, Benches, find_benches, marks

LISTED = frozenset(ids.listed(ROOT / ids.LIST_PATH))
SIGNED_COMMANDS = {f"derive/exec_pipeline/{name}" for name in ("submit_limit", "submit_market", "modify")}


@pytest.fixture(scope="module")
def benches(pytestconfig: pytest.Config) -> Benches:
    return find_benches(pytestconfig)


def components(bench: Callable[..., None]) -> tuple[str, ...]:
    return tuple(identity for mark in marks(bench, "components") for identity in mark.args)


def test_the_list_names_exactly_the_benches_that_are_there() -> None:
    assert ids.differences(LISTED, collected_ids(ROOT), "the benches") == ()


def test_the_functions_found_here_are_those_of_the_list(benches: Benches) -> None:
    assert {identity.partition("[")[0] for identity in LISTED} == set(benches)


def test_every_published_figure_has_a_bench() -> None:
    found = published.read(ROOT / published.PATH)
    figures = {**found.figures, **found.blocks}
    assert len([identity for identity in figures if identity.startswith("derive/")]) >= 35
    assert set(figures) - LISTED == set()


def test_a_bench_says_in_one_line_what_one_call_does(benches: Benches) -> None:
    texts = {identity: bench.__doc__ or "" for identity, bench in benches.items()}
    assert [identity for identity, text in texts.items() if not text.endswith(".") or "\n" in text] == []


def test_components_are_other_benches(benches: Benches) -> None:
    named = {identity: components(bench) for identity, bench in benches.items()}
    assert [identity for identity, parts in named.items() if not set(parts) <= LISTED - {identity}] == []
    assert [identity for identity, parts in named.items() if len(set(parts)) != len(parts)] == []


def test_every_inbound_pipeline_names_its_two_halves(benches: Benches) -> None:
    halves = [
        components(bench) for key, bench in benches.items() if key.startswith("derive/inbound_pipeline/")
    ]
    assert len(halves) == 8
    for first, second in halves:
        assert first.startswith("derive/decode_only/")
        assert second.startswith("derive/parse_only/")


def test_every_signed_row_is_measured_with_and_without_a_presigned_point() -> None:
    presigned = {key.removesuffix("_presigned") for key in LISTED if key.endswith("_presigned")}
    assert presigned >= SIGNED_COMMANDS
    assert presigned <= LISTED


def test_every_inbound_row_is_compared_with_peers(benches: Benches) -> None:
    inbound = {key.removeprefix("derive/inbound_pipeline/") for key in benches if "/inbound_pipeline/" in key}
    compared = {identity.removeprefix("derive/inbound/") for identity in peers.declared(ROOT)}
    assert inbound <= compared
