"""The engine of comparisons: contenders take turns, and each round gives one ratio to the reference.

A machine's speed drifts by more than contenders differ, so totals measured one after the other say little.
Here every contender runs once in every round, a few milliseconds each, and is compared with the reference of
the same round; the median of these ratios is the result, their quartiles say how steady it was. Who goes
first rotates, and the direction turns when all have been first, so that nobody always follows the same
neighbour.
"""

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import msgspec

from benchgate.comparison import Call, Staged
from benchgate.measure import collector_off, steady_loop

_WARM_SHARE = 0.2  # of a round's time: enough to warm up, and to estimate the number of calls


class Runner(Protocol):
    """A contender that is ready to run."""

    @property
    def name(self) -> str:
        """The contender's name."""

    def run(self, calls: int) -> int:
        """Make so many calls; return the nanoseconds they took."""


class InProcess:
    """Runs a call in this interpreter."""

    def __init__(
        self, name: str, call: Call | Staged, clock_ns: Callable[[], int] = time.perf_counter_ns
    ) -> None:
        staged = call if isinstance(call, Staged) else Staged(call)
        self.name, self._clock_ns = name, clock_ns
        self._prepare, self.check = staged.prepare, staged.check
        self._loop = steady_loop(staged.call, (), 1)

    def run(self, calls: int) -> int:
        """Make so many calls; return the nanoseconds they took."""
        self._prepare(calls)
        before = self._clock_ns()
        self._loop(calls)
        return self._clock_ns() - before


class Standing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a contender stands after all rounds; without a time when it could not run.

    Attributes:
        median_ns: The time of one call.
        ratio: The median over the rounds of its time over the reference's; `p25` and `p75` are the quartiles.
        calls: The calls in each round.
        absent: Why it could not run, empty when it did.
    """

    name: str
    median_ns: float | None = None
    ratio: float | None = None
    p25: float | None = None
    p75: float | None = None
    calls: int = 0
    absent: str = ""


def rounds_of(runners: Sequence[Runner], calls: Mapping[str, int], rounds: int) -> dict[str, list[float]]:
    """Let the runners take turns; return, by name, the nanoseconds of one call in each round.

    The cyclic collector is off meanwhile, as it is in every measurement.
    """
    times_ns: dict[str, list[float]] = {runner.name: [] for runner in runners}
    with collector_off():
        for position in range(rounds):
            for runner in order_of(runners, position):
                times_ns[runner.name].append(runner.run(calls[runner.name]) / calls[runner.name])
    return times_ns


def order_of(runners: Sequence[Runner], position: int) -> list[Runner]:
    """Return who runs when in the round at `position`."""
    first = position % len(runners)
    order = [*runners[first:], *runners[:first]]
    return order[::-1] if position // len(runners) % 2 else order


def calibrated(runner: Runner, round_ns: int) -> int:
    """Warm up, and return the number of calls that take about `round_ns`."""
    calls = 1
    elapsed_ns = runner.run(calls)
    while elapsed_ns < round_ns * _WARM_SHARE:
        calls *= 2
        elapsed_ns = runner.run(calls)
    return max(1, math.ceil(round_ns * calls / elapsed_ns))


def standings(
    times_ns: Mapping[str, Sequence[float]], calls: Mapping[str, int], reference: str
) -> tuple[Standing, ...]:
    """Turn the times of all rounds into standings; without the reference there are times and no ratios."""
    result = []
    base_ns = times_ns.get(reference)
    for name, own_ns in times_ns.items():
        standing = Standing(name=name, median_ns=statistics.median(own_ns), calls=calls[name])
        if base_ns is not None:
            p25, ratio, p75 = ratio_quartiles(own_ns, base_ns)
            standing = msgspec.structs.replace(standing, ratio=ratio, p25=p25, p75=p75)
        result.append(standing)
    return tuple(result)


def ratio_quartiles(own_ns: Sequence[float], base_ns: Sequence[float]) -> tuple[float, float, float]:
    """Return the quartiles of the ratios of two contenders, one ratio a round."""
    ratios = [own / base for own, base in zip(own_ns, base_ns, strict=True)]
    p25, median, p75 = statistics.quantiles(ratios, n=4, method="inclusive")
    return p25, median, p75
