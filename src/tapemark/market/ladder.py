"""One side of an order book: its levels by price, and their prices in order, the best last.

A dictionary gives a level's size in constant time. Beside it stands a sorted list of ranks (the price of a
bid, the price of an ask below zero), so that the best has the highest rank on either side and stands at the
list's end: most changes happen near the best, where an insertion moves least.

Guarantee: prices are above zero and sizes not below it, or the levels are refused whole.

Left to the caller: one thread at a time, and single changes, which `tapemark.market.book` writes to both
parts itself.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NoReturn, Self

from tapemark.errors import InvalidFrame
from tapemark.market.scale import Level


class Ladder:
    """The levels of one side, at first none.

    Args:
        sign: 1 for bids, of which the highest is best; -1 for asks, of which the lowest is.

    Attributes:
        sizes: Sizes in steps by price in ticks.
        ranks: The prices times `sign`, in rising order.
    """

    __slots__ = ("ranks", "sign", "sizes")

    def __init__(self, sign: int) -> None:
        self.sign = sign
        self.sizes: dict[int, int] = {}
        self.ranks: list[int] = []

    def keep(self, depth: int) -> None:
        """Forget all levels but the best `depth`."""
        surplus = len(self.ranks) - depth
        if surplus > 0:
            for rank in self.ranks[:surplus]:
                del self.sizes[self.sign * rank]
            del self.ranks[:surplus]

    def copy(self) -> Self:
        """Return an independent copy; each of its two parts is copied in one step of the interpreter."""
        twin = type(self).__new__(type(self))
        twin.sign, twin.sizes, twin.ranks = self.sign, self.sizes.copy(), self.ranks.copy()
        return twin

    def best(self, count: int) -> tuple[Level, ...]:
        """Return the best `count` levels, the best first, or all where there are fewer."""
        return self._levels(self.ranks[-count:] if count else [])

    def between(self, low_ticks: int, high_ticks: int) -> tuple[Level, ...]:
        """Return the levels from `low_ticks` to `high_ticks`, both included, the best first."""
        low, high = (low_ticks, high_ticks) if self.sign > 0 else (-high_ticks, -low_ticks)
        return self._levels(self.ranks[bisect_left(self.ranks, low) : bisect_right(self.ranks, high)])

    def total(self) -> int:
        """Return the size of all levels together, in size steps."""
        return sum(self.sizes.values())

    def _levels(self, ranks: list[int]) -> tuple[Level, ...]:
        sign, sizes = self.sign, self.sizes
        return tuple([(ticks := sign * rank, sizes[ticks]) for rank in reversed(ranks)])


def arranged(
    levels: Sequence[Level], sign: int, field: str, depth: int | None
) -> tuple[dict[int, int], list[int]]:
    """Make the sizes and the ranks of a ladder.

    Args:
        levels: Absolute sizes by price; the last of the same price counts, and zero is no level.
        sign: The ladder's.
        field: What the caller calls the levels, for the error.
        depth: How many of the best are kept; None keeps all.

    Raises:
        InvalidFrame: A price is not above zero, or a size is below zero.
    """
    sizes = dict(levels)
    if not sizes:
        return sizes, []
    if min(sizes.values()) <= 0:
        if min(sizes) <= 0 or min(sizes.values()) < 0:
            refuse(levels, field)
        return arranged([level for level in sizes.items() if level[1]], sign, field, depth)
    ranks = sorted(sizes) if sign > 0 else sorted([-ticks for ticks in sizes])
    if (ranks[0] if sign > 0 else -ranks[-1]) <= 0:  # the lowest price
        refuse(levels, field)
    if depth is not None and len(ranks) > depth:
        ranks = ranks[-depth:]
        sizes = {sign * rank: sizes[sign * rank] for rank in ranks}
    return sizes, ranks


def refuse(levels: Sequence[Level], field: str) -> NoReturn:
    """Name the first level that no book can hold, for a caller who found that there is one.

    Args:
        levels: The levels of one side.
        field: What the caller calls them, for the error.

    Raises:
        InvalidFrame: Always.
    """
    for position, (ticks, steps) in enumerate(levels):
        if ticks <= 0:
            raise InvalidFrame(f"{field}[{position}][0]", "a price above zero, in ticks", ticks)
        if steps < 0:
            raise InvalidFrame(f"{field}[{position}][1]", "a size of zero or more, in steps", steps)
    raise AssertionError("one of the levels does not fit")
