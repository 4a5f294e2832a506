"""Read a JSON record that names the version of its layout, and what all records check alike.

Nothing is taken from a file that is truncated, of another schema, or whose fields do not fit.
"""

from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

import msgspec

from benchgate.errors import Unreadable

T = TypeVar("T")


def decoded(content: bytes, path: Path, of: type[T], *, schema: int, noun: str, kind: str = "") -> T:
    """Decode a record of this schema, and of this kind where its layout has kinds; `noun` is what it is.

    Raises:
        Unreadable: It is not one; the message names `path`.
    """
    try:
        head = msgspec.json.decode(content, type=_Head)
        if head.schema != schema:
            raise Unreadable(f"{path}: written with schema {head.schema}, this version reads schema {schema}")
        if kind and head.kind != kind:
            raise Unreadable(f"{path}: expected {noun} of kind {kind}, got {head.kind or 'none'}")
        return msgspec.json.decode(content, type=of)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise Unreadable(f"{path}: truncated or not {noun}: {fault}") from None


def require_utc(created: datetime) -> None:
    """Check that a record's time is in UTC.

    Raises:
        ValueError: It is not.
    """
    if created.utcoffset() != timedelta(0):
        raise ValueError(f"created: expected a time in UTC, got {created.isoformat()}")


class _Head(msgspec.Struct):
    """As much of a record as every schema has."""

    schema: int
    kind: str = ""
