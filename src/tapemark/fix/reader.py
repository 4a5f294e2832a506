"""Read whole FIX 4.4 messages: the public way from a frame to its fields.

A `Reader` belongs to one counterparty. Shown samples of what that counterparty sends (`learn`), it knows
their layouts, and for each start of a message seen before, the length that it promises: a message of a known
kind then costs one look-up, one checksum and one match. Every other message is read by scanning, with the
same answers and the same errors.
"""

import re
from collections.abc import Callable, Iterable
from zlib import adler32

from tapemark.errors import InvalidArgument
from tapemark.fix import scan
from tapemark.fix.frame import ADLER_OF_TRAILER, adler
from tapemark.fix.layout import LaidOutMessage, Layout
from tapemark.fix.message import Message
from tapemark.fix.syntax import EXACT_BYTES, HEAD, MAX_KEPT, SOH, TRAILER

MAX_LAYOUTS = 64
"""How many layouts a reader keeps: each costs a millisecond to prepare and some kilobytes."""

# What matches a message with a layout, and the layout.
_Prepared = tuple[Callable[[bytes], re.Match[bytes] | None], Layout]

_START_BYTES = 24  # `8=FIX.4.4|9=nnnn|35=XX|` has 23
_START = slice(_START_BYTES)
_MSG_TYPE_GROUP = 2  # of a layout's pattern: the value of its third field


class Reader:
    """Reads one counterparty's messages; not to be shared between threads while it learns."""

    __slots__ = ("_layouts", "_starts")

    def __init__(self, samples: Iterable[bytes] = ()) -> None:
        """Learn the layouts of some messages.

        Args:
            samples: Whole messages, such as the counterparty usually sends.

        Raises:
            GarbledFrame: A sample is no FIX message.
            RejectedMessage: A sample has a wrong field.
            InvalidArgument: A sample is not bytes or has a data field, the samples have more layouts than a
                reader keeps, or cannot be gone through.
        """
        self._layouts: dict[bytes, tuple[_Prepared, ...]] = {}
        self._starts: dict[bytes, tuple[int, Callable[[bytes], int], tuple[_Prepared, ...]]] = {}
        try:
            each = iter(samples)
        except TypeError:
            raise InvalidArgument("samples", "messages", type(samples)) from None
        for sample in each:
            self.learn(sample)

    def learn(self, sample: bytes) -> None:
        """Prepare the layout of a message for those that have the same tags in the same order.

        It takes about a millisecond: a matter of the start of a session, not of its hot path. A layout that
        is known already is not prepared again.

        Raises:
            GarbledFrame: The sample is no FIX message.
            RejectedMessage: The sample has a wrong field.
            InvalidArgument: The sample is not bytes or has a data field, whose end no layout can know, or the
                reader has as many layouts as it keeps.
        """
        try:
            self._learn(sample)
        except InvalidArgument as fault:
            raise fault.at("sample") from None

    def parse(self, frame: bytes) -> Message:
        """Check one whole message and give access to its fields.

        Args:
            frame: From `8=FIX.4.4` to the SOH that ends CheckSum, such as `FrameStream.feed` gives.

        Raises:
            GarbledFrame: BeginString, BodyLength, CheckSum or the order of the header is wrong.
            RejectedMessage: A field has not the form of one, or a data field does not fit its length.
            InvalidArgument: `frame` is not bytes.
        """
        if type(frame) is not bytes:  # a memoryview has the hash of its bytes, and would be found as well
            return self._read(frame)
        try:
            size, summed, layouts = self._starts[frame[_START]]
            if len(frame) == size and summed(frame) & 0xFF == ADLER_OF_TRAILER[frame[TRAILER]]:
                for fullmatch, layout in layouts:
                    match = fullmatch(frame)
                    if match:
                        return LaidOutMessage(match, layout)
        except KeyError:
            pass
        return self._read(frame)

    def _learn(self, sample: bytes) -> None:
        tags = scan.read(sample).tags()
        kind = _kind(sample)
        known = self._layouts.get(kind, ())
        if any(layout.tags == tags for _, layout in known):
            return
        if sum(map(len, self._layouts.values())) >= MAX_LAYOUTS:
            raise InvalidArgument("sample", f"one of the {MAX_LAYOUTS} layouts that are kept", sample)
        layout = Layout(tags)
        self._layouts[kind] = (*known, (layout.pattern.fullmatch, layout))
        self._starts.clear()

    def _read(self, frame: bytes) -> Message:
        message = scan.read(frame)
        if self._layouts and isinstance(message, scan.ScannedMessage):
            kind = _kind(frame)
            layouts = self._layouts.get(kind, ())
            for fullmatch, layout in layouts:
                match = fullmatch(frame)
                if match:
                    self._remember(frame, match.end(_MSG_TYPE_GROUP) + 1, layouts)
                    return LaidOutMessage(match, layout)
        return message

    def _remember(self, frame: bytes, header_bytes: int, layouts: tuple[_Prepared, ...]) -> None:
        """Keep what a message's first bytes say of it, where they hold the length and the type in full."""
        if header_bytes <= _START_BYTES:
            if len(self._starts) >= MAX_KEPT:
                self._starts.clear()
            summed = adler32 if len(frame) <= EXACT_BYTES else adler
            self._starts[frame[_START]] = (len(frame), summed, layouts)


def _kind(frame: bytes) -> bytes:
    """Give the start of a checked frame's body: the field MsgType, with its SOH."""
    start = frame.find(SOH, len(HEAD)) + 1
    return frame[start : frame.find(SOH, start) + 1]


parse = Reader().parse
"""Check one whole message and give access to its fields, without knowing its layout; see `Reader.parse`."""
