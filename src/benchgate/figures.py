"""How figures and lists are written: three significant digits with a unit, and the first few of many."""

from collections.abc import Sequence

_TIMES = ((1e3, 1.0, "ns"), (1e6, 1e3, "us"), (1e9, 1e6, "ms"), (float("inf"), 1e9, "s"))
_COUNTS = ((1e3, 1.0, ""), (1e6, 1e3, "k"), (1e9, 1e6, "M"), (float("inf"), 1e9, "G"))


def duration(ns: float) -> str:
    """Write a time given in nanoseconds, such as `42.1 us`."""
    return _scaled(ns, _TIMES)


def amount(count: float) -> str:
    """Write a count or a rate, such as `23.7 k`."""
    return _scaled(count, _COUNTS)


def factor(ratio: float) -> str:
    """Write a ratio, such as `1.45 x`."""
    return f"{three_digits(ratio)} x"


def percent_change(ratio: float) -> str:
    """Write a ratio of new over old as a change, such as `+3.2 %`; beyond a doubling as a factor."""
    return f"{(ratio - 1) * 100:+.1f} %" if ratio < 2 else factor(ratio)


def three_digits(value: float) -> str:
    """Write a positive number to three significant digits, without an exponent."""
    if value < 9.995:
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def counted(count: int, noun: str) -> str:
    """Write `1 row` or `2 rows`."""
    ending = "" if count == 1 else "es" if noun.endswith("ch") else "s"
    return f"{count:,} {noun}{ending}"


def first_few(names: Sequence[str], most: int = 5) -> str:
    """Write the first of some names, and how many more there are: `a, b and 3 more`."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _scaled(value: float, scales: Sequence[tuple[float, float, str]]) -> str:
    for limit, divisor, unit in scales:
        if value < limit * 0.9995:  # 999.6 is written as 1.00 of the next unit
            return f"{three_digits(value / divisor)} {unit}".rstrip()
    raise AssertionError("the last scale has no limit")
