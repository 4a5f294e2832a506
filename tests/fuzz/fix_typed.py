"""Hold typed messages and the entries of groups against the independent reading of the same bytes.

What the dictionary says of tags is taken from the package; each value is read anew by `fix_model`. A typed
message must hold every field of its bytes, no other one, and be the same after it was written and read again.
"""

import datetime as dt
import enum
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tapemark.errors import RejectedMessage
from tapemark.fix.encode import encode
from tapemark.fix.fix44 import DICTIONARY, Typed
from tapemark.fix.groups import entries
from tapemark.fix.message import Message
from tapemark.fix.reader import parse
from tapemark.fix.record import Record
from tapemark.fix.typed import decode
from tests.fuzz import fix_model
from tests.fuzz.campaign import EscapeError
from tests.fuzz.fix_messages import DATA_OF, Drawn
from tests.fuzz.fix_model import Field

TYPES = {b"8", b"D"}
_LENGTH_OF = {data: length for length, data in DATA_OF.items()}
_FRAMING = {8, 9, 10, 35}
_YEAR_10000_NS = 253_402_300_800 * 10**9
_MISSING, _WRONG_TYPE, _REPEATED = 1, 11, 13


def check_typed(message: Message, fields: Sequence[Field]) -> str:
    """Decode a message that was read rightly; return `decoded`, or why it was refused.

    Raises:
        EscapeError: Another exception came out, a value is not in the bytes, or a field is lost.
    """
    try:
        typed = decode(message)
    except RejectedMessage as error:
        _check_refusal(error, fields)
        return f"not decoded for reason {int(error.reason)}"
    except Exception as error:
        raise EscapeError(f"decode raised {error!r} for {message.frame!r}") from error
    try:
        _check_values(typed, fields)
        _check_round_trip(typed)
    except Exception as error:
        raise EscapeError(f"{error!r}: {typed!r} is not what {message.frame!r} holds") from error
    return "decoded"


def check_groups(message: Message, fields: Sequence[Field]) -> None:
    """Read every group of a message: its entries must be the fields that follow its count.

    Raises:
        EscapeError: They are others, or another exception than RejectedMessage came out.
    """
    tags = [tag for tag, _ in fields]
    for place, (tag, count) in enumerate(fields):
        if tag not in DICTIONARY.groups:
            continue
        try:
            found = entries(message, tag)
        except RejectedMessage:
            continue
        except Exception as error:
            raise EscapeError(f"entries raised {error!r} for tag {tag} of {message.frame!r}") from error
        flat = [pair for entry in found for pair in entry.pairs()]
        is_held = tags.count(tag) == 1 and flat == list(fields[place + 1 :][: len(flat)])
        if not is_held or len(found) != fix_model.integer(count):
            raise EscapeError(f"tag {tag} has other entries than {found!r} in {message.frame!r}")


def check_drawn(drawn: Drawn) -> None:
    """Decode a valid message, if it has a type, and read its groups: all as it was drawn.

    Raises:
        EscapeError: It is refused, or read as something else.
    """
    message = parse(drawn.frame)
    outcome = check_typed(message, drawn.pairs)
    if (outcome == "decoded") != (message.raw(35) in TYPES):
        raise EscapeError(f"{outcome}: {drawn.frame!r}")
    if message.raw(35) not in DICTIONARY.messages:  # whose groups may be others of the same count
        return
    for node in (*drawn.header, *drawn.body):
        if node.tag in DICTIONARY.groups and len(message.every(node.tag)) == 1:
            instances = [[field for node in instance for field in node.flat()] for instance in node.instances]
            while instances and instances[-1][-1][0] not in DICTIONARY.fields:
                instances[-1].pop()  # an unknown tag after a group's last field counts as outside
            try:
                found = [list(entry.pairs()) for entry in entries(message, node.tag)]
            except RejectedMessage as error:
                raise EscapeError(f"{error!r} for tag {node.tag} of {drawn.frame!r}") from error
            if found != instances:
                raise EscapeError(f"tag {node.tag} has entries {found!r}, not {instances!r}: {drawn.frame!r}")


def _check_refusal(error: RejectedMessage, fields: Sequence[Field]) -> None:
    """Hold a refusal to what shows without knowing the rules: whether its tag is there, and how often."""
    occurrences = sum(tag == error.tag for tag, _ in fields)
    if error.reason == _MISSING:
        is_right = occurrences == 0 or error.tag in DATA_OF
    elif error.reason == _WRONG_TYPE:
        is_right = error.tag == 35 and fields[2][1] not in TYPES
    else:
        is_right = occurrences >= (2 if error.reason == _REPEATED else 1)
    if not is_right:
        raise EscapeError(f"{error!r} cannot be for {fields!r}")


def _check_values(typed: Typed, fields: Sequence[Field]) -> None:
    expected: dict[int, list[bytes]] = {}
    for tag, value in fields:
        if tag not in _FRAMING:
            expected.setdefault(tag, []).append(value)
    held: dict[int, list[tuple[str, Any]]] = {}
    for tag, name, value in _held(typed):
        held.setdefault(tag, []).append((name, value))
    assert held.keys() == expected.keys()
    for tag, values in expected.items():
        for (name, value), raw in zip(held[tag], values, strict=True):
            assert _is_same(name, value, raw), (tag, name, value, raw)


def _held(typed: Typed) -> Iterator[tuple[int, str, Any]]:
    yield from _held_by(typed.header)
    yield from _held_by(typed)
    for tag, value in typed.extra:
        yield tag, "", value
    if typed.signature is not None:
        yield 93, "", len(typed.signature)
        yield 89, "", typed.signature


def _held_by(record: Record) -> Iterator[tuple[int, str, Any]]:
    """List tag, attribute and value of what a record holds, with counts and lengths."""
    for slot in record.SLOTS:
        value = getattr(record, slot.attribute)
        if value is None:
            continue
        if slot.entry is not None:
            yield slot.tag, "", len(value)
            for entry in value:
                yield from _held_by(entry)
        else:
            if slot.tag in _LENGTH_OF:
                yield _LENGTH_OF[slot.tag], "", len(value)
            yield slot.tag, slot.attribute, value


def _is_same(name: str, value: Any, raw: bytes) -> bool:  # noqa: PLR0911 - one return a type
    match value:
        case bytes():
            return value == raw
        case enum.Enum():
            return str(value.value) == fix_model.text(raw) or int(value.value) == fix_model.integer(raw)
        case bool():
            return value is fix_model.flag(raw)
        case int():
            return value == (fix_model.utc_ns(raw) if name.endswith("_ns") else fix_model.integer(raw))
        case Decimal():
            return Fraction(value) == fix_model.fraction(raw)
        case dt.date():
            return f"{value.year:04d}{value.month:02d}{value.day:02d}".encode() == raw
        case _:
            return bool(value == fix_model.text(raw))


def _check_round_trip(typed: Typed) -> None:
    if any(name.endswith("_ns") and value >= _YEAR_10000_NS for _, name, value in _held(typed)):
        return  # a leap second at the end of the year 9999, which is refused
    written = encode(typed)
    fix_model.read(written)
    again = decode(parse(written))
    assert again == typed
    assert encode(again) == written
