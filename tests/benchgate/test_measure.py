import gc
import itertools
import os
from collections.abc import Callable
from typing import Any
from weakref import ref

import pytest

from benchgate.errors import BadBench
from benchgate.measure import MAX_ROUNDS, MIN_ROUNDS, CodSpeed, Measure, Region, WallClock, steady_loop


class Once:
    """An instrument that runs the region once, as the others do."""

    def run(self, region: Region) -> None:
        args, kwargs = region.setup() if region.setup else ((), {})
        region.loop(*args, **kwargs)


class FakeBenchmark:
    """Takes what `pedantic` is called with."""

    def __init__(self) -> None:
        self.options: dict[str, Any] = {}
        self.collecting: bool | None = None

    def pedantic(self, target: Callable[..., Any], **options: Any) -> None:
        assert callable(target)
        self.options = options
        self.collecting = gc.isenabled()


class FakeMachine:
    """A clock that stands still unless a call or a setup takes its time."""

    def __init__(self, call_sec: float, setup_sec: float = 0.0) -> None:
        self.now_sec, self._call_sec, self._setup_sec = 0.0, call_sec, setup_sec

    def clock(self) -> float:
        return self.now_sec

    def call(self, *_: object) -> None:
        self.now_sec += self._call_sec

    def make(self) -> tuple[()]:
        self.now_sec += self._setup_sec
        return ()


@pytest.mark.parametrize("arity", range(7))
@pytest.mark.parametrize("calls", [1, 200])
def test_a_region_makes_exactly_its_calls(arity: int, calls: int) -> None:
    seen: list[tuple[object, ...]] = []
    arguments = tuple(object() for _ in range(arity))
    Measure(Once())(lambda *got: seen.append(got), *arguments, calls=calls)
    assert seen == [arguments] * calls


@pytest.mark.parametrize("arity", range(4))
def test_fresh_arguments_are_built_before_the_region_and_used_once(arity: int) -> None:
    log: list[tuple[str, tuple[object, ...]]] = []
    counter = itertools.count()

    def make() -> tuple[object, ...]:
        made = tuple(next(counter) for _ in range(arity))
        log.append(("made", made))
        return made

    Measure(Once()).fresh(lambda *got: log.append(("used", got)), make, calls=5)
    assert [kind for kind, _ in log] == ["made"] * 6 + ["used"] * 5  # the first shows what a tuple holds
    assert [made for _, made in log[1:6]] == [used for _, used in log[6:]]


def test_another_number_of_calls_can_be_asked_of_a_loop() -> None:
    calls: list[int] = []
    loop = steady_loop(calls.append, (1,), 3)
    loop()
    loop(4)
    assert sum(calls) == 7


def test_each_region_has_code_of_its_own() -> None:
    first, second = steady_loop(len, ((),), 1), steady_loop(len, ((),), 1)
    assert first.__code__ is not second.__code__


def test_a_bench_measures_once() -> None:
    measure = Measure(Once())
    assert measure.region is None
    measure(len, ())
    with pytest.raises(BadBench, match="one measured call"):
        measure(len, ())


@pytest.mark.parametrize("calls", [0, -1, True, 2.0])
def test_calls_must_be_a_positive_integer(calls: Any) -> None:
    with pytest.raises(BadBench, match="calls"):
        Measure(Once())(len, (), calls=calls)


def test_make_must_return_a_tuple() -> None:
    with pytest.raises(BadBench, match="tuple of arguments, got list"):
        Measure(Once()).fresh(len, lambda: [()])  # type: ignore[arg-type, return-value]  # the fault under test


@pytest.mark.parametrize(("call_sec", "repeats"), [(1e-6, 3), (1.1e-7, 23), (1e-4, 1)])
def test_rounds_fill_the_time_for_a_row(call_sec: float, repeats: int) -> None:
    machine, benchmark = FakeMachine(call_sec), FakeBenchmark()
    Measure(WallClock(benchmark, 0.45, machine.clock))(machine.call)
    spent_sec = benchmark.options["rounds"] * benchmark.options["iterations"] * 200 * call_sec
    assert benchmark.options["iterations"] == repeats
    assert benchmark.options["warmup_rounds"] == 0
    assert 0.7 * 0.45 < spent_sec + machine.now_sec <= 0.45 + 1e-9


def test_the_cpu_time_of_the_rounds_is_set_beside_the_time_that_passed() -> None:
    machine, benchmark = FakeMachine(1e-6), FakeBenchmark()
    cpu_ns, wall_ns = iter((100, 190)), iter((1000, 1120))
    clock = WallClock(benchmark, 0.45, machine.clock, lambda: next(cpu_ns), lambda: next(wall_ns))
    Measure(clock)(machine.call)
    assert (clock.cpu_ns, clock.wall_ns) == (90, 120)


def test_setup_counts_against_the_time_and_is_not_repeated() -> None:
    machine, benchmark = FakeMachine(1e-6, setup_sec=9e-6), FakeBenchmark()
    Measure(WallClock(benchmark, 0.45, machine.clock)).fresh(machine.call, machine.make)
    assert benchmark.options["iterations"] == 1
    spent_sec = benchmark.options["rounds"] * 200 * 1e-5
    assert (
        0.9 * 0.45 < spent_sec + machine.now_sec <= 0.45 + 1e-5
    )  # and the one that shows what a tuple holds


def test_slow_and_fast_rows_keep_their_bounds() -> None:
    slow, fast, benchmark = FakeMachine(1.0), FakeMachine(1e-9), FakeBenchmark()
    Measure(WallClock(benchmark, 0.08, slow.clock))(slow.call, calls=2)
    assert benchmark.options["rounds"] == MIN_ROUNDS
    Measure(WallClock(benchmark, 10.0, fast.clock)).fresh(fast.call, fast.make, calls=2)
    assert benchmark.options["rounds"] == MAX_ROUNDS


def test_codspeed_counts_one_region_after_two_with_fresh_pools(monkeypatch: pytest.MonkeyPatch) -> None:
    filled: list[str] = []
    monkeypatch.setattr("benchgate.measure.fill_pools", lambda: filled.append("pools"))
    monkeypatch.setattr("benchgate.measure.fill_heap", lambda: filled.append("heap"))
    benchmark = FakeBenchmark()
    Measure(CodSpeed(benchmark))(len, ())
    setup = benchmark.options.pop("setup")
    assert benchmark.options == {"rounds": 1, "warmup_rounds": 2, "iterations": 1}
    assert [setup() for _ in range(2)] == [((), {})] * 2
    assert filled == []
    assert setup() == ((), {})
    assert filled == ["pools", "heap"]  # in this order, since what fills the pools comes from the heap


def test_codspeed_fills_the_pools_before_fresh_arguments_and_after(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log: list[str] = []
    monkeypatch.setattr("benchgate.measure.fill_pools", lambda: log.append("filled"))
    monkeypatch.setattr("benchgate.measure.fill_heap", lambda: None)
    benchmark = FakeBenchmark()

    def make() -> tuple[int]:
        log.append("made")
        return (7,)

    Measure(CodSpeed(benchmark)).fresh(abs, make, calls=2)
    assert [benchmark.options["setup"]() for _ in range(3)] == [(([(7,), (7,)],), {})] * 3
    assert log == ["made"] + ["made"] * 4 + ["filled", "made", "made", "filled"]


def test_codspeed_keeps_the_arguments_of_earlier_rounds_while_it_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("benchgate.measure.fill_pools", lambda: None)
    monkeypatch.setattr("benchgate.measure.fill_heap", lambda: None)
    benchmark, alive = FakeBenchmark(), []

    class Argument:
        def __init__(self) -> None:
            alive.append(ref(self))

    Measure(CodSpeed(benchmark)).fresh(id, lambda: (Argument(),), calls=2)
    alive.clear()
    for _ in range(3):
        benchmark.options["setup"]()
    assert [argument() is None for argument in alive] == [False] * 6


def test_codspeed_counts_in_this_process_or_in_a_copy_and_says_where() -> None:
    here = CodSpeed(FakeBenchmark())
    Measure(here)(len, ())
    assert here.pid == os.getpid()
    benchmark = FakeBenchmark()
    apart = CodSpeed(benchmark, apart=True)
    Measure(apart)(len, ())
    assert apart.pid != os.getpid()
    assert benchmark.options == {}


@pytest.mark.parametrize("was_on", [True, False])
def test_collector_is_off_meanwhile_and_then_as_before(was_on: bool) -> None:  # noqa: FBT001 - a case
    machine, benchmark = FakeMachine(1e-4), FakeBenchmark()
    before = gc.isenabled()
    try:
        (gc.enable if was_on else gc.disable)()
        Measure(WallClock(benchmark, 0.01, machine.clock))(machine.call)
        assert gc.isenabled() is was_on
    finally:
        (gc.enable if before else gc.disable)()
    assert benchmark.collecting is False
