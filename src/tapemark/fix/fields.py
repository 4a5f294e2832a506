"""Where each field of a message stands: the careful walk, which all faster readers fall back to.

A value goes to the next SOH, except that of a data field: it has as many bytes as the length field before it
says, SOH among them, and a SOH after. Each field is checked for form: a tag of up to 9 digits without leading
zeros, `=`, a value of one byte or more.
"""

from tapemark.errors import RejectedMessage
from tapemark.fix.syntax import (
    DATA_TAG_OF,
    HEAD,
    MAX_KEPT,
    MAX_LENGTH_DIGITS,
    MAX_TAG_DIGITS,
    SOH,
    TRAILER_BYTES,
    Reason,
)

Span = tuple[int, int, int]
"""One field: its tag, and where its value starts and ends."""

_SHOWN_BYTES = 24


class _Tags(dict[bytes, int]):
    """Tags by their digits, each checked and converted once."""

    def __missing__(self, digits: bytes) -> int:
        """Convert and keep digits seen for the first time; 0 for what is no tag."""
        if not digits.isdigit() or digits[:1] == b"0":
            return 0
        if len(self) >= MAX_KEPT:
            self.clear()
        tag = self[digits] = int(digits)
        return tag


tag_of = _Tags()
"""The number of a tag by its digits, remembered; 0 for digits that are no tag."""


def walk(frame: bytes, start: int, end: int) -> list[Span]:
    """Give the fields of a part of a message, in order.

    A data tag without its length before it is read as any other field: up to the next SOH.

    Args:
        frame: A message.
        start: Offset of a field's first byte.
        end: Offset of the byte after a field's SOH: for a whole message that of `10=`.

    Raises:
        RejectedMessage: A tag or value has not the form of one, or a data field does not fit its length.
    """
    found: list[Span] = []
    at, length_tag, length = start, 0, 0
    while at < end:
        equals = frame.find(b"=", at, at + MAX_TAG_DIGITS + 1)
        tag, value = tag_of[frame[at:equals]] if equals > 0 else 0, equals + 1
        if not tag:
            got = _shown(frame, at) or "an empty field"
            raise RejectedMessage(0, Reason.INVALID_TAG_NUMBER, "a tag, = and a value", got)
        if length_tag:
            after = _data_end(frame, (tag, value, end), (length_tag, length))
        else:
            after = frame.find(SOH, value)
        if after == value:
            raise RejectedMessage(tag, Reason.TAG_WITHOUT_VALUE, "a value", b"")
        found.append((tag, value, after))
        length_tag = tag if tag in DATA_TAG_OF else 0
        length = _data_length(tag, frame[value:after]) if length_tag else 0
        at = after + 1
    if length_tag:
        raise _without_data(length_tag, "the end of the message")
    return found


def spans(frame: bytes, start: int) -> list[Span]:
    """Give every field of a message that was checked as a frame, in order, header and trailer included.

    Args:
        frame: The whole message.
        start: Offset of `35=`, which `tapemark.fix.frame.check` returns.

    Raises:
        RejectedMessage: A tag or value has not the form of one, or a data field does not fit its length.
    """
    end = len(frame) - TRAILER_BYTES
    begin_string, body_length = (8, 2, len(HEAD) - 3), (9, len(HEAD), start - 1)
    return [begin_string, body_length, *walk(frame, start, end), (10, end + 3, end + 6)]


def _data_length(tag: int, digits: bytes) -> int:
    if not digits.isdigit() or len(digits) > MAX_LENGTH_DIGITS:
        raise RejectedMessage(tag, Reason.INCORRECT_FORMAT, f"1 to {MAX_LENGTH_DIGITS} digits", digits)
    if int(digits) == 0:
        raise RejectedMessage(tag, Reason.VALUE_OUT_OF_RANGE, "a length of 1 or more", digits)
    return int(digits)


def _data_end(frame: bytes, data: Span, introduced: tuple[int, int]) -> int:
    """Return the offset of the SOH after a data value, for its tag, its offset and the end of the fields."""
    (tag, value, end), (length_tag, length) = data, introduced
    if tag != DATA_TAG_OF[length_tag]:
        raise _without_data(length_tag, f"tag {tag}")
    left = end - value - len(SOH)
    if length > left:
        expected = f"at most {left}, the bytes that are left"
        raise RejectedMessage(length_tag, Reason.VALUE_OUT_OF_RANGE, expected, length)
    after = value + length
    if frame[after : after + 1] != SOH:
        expected = f"the end of tag {tag} after {length} bytes"
        raise RejectedMessage(length_tag, Reason.INCORRECT_FORMAT, expected, _shown(frame, after))
    return after


def _without_data(length_tag: int, got: str) -> RejectedMessage:
    expected = f"its data, tag {DATA_TAG_OF[length_tag]}, after it"
    return RejectedMessage(length_tag, Reason.TAG_OUT_OF_ORDER, expected, got)


def _shown(frame: bytes, at: int) -> bytes:
    """Give the bytes from an offset to the next SOH, at most a few of them, for an error."""
    return frame[at : at + _SHOWN_BYTES].partition(SOH)[0]
