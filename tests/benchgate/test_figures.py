import random

import pytest

from benchgate import figures

UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}


def test_durations_keep_three_digits_and_their_value() -> None:
    rng = random.Random(7)
    for _ in range(3000):
        ns = 10 ** rng.uniform(0, 11)
        number, unit = figures.duration(ns).split()
        assert float(number) * UNITS[unit] == pytest.approx(ns, rel=0.0051)
        assert len(number.replace(".", "")) == 3
        assert 1 <= float(number) < 1000


def test_amounts_keep_three_digits_and_their_value() -> None:
    rng = random.Random(8)
    for _ in range(3000):
        count = 10 ** rng.uniform(0, 11)
        number, _, prefix = figures.amount(count).partition(" ")
        assert float(number) * PREFIXES[prefix] == pytest.approx(count, rel=0.0051)
        assert len(number.replace(".", "")) == 3


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0.5, "0.50 ns"),
        (45.8, "45.8 ns"),
        (999.4, "999 ns"),
        (999.6, "1.00 us"),
        (42100, "42.1 us"),
        (2.5e9, "2.50 s"),
    ],
)
def test_durations_as_they_are_read(ns: float, text: str) -> None:
    assert figures.duration(ns) == text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(1.032, "+3.2 %"), (0.5, "-50.0 %"), (1.0, "+0.0 %"), (2.0, "2.00 x"), (120.0, "120 x")],
)
def test_changes_as_they_are_read(ratio: float, text: str) -> None:
    assert figures.percent_change(ratio) == text


def test_of_many_names_the_first_are_written() -> None:
    assert figures.first_few(["a"]) == "a"
    assert figures.first_few(list("abcde")) == "a, b, c, d, e"
    assert figures.first_few([*"abcdefg"]) == "a, b, c, d, e and 2 more"
