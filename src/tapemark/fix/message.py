"""A FIX message as a reader hands it out: its fields by tag, as bytes or by FIX 4.4's data types.

`Message` says what can be asked; how the fields are found is the business of its subclasses, which all answer
alike. Fields are the message's as it came, in their order, header and trailer included. Without a dictionary
nobody can tell a repeating group from a repeated field: a tag that occurs twice is not handed out as one
value, `every` gives all of them, and `tapemark.fix.groups` reads them as groups.
"""

from collections.abc import Sequence
from decimal import Decimal

import msgspec

from tapemark.errors import RejectedMessage
from tapemark.fix import values
from tapemark.fix.fields import Span
from tapemark.fix.syntax import Reason
from tapemark.fix.values import Choice


class Message(msgspec.Struct, frozen=True, gc=False, eq=False):
    """One message, checked as a frame, each field of the form of one."""

    @property
    def frame(self) -> bytes:
        """The whole message as it came."""
        raise NotImplementedError

    def every(self, tag: int) -> tuple[bytes, ...]:
        """Return the value of each occurrence of a tag, in order, also of those in groups."""
        raise NotImplementedError

    def tags(self) -> tuple[int, ...]:
        """Return the tag of each field, in order."""
        raise NotImplementedError

    def values(self) -> tuple[bytes, ...]:
        """Return the value of each field, in order: one for each of `tags`."""
        raise NotImplementedError

    def pairs(self) -> tuple[tuple[int, bytes], ...]:
        """Return each field as tag and value, in order."""
        return tuple(zip(self.tags(), self.values(), strict=True))

    def find(self, tag: int) -> bytes | None:
        """Return the value of a tag, None when the message does not hold it.

        Raises:
            RejectedMessage: The tag occurs more than once.
        """
        found = self.every(tag)
        if len(found) > 1:
            raise RejectedMessage(
                tag,
                Reason.TAG_APPEARS_MORE_THAN_ONCE,
                "one occurrence, or `every` to read all",
                len(found),
            )
        return found[0] if found else None

    def raw(self, tag: int) -> bytes:
        """Return the value of a tag that the message must hold.

        Raises:
            RejectedMessage: The tag is missing, or occurs more than once.
        """
        value = self.find(tag)
        if value is None:
            raise RejectedMessage(tag, Reason.REQUIRED_TAG_MISSING, "a value", "no such tag")
        return value

    def __contains__(self, tag: int) -> bool:
        """Tell whether a tag occurs, once or more often."""
        return bool(self.every(tag))

    def text(self, tag: int) -> str:
        """Return a String, which is ASCII.

        Raises:
            RejectedMessage: The tag is missing, repeated, or its value is not ASCII.
        """
        return values.text(self.raw(tag), tag)

    def integer(self, tag: int) -> int:
        """Return an int.

        Raises:
            RejectedMessage: The tag is missing, repeated, or its value is not an int.
        """
        return values.integer(self.raw(tag), tag)

    def decimal(self, tag: int) -> Decimal:
        """Return a float (Price, Qty, Amt and the like) exactly, with the digits as sent.

        Raises:
            RejectedMessage: The tag is missing, repeated, or its value is not a float.
        """
        return values.decimal(self.raw(tag), tag)

    def utc_ns(self, tag: int) -> int:
        """Return a UTCTimestamp as nanoseconds since 1970.

        Raises:
            RejectedMessage: The tag is missing, repeated, or its value is not a UTCTimestamp.
        """
        return values.utc_ns(self.raw(tag), tag)

    def char(self, tag: int) -> str:
        """Return a char, one ASCII character.

        Raises:
            RejectedMessage: The tag is missing, repeated, or its value is not a char.
        """
        return values.char(self.raw(tag), tag)

    def flag(self, tag: int) -> bool:
        """Return a Boolean.

        Raises:
            RejectedMessage: The tag is missing, repeated, or its value is neither `Y` nor `N`.
        """
        return values.flag(self.raw(tag), tag)

    def choice(self, tag: int, kind: type[Choice]) -> Choice:
        """Return a field of a fixed set of values as a member of an enumeration of texts.

        Raises:
            RejectedMessage: The tag is missing, repeated, or its value is not that of a member.
        """
        return values.choice(self.raw(tag), tag, kind)


class IndexedMessage(Message, frozen=True, gc=False, eq=False):
    """A message whose fields were found one by one and are looked up by tag; it may hold data fields."""

    whole: bytes
    spans: tuple[Span, ...]
    span_of: dict[int, Span]

    @property
    def frame(self) -> bytes:
        """The whole message as it came."""
        return self.whole

    def find(self, tag: int) -> bytes | None:
        """Return the value of a tag, None when the message does not hold it.

        Raises:
            RejectedMessage: The tag occurs more than once.
        """
        span = self.span_of.get(tag)
        if span is None:
            return None
        if len(self.span_of) < len(self.spans):  # some tag is repeated; perhaps this one
            return super().find(tag)
        return self.whole[span[1] : span[2]]

    def every(self, tag: int) -> tuple[bytes, ...]:
        """Return the value of each occurrence of a tag, in order, also of those in groups."""
        return tuple(self.whole[start:end] for found, start, end in self.spans if found == tag)

    def tags(self) -> tuple[int, ...]:
        """Return the tag of each field, in order."""
        return tuple(tag for tag, _, _ in self.spans)

    def values(self) -> tuple[bytes, ...]:
        """Return the value of each field, in order: one for each of `tags`."""
        return tuple(self.whole[start:end] for _, start, end in self.spans)


def indexed(frame: bytes, spans: Sequence[Span]) -> IndexedMessage:
    """Build a message from the place of each of its fields."""
    return IndexedMessage(frame, tuple(spans), {span[0]: span for span in spans})
