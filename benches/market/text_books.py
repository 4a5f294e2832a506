"""An order book fed with the venue's texts: what is measured of any, and ours.

`replace` takes a snapshot, `apply` an update of absolute sizes, in which zero deletes; `best` reads price and
size of the best bid and of the best ask in the book's own form, and `exact` makes decimals of that form, to
check it.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import msgspec

from benches.market.book_feed import SIZE_STEP, TICK_SIZE, Exact, Update
from tapemark.market.book import OrderBook
from tapemark.market.scale import Level, Scale


class Book(Protocol):
    """What is measured of a book."""

    def decoder(self, updates: list[Update]) -> Callable[[], list[Any]]:
        """Give the call that decodes the updates from JSON in the form that the book takes."""

    def replace(self, bids: Any, asks: Any) -> None:
        """Take a snapshot."""

    def apply(self, bids: Any, asks: Any) -> None:
        """Take an update."""

    def best(self) -> tuple[Any, ...]:
        """Give price and size of the best bid and of the best ask."""

    def exact(self, best: tuple[Any, ...]) -> Exact:
        """Give what `best` gave, in decimals."""


class OfPairs:
    """Takes each level as a tuple of its price text and its size text."""

    def decoder(self, updates: list[Update]) -> Callable[[], list[Any]]:
        """Decode with msgspec."""
        raw, decode = msgspec.json.encode(updates), msgspec.json.Decoder(list[Update]).decode
        return lambda: decode(raw)


class _Tapemark(OfPairs):
    """Ours, its texts converted in the way of `tapemark.lighter.sync`.

    Args:
        forgets_prices: No price text was seen before.
        forgets_sizes: No size text was seen before.
    """

    def __init__(self, *, forgets_prices: bool = False, forgets_sizes: bool = False) -> None:
        self._book = OrderBook()
        self._scale = Scale(TICK_SIZE, SIZE_STEP)
        self._forgets_prices, self._forgets_sizes = forgets_prices, forgets_sizes

    def replace(self, bids: Any, asks: Any) -> None:
        self._book.replace(*self._counts(bids, asks), 1, 2, 3, 4)

    def apply(self, bids: Any, asks: Any) -> None:
        self._book.apply(*self._counts(bids, asks), 1, 2, 3, 4)

    def _counts(self, bids: Any, asks: Any) -> tuple[list[Level], list[Level]]:
        prices, sizes = self._scale.prices, self._scale.sizes
        if self._forgets_prices:
            prices.clear()
        if self._forgets_sizes:
            sizes.clear()
        # Loops as there: so few levels are appended faster than a list comprehension is entered.
        bid_levels: list[Level] = []
        ask_levels: list[Level] = []
        for price, size in bids:
            bid_levels.append((prices[price], sizes[size]))
        for price, size in asks:
            ask_levels.append((prices[price], sizes[size]))
        return bid_levels, ask_levels

    def best(self) -> tuple[Any, ...]:
        top = self._book.top
        return top.bid_ticks, top.bid_steps, top.ask_ticks, top.ask_steps

    def exact(self, best: tuple[Any, ...]) -> Exact:
        bid, bid_size, ask, ask_size = best
        return bid * TICK_SIZE, bid_size * SIZE_STEP, ask * TICK_SIZE, ask_size * SIZE_STEP


NAME = "tapemark"
OURS: dict[str, Callable[[], Book]] = {
    NAME: _Tapemark,
    f"{NAME}, new sizes": partial(_Tapemark, forgets_sizes=True),
    f"{NAME}, nothing cached": partial(_Tapemark, forgets_prices=True, forgets_sizes=True),
}
