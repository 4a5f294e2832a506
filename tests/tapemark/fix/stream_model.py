"""The rules of the FIX stream in plain words: all its bytes at once, one after the other, nothing shared."""

HEAD = b"8=FIX.4.4\x019="
SOH = 1
DATA_PAIRS = (
    "90=91 93=89 95=96 212=213 348=349 350=351 352=353 354=355 356=357 358=359 360=361 362=363 364=365 "
    "445=446 618=619 621=622"
)

Told = bytes | tuple[int, int, str]
"""A message, or where garbled bytes start, how many they are and what was wrong."""


def events(stream: bytes, max_bytes: int) -> list[Told]:
    told: list[Told] = []
    at = doubted_to = 0
    while at < len(stream):
        size, fault = judged(stream[at:], max_bytes)
        if fault and trailer_sum(stream[at : at + size]) is not None and is_framed(stream[at:], size):
            nearer = to_next_head(stream[at : at + size], max_bytes)
            if at >= doubted_to and nearer < size and is_summed(stream[at : at + nearer]):
                doubted_to = at + size
                size, fault = nearer, "BodyLength (9)"
        if not fault:
            told.append(stream[at : at + size])
        else:
            told += [(at + part, min(max_bytes, size - part), fault) for part in range(0, size, max_bytes)]
        at += size
    return told


def judged(rest: bytes, max_bytes: int) -> tuple[int, str]:
    """How many bytes belong together, and what is wrong with them."""
    if not rest.startswith(b"8=FIX.4.4\x01"):
        return to_next_head(rest, max_bytes), "BeginString (8)"
    if not rest.startswith(HEAD):
        return to_next_head(rest, max_bytes), "header"
    size = stated_size(rest)
    if size is None or size > max_bytes or size > len(rest) or trailer_sum(rest[:size]) is None:
        return to_next_head(rest, max_bytes), "BodyLength (9)"
    if not rest.split(b"\x01", 2)[2].startswith(b"35="):
        return size, "header"
    return size, "" if is_summed(rest[:size]) else "CheckSum (10)"


def stated_size(rest: bytes) -> int | None:
    """What BodyLength says of the whole message."""
    digits, soh, _ = rest[len(HEAD) :].partition(b"\x01")
    if not soh or not digits.isdigit() or len(digits) > 9:
        return None
    return len(HEAD) + len(digits) + 1 + int(digits) + 7


def is_framed(rest: bytes, size: int) -> bool:
    return rest.startswith(HEAD) and stated_size(rest) == size


def trailer_sum(message: bytes) -> int | None:
    end = message[-8:]
    is_trailer = end[:4] == b"\x0110=" and end[4:7].isdigit() and end[7:] == b"\x01"
    return int(end[4:7]) if is_trailer else None


def is_summed(message: bytes) -> bool:
    return trailer_sum(message) == sum(message[:-7]) % 256


def to_next_head(rest: bytes, max_bytes: int) -> int:
    at = 1
    while at < len(rest) and not rest.startswith(HEAD, at):
        at = after_data(rest, at, max_bytes) or at + 1
    return min(at, len(rest))


def after_data(rest: bytes, at: int, max_bytes: int) -> int:
    """The offset behind a data value whose length field starts after a SOH here; 0 when none does."""
    if rest[at] != SOH:
        return 0
    fields = rest[at + 1 :].split(b"\x01", 1)
    tag, _, digits = fields[0].partition(b"=")
    for length_tag, data_tag in (pair.split("=") for pair in DATA_PAIRS.split()):
        if tag == length_tag.encode() and digits.isdigit() and len(digits) <= 9 and len(fields) == 2:
            value = at + 1 + len(fields[0]) + 1 + len(data_tag) + 1
            after = value + int(digits)
            is_data = fields[1].startswith(data_tag.encode() + b"=") and int(digits) <= max_bytes - 25
            if is_data and (after >= len(rest) or rest[after] == SOH):
                return after
    return 0
