"""A message read by searching its bytes: one regular expression checks all fields, `bytes.find` finds one.

Both run in C, which in CPython takes the place of vector instructions. Nothing is copied but the value that
is asked for. A field that can hold a SOH cannot be searched for: a message with a length field goes to the
careful walk instead.
"""

import re

from tapemark.fix.fields import spans, tag_of
from tapemark.fix.frame import ADLER_OF_TRAILER, adler, check
from tapemark.fix.message import IndexedMessage, Message, indexed
from tapemark.fix.syntax import (
    BEGIN_STRING,
    HEAD,
    MAX_KEPT,
    MAX_LENGTH_DIGITS,
    MAX_TAG_DIGITS,
    SOH,
    TRAILER,
    TRAILER_BYTES,
)

_TAG = rb"[1-9][0-9]{0,%d}+" % (MAX_TAG_DIGITS - 1)
# The tags of `DATA_TAG_OF`, by their common beginnings: half of the cost of trying one after the other.
_LENGTH_TAG = rb"(?:9[035]|212|3(?:48|5[02468]|6[024])|445|6(?:18|21))"
_PLAIN = re.compile(
    re.escape(HEAD)
    + rb"([0-9]{1,%d}+)\x0135=[^\x01]++\x01" % MAX_LENGTH_DIGITS
    + rb"(?:(?!%s=)%s=[^\x01]++\x01)++(?<=\x0110=[0-9]{3}\x01)" % (_LENGTH_TAG, _TAG)
).fullmatch
# For a checked message. A pattern of one group gives a plain list, where two would give pairs to take apart.
_TAGS = re.compile(rb"([0-9]++)=[^\x01]++\x01").findall
_VALUES = re.compile(rb"[0-9]++=([^\x01]++)\x01").findall
_BEGIN_STRING_TAG = 8


class _Needles(dict[int, bytes]):
    """What to search for to find a tag: the SOH of the field before, the tag and `=`."""

    def __missing__(self, tag: int) -> bytes:
        """Write and keep the bytes for a tag asked for the first time."""
        if len(self) >= MAX_KEPT:
            self.clear()
        needle = self[tag] = b"\x01%d=" % tag
        return needle


_needle_of = _Needles()


class ScannedMessage(Message, frozen=True, gc=False, eq=False):
    """A message without data fields, each value found when it is asked for."""

    whole: bytes

    @property
    def frame(self) -> bytes:
        """The whole message as it came."""
        return self.whole

    def raw(self, tag: int) -> bytes:
        """Return the value of a tag that the message must hold.

        Raises:
            RejectedMessage: The tag is missing, or occurs more than once.
        """
        whole, needle = self.whole, _needle_of[tag]
        start = whole.find(needle) + len(needle)
        # Not found; found again; or tag 8, of which the first has no SOH before it.
        if start < len(needle) or whole.find(needle, start) >= 0 or tag == _BEGIN_STRING_TAG:
            return super().raw(tag)
        return whole[start : whole.find(SOH, start)]

    def every(self, tag: int) -> tuple[bytes, ...]:
        """Return the value of each occurrence of a tag, in order, also of those in groups."""
        parts = self.whole[:-1].split(_needle_of[tag])
        found = tuple(part.partition(SOH)[0] for part in parts[1:])
        return (BEGIN_STRING, *found) if tag == _BEGIN_STRING_TAG else found

    def tags(self) -> tuple[int, ...]:
        """Return the tag of each field, in order."""
        return tuple(map(tag_of.__getitem__, _TAGS(self.whole)))

    def values(self) -> tuple[bytes, ...]:
        """Return the value of each field, in order: one for each of `tags`."""
        return tuple(_VALUES(self.whole))


def read(frame: bytes) -> Message:
    """Check one whole message and find its fields.

    Raises:
        GarbledFrame: BeginString, BodyLength, CheckSum or the order of the header is wrong.
        RejectedMessage: A field has not the form of one, or a data field does not fit its length.
        InvalidArgument: `frame` is not bytes.
    """
    match = _PLAIN(frame) if type(frame) is bytes else None  # it would match a memoryview as well
    if (
        match is not None
        and int(match[1]) == len(frame) - match.end(1) - len(SOH) - TRAILER_BYTES
        and adler(frame) == ADLER_OF_TRAILER.get(frame[TRAILER])
    ):
        return ScannedMessage(frame)
    return walked(frame)  # which finds out what is wrong, or reads the data fields


def walked(frame: bytes) -> IndexedMessage:
    """Check one whole message and find its fields one by one, with data fields.

    Raises:
        GarbledFrame: BeginString, BodyLength, CheckSum or the order of the header is wrong.
        RejectedMessage: A field has not the form of one, or a data field does not fit its length.
        InvalidArgument: `frame` is not bytes.
    """
    return indexed(frame, spans(frame, check(frame)))
