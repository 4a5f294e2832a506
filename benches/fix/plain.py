"""The least clever reading of FIX 4.4, which the benches check their results against.

It shares no code with tapemark: splitting where it splits, `sum` for the checksum, decimals and dates by the
standard library's own parsers. It reads messages that are right; of a stream it finds those.
"""

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal

HEAD = b"8=FIX.4.4\x019="
_TRAILER_BYTES = 7
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)

Fields = list[tuple[int, bytes]]


def is_whole(message: bytes) -> bool:
    """Tell whether the bytes are one message whose BodyLength and CheckSum are right."""
    head, trailer = message[:-_TRAILER_BYTES], message[-_TRAILER_BYTES:]
    begin, _, rest = head.partition(b"\x019=")
    length, _, body = rest.partition(b"\x01")
    return (
        begin == b"8=FIX.4.4"
        and length == b"%d" % len(body)
        and body.startswith(b"35=")
        and body.endswith(b"\x01")
        and trailer == b"10=%03d\x01" % (sum(head) % 256)
    )


def fields(message: bytes) -> Fields:
    """Give tag and value of each field of a message without data fields, having checked it."""
    assert is_whole(message)
    found = []
    for part in message[:-1].split(b"\x01"):
        tag, _, value = part.partition(b"=")
        found.append((int(tag), value))
    return found


def by_tag(message: bytes) -> dict[int, bytes]:
    """Give the value of each tag of a message without data fields and groups."""
    found = fields(message)
    values = dict(found)
    assert len(values) == len(found)
    return values


def entries(message: bytes, count_tag: int, first_tag: int) -> list[Fields]:
    """Give the fields of each entry of the one group of a message, which is the last thing in it."""
    found: list[Fields] = []
    count = 0
    for tag, value in fields(message)[:-1]:
        if tag == count_tag:
            count = int(value)
        elif tag == first_tag:
            found.append([(tag, value)])
        elif found:
            found[-1].append((tag, value))
    assert len(found) == count
    return found


def messages(stream: bytes) -> list[bytes]:
    """Give the messages of a stream that holds nothing else, each cut by its BodyLength."""
    found, at = [], 0
    while at < len(stream):
        end = _end_at(stream, at)
        found.append(stream[at:end])
        assert is_whole(found[-1])
        at = end
    return found


def survivors(stream: bytes) -> list[bytes]:
    """Give what is a whole message of a stream: tried at every head, from the left."""
    return list(_survivors(stream))


def _survivors(stream: bytes) -> Iterator[bytes]:
    at = stream.find(HEAD)
    while at >= 0:
        end = at + 1
        if stream[at + len(HEAD) :].partition(b"\x01")[0].isdigit():
            whole = stream[at : _end_at(stream, at)]
            if is_whole(whole):
                yield whole
                end = at + len(whole)
        at = stream.find(HEAD, end)


def _end_at(stream: bytes, at: int) -> int:
    soh = stream.index(b"\x01", at + len(HEAD))
    return soh + 1 + int(stream[at + len(HEAD) : soh]) + _TRAILER_BYTES


def utc_ns(value: bytes) -> int:
    """Read a UTCTimestamp with milliseconds as nanoseconds since 1970."""
    when = dt.datetime.strptime(value.decode() + "+0000", "%Y%m%d-%H:%M:%S.%f%z")
    return (when - _EPOCH) // dt.timedelta(microseconds=1) * 1_000


def price(value: bytes) -> Decimal:
    """Read a Price or a quantity."""
    return Decimal(value.decode())
