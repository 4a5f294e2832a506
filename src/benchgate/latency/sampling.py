"""Time every call by itself, and as a batch, and the timer with nothing to time.

A sample is the difference of two readings of `time.perf_counter_ns` around one call. It holds the call, the
freeing of what that returned, and the cost of a reading: nothing is subtracted, since what would be is itself
a distribution. That cost is measured by the same loop without the call, before, between and after the
samples, and shown beside. Batches of the same calls, timed as a whole, hold no timer at all.

Samples go to an array that has its size before the first call; histograms are made after the last. The
cyclic collector is on, as it is in production, for what a distribution's tail tells would else be left out.
But it has nothing to visit except what the calls themselves left: what was alive before is frozen, as a
process does that has finished its start (`gc.freeze`).
"""

import gc
import time
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice, pairwise, repeat
from typing import TYPE_CHECKING

from benchgate import figures
from benchgate.errors import BadBench
from benchgate.latency.declaration import Calls, Play
from benchgate.measure import Arguments, call_of, compiled, fresh_loop

COLLECTOR = "on, with what was alive before frozen"
CLOCK = "time.perf_counter_ns"
STRETCHES = 10
"""The parts in which a distribution is measured: in each the timer, batches and samples take turns."""

WARM_UP_SHARE = 0.1
FEWEST_WARM_UP = 500
TIMER_PAIRS = 2_000
"""Pairs of readings in each stretch."""

BATCH_CALLS = 500
"""The most calls of one batch: long beside two readings of the clock."""

BATCHES = 5
"""The most batches of a stretch."""

Clock = Callable[[], int]
if TYPE_CHECKING:
    Samples = array[int]
else:
    Samples = array  # not subscriptable before 3.12


class Sampled:
    """What was measured of one metric.

    Attributes:
        samples_ns: Of every call, in their order.
        batch_means_ns: Of one call in each batch.
        collections: How often the collector ran meanwhile, by generation.
    """

    def __init__(self) -> None:
        self.samples_ns = array("q")
        self.batch_means_ns: list[float] = []
        self.collections: tuple[int, ...] = (0, 0, 0)

    def add_collections(self, more: tuple[int, ...]) -> None:
        """Count further runs of the collector."""
        self.collections = tuple(map(sum, zip(self.collections, more, strict=True)))


class Timer:
    """The timer's own cost: pairs of readings with nothing between them."""

    def __init__(self, clock_ns: Clock) -> None:
        self._clock_ns = clock_ns
        self._loop = _sample_loop(None, 0)
        self._room = room_for(TIMER_PAIRS)
        self.samples_ns = array("q")
        self._loop(clock_ns, repeat((), TIMER_PAIRS), self._room)  # the warm-up

    def run(self) -> None:
        """Take another `TIMER_PAIRS` samples."""
        self._loop(self._clock_ns, repeat((), TIMER_PAIRS), self._room)
        self.samples_ns.extend(self._room)


class Lane:
    """Takes one metric's samples of one pass."""

    __slots__ = ("_metric", "_samples_ns", "_taken")

    def __init__(self, metric: str, room: int) -> None:
        self._metric, self._samples_ns, self._taken = metric, room_for(room), 0

    def record(self, ns: int) -> None:
        """Take one sample.

        Raises:
            BadBench: There is no more room.
        """
        try:
            self._samples_ns[self._taken] = ns
        except IndexError:
            room = len(self._samples_ns)
            raise BadBench(f"{self._metric}: expected at most {room} samples in a pass") from None
        self._taken += 1

    @property
    def samples_ns(self) -> Samples:
        """What was taken."""
        return self._samples_ns[: self._taken]


class Lanes:
    """The recorder of one pass of a replay."""

    def __init__(self, metrics: Iterable[str], room: int, clock_ns: Clock) -> None:
        self.clock_ns = clock_ns
        self.of = {metric: Lane(metric, room) for metric in metrics}

    def lane(self, metric: str) -> Callable[[int], None]:
        """Return what takes a metric's samples.

        Raises:
            BadBench: No metric is named so.
        """
        if metric not in self.of:
            raise BadBench(f"lane: expected one of {', '.join(self.of)}, got {metric}")
        return self.of[metric].record


def room_for(count: int) -> Samples:
    """Return an array of so many zeros."""
    return array("q", bytes(8 * count))


def sample(calls: Calls, count: int, timer: Timer, clock_ns: Clock) -> Sampled:
    """Warm up and make `count` calls, each timed; around each tenth of them the timer, and batches before.

    Raises:
        BadBench: There are not as many arguments as calls, or not of one length.
    """
    first = next(iter(calls.arguments(1)), None)
    if not isinstance(first, tuple):
        raise BadBench(f"arguments: expected a tuple for each call, got {type(first).__name__}")
    timed, untimed = _sample_loop(calls.fn, len(first)), fresh_loop(calls.fn, len(first))
    sampled = Sampled()
    warm_up = max(FEWEST_WARM_UP, int(count * WARM_UP_SHARE))
    timed(clock_ns, _arguments(calls, warm_up), room_for(warm_up))
    batch_calls = min(BATCH_CALLS, count // STRETCHES)
    untimed(_arguments(calls, batch_calls))
    for stretch in range(STRETCHES):
        room = room_for(count // STRETCHES + (stretch < count % STRETCHES))
        batches = [_arguments(calls, batch_calls) for _ in range(min(BATCHES, len(room) // batch_calls))]
        arguments = _arguments(calls, len(room))
        with collector_frozen(sampled):
            timer.run()
            for batch in batches:
                before = clock_ns()
                untimed(batch)
                sampled.batch_means_ns.append((clock_ns() - before) / batch_calls)
            timed(clock_ns, arguments, room)
            timer.run()
        sampled.samples_ns.extend(room)
    return sampled


def play(
    prepared: Play, metrics: Iterable[str], passes: int, timer: Timer, clock_ns: Clock
) -> dict[str, Sampled]:
    """Make one pass that is dropped and `passes` that are kept, each between two of the timer; then batches.

    Raises:
        BadBench: A batch is of no metric, or a lane has no room for what was recorded.
    """
    found = {metric: Sampled() for metric in metrics}
    if unknown := prepared.batches.keys() - found.keys():
        raise BadBench(f"batches: expected some of {', '.join(found)}, got {', '.join(sorted(unknown))}")
    prepared.run(Lanes(found, prepared.room, clock_ns))
    for batch in prepared.batches.values():
        batch.load()()
    for _ in range(passes):
        lanes, ran = Lanes(found, prepared.room, clock_ns), Sampled()
        with collector_frozen(ran):
            timer.run()
            prepared.run(lanes)
            timer.run()
        for metric, sampled in found.items():
            sampled.samples_ns.extend(lanes.of[metric].samples_ns)
            sampled.add_collections(ran.collections)
        for metric, batch in prepared.batches.items():
            work = batch.load()
            with collector_frozen(Sampled()):
                before = clock_ns()
                work()
                found[metric].batch_means_ns.append((clock_ns() - before) / batch.calls)
    return found


@contextmanager
def collector_frozen(sampled: Sampled) -> Iterator[None]:
    """Collect, take what is alive out of the collector's sight, and let it run until the block ends.

    How often it ran in the block is added to `sampled`.
    """
    was_on = gc.isenabled()
    gc.collect()
    gc.freeze()
    gc.enable()
    before = _collections()
    try:
        yield
    finally:
        after = _collections()
        gc.unfreeze()
        if not was_on:
            gc.disable()
    sampled.add_collections(tuple(later - earlier for earlier, later in zip(before, after, strict=True)))


def _collections() -> tuple[int, ...]:
    return tuple(generation["collections"] for generation in gc.get_stats())


def _arguments(calls: Calls, count: int) -> list[Arguments]:
    arguments = list(islice(calls.arguments(count), count + 1))
    if len(arguments) != count:
        raise BadBench(f"arguments: expected those of {count} calls, got {len(arguments)}")
    return arguments


def _sample_loop(
    fn: Callable[..., object] | None, arity: int
) -> Callable[[Clock, Iterable[Arguments], Samples], None]:
    """Compile the loop that times each call; without a function it times nothing."""
    target, call = call_of(arity)
    return compiled(
        "def region(clock_ns, batch, samples_ns, *, fn=fn):\n"
        "    at = 0\n"
        f"    for {target} in batch:\n"
        "        before = clock_ns()\n"
        f"        {call if fn else ''}\n"
        "        after = clock_ns()\n"
        "        samples_ns[at] = after - before\n"
        "        at += 1\n",
        {"fn": fn},
    )


def resolution_text(readings: int = 2_000) -> str:
    """Say what the clock can tell apart."""
    stated_ns = time.get_clock_info("perf_counter").resolution * 1e9
    seen = [time.perf_counter_ns() for _ in range(readings)]
    step_ns = min((later - earlier for earlier, later in pairwise(seen) if later > earlier), default=0)
    return (
        f"resolution: {figures.duration(stated_ns)} as the system states it; the smallest step between two "
        f"readings in a row is {figures.duration(step_ns)}."
    )
