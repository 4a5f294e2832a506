"""Measure that no bytes make `tapemark.fix` slow: twice as many take about twice as long, whatever they are.

The two sizes are measured in turn and their medians compared, in the time of this process alone. Linear work
gives a ratio of 2, quadratic one of 4; `LIMIT` lies between.
"""

import random
import statistics
import time
from collections.abc import Callable

from tapemark.errors import InvalidFrame
from tapemark.fix.reader import parse
from tapemark.fix.stream import FrameStream
from tapemark.fix.typed import decode
from tests.fuzz.fix_messages import sealed

HALF_BYTES = 512 * 1024
LIMIT = 3
ATTEMPTS = 5
REPEATS, ENOUGH_NS = 9, 300_000_000
_READ_BYTES = 4_096
_GOOD = sealed(b"35=0\x0149=S\x0156=T\x0134=1\x0152=20240115-10:30:00\x01")
_ORDER = (
    b"35=D\x0149=S\x0156=T\x0134=1\x0152=20240115-10:30:00\x0111=C\x0155=A\x0154=1\x01"
    b"60=20240115-10:30:00\x0140=1\x01"
)
_GAP = b"\n" * 66_000  # beyond the reach of any length in the garbage, so that the good message must be found

GARBAGE = {
    "random bytes": random.Random(1).randbytes(HALF_BYTES),
    "8=FIX again and again": b"8=FIX",
    "BeginString again and again": b"8=FIX.4.4\x01",
    "heads again and again": b"8=FIX.4.4\x019=",
    "heads with letters for a length": b"8=FIX.4.4\x019=02A\x01",
    "heads with lengths as large as allowed": b"8=FIX.4.4\x019=65000\x0135=0\x01",
    "heads with lengths beyond what is allowed": b"8=FIX.4.4\x019=999999999\x0135=0\x01",
    "heads with lengths too small": b"8=FIX.4.4\x019=5\x0135=0\x01",
    "messages with a wrong sum": b"8=FIX.4.4\x019=5\x0135=0\x0110=000\x01",
    "data with lengths as large as allowed": b"\x0195=65000\x0196=",
    "data and heads with large lengths": b"8=FIX.4.4\x019=65000\x0135=0\x0195=65000\x0196=",
    "data that fits": b"\x0195=5\x0196=8=FIX\x01",
    "SOH": b"\x01",
    "digits": b"8",
}
"""What a stream is full of before a good message: repeated until it is long enough."""

BODIES = {
    "short fields": b"5=1\x01",
    "length fields without data": b"95=1\x01",
    "equals signs": b"=",
    "one tag of digits": b"1",
    "fields without a value": b"5=\x01",
    "data fields": b"95=3\x0196=a\x01b\x01",
    "one long value": b"A",
}
"""What a message's body is full of after MsgType."""

ENTRIES = {
    "typed: entries of a group": (453, b"448=A\x01447=D\x01452=1\x01"),
    "typed: tags that the dictionary does not hold": (5000, b"5001=x\x01"),
}
"""The same of an order that is decoded: a count, and what comes after it again and again."""


def repeated(part: bytes, size: int) -> bytes:
    """Repeat bytes up to a size."""
    return (part * (size // len(part) + 1))[:size]


def feed(stream: bytes) -> None:
    """Read a stream with a good message at its end.

    Raises:
        AssertionError: The message was not found.
    """
    reader = FrameStream()
    events = [
        event for at in range(0, len(stream), _READ_BYTES) for event in reader.feed(stream[at:][:_READ_BYTES])
    ]
    assert _GOOD in [*events, *reader.close()]


def read(frame: bytes) -> None:
    """Parse one message, and read all its fields and its type if it has such."""
    try:
        message = parse(frame)
        message.pairs()
        decode(message)
    except InvalidFrame:
        return


def order(count_tag: int, entry: bytes, size: int) -> bytes:
    """Write an order with as many entries of a group as fit a size."""
    entries = size // len(entry)
    return sealed(_ORDER + b"%d=%d\x01" % (count_tag, entries) + entry * entries)


def ratio(act: Callable[[bytes], None], half: bytes, whole: bytes) -> tuple[float, float]:
    """Return how much longer the second takes than the first, and how long it takes, in milliseconds.

    Where that is too much it is measured again: a machine with other load may be slow once, but work that
    grows too fast is so every time.
    """
    found = _ratio(act, half, whole)
    for _ in range(ATTEMPTS - 1):
        if found[0] <= LIMIT:
            break
        found = min(found, _ratio(act, half, whole))
    return found


def _ratio(act: Callable[[bytes], None], half: bytes, whole: bytes) -> tuple[float, float]:
    taken_half: list[int] = []
    taken_whole: list[int] = []
    while len(taken_half) < REPEATS and sum(taken_half) < ENOUGH_NS:
        taken_half.append(_taken_ns(act, half))
        taken_whole.append(_taken_ns(act, whole))
    second = statistics.median(taken_whole)
    return second / statistics.median(taken_half), second / 1e6


def _taken_ns(act: Callable[[bytes], None], data: bytes) -> int:
    start = time.process_time_ns()
    act(data)
    return time.process_time_ns() - start


def ratios() -> dict[str, tuple[float, float]]:
    """Measure all kinds of bytes, in streams and in messages."""
    found: dict[str, tuple[float, float]] = {}
    for name, part in GARBAGE.items():
        half, whole = (repeated(part, size) + _GAP + _GOOD for size in (HALF_BYTES, 2 * HALF_BYTES))
        found[f"stream: {name}"] = ratio(feed, half, whole)
    for name, part in BODIES.items():
        half, whole = (
            sealed(b"35=D\x01" + repeated(part, size) + b"\x01") for size in (HALF_BYTES, 2 * HALF_BYTES)
        )
        found[f"message: {name}"] = ratio(read, half, whole)
    for name, (count_tag, entry) in ENTRIES.items():
        half, whole = (order(count_tag, entry, size) for size in (HALF_BYTES, 2 * HALF_BYTES))
        found[f"message: {name}"] = ratio(read, half, whole)
    return found
