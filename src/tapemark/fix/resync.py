"""Where the next message may start, in bytes that are not one: the search of `tapemark.fix.stream`.

It stops at two marks: a head, `8=FIX.4.4` and `9=`, wherever it stands; and a length field with the tag of
its data behind it, because a head within a data value is data.

Left to the caller: whether a data value has the length that is stated, which may not be known yet.

Source: FIX 4.4 with errata 20030618, volumes 1 and 2, for the data fields; the search is this package's own.
"""

import re
from typing import Final

from tapemark.fix.frame import stated_sum
from tapemark.fix.syntax import DATA_TAG_OF, HEAD, MAX_LENGTH_DIGITS, SOH, TRAILER_BYTES, checksum

LENGTH_PATTERN: Final = b"([0-9]{1,%d})" % MAX_LENGTH_DIGITS
"""A regular expression for the digits of a length, as a group."""

LONGEST_MARK_BYTES: Final = len(b"\x01212=\x01213=") + MAX_LENGTH_DIGITS
"""Length of the longest mark: one that is not all there yet starts within the last bytes, fewer than that."""

_DATA: Final = b"|".join(b"%d=%b\x01%d=" % (tag, LENGTH_PATTERN, data) for tag, data in DATA_TAG_OF.items())
_next_mark: Final = re.compile(b"%b|\x01(?:%b)" % (re.escape(HEAD), _DATA)).search


def next_mark(source: bytes | bytearray, at: int) -> re.Match[bytes] | None:
    """Search for a head, or a SOH with a length field and the tag of its data."""
    return _next_mark(source, at)


def is_data(mark: re.Match[bytes]) -> bool:
    """Say whether a mark is a data field's, and not a head."""
    return mark.lastindex is not None


def data_span(mark: re.Match[bytes]) -> tuple[int, int]:
    """Return where the value of a data field's mark starts, and where it ends if its length is true."""
    return mark.end(), mark.end() + int(mark[mark.lastindex or 0])


def nearer_end(message: bytes) -> int:
    """Return where a message that is wrong as a whole ends if BodyLength took in others; 0 if it did not.

    That is where the first head that is not data follows a CheckSum which is right.
    """
    mark = _next_mark(message, 1)
    while mark is not None and is_data(mark):
        value, after = data_span(mark)
        if after >= len(message):
            return 0
        mark = _next_mark(message, after if message[after] == SOH[0] else value)
    end = mark.start() if mark else 0
    before = message[: max(end - TRAILER_BYTES, 0)]
    return end if before.endswith(SOH) and stated_sum(message[len(before) : end]) == checksum(before) else 0
