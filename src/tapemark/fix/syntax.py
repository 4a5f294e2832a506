"""The bytes that FIX 4.4's tag=value encoding rests on: separators, data fields, checksum, reject reasons.

A message is `tag=value` fields, each ended by SOH. BeginString (8), BodyLength (9) and MsgType (35) come
first and CheckSum (10) last. A value holds no SOH, except that of a data field, whose length stands in the
field before it. Source: FIX 4.4 with errata 20030618, volumes 1 and 2.
"""

import enum
import zlib

SOH = b"\x01"
"""The byte that ends every field."""

BEGIN_STRING = b"FIX.4.4"
"""The value of BeginString (8), which begins every message."""

HEAD = b"8=%b\x019=" % BEGIN_STRING
"""How every message starts."""

TRAILER_BYTES = 7
"""Length of the last field, `10=nnn` and SOH."""

TRAILER = slice(-TRAILER_BYTES, None)
"""Where that field stands, made once: to make a slice takes as long as to cut by it."""

MAX_TAG_DIGITS = 9
"""Digits of the largest tag that is read: custom tags have five, so this is a bound on work, not on use."""

MAX_LENGTH_DIGITS = 9
"""Digits of the largest BodyLength, or length of a data field, that is read: a bound on work, too."""

DATA_TAG_OF = {
    90: 91,
    93: 89,
    95: 96,
    212: 213,
    348: 349,
    350: 351,
    352: 353,
    354: 355,
    356: 357,
    358: 359,
    360: 361,
    362: 363,
    364: 365,
    445: 446,
    618: 619,
    621: 622,
}
"""The data field that follows each length field. BodyLength (9) and MaxMessageSize (383) are lengths too, but
introduce no data."""

MAX_KEPT = 4096
"""Entries of each cache of what recurs, such as tags by their digits: more than a session has of them, and a
bound on the memory that a peer can fill. A full cache is emptied, and fills again with what is in use."""

EXACT_BYTES = 256
"""Bytes whose sum an Adler-32 still holds exactly: 256 times 255 is less than its modulus, 65,521."""


class Reason(enum.IntEnum):
    """Why a message is rejected: the values of SessionRejectReason (373) that this package gives."""

    INVALID_TAG_NUMBER = 0
    REQUIRED_TAG_MISSING = 1
    TAG_NOT_DEFINED_FOR_MESSAGE = 2
    TAG_WITHOUT_VALUE = 4
    VALUE_OUT_OF_RANGE = 5
    INCORRECT_FORMAT = 6
    INVALID_MSG_TYPE = 11
    TAG_APPEARS_MORE_THAN_ONCE = 13
    TAG_OUT_OF_ORDER = 14
    GROUP_FIELDS_OUT_OF_ORDER = 15
    WRONG_NUM_IN_GROUP = 16


def checksum(data: bytes) -> int:
    """Sum bytes modulo 256, as CheckSum (10) does: of all that stands before `10=`.

    The first half of an Adler-32 is one more than the sum of the bytes while that sum stays below 65,521;
    zlib computes it several times faster than `sum` does.
    """
    if len(data) <= EXACT_BYTES:
        return (zlib.adler32(data) - 1) & 0xFF
    view = memoryview(data)
    chunks = range(0, len(data), EXACT_BYTES)
    return (sum(zlib.adler32(view[at : at + EXACT_BYTES]) & 0xFFFF for at in chunks) - len(chunks)) & 0xFF
