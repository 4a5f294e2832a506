"""How the gate writes its figures: changes, errors, costs and allocations."""

import math
from collections.abc import Sequence
from statistics import fmean

from benchgate import figures
from benchgate.gate.report import Memory, Row

_SMALLEST = 0.000001
_UNITS = {
    "blocks": ("block", "blocks"),
    "bytes": ("byte", "bytes"),
    "native": ("native block", "native blocks"),
}


def share(value: float | None) -> str:
    """Write a change as `+3.10 %`, small ones with more digits, beyond a doubling as a factor."""
    if value is None:
        return "-"
    if value >= 1:
        return figures.factor(1 + value)
    return f"{value * 100:+,.{_decimals(value)}f} %" if value else "0 %"


def bound(value: float | None) -> str:
    """Write an error as `± 0.10`, in the unit of `share`."""
    return "-" if value is None else f"± {value * 100:,.{_decimals(value)}f}"


def cost(passes: Sequence[float]) -> str:
    """Write the mean over the passes of one side."""
    return f"{fmean(passes):,.0f}" if passes else "-"


def allocations(row: Row) -> str:
    """Write how much more one call allocates, such as `+3 blocks, +96 bytes`; empty where nothing differs."""
    before, after = row.memory_base, row.memory_head
    if before is None or after is None:
        return ""
    fields = Memory.__struct_fields__
    more = {field: getattr(after, field) - getattr(before, field) for field in fields}
    return ", ".join(
        f"{number(value)} {_UNITS[field][abs(value) != 1]}" for field, value in more.items() if value
    )


def allocates_more(row: Row) -> bool:
    """Whether one call allocates more blocks than at the base, however few instructions they cost."""
    before, after = row.memory_base, row.memory_head
    if before is None or after is None:
        return False
    return after.blocks > before.blocks or after.native > before.native


def number(value: float) -> str:
    """Write a difference with its sign: whole ones as they are, others with two decimals."""
    return f"{value:+,.0f}" if value == int(value) else f"{value:+,.2f}"


def percent(value: float) -> str:
    """Write a share that has no direction, small ones with more digits; as `0 %` only when it is nothing."""
    if not value:
        return "0 %"
    if value < _SMALLEST:
        return f"below {_SMALLEST * 100:.4f} %"
    return f"{value * 100:,.{2 if value >= 0.0001 else 4}f} %"


def rate(part: int, whole: int) -> str:
    """Write `13 of 14 (92 %)`, rounded down, so that only all of them are 100 %."""
    return f"{part} of {whole} ({math.floor(100 * part / whole)} %)" if whole else "-"


def _decimals(value: float) -> int:
    return 2 if abs(value) >= 0.0001 or not value else 4
