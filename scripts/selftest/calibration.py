"""How much work makes a row slower by a wanted share: what a plant costs, from counts of planted copies.

In each row a plant costs a straight line: `fixed` instructions for having it at all (a loop's set-up) and
`unit` for each unit of its amount. One planted count gives the unit, if nothing is fixed; a second one gives
both. Counts are instructions of one call of a row; a share is a fraction of the row's clean count.

Amounts are whole, so that what `share` says of one is at least the size that was asked for, and more where a
unit is expensive.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

LEAST_GROWTH = 0.05
"""By which share a row must grow under a calibrating amount to count as slowed: far above all noise."""


@dataclass(frozen=True)
class Cost:
    """What a plant costs in one call of one row.

    Attributes:
        unit: Instructions for each unit of the amount, positive.
        fixed: Instructions for any amount.
    """

    unit: float
    fixed: float = 0.0

    def added(self, amount: int) -> float:
        """Return the instructions that an amount adds to a call."""
        return self.fixed + self.unit * amount


def cost(clean: float, planted: Mapping[int, float]) -> Cost:
    """Find out what a plant costs from a row's count without it and its counts by amount.

    Raises:
        ValueError: There are not one or two amounts, or the row does not grow with the amount.
    """
    if not 1 <= len(planted) <= 2:
        raise ValueError(f"planted: expected counts of one or two amounts, got {len(planted)}")
    least, most = min(planted), max(planted)
    if least == most:
        found = Cost((planted[most] - clean) / most)
    else:
        unit = (planted[most] - planted[least]) / (most - least)
        found = Cost(unit, planted[least] - clean - unit * least)
    if found.unit <= 0:
        raise ValueError(f"planted: expected counts that grow with the amount, got {found.unit:g} a unit")
    return found


def amount_for(size: float, clean: float, of: Cost) -> int:
    """Return the least amount, at least 1, that slows a row of `clean` instructions by a share of `size`.

    Raises:
        ValueError: The size is not positive.
    """
    if size <= 0:
        raise ValueError(f"size: expected a positive share, got {size}")
    return max(1, math.ceil((size * clean - of.fixed) / of.unit))


def share(amount: int, clean: float, of: Cost) -> float:
    """Return by which share of `clean` an amount really slows the row."""
    return of.added(amount) / clean


def slowed(clean: Mapping[str, float], planted: Mapping[str, float]) -> tuple[str, ...]:
    """Return the rows that a calibrating amount slows, those that grow by the largest share first.

    Rows that only one of the runs has are left out: a calibration may count a selection.
    """
    growth = {row: planted[row] / clean[row] - 1 for row in clean.keys() & planted.keys()}
    found = [row for row, grown in growth.items() if grown >= LEAST_GROWTH]
    return tuple(sorted(found, key=lambda row: (-growth[row], row)))
