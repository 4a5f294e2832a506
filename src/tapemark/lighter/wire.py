"""What Lighter's order-book feed sends, as typed messages: the venue's fields, its numerals still text.

A decoder reads straight into these types; keys that no type names are skipped at its speed. Attribute names
are readable; where they differ, the venue's key stands beside them. Field order follows the order in which
the venue documents the keys, which msgspec matches fastest; any order is accepted.

Prices and sizes are texts as sent: `tapemark.market.scale` turns them into whole ticks and steps. A size of
zero deletes its level. Nonces chain the updates; see `tapemark.lighter.sync`. The feed's offsets, which count
what one of the venue's servers sent, mean nothing to a reader and are not read.

Source: the venue's WebSocket reference.
"""

import re
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct, field

from tapemark.errors import InvalidFrame

Nonce = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Millis = Annotated[int, Meta(ge=10**12, lt=10**14)]
"""UTC milliseconds. The bounds (years 2001 to 5138) refuse seconds and microseconds sent in their place."""
Micros = Annotated[int, Meta(ge=10**15, lt=10**17)]
"""UTC microseconds, bounded alike."""

NoTrouble = Annotated[int, Meta(ge=0, le=0)]
"""The code of no trouble; a literal would be refused without saying what was expected."""

SNAPSHOT_TYPE: Final = "subscribed/order_book"
UPDATE_TYPE: Final = "update/order_book"

# A subscription is asked for with `/` and answered with `:`.
_CHANNEL: Final = re.compile(r"order_book[:/](0|[1-9][0-9]{0,8})")
_MAX_CHANNELS: Final = 65_536


class _MarketIds(dict[str, int]):
    """Market numbers by channel, read on first sight; emptied when a peer has named too many."""

    def __missing__(self, channel: str) -> int:
        match = _CHANNEL.fullmatch(channel)
        if match is None:
            raise InvalidFrame("channel", "`order_book:` and a market's number", channel)
        if len(self) >= _MAX_CHANNELS:
            self.clear()
        market_id = self[channel] = int(match[1])
        return market_id


MARKET_IDS: Final = _MarketIds()
"""`MARKET_IDS[channel]` is the channel's market, or raises InvalidFrame. A channel recurs in every frame."""


class Level(Struct, frozen=True, gc=False):
    """A level of a book with the absolute size that it now has."""

    price: str
    size: str


class Book(Struct, frozen=True, gc=False, kw_only=True):
    """A whole book.

    Attributes:
        code: 0, which says that the venue had no trouble.
        asks: All asks.
        bids: All bids.
        nonce: The engine's nonce that the book has reached with these levels.
    """

    code: NoTrouble
    asks: list[Level]
    bids: list[Level]
    nonce: Nonce


class BookChange(Book, frozen=True, gc=False, kw_only=True):
    """What changes in a book.

    Attributes:
        code: As of a whole book.
        asks: The asks that changed, each with the size that it now has; zero where it is gone.
        bids: The bids that changed, alike.
        nonce: The engine's nonce that the book reaches with these changes.
        begin_nonce: The nonce that the book must have reached before.
    """

    begin_nonce: Nonce


class BookSnapshot(Struct, frozen=True, gc=False, kw_only=True):
    """The whole book, the first frame of a subscription.

    Attributes:
        type: As sent. A field, since msgspec would decode a tagged struct without its tag too.
        channel: `order_book:` and the market's number.
        sent_ms: When the API layer sent it, UTC milliseconds.
        event_us: When the engine last changed the book, UTC microseconds.
        book: The levels.
    """

    type: Literal["subscribed/order_book"]
    channel: str
    sent_ms: Millis = field(name="timestamp")
    event_us: Micros = field(name="last_updated_at")
    book: Book = field(name="order_book")

    @property
    def market_id(self) -> int:
        """The market's number at the venue."""
        return MARKET_IDS[self.channel]


class BookUpdate(Struct, frozen=True, gc=False, kw_only=True):
    """The levels that changed since the update or snapshot before; attributes as of `BookSnapshot`."""

    type: Literal["update/order_book"]
    channel: str
    sent_ms: Millis = field(name="timestamp")
    event_us: Micros = field(name="last_updated_at")
    book: BookChange = field(name="order_book")

    @property
    def market_id(self) -> int:
        """The market's number at the venue."""
        return MARKET_IDS[self.channel]


class UnknownFrame(Struct, frozen=True, gc=False):
    """A frame of a type that is none of the order-book feed's."""

    type: str


Message = BookSnapshot | BookUpdate | UnknownFrame
"""Everything that `decode.frame` can return."""
