"""One side of an order book: its levels by price, and their prices in order.

A dictionary gives a level's size in constant time; beside it stands the sorted list of the prices. Best and
worst are its ends. Where a price comes into the list or leaves it, those behind it move, which even at the
front of a thousand costs less than to reach a node of a tree.

Guarantee, of `arranged` alone: prices are above zero and sizes not below it, or the levels are refused whole.

Left to the caller: one thread at a time, and single changes, which `tapemark.market.book` checks and writes
to both parts itself.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NoReturn, Self

from tapemark.errors import InvalidFrame
from tapemark.market.scale import Level


class Ladder:
    """The levels of one side, at first none.

    Args:
        is_bids: Whether the highest price is best, as for bids, or the lowest, as for asks.

    Attributes:
        sizes: Sizes in steps by price in ticks.
        prices: The prices in ticks, in rising order.
    """

    __slots__ = ("is_bids", "prices", "sizes")

    def __init__(self, *, is_bids: bool) -> None:
        self.is_bids = is_bids
        self.sizes: dict[int, int] = {}
        self.prices: list[int] = []

    def keep(self, depth: int) -> None:
        """Forget all levels but the best `depth`."""
        for ticks in cut(self.prices, depth, is_bids=self.is_bids):
            del self.sizes[ticks]

    def copy(self) -> Self:
        """Return an independent copy; each of its two parts is copied in one step of the interpreter."""
        twin = type(self).__new__(type(self))
        twin.is_bids, twin.sizes, twin.prices = self.is_bids, self.sizes.copy(), self.prices.copy()
        return twin

    def best(self, count: int) -> tuple[Level, ...]:
        """Return the best `count` levels, the best first, or all where there are fewer."""
        if not self.is_bids:
            return self._levels(self.prices[:count])
        return self._levels(self.prices[-count:] if count else [])

    def between(self, low_ticks: int, high_ticks: int) -> tuple[Level, ...]:
        """Return the levels from `low_ticks` to `high_ticks`, both included, the best first."""
        prices = self.prices
        return self._levels(prices[bisect_left(prices, low_ticks) : bisect_right(prices, high_ticks)])

    def total(self) -> int:
        """Return the size of all levels together, in size steps."""
        return sum(self.sizes.values())

    def _levels(self, prices: list[int]) -> tuple[Level, ...]:
        """Give rising prices their sizes, the best first; turns the list itself, which must be a copy."""
        sizes = self.sizes
        if self.is_bids:
            prices.reverse()
        return tuple([(ticks, sizes[ticks]) for ticks in prices])


def cut(prices: list[int], depth: int, *, is_bids: bool) -> list[int]:
    """Cut rising prices down to the best `depth`, in place; return those that are gone."""
    surplus = len(prices) - depth
    if surplus <= 0:
        return []
    gone = slice(surplus) if is_bids else slice(depth, None)
    surplus_prices = prices[gone]
    del prices[gone]
    return surplus_prices


def arranged(
    levels: Sequence[Level], field: str, depth: int | None, *, is_bids: bool
) -> tuple[dict[int, int], list[int]]:
    """Make the sizes and the prices of a ladder.

    Args:
        levels: Absolute sizes by price; the last of the same price counts, and zero is no level.
        field: What the caller calls the levels, for the error.
        depth: How many of the best are kept; None keeps all.
        is_bids: The ladder's.

    Raises:
        InvalidFrame: A price is not above zero, or a size is below zero.
    """
    sizes = dict(levels)
    if not sizes:
        return sizes, []
    if len(sizes) != len(levels) and any(steps < 0 for _, steps in levels):
        refuse(levels, field)  # even where a later size of the same price hides it
    if min(sizes.values()) <= 0:
        if min(sizes) <= 0 or min(sizes.values()) < 0:
            refuse(levels, field)
        return arranged([level for level in sizes.items() if level[1]], field, depth, is_bids=is_bids)
    prices = sorted(sizes)
    if prices[0] <= 0:
        refuse(levels, field)
    if depth is not None:
        for ticks in cut(prices, depth, is_bids=is_bids):
            del sizes[ticks]
    return sizes, prices


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
