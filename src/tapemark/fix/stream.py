"""From a stream of bytes to whole FIX 4.4 messages: BodyLength frames them, CheckSum proves them.

What comes out is in the order of the stream: each message as the `bytes` it consists of, and for all that
lies between messages a `Garbled` that says what was wrong, where, and how many bytes were skipped for it.
Nothing is repaired: every byte of the stream stands in one message or in one report.

Guarantees:

- The same messages and reports for every split of the same stream; a message with its last byte.
- A message is found by BodyLength alone: a `10=` or a whole message inside a data field is data.
- Where no CheckSum stands at BodyLength's end, BodyLength is wrong, and the search goes on behind this head
  for the next one, `8=FIX.4.4` and `9=`, wherever it stands: a message that another was cut short by is
  found. Only in a data field that fits its length none is found, so that the message within an XmlData (213)
  never passes for a real one.
- Where a CheckSum does stand there, BodyLength is right, and whatever else is wrong, all of it is skipped;
  unless a CheckSum inside, in front of a head, is right for what precedes it: then BodyLength took in the
  next message, which is found.
- Work is linear in the bytes of the stream, whatever they are and however small the pieces.
- Less than `max_message_bytes` bytes are held between calls. In `feed` it is those and the bytes given,
  copied once, beside what is returned.

Left to the caller: the connection, the fields (`tapemark.fix.fields`), and the sequence, which a garbled
message does not advance. A BodyLength that is wrong but within `max_message_bytes` is waited for: a session
whose messages are small does well to set that bound low.

Source: FIX 4.4 with errata 20030618, volume 2, on garbled messages. To search inside a message whose
BodyLength is wrong, and not only behind it, is this module's own rule.
"""

import re
from typing import Final
from zlib import adler32

import msgspec

from tapemark.errors import CallerError, GarbledFrame, InvalidArgument
from tapemark.fix.frame import ADLER_OF_TRAILER, BODY_LENGTH, adler, body_start, check, stated_sum
from tapemark.fix.resync import LENGTH_PATTERN, LONGEST_MARK_BYTES, data_span, is_data, nearer_end, next_mark
from tapemark.fix.syntax import EXACT_BYTES, HEAD, SOH, TRAILER_BYTES

MAX_MESSAGE_BYTES: Final = 65_536
"""Default for the longest message that is taken."""

_SHORTEST_BYTES: Final = 25  # `8=FIX.4.4`, `9=4`, `35=`, `10=000`: before that many nothing can be complete
_TYPE_BYTES: Final = len(b"35=")
_END_BYTES: Final = len(SOH) + TRAILER_BYTES

_match_head: Final = re.compile(re.escape(HEAD) + LENGTH_PATTERN + SOH + b"35=").match

# What `adler` must give for a message, by its last field and the SOH before it.
_ENDS: Final = {SOH + trailer: summed for trailer, summed in ADLER_OF_TRAILER.items()}


class Garbled(msgspec.Struct, frozen=True, gc=False):
    """Bytes that were skipped, because they are no message.

    A report reaches from where a message was expected to where one may start again, or to the stream's end.
    What is longer than `max_message_bytes` is reported in parts of that size, each as soon as it is skipped.

    Attributes:
        offset: Of the first byte skipped, from the start of the stream.
        size: How many bytes were skipped.
        field: What was wrong, as in `GarbledFrame`.
        expected: What would have been accepted there.
        got: The `repr` of what came, cut after 80 characters.
    """

    offset: int
    size: int
    field: str
    expected: str
    got: str


Event = bytes | Garbled
"""What a stream yields: a whole message, or the report of what was skipped."""


class FrameStream:
    """Cut one connection's bytes into messages.

    Args:
        max_message_bytes: Longest message that is taken, all its bytes counted. A longer BodyLength is
            garbled at once. It is the bound of what is held, too.

    Raises:
        InvalidArgument: `max_message_bytes` is not an integer of 25 or more.
    """

    __slots__ = (
        "_doubted_to",
        "_fault",
        "_garbled_from",
        "_held",
        "_is_closed",
        "_max_bytes",
        "_needed_bytes",
        "_offset",
    )

    def __init__(self, max_message_bytes: int = MAX_MESSAGE_BYTES) -> None:
        if type(max_message_bytes) is not int or max_message_bytes < _SHORTEST_BYTES:
            expected = f"an integer of {_SHORTEST_BYTES} or more"
            raise InvalidArgument("max_message_bytes", expected, max_message_bytes)
        self._max_bytes = max_message_bytes
        self._held = bytearray()
        self._offset = 0  # of the first byte held, in the stream
        self._needed_bytes = _SHORTEST_BYTES  # with fewer held there is nothing to decide
        self._fault: GarbledFrame | None = None  # why bytes are being skipped, if they are
        self._garbled_from = 0  # since where, in the stream
        self._doubted_to = 0  # up to where a wrong sum is no reason to look for a nearer end
        self._is_closed = False

    @property
    def pending_bytes(self) -> int:
        """How many bytes are held for what is to come: always less than `max_message_bytes`."""
        return len(self._held)

    def feed(self, data: bytes | bytearray | memoryview) -> list[Event]:
        """Take the next bytes; return what is now certain, in the order of the stream.

        The bytes are copied where they are not `bytes`, so a buffer may be used again.

        Raises:
            InvalidArgument: The data is not bytes, a bytearray or a memoryview.
            CallerError: The stream was closed.
        """
        if type(data) is not bytes:
            data = _as_bytes(data)
        if self._is_closed:
            raise CallerError("feed: the stream was closed, and another connection needs a stream of its own")
        held = self._held
        held_bytes = len(held)
        if held_bytes + len(data) < self._needed_bytes:
            held += data
            return []
        # To join costs what is held, which is only paid for by as many new bytes.
        if held_bytes > len(data):
            held += data
            return self._events(held)
        if held_bytes:
            data = b"".join((held, data))
            held.clear()
        return self._events(data)

    def close(self) -> list[Event]:
        """End the stream; return what was still waiting for bytes: reports, and messages behind a cut one.

        A second call returns nothing.
        """
        self._is_closed = True
        return self._events(self._held)

    def _events(self, source: bytes | bytearray) -> list[Event]:
        """Read all that is certain, and hold the rest; the source may be what is held."""
        events: list[Event] = []
        at = self._needed_bytes = 0
        while not self._needed_bytes:
            if self._fault is not None:
                at = self._skip(source, at, self._fault, events)
                continue
            if type(source) is bytes:
                at = _take_good(source, at, self._max_bytes, events)
            if at < len(source):
                at = self._judge(source, at, events)
            else:
                self._needed_bytes = _SHORTEST_BYTES
        if source is self._held:
            del self._held[:at]
        else:
            self._held += source[at:]
        self._offset += at
        return events

    def _judge(self, source: bytes | bytearray, at: int, events: list[Event]) -> int:
        """Decide on what starts at an offset: a message, garbled, or not all there; return where to go on."""
        try:
            size = self._message_size(source, at)
        except GarbledFrame as fault:
            # Its traceback holds what was fed, and would outlast this call.
            self._fault, self._garbled_from = fault.with_traceback(None), self._offset + at
            return at + 1  # whatever it is, this head is not to be found again
        after = at + size
        if after > len(source):
            self._needed_bytes = size
            return at
        message = bytes(source[at:after])
        try:
            check(message)
        except GarbledFrame as fault:
            # Once for the bytes up to there: else many heads with one far end would each be summed up.
            nearer = nearer_end(message) if self._offset + at >= self._doubted_to else 0
            if not nearer:
                events.append(_report(self._offset + at, size, fault))
                return after
            self._doubted_to = self._offset + after
            expected = f"a message of {nearer} bytes, as CheckSum (10) shows"
            events.append(_report(self._offset + at, nearer, GarbledFrame(BODY_LENGTH, expected, size)))
            return at + nearer
        events.append(message)
        return after

    def _message_size(self, source: bytes | bytearray, at: int) -> int:
        """Return the size of what may be a message yet, or of as much as must be there to tell."""
        left = len(source) - at
        if left < _SHORTEST_BYTES and not self._is_closed:
            return _SHORTEST_BYTES
        head = _match_head(source, at)  # a fast way to what is mostly there
        shown = at + _SHORTEST_BYTES
        start = head.end() - _TYPE_BYTES - at if head else body_start(bytes(source[at:shown]))
        length = int(source[at + len(HEAD) : at + start - len(SOH)])
        size = start + length + TRAILER_BYTES
        if size > self._max_bytes:
            longest = self._max_bytes - start - TRAILER_BYTES
            raise GarbledFrame(BODY_LENGTH, f"at most {longest}, for {self._max_bytes} bytes in all", length)
        if size <= left:
            end = bytes(source[at + size - _END_BYTES : at + size])
            if not end.startswith(SOH) or stated_sum(end[len(SOH) :]) is None:
                raise GarbledFrame(BODY_LENGTH, f"CheckSum (10) after {length} bytes", end)
        elif self._is_closed:
            raise GarbledFrame(BODY_LENGTH, f"a message of {size} bytes before the stream ends", left)
        return size

    def _skip(self, source: bytes | bytearray, at: int, fault: GarbledFrame, events: list[Event]) -> int:
        """Search for the next head that is not data; return its offset, or up to where there is none."""
        mark = next_mark(source, at)
        while mark is not None and is_data(mark):
            at = self._after_data(source, mark)
            if self._needed_bytes:
                break
            mark = next_mark(source, at)
        if mark is None and not self._is_closed:
            at = max(at, len(source) - LONGEST_MARK_BYTES + 1)
            self._needed_bytes = _SHORTEST_BYTES
        elif not self._needed_bytes:
            at = len(source) if mark is None else mark.start()
            self._fault = None
        skipped_to = self._offset + at
        while self._garbled_from + self._max_bytes <= skipped_to:
            events.append(_report(self._garbled_from, self._max_bytes, fault))
            self._garbled_from += self._max_bytes
        if self._fault is None and self._garbled_from < skipped_to:
            events.append(_report(self._garbled_from, skipped_to - self._garbled_from, fault))
        return at

    def _after_data(self, source: bytes | bytearray, mark: re.Match[bytes]) -> int:
        """Return the offset behind a data value, or that of the value if its length cannot be true.

        A value that is cut by the end of the stream is taken for data.
        """
        value, after = data_span(mark)
        if after - value > self._max_bytes - _SHORTEST_BYTES:
            return value
        if after < len(source):
            return after if source[after] == SOH[0] else value
        if self._is_closed:
            return len(source)
        self._needed_bytes = after + len(SOH) - mark.start()
        return mark.start()


def _take_good(source: bytes, at: int, max_bytes: int, events: list[Event]) -> int:
    """Take whole and right messages for as long as they follow each other; return where that ends.

    This is `check`, written for speed: what it does not take is for `_judge` to look at.
    """
    size = len(source)
    while head := _match_head(source, at):
        after = head.end() - _TYPE_BYTES + int(head[1]) + TRAILER_BYTES
        if after > size or after - at > max_bytes:
            break
        total = _ENDS.get(source[after - _END_BYTES : after])
        if total is None:
            break
        message = source[at:after]
        # `adler` written out, as in `tapemark.fix.reader`.
        found = adler32(message) & 0xFF if after - at <= EXACT_BYTES else adler(message)
        if found != total:
            break
        events.append(message)
        at = after
    return at


def _as_bytes(data: object) -> bytes:
    if isinstance(data, bytes | bytearray | memoryview):
        return bytes(data)
    raise InvalidArgument("data", "bytes, a bytearray or a memoryview", type(data))


def _report(offset: int, size: int, fault: GarbledFrame) -> Garbled:
    return Garbled(offset, size, fault.field, fault.expected, fault.got)
