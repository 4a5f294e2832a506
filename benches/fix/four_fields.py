"""Four fields that a user of an ExecutionReport reads, as bytes or converted, by tapemark and plainly."""

from decimal import Decimal

from benches.fix import plain
from benches.fix.checks import Parse
from tapemark.fix.message import Message

ORDER_ID, SYMBOL, ORDER_QTY, PRICE, SENDING_TIME = 37, 55, 38, 44, 52

Raw = tuple[bytes, bytes, bytes, bytes]
Typed = tuple[str, Decimal, Decimal, int]


def raw(message: Message) -> Raw:
    """Give OrderID, Symbol, OrderQty and Price as they came."""
    value = message.raw
    return value(ORDER_ID), value(SYMBOL), value(ORDER_QTY), value(PRICE)


def typed(message: Message) -> Typed:
    """Give Symbol as text, OrderQty and Price as exact decimals, SendingTime as nanoseconds."""
    return (
        message.text(SYMBOL),
        message.decimal(ORDER_QTY),
        message.decimal(PRICE),
        message.utc_ns(SENDING_TIME),
    )


def parsed_typed(parse: Parse, frame: bytes) -> Typed:
    """Parse a message and convert the four."""
    return typed(parse(frame))


def plain_raw(frame: bytes) -> Raw:
    """Give what `raw` must give."""
    value = plain.by_tag(frame)
    return value[ORDER_ID], value[SYMBOL], value[ORDER_QTY], value[PRICE]


def plain_typed(frame: bytes) -> Typed:
    """Give what `typed` must give."""
    value = plain.by_tag(frame)
    return (
        value[SYMBOL].decode(),
        plain.price(value[ORDER_QTY]),
        plain.price(value[PRICE]),
        plain.utc_ns(value[SENDING_TIME]),
    )
