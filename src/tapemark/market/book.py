"""An order book by snapshot and by delta, with one writer and any number of readers.

Guarantee: an update is applied whole or not at all; a size is absolute, zero deletes, and to delete what is
not there changes nothing. A book whose best bid is not below its best ask at the end of an update is dropped
and reported, since no level of it can be trusted.

A fixed depth is for a feed that keeps that depth itself, and so tells of each level that comes into it. A
level that is pushed out is forgotten for good: a later delete does not bring it back. So under a feed that
tells of all levels once and then of changes alone, such a book would come to miss levels while it is live.

Readers in other threads take `top`, a record that each update replaces in one assignment, or `view()`, a copy
of the whole book. Neither is ever torn or crossed, and no writer waits for a reader; but an update that a
reader met pays for the copy that it gets.

An update that something from outside breaks off (`KeyboardInterrupt`, `MemoryError`) leaves the book whole or
dropped, wherever it struck: a book that was written in part is never live, and no reader waits for its end.
For that the one assignment to `top` decides: a book whose status is not `LIVE` has no levels, whatever its
ladders still hold.

Left to the caller: one writer thread; the feed's sequence rules, of which the book keeps the number alone;
and a fresh snapshot after a book was dropped.
"""

import time
from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import NoReturn

from tapemark.errors import CrossedBook, InvalidArgument
from tapemark.market.ladder import Ladder, arranged, refuse
from tapemark.market.scale import Level
from tapemark.market.views import BookReads, BookStatus, BookView, Top

# In Python 3.11 naming an enum's member costs as much as writing a level, and every update names this one.
_LIVE = BookStatus.LIVE
_NOTHING = Top(None, None, None, None, BookStatus.EMPTY, 0, 0, 0, 0)
# Made beforehand: where memory has run out, or a second interrupt follows, there may be no making of another.
_BROKEN_OFF = Top(None, None, None, None, BookStatus.GAP, 0, 0, 0, 0)
_NO_BIDS, _NO_ASKS = Ladder(is_bids=True), Ladder(is_bids=False)


class OrderBook(BookReads):
    """A book that is written to.

    For all threads are `view()` and `top`, and what reads nothing but `top`, and that once: `best_bid`,
    `best_ask`, `spread_ticks` and `mid_half_ticks`. The rest is for the writer's thread alone.

    Args:
        depth: How many levels a side keeps, the best; None keeps all.
        name: Whose book it is, for errors.

    Attributes:
        name: Whose book it is; empty where nobody said.

    Raises:
        InvalidArgument: The depth is not an integer of 1 or more.
    """

    __slots__ = ("_depth", "_is_wanted", "_is_writing", "_published", "name")

    def __init__(self, depth: int | None = None, name: str = "") -> None:
        if depth is not None and (type(depth) is not int or depth < 1):
            raise InvalidArgument("depth", "None or an integer of 1 or more", depth)
        self._depth, self.name = depth, name
        self._bids, self._asks = Ladder(is_bids=True), Ladder(is_bids=False)
        self._is_writing = self._is_wanted = False
        self._published: BookView | None = None
        self.top = _NOTHING

    @property
    def depth_limit(self) -> int | None:
        """How many levels a side keeps at most; None where all."""
        return self._depth

    def replace(  # noqa: PLR0917 - each keyword costs time
        self,
        bids: Sequence[Level],
        asks: Sequence[Level],
        sequence: int,
        event_us: int,
        sent_ms: int,
        recv_ns: int,
    ) -> None:
        """Write a snapshot: these levels, and no others.

        Args:
            bids: The bids, in any order; of the same price the last counts, and a size of zero is no level.
            asks: The asks, alike.
            sequence: The venue's number of this update.
            event_us: When the venue's engine made it, in microseconds.
            sent_ms: When the venue's API layer sent it, in milliseconds; a venue of one time gives it twice.
            recv_ns: When it was received, in nanoseconds.

        Raises:
            InvalidFrame: A price or size is out of range; nothing was changed.
            CrossedBook: The snapshot is crossed; the book was dropped.
        """
        bid_sizes, bid_prices = arranged(bids, "bids", self._depth, is_bids=True)
        ask_sizes, ask_prices = arranged(asks, "asks", self._depth, is_bids=False)
        bid_ticks = bid_prices[-1] if bid_prices else None
        bid_steps = bid_sizes[bid_ticks] if bid_ticks else None
        ask_ticks = ask_prices[0] if ask_prices else None
        ask_steps = ask_sizes[ask_ticks] if ask_ticks else None
        top = Top(bid_ticks, bid_steps, ask_ticks, ask_steps, _LIVE, sequence, event_us, sent_ms, recv_ns)
        if bid_ticks and ask_ticks and bid_ticks >= ask_ticks:
            self._refuse_crossed(top)
        try:
            self._is_writing = True
            self._bids.sizes, self._bids.prices = bid_sizes, bid_prices
            self._asks.sizes, self._asks.prices = ask_sizes, ask_prices
            self.top = top
            self._is_writing = False
        except BaseException:  # as in `apply`
            last, self.top = self.top, _BROKEN_OFF
            self._drop(BookStatus.GAP, last)
            raise
        if self._is_wanted:
            self._publish()

    def apply(  # noqa: C901, PLR0912, PLR0915, PLR0917 - the same
        self,
        bids: Sequence[Level],
        asks: Sequence[Level],
        sequence: int,
        event_us: int,
        sent_ms: int,
        recv_ns: int,
    ) -> None:
        """Write an update: absolute sizes by price, the last of the same price counts.

        Both sides are written here, by one body each: a call for each would make an update a quarter dearer.

        Args:
            bids: The changed bids; zero deletes, and to delete what is not there changes nothing.
            asks: The changed asks, alike.
            sequence: As for `replace`.
            event_us: As for `replace`.
            sent_ms: As for `replace`.
            recv_ns: As for `replace`.

        Raises:
            InvalidArgument: The book was dropped and waits for a snapshot.
            InvalidFrame: A price or size is out of range; nothing was changed.
            CrossedBook: The book is crossed after this update; it was dropped.
        """
        top = self.top
        if top.status is not _LIVE:
            self._begin(top)
        if bids:
            for ticks, steps in bids:
                if ticks <= 0 or steps < 0:
                    refuse(bids, "bids")
        if asks:
            for ticks, steps in asks:
                if ticks <= 0 or steps < 0:
                    refuse(asks, "asks")
        try:
            self._is_writing = True
            if bids:
                sizes, prices = self._bids.sizes, self._bids.prices
                for ticks, steps in bids:
                    if steps:
                        if ticks not in sizes:
                            insort(prices, ticks)
                        sizes[ticks] = steps
                    elif ticks in sizes:
                        del prices[bisect_left(prices, ticks)]
                        del sizes[ticks]
                if self._depth is not None:
                    self._bids.keep(self._depth)
                bid_ticks = prices[-1] if prices else None
                bid_steps = sizes[bid_ticks] if bid_ticks else None
            else:
                bid_ticks, bid_steps = top.bid_ticks, top.bid_steps
            if asks:
                sizes, prices = self._asks.sizes, self._asks.prices
                for ticks, steps in asks:
                    if steps:
                        if ticks not in sizes:
                            insort(prices, ticks)
                        sizes[ticks] = steps
                    elif ticks in sizes:
                        del prices[bisect_left(prices, ticks)]
                        del sizes[ticks]
                if self._depth is not None:
                    self._asks.keep(self._depth)
                ask_ticks = prices[0] if prices else None
                ask_steps = sizes[ask_ticks] if ask_ticks else None
            else:
                ask_ticks, ask_steps = top.ask_ticks, top.ask_steps
            top = Top(bid_ticks, bid_steps, ask_ticks, ask_steps, _LIVE, sequence, event_us, sent_ms, recv_ns)
            if bid_ticks and ask_ticks and bid_ticks >= ask_ticks:
                self._refuse_crossed(top)
            self.top = top
            self._is_writing = False
        except CrossedBook:
            raise
        except BaseException:
            # Only what comes from outside, such as Ctrl-C, gets here: nobody knows how far the update came.
            # First of all the book is live no more. No interrupt comes before that, since none is looked for
            # but after calls and in loops.
            last, self.top = self.top, _BROKEN_OFF
            self._drop(BookStatus.GAP, last)
            raise
        if self._is_wanted:
            self._publish()

    def clear(self, status: BookStatus) -> None:
        """Drop all levels; the number and the times of the last update stay.

        Raises:
            InvalidArgument: The status is `LIVE`, which only an update can make of a book.
        """
        if status is _LIVE:
            raise InvalidArgument("status", "EMPTY, GAP or CROSSED", status)
        self._drop(status, self.top)

    def view(self) -> BookView:
        """Return a copy of the whole book as of the end of an update, from any thread.

        A reader that meets the writer in the middle of an update asks it for a copy, which the writer makes
        at the end of that update: however busy it is, a reader waits for one update at the most. So this is
        not for a signal handler or finalizer that runs within the writer's own update.
        """
        while True:
            published = self._published
            top = self.top
            if top.status is not _LIVE:
                return BookView(top, _NO_BIDS, _NO_ASKS)
            if not self._is_writing:
                view = BookView(top, self._bids.copy(), self._asks.copy())
                # In this order: an update that has ended between the two looks has replaced `top` by then.
                if not self._is_writing and self.top is top:  # type: ignore[redundant-expr]  # the writer's thread
                    return view
            self._is_wanted = True
            time.sleep(0)
            view_asked_for = self._published
            if view_asked_for is not None and view_asked_for is not published:
                return view_asked_for

    def _begin(self, top: Top) -> None:
        """Begin a book that is empty by an update, with no levels yet; refuse to where it was dropped."""
        if top.status is not BookStatus.EMPTY:
            raise InvalidArgument("status", "a book that was not dropped", top.status)
        self._drop(BookStatus.EMPTY, top)

    def _refuse_crossed(self, top: Top) -> NoReturn:
        self._drop(BookStatus.CROSSED, top)
        expected = "a best bid below the best ask (in ticks)"
        raise CrossedBook("book", expected, f"bid {top.bid_ticks}, ask {top.ask_ticks}").of(self.name)

    def _drop(self, status: BookStatus, last: Top) -> None:
        bids, asks = Ladder(is_bids=True), Ladder(is_bids=False)
        sequence, event_us, sent_ms, recv_ns = last.sequence, last.event_us, last.sent_ms, last.recv_ns
        # `top` is first: from here on nobody looks at what the ladders held.
        self.top = Top(None, None, None, None, status, sequence, event_us, sent_ms, recv_ns)
        self._bids, self._asks = bids, asks
        self._is_writing = False

    def _publish(self) -> None:
        self._is_wanted = False
        self._published = BookView(self.top, self._bids.copy(), self._asks.copy())
