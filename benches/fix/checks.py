"""What a parser must do before it is measured: read every field, and refuse a spoilt message."""

from collections.abc import Callable

from benches.fix import plain
from tapemark.errors import GarbledFrame
from tapemark.fix.message import Message

Parse = Callable[[bytes], Message]


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


def with_field(frame: bytes, field: bytes) -> bytes:
    """Give the message with more bytes before its CheckSum, both its length and its sum right again."""
    body = frame[frame.index(b"\x0135=") + 1 : -7] + field
    head = plain.HEAD + b"%d\x01" % len(body) + body
    return head + b"10=%03d\x01" % (sum(head) % 256)


def _refuses(parse: Parse, frame: bytes) -> bool:
    try:
        parse(frame)
    except GarbledFrame:
        return not plain.is_whole(frame)
    return False
