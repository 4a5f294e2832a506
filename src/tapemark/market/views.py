"""What is read of an order book: the status and best of it, and its levels, on the book or on a copy.

Guarantee: `Top` and `BookView` never change, so any thread may keep and read them.

Left to the caller: to read the levels of a book itself in the thread that writes it. `best_bid`, `best_ask`,
`spread_ticks` and `mid_half_ticks` alone, which look at `top` once, may be read of it from any thread.
"""

import enum

import msgspec

from tapemark.errors import InvalidArgument
from tapemark.market.ladder import Ladder
from tapemark.market.scale import Level
from tapemark.model import Side


class BookStatus(enum.Enum):
    """What a book's levels are worth."""

    EMPTY = "empty"
    """Nothing was written yet, or the book was cleared to begin anew."""
    LIVE = "live"
    """The levels are the venue's as of the last update; there may be none."""
    CROSSED = "crossed"
    """Dropped after an update that crossed it."""
    GAP = "gap"
    """Dropped: by its caller, who missed an update, or by itself, when an update was broken off half-way."""


class Top(msgspec.Struct, frozen=True, gc=False):
    """The best of either side and the last update's facts, as of one moment.

    Attributes:
        bid_ticks: Best bid's price in ticks; None where there are no bids.
        bid_steps: Its size in size steps.
        ask_ticks: Best ask's price in ticks; None where there are no asks.
        ask_steps: Its size in size steps.
        status: What the levels are worth.
        sequence: The venue's number of the last update.
        event_us: When the venue's engine made it, in microseconds.
        sent_ms: When the venue's API layer sent it, in milliseconds.
        recv_ns: When it was received, in nanoseconds.
    """

    bid_ticks: int | None
    bid_steps: int | None
    ask_ticks: int | None
    ask_steps: int | None
    status: BookStatus
    sequence: int
    event_us: int
    sent_ms: int
    recv_ns: int


class BookReads:
    """What can be read of a book, and of a view of it."""

    __slots__ = ("_asks", "_bids", "top")

    top: Top
    _bids: Ladder
    _asks: Ladder

    def __len__(self) -> int:
        """Return the number of levels of both sides."""
        return len(self._bids.prices) + len(self._asks.prices)

    @property
    def best_bid(self) -> Level | None:
        """The highest bid."""
        top = self.top
        return None if top.bid_ticks is None or top.bid_steps is None else (top.bid_ticks, top.bid_steps)

    @property
    def best_ask(self) -> Level | None:
        """The lowest ask."""
        top = self.top
        return None if top.ask_ticks is None or top.ask_steps is None else (top.ask_ticks, top.ask_steps)

    @property
    def spread_ticks(self) -> int | None:
        """The best ask less the best bid, in ticks; None while a side is empty."""
        top = self.top
        return None if top.bid_ticks is None or top.ask_ticks is None else top.ask_ticks - top.bid_ticks

    @property
    def mid_half_ticks(self) -> int | None:
        """The middle of best bid and best ask in half ticks, hence exact; None while a side is empty."""
        top = self.top
        return None if top.bid_ticks is None or top.ask_ticks is None else top.ask_ticks + top.bid_ticks

    def depth(self, count: int) -> tuple[tuple[Level, ...], tuple[Level, ...]]:
        """Return the best `count` bids and the best `count` asks, the best first.

        Raises:
            InvalidArgument: The count is negative or no integer.
        """
        try:
            if count < 0:
                raise InvalidArgument("count", "an integer of zero or more", count)
            return self._bids.best(count), self._asks.best(count)
        except TypeError:
            raise InvalidArgument("count", "an integer of zero or more", count) from None

    def between(self, low_ticks: int, high_ticks: int) -> tuple[tuple[Level, ...], tuple[Level, ...]]:
        """Return the bids and the asks from `low_ticks` to `high_ticks`, both included, the best first."""
        return self._bids.between(low_ticks, high_ticks), self._asks.between(low_ticks, high_ticks)

    def total(self, side: Side) -> int:
        """Return the size of all bids (`Side.BUY`) or all asks (`Side.SELL`), in size steps."""
        return (self._bids if side is Side.BUY else self._asks).total()


class BookView(BookReads):
    """An unchanging copy of a book, as of the end of one update."""

    __slots__ = ()

    def __init__(self, top: Top, bids: Ladder, asks: Ladder) -> None:
        self.top = top
        self._bids = bids
        self._asks = asks

    def __repr__(self) -> str:
        """Show the status, how many levels there are, and the best of either side in ticks and size steps."""
        best = f"best_bid={self.best_bid}, best_ask={self.best_ask}"
        return f"<BookView {self.top.status.value}: {len(self)} levels, {best}>"
