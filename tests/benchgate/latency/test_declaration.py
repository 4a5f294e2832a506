from collections.abc import Callable

import pytest

from benchgate.errors import BadBench
from benchgate.latency.declaration import Batch, Calls, Distribution, Metric, Play, Replay, steady


def load() -> Calls:
    return steady(len, "x")


def load_nothing(*, quick: bool) -> Play:
    return Play(print, int(quick))


def replay(*names: str, **more: int) -> Replay:
    return Replay(metrics=tuple(map(Metric, names)), load=load_nothing, **more)


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: Distribution(name="a/b", load=load, calls=5000), "'a/b': expected a name"),
        (lambda: Distribution(name="a", load=load, calls=999), "a: calls: expected at least 1000, got 999"),
        (lambda: Distribution(name="a", load=load, calls=True), "got True"),
        (lambda: Metric("P99"), "'P99': expected a name"),
        (replay, "expected metrics with names of their own, got none"),
        (lambda: replay("a", "b", "a"), "got a, b, a"),
        (lambda: replay("a", passes=0), "replay of a: passes: expected a positive integer, got 0"),
        (lambda: Batch(lambda: dict, 0), "batch: calls: expected a positive integer, got 0"),
    ],
)
def test_what_cannot_be_measured_is_refused_where_it_is_declared(
    declare: Callable[[], object], message: str
) -> None:
    with pytest.raises(BadBench, match=message):
        declare()


def test_a_distribution_is_its_only_metric() -> None:
    (metric,) = Distribution(name="a", load=load, calls=1000, note="so", picture=True).metrics
    assert metric == Metric("a", "so", picture=True)


def test_steady_calls_have_one_argument_list() -> None:
    assert list(steady(max, 1, 2).arguments(3)) == [(1, 2)] * 3
    assert list(steady(max).arguments(0)) == []
