"""One side of an order book: its levels by price, and their prices in order, the best last.

A dictionary gives a level's size in constant time. Beside it stands a sorted list of ranks (the price of a
bid, the price of an ask below zero), so that the best has the highest rank on either side and stands at the
list's end: most changes happen near the best, where an insertion moves least.

Left to the caller: levels that are positive (`check`), and one thread at a time.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from typing import Self

from tapemark.errors import InvalidFrame
from tapemark.market.scale import MAX_STEPS, Level


class Ladder:
    """The levels of one side.

    Args:
        sign: 1 for bids, of which the highest is best; -1 for asks, of which the lowest is.
        levels: Absolute sizes by price; the last of the same price counts, and zero is no level.
        depth: How many of the best are kept; None keeps all.
    """

    __slots__ = ("ranks", "sign", "sizes")

    def __init__(self, sign: int, levels: Sequence[Level] = (), depth: int | None = None) -> None:
        sizes = dict(levels)
        if 0 in sizes.values():
            sizes = {ticks: steps for ticks, steps in sizes.items() if steps}
        self.sign = sign
        self.sizes = sizes
        self.ranks = sorted(sizes) if sign > 0 else sorted([-ticks for ticks in sizes])
        if depth is not None:
            self.keep(depth)

    def write(self, levels: Sequence[Level]) -> None:
        """Set absolute sizes; zero deletes, and to delete what is not there changes nothing."""
        sign, sizes, ranks = self.sign, self.sizes, self.ranks
        for ticks, steps in levels:
            if steps:
                if ticks not in sizes:
                    insort(ranks, sign * ticks)
                sizes[ticks] = steps
            elif ticks in sizes:
                del ranks[bisect_left(ranks, sign * ticks)]
                del sizes[ticks]

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


def check(levels: Sequence[Level], field: str) -> None:
    """Refuse levels that no book can hold, before anything is written.

    Args:
        levels: The levels of one side.
        field: What the caller calls them, for the error.

    Raises:
        InvalidFrame: A price is not above zero, a size is below zero, or one of them is beyond `MAX_STEPS`.
    """
    for position, (ticks, steps) in enumerate(levels):
        if not 0 < ticks <= MAX_STEPS:
            raise InvalidFrame(f"{field}[{position}][0]", "a price of 1 to 2**63 - 1 ticks", ticks)
        if not 0 <= steps <= MAX_STEPS:
            raise InvalidFrame(f"{field}[{position}][1]", "a size of 0 to 2**63 - 1 steps", steps)
