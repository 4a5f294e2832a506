import random
import statistics
from collections import Counter

import pytest

from benchgate.interleave import InProcess, calibrated, order_of, rounds_of, standings


class Machine:
    """A fake clock whose speed changes as time passes, as that of a shared machine does."""

    def __init__(self, speeds: list[float], period_ns: float = 1e6) -> None:
        self.now_ns, self._speeds, self._period_ns = 0.0, speeds, period_ns

    def clock_ns(self) -> int:
        return round(self.now_ns)

    def work(self, cost_ns: float) -> None:
        epoch = int(self.now_ns / self._period_ns) % len(self._speeds)
        self.now_ns += cost_ns / self._speeds[epoch]


def in_process(machine: Machine, name: str, cost_ns: float) -> InProcess:
    return InProcess(name, lambda: machine.work(cost_ns), machine.clock_ns)


def test_ratio_holds_while_the_machine_drifts() -> None:
    machine = Machine([1.0, 0.4, 0.9, 0.5], period_ns=7.3e6)
    runners = [in_process(machine, "ours", 300), in_process(machine, "floor", 200)]
    calls = {"ours": 100, "floor": 150}
    times_ns = rounds_of(runners, calls, 200)
    ours, floor = standings(times_ns, calls, "floor")
    assert ours.ratio == pytest.approx(1.5, rel=0.01)
    assert (floor.ratio, floor.p25, floor.p75) == (1.0, 1.0, 1.0)
    assert max(times_ns["ours"]) > 2 * min(times_ns["ours"])  # the machine did drift


def test_times_are_of_one_call_and_every_round_has_everybody() -> None:
    machine = Machine([1.0])
    runners = [in_process(machine, "a", 100), in_process(machine, "b", 250)]
    times_ns = rounds_of(runners, {"a": 10, "b": 20}, 9)
    assert times_ns == {"a": [100.0] * 9, "b": [250.0] * 9}


@pytest.mark.parametrize("count", [2, 3, 4])
def test_everybody_takes_every_place_equally_often(count: int) -> None:
    runners = [in_process(Machine([1.0]), str(number), 1) for number in range(count)]
    orders = [[runner.name for runner in order_of(runners, position)] for position in range(2 * count)]
    for place in range(count):
        assert set(Counter(order[place] for order in orders).values()) == {2}
    assert all(sorted(order) == sorted(runner.name for runner in runners) for order in orders)


@pytest.mark.parametrize("cost_ns", [20, 999, 50_000, 9e6])
def test_calibrated_calls_fill_a_round(cost_ns: float) -> None:
    machine = Machine([1.0], period_ns=1e12)
    calls = calibrated(in_process(machine, "a", cost_ns), 4_000_000)
    assert calls == max(1, -(-4_000_000 // cost_ns))


def test_ratios_are_taken_within_rounds() -> None:
    rng = random.Random(3)
    base = [rng.uniform(50, 150) for _ in range(41)]
    own = [time_ns * rng.uniform(1.2, 1.6) for time_ns in base]
    (standing, _) = standings({"ours": own, "floor": base}, {"ours": 1, "floor": 1}, "floor")
    ratios = sorted(a / b for a, b in zip(own, base, strict=True))
    assert standing.ratio == ratios[20]
    assert (standing.p25, standing.p75) == (ratios[10], ratios[30])
    assert standing.median_ns == statistics.median(own)


def test_without_the_reference_there_are_times_and_no_ratios() -> None:
    (standing,) = standings({"ours": [1.0, 2.0, 3.0]}, {"ours": 5}, "floor")
    assert (standing.median_ns, standing.ratio, standing.p25, standing.calls) == (2.0, None, None, 5)
