"""Whether a night is calm enough to be believed: the limits in pyproject.toml, and what exceeds them.

A night has several passes over the same code, so whatever differs between them is noise. A few rows are noisy
by nature; hence two limits, one for the row in the middle and one for how many rows may spread widely.
"""

import statistics
from pathlib import Path

import msgspec

from benchgate.nights.record import Night
from benchgate.tables import Table
from benchgate.wallclock import WHOLE_CPU

PATH = Path("pyproject.toml")
TABLE = "benchgate-nightly"


class Limits(msgspec.Struct, frozen=True):
    """The table `[tool.benchgate-nightly]`, whose keys have `_percent` at their end; here all are shares.

    Attributes:
        typical_spread: What the median of the rows' spreads between passes may be.
        wide_spread: The spread above which a row counts as wide.
        wide_rows: How many of the rows may be wide.
        cpu_share: What each pass must have had of a CPU.
    """

    typical_spread: float = 0.02
    wide_spread: float = 0.1
    wide_rows: float = 0.05
    cpu_share: float = WHOLE_CPU


def limits(root: Path) -> Limits:
    """Read the limits of the repository at `root`; the defaults when it has no such table.

    Raises:
        Unreadable: The file is not TOML, or the table has an unknown key or a value out of range.
    """
    table = Table.read(root, PATH).table("tool").table(TABLE)
    defaults = msgspec.structs.asdict(Limits())
    table.allow([f"{name}_percent" for name in defaults])
    return Limits(
        **{name: table.share(f"{name}_percent", 100, share * 100) for name, share in defaults.items()}
    )


def typical_spread(night: Night) -> float:
    """Return the median of the rows' spreads between passes; 0 without rows."""
    return statistics.median([row.spread for row in night.rows] or [0.0])


def widest(night: Night, bounds: Limits) -> tuple[str, ...]:
    """Return the ids of the rows that count as wide, the widest first."""
    wide = [row for row in night.rows if row.spread > bounds.wide_spread]
    return tuple(row.id for row in sorted(wide, key=lambda row: (-row.spread, row.id)))


def excess(night: Night, bounds: Limits) -> tuple[str, ...]:
    """Return a line for each limit that the night exceeds, and for each wide row when they are too many."""
    lines = []
    for number, one in enumerate(night.passes, 1):
        if one.cpu_share is not None and one.cpu_share < bounds.cpu_share:
            lines.append(
                f"pass {number} had {_percent(one.cpu_share)} of a CPU, the limit is "
                f"{_percent(bounds.cpu_share)}: something else was running"
            )
    typical = typical_spread(night)
    if typical > bounds.typical_spread:
        lines.append(
            f"the typical row differs by {_percent(typical)} between passes, "
            f"the limit is {_percent(bounds.typical_spread)}"
        )
    wide = widest(night, bounds)
    if len(wide) > bounds.wide_rows * len(night.rows):
        spreads = {row.id: row.spread for row in night.rows}
        lines.append(
            f"{len(wide)} of {len(night.rows)} rows differ by more than {_percent(bounds.wide_spread)} "
            f"between passes, the limit is {_percent(bounds.wide_rows)} of the rows"
        )
        lines += [f"{identity} differs by {_percent(spreads[identity])}" for identity in wide]
    return tuple(lines)


def _percent(share: float) -> str:
    return f"{share * 100:.3g} %"
