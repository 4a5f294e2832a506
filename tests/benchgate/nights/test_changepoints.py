"""The rule against a second statement of it, and against series whose changes are known."""

import math
import random
import statistics
from collections.abc import Callable
from itertools import accumulate

import pytest

from benchgate.nights.changepoints import (
    CLIP,
    FLOOR,
    LIMIT,
    MAX_REFERENCE,
    MIN_REFERENCE,
    SLACK,
    changes,
)

ROWS, NIGHTS, STEP_AT = 150, 120, 40


def heavy_tailed(draw: random.Random, noise: float) -> float:
    """Student's t with three degrees of freedom, scaled so that half of the draws lie as a normal's would."""
    chi_square = sum(draw.gauss(0, 1) ** 2 for _ in range(3))
    return noise * draw.gauss(0, 1) / math.sqrt(chi_square / 3) / 1.134


def series(
    seed: int, noise: float, level: Callable[[int], float] = lambda _night: 0.0, count: int = NIGHTS
) -> list[float]:
    """A row's figures: a level in logarithms, heavy-tailed noise, and a night in thirty that is far off."""
    draw = random.Random(seed)
    logs = []
    for night in range(count):
        outlier = draw.choice((1, 1, 1, -1)) * draw.uniform(0.05, 0.3) if draw.random() < 1 / 30 else 0.0
        logs.append(level(night) + heavy_tailed(draw, noise) + outlier)
    return [1000 * math.exp(log) for log in logs]


def stepping(size: float) -> Callable[[int], float]:
    return lambda night: math.log1p(size) if night >= STEP_AT else 0.0


def page_1954(deviations: list[float]) -> tuple[int, int] | None:
    """The rule as Page stated it: how far the whole sum has risen above its lowest point."""
    path = [0.0, *accumulate(deviation - SLACK for deviation in deviations)]
    for end in range(1, len(path)):
        lowest = min(range(end), key=lambda begin: (path[begin], -begin))
        if path[end] - path[lowest] > LIMIT:
            return lowest, end - 1
    return None


def test_it_is_page_s_rule() -> None:
    draw = random.Random(1954)
    reference = [0.01 * (-1) ** night * (1 + night % 3) / 3 for night in range(MAX_REFERENCE)]
    centre = statistics.median(reference)
    median_deviation = statistics.median(abs(level - centre) for level in reference)
    spread = 1.4826 * (1 + 1.5 / MAX_REFERENCE) * median_deviation
    assert spread > FLOOR
    found = 0
    for _ in range(300):
        mean = draw.choice((-2.5, 0.0, 1.0, 2.0)) * spread
        later = [draw.gauss(mean, 1.2 * spread) for _ in range(40)]
        clipped = [max(-CLIP, min(CLIP, (level - centre) / spread)) for level in later]
        up, down = page_1954(clipped), page_1954([-deviation for deviation in clipped])
        expected = min(filter(None, (up, down)), key=lambda one: one[1], default=None)
        first = next(iter(changes([math.exp(level) for level in reference + later])), None)
        if expected is None:
            assert first is None
            continue
        found += 1
        assert first is not None
        assert (first.at - MAX_REFERENCE, first.known - MAX_REFERENCE) == expected
        since = statistics.median(later[expected[0] : expected[1] + 1])
        assert first.ratio == pytest.approx(math.exp(since - centre))
    assert 100 < found < 300


@pytest.mark.parametrize(("noise", "one_in"), [(0.01, 5000), (0.003, 15_000)])
def test_false_changes_are_rare(noise: float, one_in: int) -> None:
    rows = 2 * ROWS
    false = sum(len(changes(series(seed, noise))) for seed in range(rows))
    assert false <= rows * NIGHTS / one_in


@pytest.mark.parametrize(
    ("noise", "size", "typical", "nearly_all"),
    [
        (0.003, 0.02, 5, 8),
        (0.005, 0.02, 6, 14),
        (0.01, 0.05, 5, 10),
        (0.01, 0.1, 4, 7),
        (0.01, -0.05, 5, 10),
    ],
)
def test_steps_are_known_after_some_nights(noise: float, size: float, typical: int, nearly_all: int) -> None:
    delays = []
    exact = 0
    for seed in range(ROWS):
        known = [one for one in changes(series(seed, noise, stepping(size))) if one.known >= STEP_AT]
        same_way = [one for one in known if (one.ratio > 1) == (size > 0)]
        delays.append(same_way[0].known - STEP_AT + 1 if same_way else NIGHTS)
        exact += bool(same_way) and same_way[0].at == STEP_AT
    delays.sort()
    assert statistics.median(delays) <= typical
    assert delays[ROWS * 9 // 10] <= nearly_all
    assert exact > ROWS * 0.6


def test_a_small_step_in_much_noise_takes_a_month() -> None:
    found = [changes(series(seed, 0.01, stepping(0.02), STEP_AT + 35)) for seed in range(ROWS)]
    assert sum(any(one.ratio > 1 for one in some) for some in found) > ROWS * 0.4


def test_a_drift_is_known_when_it_has_left_its_reference() -> None:
    found = [changes(series(seed, 0.005, lambda night: 0.002 * night, 90)) for seed in range(ROWS)]
    assert sum(any(one.ratio > 1 for one in some) for some in found) > ROWS * 0.9
    assert not any(one.ratio < 1 for some in found for one in some)


@pytest.mark.parametrize("off", [0.3, 3.0, 1e6])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_three_nights_are_no_change(off: float, count: int) -> None:
    for at in range(30):
        figures = [100.0] * 40
        figures[at : at + count] = [100.0 * off] * count
        assert changes(figures) == ()


def test_four_nights_are() -> None:
    [change] = changes([100.0] * 20 + [103.0] * 4)
    assert (change.at, change.known) == (20, 23)
    assert change.ratio == pytest.approx(1.03)


def test_a_step_and_its_return_are_two_changes_and_each_is_told_once() -> None:
    figures = [100.0] * 20 + [110.0] * 30 + [100.0] * 30
    first, second = changes(figures)
    assert (first.at, second.at) == (20, 50)
    assert first.ratio == pytest.approx(1.1)
    assert second.ratio == pytest.approx(1 / 1.1)


def test_a_new_level_s_reference_begins_with_its_first_night() -> None:
    first, second = changes([100.0] * 20 + [110.0] * 12 + [121.0] * 10)
    assert (first.at, second.at, second.known) == (20, 32, 35)


def test_nights_under_suspicion_do_not_become_the_reference() -> None:
    calm = [0.01, -0.01, 0.009, -0.009] * 3
    raised = [
        0.035
    ] * 20  # by less than the clip: each night adds little, and many that are believed would hide it
    [change] = changes([math.exp(level) for level in calm + raised])
    assert change.at == len(calm)


def test_what_was_told_stays_so_when_nights_follow() -> None:
    figures = series(7, 0.005, stepping(0.05))
    whole = changes(figures)
    assert whole
    for count in range(len(figures)):
        expected = tuple(change for change in whole if change.known < count)
        assert changes(figures[:count]) == expected


def test_the_unit_does_not_matter() -> None:
    figures = series(3, 0.005, stepping(0.05))
    found = [(one.at, one.known) for one in changes(figures)]
    assert found
    assert [(one.at, one.known) for one in changes([1e6 * figure for figure in figures])] == found


@pytest.mark.parametrize("count", [0, 1, MIN_REFERENCE, MIN_REFERENCE + 2])
def test_too_few_nights_tell_nothing(count: int) -> None:
    assert changes([100.0 * 2**night for night in range(count)]) == ()
