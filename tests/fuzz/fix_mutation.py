"""Mutations of FIX messages: torn bytes, awkward tags and values, fields repeated, moved and dropped.

Half of the mutations get a right BodyLength and CheckSum again: the others all die there.
"""

import random

from tests.fuzz.fix_messages import DATA_OF, Drawn, sealed
from tests.fuzz.mutation import bytes_mutated
from tests.tapemark.fix.stream_cases import taking_in

AWKWARD_VALUES = (
    b"",
    b"0",
    b"00",
    b"1",
    b"-1",
    b"-0",
    b"+200.00",
    b"--1",
    b"1-",
    b"-",
    b".",
    b"-.",
    b".5",
    b"5.",
    b"1.2.3",
    b"1e3",
    b"1E-3",
    b"1_000",
    b" 1",
    b"1 ",
    b"0x10",
    b"nan",
    b"inf",
    b"\xef\xbc\x91\xef\xbc\x92",
    b"1\xd9\xa3",
    b"\xb2",
    b"1\x00",
    b"\n1",
    b"1\n",
    b"9" * 119,
    b"9" * 120,
    b"9" * 121,
    b"0." + b"3" * 200,
    b"9" * 5000,
    b"Y",
    b"N",
    b"y",
    b"YN",
    b"\xff",
    b"=",
    b"a=b",
    b"10=123",
    b"2",
    b"500",
    b"4294967297",
    b"999999999",
    b"1000000000",
    b"20240229-10:30:00",
    b"20230229-10:30:00",
    b"20240115-24:00:00",
    b"20240115-10:60:00",
    b"20240115-10:30:60",
    b"20161231-23:59:60",
    b"20161231-23:59:60.123456789",
    b"20240115-10:30:00.",
    b"20240115-10:30:00.12",
    b"20240115-10:30:00.1234567890",
    b"00000101-00:00:00",
    b"00010101-00:00:00.000",
    b"99991231-23:59:59.999999999",
    b"20240115 10:30:00",
    b"20240115-10:30:00Z",
)
AWKWARD_TAGS = (
    b"",
    b"0",
    b"08",
    b"8",
    b"9",
    b"10",
    b"35",
    b"34",
    b"49",
    b"453",
    b"383",
    b"95",
    b"96",
    b"93",
    b"89",
    b"212",
    b"213",
    b"354",
    b"512",
    b"5001",
    b"-5",
    b"+5",
    b" 5",
    b"5 ",
    b"A",
    b"5_0",
    b"\xd9\xa3",
    b"\xb2",
    b"999999999",
    b"1000000000",
    b"0" * 12,
    b"9" * 300,
)
AWKWARD_BYTES = (
    b"\x01",
    b"=",
    b"|",
    b"\x00",
    b"0",
    b"10=",
    b"\x0110=",
    b"8=FIX.4.4\x019=",
    b"\x0135=D\x01",
    b"-",
    b".",
)


def mutated(drawn: Drawn, other: Drawn, rng: random.Random) -> bytes:
    """Return a mutation of a message: of its fields twice in three, else of its bytes.

    Args:
        drawn: The message.
        other: Another one, for what is spliced in.
        rng: Makes every choice.
    """
    if rng.random() < 0.67:
        return _fields_mutated(drawn, other, rng)
    raw = drawn.frame
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        raw = _torn(raw, other.frame, rng)
    return resealed(raw) if rng.random() < 0.5 else raw


def mutated_value(drawn: Drawn, rng: random.Random) -> bytes:
    """Return an awkward value, or a mutation of one of a message's or of those: without SOH, not empty."""
    value = rng.choice(AWKWARD_VALUES) if rng.random() < 0.6 else rng.choice(drawn.pairs)[1]
    if rng.random() < 0.7:
        value = _torn(value, rng.choice(AWKWARD_VALUES) + b"0", rng)
    return value.replace(b"\x01", b"") or b"0"


def _torn(raw: bytes, other: bytes, rng: random.Random) -> bytes:
    """Mutate some bytes, or go on in another message."""
    if rng.randrange(8) == 0:
        return raw[: rng.randrange(len(raw) + 1)] + other[rng.randrange(len(other)) :]
    return bytes_mutated(raw, AWKWARD_BYTES, rng)


def resealed(raw: bytes) -> bytes:
    """Put the right BodyLength and CheckSum on what stands between the old ones, as far as they are there."""
    start = raw.find(b"\x01", 12) + 1
    end = raw.rfind(b"\x0110=") + 1
    return sealed(raw[start:end]) if 0 < start < end else sealed(raw)


def _fields_mutated(drawn: Drawn, other: Drawn, rng: random.Random) -> bytes:
    fields = [(b"%d" % tag, value) for tag, value in drawn.pairs[2:-1]]  # without 8, 9 and 10
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if fields:
            _field_mutated(fields, other, rng)
    body = b"".join(b"%b=%b\x01" % field for field in fields)
    whole = sealed(body)
    return whole if rng.random() < 0.75 else _frame_mutated(whole, body, rng)


def _field_mutated(fields: list[tuple[bytes, bytes]], other: Drawn, rng: random.Random) -> None:
    at, to = rng.randrange(len(fields)), rng.randrange(len(fields))
    tag, value = fields[at]
    match rng.randrange(11):
        case 0 | 1:
            fields[at] = (tag, rng.choice(AWKWARD_VALUES))
        case 2:
            fields[at] = (rng.choice(AWKWARD_TAGS), value)
        case 3:
            fields.insert(to, fields[at])
        case 4:
            fields.insert(to, fields.pop(at))
        case 5:
            del fields[at]
        case 6:
            strange_tag, strange_value = rng.choice(other.pairs)
            fields.insert(to, (b"%d" % strange_tag, strange_value))
        case 7:
            fields[at] = (tag, _renumbered(value, rng))
        case 8:
            fields[at], fields[to] = fields[to], fields[at]
        case 9:
            length_tag, data_tag = rng.choice(tuple(DATA_OF.items()))
            data = rng.choice(AWKWARD_BYTES) + value[:20] + b"\x01"
            length = len(data) + rng.choice((0, 0, 0, 1, -1, 500))
            fields[to:to] = [(b"%d" % length_tag, b"%d" % length), (b"%d" % data_tag, data)]
        case _:
            fields[at] = (tag, _torn(value, other.frame[:40], rng))


def _renumbered(value: bytes, rng: random.Random) -> bytes:
    """Move a number, such as a length or a count, a little or far."""
    if not value.isdigit() or len(value) > 9:
        return value + rng.choice((b"0", b" ", b"\x01", b"."))
    number = int(value)
    moved = rng.choice((number - 1, number + 1, number * 2, number + 500, -number, 10**9 + number, 10**18))
    return str(moved).encode()


def _frame_mutated(whole: bytes, body: bytes, rng: random.Random) -> bytes:
    """Write a wrong head or trailer; half of the time with the checksum of just these bytes."""
    right = len(body)
    lengths = (right - 1, right + 1, right + 500, right * 2, 0, -right, 10**8 + right, 10**9, 10**17)
    texts = (
        b"",
        b"0%d" % right,
        b"%09d" % right,
        b"%010d" % right,
        b"02A",
        b" %d" % right,
        b"\xb2",
        b"+%d" % right,
    )
    length = rng.choice(texts) if rng.random() < 0.5 else b"%d" % rng.choice(lengths)
    begin = (
        b"8=FIX.4.4\x01"
        if rng.random() < 0.8
        else rng.choice((b"8=FIX.4.2\x01", b"8=FIXT.1.1\x01", b"", b"8=\x01"))
    )
    head = begin + b"9=" + length + b"\x01" + body
    right_sum = sum(head) % 256
    match rng.randrange(6):
        case 0 | 1:
            return head + b"10=%03d\x01" % right_sum
        case 2:
            number = sum(whole[:-7]) % 256
            trailers = (b"%d", b"%04d", b"%03d ", b" %d", b"+%d", b"%03d\x01")
            return whole[:-7] + b"10=" + rng.choice(trailers) % number + b"\x01"
        case 3:
            return whole[:-7] + b"10=%03d\x01" % ((sum(whole[:-7]) + rng.randrange(1, 256)) % 256)
        case 4:
            return whole[:-7] + rng.choice(
                (b"10=256\x01", b"10=999\x01", b"10=\x01", b"", b"10=-01\x01", b"010=00\x01")
            )
        case _:
            return whole + rng.choice((b"\x01", b"8", b"10=000\x01", whole))


def stream_of(messages: list[Drawn], rng: random.Random) -> bytes:
    """Join messages and mutated ones, with garbage between some of them, to the bytes of a connection.

    The last is made first, because some have a BodyLength that takes in what follows.
    """
    parts: list[bytes] = []
    for drawn in messages:
        while rng.random() < 0.2:
            parts.insert(0, _garbage(rng))
        frame = drawn.frame if rng.random() < 0.6 else mutated(drawn, rng.choice(messages), rng)
        if rng.random() < 0.15:
            text = frame[frame.find(b"\x0135=") + 1 : -7]
            frame = taking_in(b"".join(parts[: rng.randrange(1, 4)]), text)
        parts.insert(0, frame)
    return b"".join(parts)


def _garbage(rng: random.Random) -> bytes:
    """Choose what may stand between messages: heads and data fields of any length among it."""
    length = rng.choice((0, 1, 5, rng.randrange(300), rng.randrange(3_000), 65_000, 10**8, 10**9))
    return rng.choice(
        (
            *AWKWARD_BYTES,
            b"8=FIX.4.4\x019=%d\x0135=0\x01" % length,
            b"8=FIX.4.4\x019=%d\x01" % length,
            b"\x0195=%d\x0196=" % length,
            b"8=FIX.4.4\x019=02A\x01",
            rng.randbytes(20),
        )
    )


def pieces_of(stream: bytes, rng: random.Random) -> list[bytes]:
    """Cut a stream at random."""
    longest = rng.choice((1, 3, 16, 100, 1_000, len(stream) + 1))
    pieces, at = [], 0
    while at < len(stream):
        size = rng.randrange(1, longest + 1)
        pieces.append(stream[at : at + size])
        at += size
    return pieces
