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
    """The levels of one side.

    Args:
        sign: 1 for bids, of which the highest is best; -1 for asks, of which the lowest is.
        levels: Absolute sizes by price; the last of the same price counts, and zero is no level.
        field: What the caller calls the levels, for the error.
        depth: How many of the best are kept; None keeps all.

    Raises:
        InvalidFrame: A price is not above zero, or a size is below zero.
    """

    __slots__ = ("ranks", "sign", "sizes")

    def __init__(
        self, sign: int, levels: Sequence[Level] = (), field: str = "levels", depth: int | None = None
    ) -> None:
        sizes = dict(levels)
        ranks: list[int] = []
        if sizes:
            least_steps = min(sizes.values())
            if least_steps < 0 or (least_steps == 0 and min(sizes) <= 0):
                refuse(levels, field)
            if least_steps == 0:
                sizes = {ticks: steps for ticks, steps in sizes.items() if steps}
            ranks = sorted(sizes) if sign > 0 else sorted([-ticks for ticks in sizes])
            if ranks and sign * ranks[0 if sign > 0 else -1] <= 0:  # the lowest price
                refuse(levels, field)
        self.sign, self.sizes, self.ranks = sign, sizes, ranks
        if depth is not None:
            self.keep(depth)

    def top(self) -> tuple[int, int] | tuple[None, None]:
        """Return price and size of the best level."""
        if not self.ranks:
            return None, None
        ticks = self.sign * self.ranks[-1]
        return ticks, self.sizes[ticks]

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
