"""Keep an order book in step with Lighter's feed: the snapshot first, then updates chained by their nonces.

While the book is live:

- An update is applied if its `begin_nonce` is the nonce that the book has reached and its own lies above it.
  Neither nonces nor offsets step by one, so nothing is concluded from a step's size.
- Any other is late, and ignored, if its nonce is not above the book's, nor the engine's time above that of
  the book, and it comes within `retry_ns` of what was last applied. If not, an update was lost, or the book's
  nonce was a wrong one: the book is dropped and a new subscription asked for at once.
- A snapshot is applied, unless its nonce lies below the book's: then it is late.
- An update with a text that is no price or size of this market is lost, unless it is late; such a snapshot is
  ignored. A book that comes out crossed, or whose write is broken off from outside (`KeyboardInterrupt`,
  `MemoryError`), is dropped and asked for at once.

While a snapshot is waited for:

- Updates are dropped; the highest nonce among them and what dropped the book is remembered.
- A snapshot below that nonce is stale, and refused. The next one is applied whatever its nonce: either that
  server lags, or the nonce remembered was wrong; and if not, the next update shows the gap.
- Each message that leaves the book without a snapshot asks for a new subscription, if none was asked for in
  the `retry_ns` before. The first update counts as if it had asked, for the caller has just subscribed.

Guarantees: while the book is live, it is the venue's at the nonce in `top.sequence`, as far as the frames
told the truth, and the engine's and the API layer's times of that update stand beside it. No single frame,
whatever it says, can stop the book for good, as long as others come.

A message is parsed, then written. To parse a good one changes nothing; one with a bad text has no write, so
it counts as lost when it is parsed, which can drop the book. Hence each is to be written before the next is
parsed.

Left to the caller: to give a sync the messages of its own market alone, as `tapemark.lighter.route` does; to
subscribe on each connection, and to say so by `reconnected`; to unsubscribe and subscribe when `resubscribe`
asks; one thread. A frame that cannot be decoded names no market: its loss shows with the next update.

Source: the venue's WebSocket reference.
"""

import enum
from collections.abc import Callable, Sequence
from typing import Final, NoReturn, final

import msgspec

from tapemark.errors import CrossedBook, InvalidArgument, InvalidFrame
from tapemark.lighter.wire import Book, BookSnapshot, BookUpdate
from tapemark.market.book import OrderBook
from tapemark.market.scale import Level, Scale, refuse_text
from tapemark.market.views import BookStatus

RETRY_NS: Final = 5_000_000_000
"""How long a snapshot is waited for before it is asked for again: many times what the venue needs."""

_NO_NONCE: Final = -1  # no update begins there


class Outcome(enum.Enum):
    """What became of a frame."""

    APPLIED = "applied"
    WAITING = "not applied: no snapshot has come yet"
    LATE = "ignored, since the book has gone beyond it"
    STALE = "a snapshot older than what was seen: refused, as the next one will not be"
    GAP = "an update was lost: the book was dropped and a new subscription asked for"
    CROSSED = "the book came out crossed: it was dropped, and is asked for anew"


class SnapshotWrite(msgspec.Struct, frozen=True, gc=False):
    """A snapshot in ticks and steps; nothing of it is written yet."""

    sync: "BookSync"
    message: BookSnapshot
    bids: Sequence[Level]
    asks: Sequence[Level]
    recv_ns: int

    def write(self) -> Outcome:
        """Replace the book, unless this is older than what was seen on this connection.

        Raises:
            InvalidFrame: A price is zero, with the consequences of a text that is no price.
        """
        return self.sync._write_snapshot(self)  # noqa: SLF001 - a write is the other half of its sync


class UpdateWrite(msgspec.Struct, frozen=True, gc=False):
    """An update in ticks and steps; nothing of it is written yet."""

    sync: "BookSync"
    message: BookUpdate
    bids: Sequence[Level]
    asks: Sequence[Level]
    recv_ns: int

    def write(self) -> Outcome:
        """Apply it, if it is the next.

        Raises:
            InvalidFrame: A price is zero, with the consequences of a text that is no price.
        """
        return self.sync._write_update(self)  # noqa: SLF001 - the same


@final
class BookSync:
    """Apply one market's messages to its book.

    Args:
        market_id: The market's number at the venue.
        book: The book, of all depths, which nobody else writes; what it holds is dropped.
        scale: The market's steps.
        resubscribe: Asks for a new subscription to the market whose number it is given. It is called last,
            when the book is dropped already, and must neither raise nor wait for the answer.
        retry_ns: How long a snapshot is waited for before it is asked for again, and how long a live book may
            get nothing but late updates, in nanoseconds of `recv_ns`; only a message that comes can show that
            the time is over.

    Raises:
        InvalidArgument: `retry_ns` is not an integer above zero, or the book keeps a fixed depth.
    """

    __slots__ = (
        "_asked_ns",
        "_book",
        "_market_id",
        "_newest",
        "_nonce",
        "_prices",
        "_resubscribe",
        "_retry_ns",
        "_sizes",
    )

    def __init__(
        self,
        market_id: int,
        book: OrderBook,
        scale: Scale,
        resubscribe: Callable[[int], None],
        retry_ns: int = RETRY_NS,
    ) -> None:
        if type(retry_ns) is not int or retry_ns <= 0:
            raise InvalidArgument("retry_ns", "nanoseconds above zero", retry_ns)
        require_all_levels(book)
        self._market_id: Final = market_id
        self._book: Final = book
        self._prices: Final = scale.prices
        self._sizes: Final = scale.sizes
        self._resubscribe: Final = resubscribe
        self._retry_ns: Final = retry_ns
        self._nonce = _NO_NONCE  # that of the book, none while a snapshot is waited for
        # While waiting: the highest nonce that was seen; None once a snapshot was refused for it.
        self._newest: int | None = _NO_NONCE
        self._asked_ns: int | None = None  # while waiting: when it was asked for, as far as is known
        self.reconnected()

    @property
    def is_live(self) -> bool:
        """Whether the book is in step; if not, a snapshot is waited for."""
        return self._nonce != _NO_NONCE

    def reconnected(self) -> None:
        """Start again with a new connection: drop the book, forget the nonces, wait for the snapshot."""
        if self._book.top.status is BookStatus.LIVE:
            self._book.clear(BookStatus.GAP)
        self._nonce = self._newest = _NO_NONCE
        self._asked_ns = None

    def parse_snapshot(self, message: BookSnapshot, recv_ns: int) -> SnapshotWrite:
        """Convert a snapshot's texts, and write nothing of it.

        Args:
            message: A snapshot of this market.
            recv_ns: When it was received.

        Raises:
            InvalidFrame: A text is no price or size of this market; the book stays what it was, and if it
                waits for a snapshot, that is asked for again.
        """
        book = message.book
        try:
            bids, asks = self._levels(book)
        except InvalidFrame:
            self._miss_snapshot(recv_ns)
            self._refuse_levels(book)
        return SnapshotWrite(self, message, bids, asks, recv_ns)

    def parse_update(self, message: BookUpdate, recv_ns: int) -> UpdateWrite:
        """Convert an update's texts, and write nothing of it; one with a bad text counts as lost at once.

        Args:
            message: An update of this market.
            recv_ns: When it was received.

        Raises:
            InvalidFrame: A text is no price or size of this market; unless the update is late, the book is
                dropped and a new subscription asked for, as after a gap.
        """
        book = message.book
        try:
            bids, asks = self._levels(book)
        except InvalidFrame:
            self._miss_update(message, recv_ns)
            self._refuse_levels(book)
        return UpdateWrite(self, message, bids, asks, recv_ns)

    def _write_snapshot(self, parsed: SnapshotWrite) -> Outcome:
        message, recv_ns = parsed.message, parsed.recv_ns
        nonce = message.book.nonce
        if self.is_live:
            if nonce < self._nonce:
                return Outcome.LATE
        elif self._newest is not None and nonce < self._newest:
            self._newest = None
            self._ask_again(recv_ns)
            return Outcome.STALE
        try:
            self._book.replace(parsed.bids, parsed.asks, nonce, message.event_us, message.sent_ms, recv_ns)
        except CrossedBook:
            if self.is_live:
                self._wait(nonce, recv_ns)
            else:
                self._ask_again(recv_ns)
            return Outcome.CROSSED
        except InvalidFrame as error:
            self._miss_snapshot(recv_ns)
            raise _in_frame(error).of(self._book.name) from None
        except BaseException:
            self._lose(nonce, recv_ns)
            raise
        self._nonce = nonce
        return Outcome.APPLIED

    def _write_update(self, parsed: UpdateWrite) -> Outcome:
        message, recv_ns = parsed.message, parsed.recv_ns
        book = message.book
        nonce = book.nonce
        if not book.begin_nonce == self._nonce < nonce:
            return self._miss_update(message, recv_ns)
        try:
            self._book.apply(parsed.bids, parsed.asks, nonce, message.event_us, message.sent_ms, recv_ns)
        except CrossedBook:
            self._wait(nonce, recv_ns)
            return Outcome.CROSSED
        except InvalidFrame as error:
            self._lose(nonce, recv_ns)
            raise _in_frame(error).of(self._book.name) from None
        except BaseException:
            self._lose(nonce, recv_ns)
            raise
        self._nonce = nonce
        return Outcome.APPLIED

    def _levels(self, book: Book) -> tuple[list[Level], list[Level]]:
        prices, sizes = self._prices, self._sizes
        bids: list[Level] = []
        asks: list[Level] = []
        # A level or two is the usual; so few are appended in half the time of a list comprehension.
        for level in book.bids:
            bids.append((prices[level.price], sizes[level.size]))  # noqa: PERF401 - the same
        for level in book.asks:
            asks.append((prices[level.price], sizes[level.size]))  # noqa: PERF401 - the same
        return bids, asks

    def _miss_update(self, message: BookUpdate, recv_ns: int) -> Outcome:
        """Do without an update, and find out whether the book can."""
        nonce = message.book.nonce
        if not self.is_live:
            if self._newest is not None:
                self._newest = max(self._newest, nonce)
            if self._asked_ns is None:
                self._asked_ns = recv_ns
            self._ask_again(recv_ns)
            return Outcome.WAITING
        top = self._book.top
        is_of_the_past = nonce <= self._nonce and message.event_us <= top.event_us
        if is_of_the_past and recv_ns - top.recv_ns < self._retry_ns:
            return Outcome.LATE
        self._lose(nonce, recv_ns)
        return Outcome.GAP

    def _miss_snapshot(self, recv_ns: int) -> None:
        """Do without a snapshot: only where one is waited for, another is needed."""
        if not self.is_live:
            self._ask_again(recv_ns)

    def _lose(self, nonce: int, recv_ns: int) -> None:
        """Drop the book, and wait for a snapshot."""
        self._book.clear(BookStatus.GAP)
        self._wait(nonce, recv_ns)

    def _wait(self, nonce: int, recv_ns: int) -> None:
        """Go without a book, which a message of that nonce has dropped, until a snapshot comes."""
        self._nonce, self._newest = _NO_NONCE, nonce
        self._ask(recv_ns)

    def _ask_again(self, recv_ns: int) -> None:
        """Ask, if that was not done just before."""
        if self._asked_ns is None or recv_ns - self._asked_ns >= self._retry_ns:
            self._ask(recv_ns)

    def _ask(self, recv_ns: int) -> None:
        self._asked_ns = recv_ns
        self._resubscribe(self._market_id)

    def _refuse_levels(self, book: Book) -> NoReturn:
        texts = (
            (f"order_book.{side}[{row}].{key}", text, steps)
            for side, levels in (("bids", book.bids), ("asks", book.asks))
            for row, level in enumerate(levels)
            for key, text, steps in (
                ("price", level.price, self._prices),
                ("size", level.size, self._sizes),
            )
        )
        refuse_text(texts, self._book.name)


def require_all_levels(book: OrderBook) -> None:
    """Refuse a book of a fixed depth: what is pushed out of it, the feed does not tell of again.

    Raises:
        InvalidArgument: The book keeps a fixed depth.
    """
    if book.depth_limit is not None:
        raise InvalidArgument("depth", "None, since the feed tells of each level once", book.depth_limit)


def _in_frame(fault: InvalidFrame) -> InvalidFrame:
    """Name a price of zero by its place in the frame; the book has named it `bids[1][0]`, part of a pair."""
    return fault.at(f"order_book.{fault.field.removesuffix('[0]')}.price")
