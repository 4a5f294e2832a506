import gc
from collections.abc import Iterable
from itertools import count, islice, repeat

import pytest

from benchgate.errors import BadBench
from benchgate.latency.declaration import Batch, Calls, Play, Recorder, steady
from benchgate.latency.sampling import (
    BATCH_CALLS,
    BATCHES,
    FEWEST_WARM_UP,
    STRETCHES,
    TIMER_PAIRS,
    Lanes,
    Sampled,
    Timer,
    collector_frozen,
    play,
    resolution_text,
    sample,
)
from benchgate.measure import Arguments
from tests.benchgate.latency.samples import Clock


def test_each_call_is_timed_with_one_reading_and_batches_with_none() -> None:
    clock = Clock(reading_ns=40)
    sampled = sample(steady(clock.taking([100]), "x"), 1003, Timer(clock), clock)
    assert list(sampled.samples_ns) == [140] * 1003
    assert sampled.batch_means_ns == [pytest.approx(100 + 40 / 100)] * STRETCHES


def test_samples_are_in_the_order_of_the_calls_after_a_warm_up_that_is_dropped() -> None:
    clock = Clock()
    given: list[int] = []

    def call(cost_ns: int) -> None:
        given.append(cost_ns)
        clock.now_ns += cost_ns

    numbers = count(1)
    calls = Calls(call, lambda many: [(next(numbers),) for _ in range(many)])
    sampled = sample(calls, 1000, Timer(clock), clock)
    assert len(sampled.samples_ns) == 1000
    assert set(sampled.samples_ns) <= set(given)
    assert list(sampled.samples_ns) == sorted(sampled.samples_ns)
    assert min(sampled.samples_ns) > FEWEST_WARM_UP
    assert len(given) == len(set(given)), "a call's arguments were used twice"
    timed = set(sampled.samples_ns)
    batched = [cost for cost in given[FEWEST_WARM_UP:] if cost not in timed]
    assert len(batched) == 100 + STRETCHES * 100  # a warm batch, then one in each stretch


def test_batches_are_as_long_and_as_many_as_said() -> None:
    clock = Clock()
    sampled = sample(steady(clock.taking([5])), 40_000, Timer(clock), clock)
    assert len(sampled.batch_means_ns) == STRETCHES * BATCHES
    assert BATCH_CALLS * BATCHES <= 40_000 // STRETCHES


def test_timer_is_measured_with_nothing_to_time_around_every_stretch() -> None:
    clock = Clock(reading_ns=40)
    timer = Timer(clock)
    assert len(timer.samples_ns) == 0
    sample(steady(clock.taking([100])), 1000, timer, clock)
    assert list(timer.samples_ns) == [40] * (2 * STRETCHES * TIMER_PAIRS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (lambda _: [], "expected a tuple for each call, got NoneType"),
        (lambda many: ["ab"] * many, "expected a tuple for each call, got str"),
        (lambda many: [()] * (many // 2 + 1), "expected those of 500 calls, got 251"),
        (lambda many: repeat((), many + 1), "expected those of 500 calls, got 501"),
    ],
)
def test_arguments_that_do_not_fit_are_told(arguments: object, message: str) -> None:
    clock = Clock()
    calls = Calls(clock.taking([1]), arguments)  # type: ignore[arg-type]  # what a bench may return
    with pytest.raises(BadBench, match=message):
        sample(calls, 1000, Timer(clock), clock)


def test_no_more_arguments_are_made_than_calls() -> None:
    clock = Clock()

    def endless(_: int) -> Iterable[Arguments]:
        return islice(repeat(()), 10**9)

    with pytest.raises(BadBench, match="expected those of 500 calls, got 501"):
        sample(Calls(clock.taking([1]), endless), 1000, Timer(clock), clock)


def test_collector_runs_frozen_among_the_samples_and_is_left_as_it_was() -> None:
    seen: list[tuple[bool, bool]] = []
    sampled = Sampled()
    for was_on in (True, False):
        (gc.enable if was_on else gc.disable)()
        try:
            with pytest.raises(ZeroDivisionError), collector_frozen(sampled):  # noqa: PT012 - what it leaves is tested
                seen.append((gc.isenabled(), gc.get_freeze_count() > 1000))
                gc.collect(0)
                raise ZeroDivisionError
            seen.append((gc.isenabled() == was_on, gc.get_freeze_count() == 0))
        finally:
            gc.enable()
    assert seen == [(True, True)] * 4
    with collector_frozen(sampled):
        gc.collect(0)
        gc.collect(1)
    assert sampled.collections[:2] == (1, 1)


def replayed(recorder: Recorder) -> None:
    parse, ticker = recorder.lane("parse"), recorder.lane("ticker")
    for number in range(4):
        received = recorder.clock_ns()
        decoded = recorder.clock_ns()
        parse(decoded - received)
        if number % 2:
            ticker(recorder.clock_ns() - received)


def test_first_pass_is_dropped_and_the_others_are_joined() -> None:
    clock = Clock(reading_ns=10)
    passes: list[int] = []

    def run(recorder: Recorder) -> None:
        passes.append(len(passes))
        clock.reading_ns = 10 * len(passes)
        replayed(recorder)
        clock.reading_ns = 10

    timer = Timer(clock)
    batch = Batch(lambda: clock.taking([80]), 4)
    found = play(Play(run, 4, {"ticker": batch}), ("parse", "ticker"), 3, timer, clock)
    assert len(passes) == 4
    assert list(found["parse"].samples_ns) == [20] * 4 + [30] * 4 + [40] * 4
    assert list(found["ticker"].samples_ns) == [40] * 2 + [60] * 2 + [80] * 2
    assert found["ticker"].batch_means_ns == [(80 + 10) / 4] * 3
    assert found["parse"].batch_means_ns == []
    assert list(timer.samples_ns) == [10] * (3 * 2 * TIMER_PAIRS)


def test_a_lane_has_the_room_that_was_asked_for() -> None:
    lanes = Lanes(["parse", "ticker"], 2, Clock())
    record = lanes.lane("parse")
    record(5)
    record(6)
    with pytest.raises(BadBench, match="parse: expected at most 2 samples in a pass"):
        record(7)
    assert list(lanes.of["parse"].samples_ns) == [5, 6]
    assert list(lanes.of["ticker"].samples_ns) == []
    with pytest.raises(BadBench, match="lane: expected one of parse, ticker, got tickre"):
        lanes.lane("tickre")


def test_a_batch_of_no_metric_is_told() -> None:
    batches = {"tickre": Batch(lambda: dict, 1)}
    with pytest.raises(BadBench, match="batches: expected some of parse, got tickre"):
        play(Play(replayed, 4, batches), ("parse",), 1, Timer(Clock()), Clock())


def test_resolution_is_told() -> None:
    assert resolution_text().startswith("resolution: ")
