"""The measured region: one tight loop of calls, the same loop under every instrument.

A region calls the benched function `calls` times and does nothing else: arguments are bound before it
starts, results are dropped as they come. The time of one call is the region's time divided by `calls`, so
the loop itself (`harness/floor/empty_call`) is part of every figure. The instructions of one measured call
of a small function vary by up to 6 % between runs of the same code on the same machine, their mean over 200
calls in one region with fixed inputs by less than 0.05 %, as callgrind of valgrind 3.19 counts them.

Each region is compiled anew. A loop shared by all benches would share its inline caches, and what one bench
called would then change the figure of the next.

The cyclic collector is off while any instrument measures: CodSpeed switches it off, and a figure should mean
the same everywhere.
"""

import gc
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count, repeat
from typing import Any, Protocol

from benchgate.apart import do_apart
from benchgate.errors import BadBench
from benchgate.heap import fill_heap
from benchgate.pools import fill_pools

DEFAULT_CALLS = 200
FULL_SEC = 0.35  # for one row
QUICK_SEC = 0.08
# The first call takes up to 29 % more instructions, the second up to 4 %: steady from the third (callgrind).
WARMUP_ROUNDS = 5
COUNTED_WARMUP_ROUNDS = 2  # of regions, each of several calls or of one call that handles many items
MIN_ROUNDS = 5
MAX_ROUNDS = 2000
ROUND_SEC = 0.0005  # long beside the clock's own cost (50 ns), short beside a scheduler's slice (3 ms)

COLLECTOR = "off while measuring"

Arguments = tuple[Any, ...]


class Region:
    """One measured loop.

    Attributes:
        loop: Runs the region; takes what `setup` returns, nothing when there is no setup.
        setup: Builds the loop's arguments as `(args, kwargs)`, outside the measurement.
        calls: The number of calls in one region.
    """

    def __init__(self, loop: Callable[..., None], setup: Callable[[], Any] | None, calls: int) -> None:
        self.loop, self.setup, self.calls = loop, setup, calls


class Instrument(Protocol):
    """What can measure a region."""

    def run(self, region: Region) -> None:
        """Measure `region`, after the warm-up."""


class Pedantic(Protocol):
    """What pytest-benchmark's and CodSpeed's `benchmark` fixtures have in common."""

    def pedantic(
        self,
        target: Callable[..., Any],
        *,
        setup: Callable[[], Any] | None,
        rounds: int,
        warmup_rounds: int,
        iterations: int,
    ) -> Any:
        """Call `target` in rounds, each after one call of `setup`."""


class Measure:
    """The `measure` fixture: a bench body ends with one call of it, or of `fresh`.

    Attributes:
        instrument: What measures the region.
        region: The region that was measured, None before the call.
    """

    def __init__(self, instrument: Instrument) -> None:
        self.instrument = instrument
        self.region: Region | None = None

    def __call__(self, fn: Callable[..., object], *args: object, calls: int = DEFAULT_CALLS) -> None:
        """Measure `fn(*args)` in regions of `calls` calls, all with the same arguments.

        Raises:
            BadBench: The bench measures a second time, or `calls` is not a positive integer.
        """
        self._run(Region(steady_loop(fn, args, calls), None, calls))

    def fresh(
        self,
        fn: Callable[..., object],
        make: Callable[[], Arguments],
        *,
        calls: int = DEFAULT_CALLS,
    ) -> None:
        """Measure `fn` with arguments of its own for every call.

        `make` returns the arguments of one call as a tuple. Before each region it is called `calls` times,
        outside the measurement; the tuples stay alive until the region ends.

        Raises:
            BadBench: The bench measures a second time, `calls` is not a positive integer or `make` does not
                return a tuple.
        """
        sample = make()
        if not isinstance(sample, tuple):
            raise BadBench(f"make: expected a tuple of arguments, got {type(sample).__name__}")

        def setup() -> tuple[tuple[list[Arguments]], dict[str, object]]:
            return ([make() for _ in range(calls)],), {}

        self._run(Region(fresh_loop(fn, len(sample)), setup, calls))

    def _run(self, region: Region) -> None:
        if self.region is not None:
            raise BadBench("a bench has one measured call, this one has two")
        if type(region.calls) is not int or region.calls < 1:
            raise BadBench(f"calls: expected a positive integer, got {region.calls!r}")
        self.region = region
        self.instrument.run(region)


class CodSpeed:
    """Hands a region to CodSpeed's fixture: warm-up rounds, then one that counts, with fresh memory.

    A simulated round takes fifty times its time, so there are fewer than of others.

    Attributes:
        pid: The process that a region was measured in: this one, or with `apart` one of its own.
    """

    def __init__(self, benchmark: Pedantic, *, apart: bool = False) -> None:
        self._benchmark, self._apart = benchmark, apart
        self.pid = os.getpid()

    def run(self, region: Region) -> None:
        """Measure one region; CodSpeed itself switches the cyclic collector off."""
        if self._apart:
            self.pid = do_apart(lambda: self._run(region))
        else:
            self._run(region)

    def _run(self, region: Region) -> None:
        rounds = count()
        # The harness drops a round's arguments when it has the next ones: that would make room in full pools.
        kept: list[Any] = []

        def setup() -> Any:
            is_counted = next(rounds) == COUNTED_WARMUP_ROUNDS
            if is_counted and region.setup:  # the region may free what its arguments are made of
                _fill_memory()
            kept.append(region.setup() if region.setup else ((), {}))
            if is_counted:
                _fill_memory()
            return kept[-1]

        self._benchmark.pedantic(
            region.loop, setup=setup, rounds=1, warmup_rounds=COUNTED_WARMUP_ROUNDS, iterations=1
        )


def _fill_memory() -> None:
    """Take what is free in memory, so that a region does not depend on what was freed where before it."""
    fill_pools()
    fill_heap()  # the pools' objects are kept in what comes from the heap


class WallClock:
    """Hands a region to pytest-benchmark's fixture, in as many rounds as the time for a row allows.

    A round repeats the region until it lasts `ROUND_SEC`; with a setup a round is one region. Warm-up and
    setup count against `budget_sec`, but no row gets fewer than `MIN_ROUNDS`.

    Attributes:
        cpu_ns: The CPU time of this process in all rounds, setup included, 0 before they ran. Well below
            `wall_ns`, something else was given the CPU, or the benched call waits.
        wall_ns: The time that passed meanwhile.
    """

    def __init__(
        self,
        benchmark: Pedantic,
        budget_sec: float,
        clock: Callable[[], float] = time.perf_counter,
        cpu_clock_ns: Callable[[], int] = time.process_time_ns,
        wall_clock_ns: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        self._benchmark, self._budget_sec, self._clock = benchmark, budget_sec, clock
        self._cpu_clock_ns, self._wall_clock_ns = cpu_clock_ns, wall_clock_ns
        self.cpu_ns = self.wall_ns = 0

    def run(self, region: Region) -> None:
        """Warm up, choose the rounds and measure them."""
        with collector_off():
            began = self._clock()
            region_sec, cycle_sec = self._pace(region)
            left_sec = self._budget_sec - (self._clock() - began)
            repeats = 1 if region.setup else max(1, math.ceil(ROUND_SEC / region_sec))
            rounds = min(MAX_ROUNDS, max(MIN_ROUNDS, int(left_sec / (cycle_sec * repeats))))
            cpu_ns, wall_ns = self._cpu_clock_ns(), self._wall_clock_ns()
            self._benchmark.pedantic(
                region.loop, setup=region.setup, rounds=rounds, warmup_rounds=0, iterations=repeats
            )
            self.cpu_ns, self.wall_ns = self._cpu_clock_ns() - cpu_ns, self._wall_clock_ns() - wall_ns

    def _pace(self, region: Region) -> tuple[float, float]:
        """Warm up; return the seconds of the fastest region, without its setup and with it."""
        fastest_sec = cycle_sec = math.inf
        began = self._clock()
        rounds = 0
        while rounds < WARMUP_ROUNDS or self._clock() - began < ROUND_SEC:
            before_setup = self._clock()
            args, kwargs = region.setup() if region.setup else ((), {})
            before = self._clock()
            region.loop(*args, **kwargs)
            after = self._clock()
            fastest_sec = min(fastest_sec, after - before)
            cycle_sec = min(cycle_sec, after - before_setup)
            rounds += 1
        return max(fastest_sec, 1e-9), max(cycle_sec, 1e-9)


@contextmanager
def collector_off() -> Iterator[None]:
    """Collect once, then keep the cyclic collector off until the block ends."""
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def steady_loop(fn: Callable[..., object], args: Arguments, calls: int) -> Callable[..., None]:
    """Compile a loop of `calls` calls of `fn(*args)`; it takes another number of calls as its argument."""
    names = [f"a{position}" for position in range(len(args))]
    bound = "".join(f", {name}={name}" for name in names)
    source = (
        f"def region(calls=calls, *, fn=fn, repeat=repeat{bound}):\n"
        f"    for _ in repeat(None, calls):\n"
        f"        fn({', '.join(names)})\n"
    )
    return compiled(
        source, {"fn": fn, "calls": calls, "repeat": repeat, **dict(zip(names, args, strict=True))}
    )


def fresh_loop(fn: Callable[..., object], arity: int) -> Callable[..., None]:
    """Compile a loop that calls `fn` with each tuple of `arity` arguments in the sequence that it takes."""
    target, call = call_of(arity)
    return compiled(f"def region(batch, *, fn=fn):\n    for {target} in batch:\n        {call}\n", {"fn": fn})


def call_of(arity: int) -> tuple[str, str]:
    """Write what a tuple of `arity` arguments is unpacked to, and the call of `fn` with them."""
    names = ", ".join(f"a{position}" for position in range(arity))
    return f"({names},)" if arity else "()", f"fn({names})"


def compiled(source: str, names: dict[str, object]) -> Callable[..., None]:
    """Compile the function `region` of a source whose other names are given; it shares no inline cache."""
    # Named like a file of this package, so that a profile attributes the loop to the harness.
    exec(compile(source, f"{__name__}.region", "exec"), names)  # noqa: S102 - only argument counts shape it
    loop = names["region"]
    assert callable(loop)
    return loop
