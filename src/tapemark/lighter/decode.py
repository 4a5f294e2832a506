"""Decode frames of Lighter's order-book feed: raw bytes to typed messages, without a tree in between.

Nearly every frame is an update, so `frame` decodes each as one, in one pass. What is none is looked at again:
first for its type, then as what that says. A frame of a type that the feed does not have is an
`UnknownFrame`; everything else that does not fit raises `InvalidFrame`.

Unknown keys are skipped unread, bad UTF-8 in them included; of a repeated key the last one counts, as in most
JSON readers, but a frame of two types may be refused. Prices and sizes must be strings, and are not looked
into here: `tapemark.market.scale` does that when it turns them into ticks and steps.

Source: the venue's WebSocket reference.
"""

import json
from typing import Final, NoReturn

import msgspec

from tapemark.errors import InvalidFrame
from tapemark.lighter import wire
from tapemark.refusals import refused

_decode_update: Final = msgspec.json.Decoder(wire.BookUpdate).decode
_decode_snapshot: Final = msgspec.json.Decoder(wire.BookSnapshot).decode
_market_ids: Final = wire.MARKET_IDS

# What msgspec raises for bytes that do not fit; the last for JSON that is nested too deeply.
_FAULTS: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class _Typed(msgspec.Struct, frozen=True, gc=False):
    """The one key that every message has."""

    type: str


_decode_type: Final = msgspec.json.Decoder(_Typed).decode


def frame(raw: bytes) -> wire.Message:
    """Decode one WebSocket frame.

    Args:
        raw: The frame's UTF-8 JSON.

    Raises:
        InvalidFrame: The frame is not JSON, has no type, or a field does not fit its type.
    """
    try:
        update = _decode_update(raw)
    except _FAULTS:
        return _by_type(raw)
    _market_ids[update.channel]  # raises where it names no market
    return update


def _by_type(raw: bytes) -> wire.Message:
    try:
        kind = _decode_type(raw).type
    except _FAULTS as error:
        _refuse(raw, error)
    if kind not in {wire.UPDATE_TYPE, wire.SNAPSHOT_TYPE}:
        return wire.UnknownFrame(kind)
    message: wire.BookUpdate | wire.BookSnapshot
    try:
        message = _decode_update(raw) if kind == wire.UPDATE_TYPE else _decode_snapshot(raw)
    except _FAULTS as error:
        _refuse(raw, error)
    _market_ids[message.channel]
    return message


def _refuse(raw: bytes, error: Exception) -> NoReturn:
    """Turn what msgspec raised into an `InvalidFrame` that names the field."""
    if not isinstance(error, msgspec.ValidationError):
        raise InvalidFrame("frame", f"JSON in UTF-8 ({error})", raw) from None
    try:
        tree = json.loads(raw)
    except (ValueError, RecursionError):  # in a part that msgspec skips, such as an unknown key's value
        tree = raw
    raise refused(error, tree) from None
