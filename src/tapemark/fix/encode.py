"""From a typed message to the bytes of its frame, in canonical form.

The header comes first, then the body in the dictionary's order, then the fields that the dictionary does not
know, then the trailer. What `tapemark.fix.typed.decode` reads of these bytes equals the message; bytes that
were in canonical form come out as they were.

Left to the caller: MsgSeqNum, SendingTime and the names of the parties, which belong to the session.
"""

import functools
from collections.abc import Callable
from typing import Any

from msgspec.structs import astuple

from tapemark.errors import InvalidArgument
from tapemark.fix.fix44 import Typed
from tapemark.fix.record import MessageRecord, Record, Slot
from tapemark.fix.syntax import HEAD, MAX_LENGTH_DIGITS, SOH, checksum

_MSG_TYPE = b"35="

# What stands before a value, and what writes the value.
_Writer = tuple[bytes, Callable[[Any], bytes]]


def encode(message: Typed) -> bytes:
    """Write a typed message as a whole frame.

    Raises:
        InvalidArgument: It is not a typed message, or a time of a message that a peer sent lies after the
            year 9999.
    """
    if not isinstance(message, MessageRecord):
        raise InvalidArgument("message", "a typed message", message)
    parts = [_MSG_TYPE + message.MSG_TYPE, *_fields(message.header), *_fields(message)]
    parts += [b"%d=%b" % pair for pair in message.extra]
    if message.signature is not None:
        prefix, write = _writer(message.SIGNATURE)
        parts.append(prefix + write(message.signature))
    return seal(SOH.join(parts) + SOH)


def seal(body: bytes) -> bytes:
    """Put BeginString, BodyLength and CheckSum around the fields of a message.

    Args:
        body: From `35=` to the SOH of the last field before CheckSum.

    Raises:
        InvalidArgument: It does not begin or end like that, or is of 10^9 bytes or more.
    """
    if type(body) is not bytes or not body.startswith(_MSG_TYPE) or not body.endswith(SOH):
        raise InvalidArgument("body", "bytes from `35=` to a SOH", body)
    length = b"%d" % len(body)
    if len(length) > MAX_LENGTH_DIGITS:
        raise InvalidArgument("body", f"a length of at most {MAX_LENGTH_DIGITS} digits", len(body))
    summed = HEAD + length + SOH + body
    return b"%b10=%03d%b" % (summed, checksum(summed), SOH)


def _fields(record: Record) -> list[bytes]:
    """Write the fields of a record that are there, each without its SOH."""
    pairs = zip(astuple(record), _writers_of(type(record)), strict=True)
    return [writer[0] + writer[1](value) for value, writer in pairs if value is not None and writer]


@functools.cache
def _writers_of(kind: type[Record]) -> tuple[_Writer | None, ...]:
    """Return how each attribute is written, in the type's order; None for what is written elsewhere."""
    writer_of = {slot.attribute: _writer(slot) for slot in kind.SLOTS}
    return tuple(writer_of.get(name) for name in kind.__struct_fields__)


def _writer(slot: Slot) -> _Writer:
    return slot.prefix, slot.codec.write if slot.codec else _group


def _group(entries: tuple[Record, ...]) -> bytes:
    """Write the value of a group's count, and the fields of its entries after it."""
    parts = [b"%d" % len(entries)]
    for entry in entries:
        parts += _fields(entry)
    return SOH.join(parts)
