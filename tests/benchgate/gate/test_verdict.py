"""Verdicts of rows whose truth is known, with the noise that counts have."""

import random
from collections.abc import Callable
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchgate.gate.verdict import Pair, another_layout_needed, judged

THRESHOLD = 0.005
shares = st.floats(-0.5, 0.5)


def pair(change: float, *, repeat: float = 0.0) -> Pair:
    return Pair((1000.0, 1000.0 * (1 + repeat)), (1000.0 * (1 + repeat / 2) * (1 + change),))


def repeat_of(changes: list[float], repeat: float) -> float:
    return max(pair(change, repeat=repeat).repeat for change in changes)


@pytest.mark.parametrize(
    ("layouts", "verdict"),
    [
        ([pair(0.0)], "not slower"),
        ([pair(0.005)], "not slower"),  # the threshold itself is allowed
        ([pair(-0.2)], "not slower"),
        ([pair(0.01), pair(0.011)], "slower"),
        ([pair(0.02), pair(0.001)], "slower"),  # a third layout is asked for first: see below
        ([pair(0.02), pair(0.0), pair(0.001)], "not slower"),
        ([pair(0.02), pair(0.0), pair(0.012)], "slower"),
        ([pair(0.03), pair(-0.02), pair(0.006)], "could not tell"),
        ([pair(0.01, repeat=0.02)], "could not tell"),
        ([pair(0.0, repeat=0.006)], "could not tell"),  # a slow-down of the threshold would look alike
        ([pair(0.0, repeat=0.004)], "not slower"),
        ([pair(0.03, repeat=0.02)], "could not tell"),  # the work varies
        ([pair(0.07, repeat=0.02)], "slower"),
        ([pair(0.011, repeat=0.004)], "slower"),
    ],
)
def test_verdicts(layouts: list[Pair], verdict: str) -> None:
    assert judged(layouts, THRESHOLD).verdict == verdict


def test_figures_of_one_layout() -> None:
    found = judged([Pair((1000.0, 1010.0), (1045.2,))], THRESHOLD)
    assert (found.change, found.error) == pytest.approx((0.04, 10 / 1005))
    assert found.verdict == "slower"
    assert judged([Pair((1000.0, 1000.0), (1040.0, 1060.0))], THRESHOLD).verdict == "could not tell"


@given(st.lists(shares, min_size=1, max_size=3), st.floats(0.001, 0.1), st.floats(0, 0.05))
def test_only_what_moves_beyond_error_and_threshold_is_slower(
    changes: list[float], threshold: float, repeat: float
) -> None:
    found = judged([pair(change, repeat=repeat) for change in changes], threshold)
    beyond_threshold = found.change > threshold
    unsure = repeat_of(changes, repeat) > threshold
    beyond_error = found.change > (3 if unsure else 1) * found.error
    assert (found.verdict == "slower") == (beyond_threshold and beyond_error)
    assert (found.verdict == "could not tell") == (not beyond_error if beyond_threshold else unsure)
    assert min(changes) - 1e-9 <= found.change <= max(changes) + 1e-9


@pytest.mark.parametrize(
    ("layouts", "needed"),
    [
        ([pair(0.004)], False),
        ([pair(0.006)], True),
        ([pair(-0.006)], True),  # nobody is told that something became faster without a second look
        ([pair(0.006), pair(0.007)], False),
        ([pair(0.006), pair(0.001)], True),
        ([pair(0.02), pair(-0.02)], True),
        ([pair(-0.02), pair(-0.03)], False),
        ([pair(0.006), pair(0.001), pair(0.0)], False),
    ],
)
def test_layouts_that_disagree_are_decided_by_a_third(layouts: list[Pair], needed: bool) -> None:  # noqa: FBT001 - a parameter
    assert another_layout_needed(layouts, THRESHOLD, 3) is needed


@pytest.mark.parametrize(("truth", "flagged"), [(0.0, 0.0), (0.01, 0.95), (0.03, 1.0)])
def test_rows_whose_layouts_scatter_by_some_tenths_of_a_per_cent(truth: float, flagged: float) -> None:
    """One row in twenty of the same code moves by 0.3 %, one in two hundred by 0.6 %, as layouts do."""
    source = random.Random(5)
    rows = 4000

    def layout() -> Pair:
        scatter = source.choices([0.0002, 0.003, 0.006], [0.945, 0.05, 0.005])[0]
        return Pair((1e4, 1e4), (1e4 * (1 + truth + source.choice([-1, 1]) * scatter),))

    found = []
    for _ in range(rows):
        layouts = [layout()]
        while another_layout_needed(layouts, THRESHOLD, 3):
            layouts.append(layout())
        found.append(judged(layouts, THRESHOLD).verdict == "slower")
    rate = fmean(found)
    assert rate >= flagged
    assert rate <= (0.0005 if truth == 0 else 1)


@pytest.mark.parametrize(
    "draw",
    [
        lambda source: source.gauss(1e4, 30),
        lambda source: source.gauss(1e4, 100),
        lambda source: source.gauss(1e4, 500),
        lambda source: source.choice([1e4, 1.1e4]),
        lambda source: 1.02e4 if source.random() < 0.1 else 1e4,
    ],
    ids=["0.3 %", "1 %", "5 %", "two costs", "now and then"],
)
def test_benches_whose_work_varies_are_seldom_called_slower(draw: Callable[[random.Random], float]) -> None:
    """Counted as `benchgate.gate.passes` does; the code is the same on both sides."""
    source = random.Random(7)
    found = []
    for _ in range(4000):
        first, head, again = (draw(source) for _ in range(3))
        layouts = [Pair((first, again), (head,))]
        if another_layout_needed(layouts, THRESHOLD, 3):
            layouts = [Pair((first, again), (head, draw(source)))]
        while another_layout_needed(layouts, THRESHOLD, 3):
            layouts.append(Pair((draw(source),), (draw(source),)))
        found.append(judged(layouts, THRESHOLD).verdict == "slower")
    assert fmean(found) < 0.04  # 0.14 when the first count of the head stood alone and was believed
