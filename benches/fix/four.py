"""Four fields that a user of an ExecutionReport reads, as bytes or converted, by tapemark and plainly."""

from collections.abc import Callable
from decimal import Decimal

from benches.fix import plain
from tapemark.errors import GarbledFrame
from tapemark.fix.message import Message

ORDER_ID, SYMBOL, ORDER_QTY, PRICE, SENDING_TIME = 37, 55, 38, 44, 52

Raw = tuple[bytes, bytes, bytes, bytes]
Typed = tuple[str, Decimal, Decimal, int]
Parse = Callable[[bytes], Message]


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


def reads(parse: Parse, frame: bytes) -> bool:
    """Tell whether all fields are as plainly read, and a wrong length and a wrong sum are refused."""
    is_same = list(parse(frame).pairs()) == plain.fields(frame)
    return is_same and all(_refuses(parse, spoilt) for spoilt in spoilt_forms(frame))


def spoilt_forms(frame: bytes) -> tuple[bytes, bytes]:
    """Give the message with a CheckSum that is wrong by one, and with such a BodyLength and the right sum."""
    length = int(frame[len(plain.HEAD) : frame.index(b"\x0135=")])
    longer = frame[:-7].replace(b"9=%d" % length, b"9=%d" % (length + 1), 1)
    return (
        frame[:-7] + b"10=%03d\x01" % ((int(frame[-4:-1]) + 1) % 256),
        longer + b"10=%03d\x01" % (sum(longer) % 256),
    )


def _refuses(parse: Parse, frame: bytes) -> bool:
    try:
        parse(frame)
    except GarbledFrame:
        return not plain.is_whole(frame)
    return False
