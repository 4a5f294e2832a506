"""Whether bytes are one whole FIX 4.4 message: BeginString, BodyLength, MsgType's place and CheckSum.

What fails here is garbled: a receiver ignores it and waits for the next message, without advancing its
sequence and without an answer. Fields between are not looked at; see `tapemark.fix.fields`.
"""

import zlib

from tapemark.errors import GarbledFrame, InvalidArgument
from tapemark.fix.syntax import EXACT_BYTES, HEAD, MAX_LENGTH_DIGITS, SOH, TRAILER_BYTES, checksum

BODY_LENGTH, CHECK_SUM = "BodyLength (9)", "CheckSum (10)"
_BEGIN_BYTES = len(HEAD) - 2

ADLER_OF_TRAILER = {
    b"10=%03d\x01" % number: (1 + number + sum(b"10=%03d\x01" % number)) & 0xFF for number in range(256)
}
"""What `adler` must give for a message whose last field is the key: that field is summed along with the rest,
so that no slice has to be cut from the message."""


def adler(frame: bytes) -> int:
    """Return one more than the sum of a whole message's bytes, modulo 256."""
    return (zlib.adler32(frame) if len(frame) <= EXACT_BYTES else checksum(frame) + 1) & 0xFF


def check(frame: bytes) -> int:
    """Check one whole message; return the offset of `35=`, its first field after the length.

    Args:
        frame: From `8=FIX.4.4` to the SOH that ends CheckSum.

    Raises:
        GarbledFrame: BeginString is not FIX.4.4, BodyLength is not the number of bytes between itself and
            CheckSum, CheckSum is not the sum of what stands before it, or the first tags are not 8, 9, 35.
        InvalidArgument: `frame` is not bytes.
    """
    start = body_start(frame)
    length, held = int(frame[len(HEAD) : start - 1]), max(len(frame) - start - TRAILER_BYTES, 0)
    if length != held:
        raise GarbledFrame(BODY_LENGTH, f"{held}, the bytes between it and CheckSum (10)", length)
    if not frame.startswith(b"35=", start):
        raise GarbledFrame("header", "MsgType (35) after BodyLength (9)", frame[start : start + 16])
    last = frame[-TRAILER_BYTES - 1 :]
    stated = stated_sum(last[1:])
    if stated is None or not last.startswith(SOH):
        raise GarbledFrame(CHECK_SUM, "10= and three digits as the last field", last)
    found = checksum(frame[:-TRAILER_BYTES])
    if stated != found:
        raise GarbledFrame(CHECK_SUM, f"{found:03d}", frame[-4:-1])
    return start


def body_start(frame: bytes) -> int:
    """Return the offset of the byte after BodyLength's SOH, having checked the two fields before it.

    Raises:
        GarbledFrame: The bytes do not begin with `8=FIX.4.4` and a BodyLength of 1 to 9 digits.
        InvalidArgument: `frame` is not bytes.
    """
    if not isinstance(frame, bytes):
        raise InvalidArgument("frame", "bytes", type(frame))
    if not frame.startswith(HEAD[:_BEGIN_BYTES]):
        raise GarbledFrame("BeginString (8)", "FIX.4.4", frame[:_BEGIN_BYTES])
    if not frame.startswith(HEAD):
        raise GarbledFrame("header", "BodyLength (9) after BeginString (8)", frame[_BEGIN_BYTES:][:16])
    at = len(HEAD)
    end = frame.find(SOH, at, at + MAX_LENGTH_DIGITS + 1)
    digits = frame[at:end] if end >= 0 else frame[at : at + MAX_LENGTH_DIGITS + 1]
    if end < 0 or not digits.isdigit():
        raise GarbledFrame(BODY_LENGTH, f"1 to {MAX_LENGTH_DIGITS} digits", digits)
    return end + 1


def stated_sum(trailer: bytes) -> int | None:
    """Read the number of a last field, 7 bytes `10=nnn` and SOH; None when it has another form."""
    digits = trailer[3:6]
    return int(digits) if trailer[:3] == b"10=" and trailer[6:] == SOH and digits.isdigit() else None
