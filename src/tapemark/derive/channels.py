"""Channel names of the venue: which kind of frame a channel carries and for which symbol.

`orderbook.{instrument}.{group}.{depth}`, `ticker_slim.{instrument}.{interval}`, `trades.{type}.{currency}`,
`{subaccount}.orders` and `{subaccount}.trades`, as the venue's subscription reference lists them. Instrument
names hold no dot. Any other name is `Kind.UNKNOWN`, never an error.
"""

import enum

import msgspec

_MAX_TOPICS = 65_536
MAX_KEPT_CHARS = 128
"""Longer names than any the venue has are parsed each time, since a peer could fill the memory with them."""


class Kind(enum.Enum):
    """What the frames of a channel carry."""

    ORDERBOOK = "orderbook"
    TICKER = "ticker_slim"
    PUBLIC_TRADES = "trades"
    ORDERS = "orders"
    OWN_TRADES = "own_trades"
    UNKNOWN = "unknown"


class Topic(msgspec.Struct, frozen=True, gc=False):
    """A channel's kind and subject: the instrument, or the trades' currency, or the subaccount."""

    kind: Kind
    subject: str


class _Topics(dict[str, Topic]):
    """Topics by channel name, parsed on first sight; emptied when a peer has named too many."""

    def __missing__(self, channel: str) -> Topic:
        topic = _parsed(channel)
        if len(channel) <= MAX_KEPT_CHARS:
            if len(self) >= _MAX_TOPICS:
                self.clear()
            self[channel] = topic
        return topic


TOPICS = _Topics()
"""`TOPICS[channel]` is the channel's `Topic`. A channel recurs in every frame, so this is one look-up."""


def _parsed(channel: str) -> Topic:
    match channel.split("."):
        case ["orderbook", instrument, _, _] if instrument:
            return Topic(Kind.ORDERBOOK, instrument)
        case ["ticker_slim", instrument, _] if instrument:
            return Topic(Kind.TICKER, instrument)
        case ["trades", "perp" | "option" | "erc20", currency] if currency:
            return Topic(Kind.PUBLIC_TRADES, currency)
        case [subaccount, "orders"] if subaccount.isascii() and subaccount.isdecimal():
            return Topic(Kind.ORDERS, subaccount)
        case [subaccount, "trades"] if subaccount.isascii() and subaccount.isdecimal():
            return Topic(Kind.OWN_TRADES, subaccount)
    return Topic(Kind.UNKNOWN, "")
