"""What all requests to the venue share: the JSON-RPC 2.0 envelope, its id, and the time they are made at.

Source: JSON-RPC 2.0, section 4; RFC 8259, section 6, for the integers that every JSON reader keeps exact.
"""

from typing import Final

import msgspec

from tapemark.errors import InvalidArgument

MAX_JSON_INT: Final = 2**53 - 1
"""Largest integer that every JSON reader keeps exact."""

_NOW_MS_MIN: Final = 10**12  # 2001; a clock read in seconds is far below
_NOW_MS_LIMIT: Final = 10**14  # 5138; a clock read in micro- or nanoseconds is far beyond

_encode: Final = msgspec.json.Encoder().encode


class _Request(msgspec.Struct, frozen=True, gc=False):
    """A JSON-RPC 2.0 request."""

    jsonrpc: str
    id: int
    method: str
    params: object


def request_bytes(request_id: int, method: str, params: object) -> bytes:
    """Encode a request whose id was checked, UTF-8 JSON ready to send."""
    return _encode(_Request("2.0", request_id, method, params))


def check_json_int(value: object, field: str) -> None:
    """Refuse what is not an int of 0 to 2^53 - 1.

    Raises:
        InvalidArgument: It is not.
    """
    if type(value) is not int or not 0 <= value <= MAX_JSON_INT:
        raise InvalidArgument(field, "an int of 0 to 2^53 - 1", value)


def check_now_ms(now_ms: object) -> None:
    """Refuse a time that is not Unix time in milliseconds, by its magnitude.

    A nonce from a clock in microseconds would block its subaccount for good, and an order signed by a clock
    in seconds would have expired in 1970.

    Raises:
        InvalidArgument: It is not an int between the years 2001 and 5138 in milliseconds.
    """
    if type(now_ms) is not int or not _NOW_MS_MIN <= now_ms < _NOW_MS_LIMIT:
        raise InvalidArgument("now_ms", "an int of Unix time in milliseconds", now_ms)
