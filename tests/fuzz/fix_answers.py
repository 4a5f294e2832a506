"""Hold what `tapemark.fix` answers against `fix_model` and `stream_model`, which share nothing with it."""

import collections
import enum
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from tapemark.errors import GarbledFrame, RejectedMessage, TapemarkError
from tapemark.fix.journey import Parse
from tapemark.fix.message import Message
from tapemark.fix.reader import parse
from tapemark.fix.stream import Event, FrameStream
from tests.fuzz import fix_model
from tests.fuzz.campaign import EscapeError
from tests.fuzz.fix_messages import sealed
from tests.fuzz.fix_model import Field, GarbledError, RejectedError
from tests.tapemark.fix import stream_model
from tests.tapemark.fix.stream_cases import plain

ABSENT = (4999, 999_999_998)
_SAMPLED_TAGS, _TYPED_FIELDS = 4, 1
_MISSING, _REPEATED, _OUT_OF_RANGE, _WRONG_FORMAT = 1, 13, 5, 6


class Choice(enum.Enum):
    """Some values of some field."""

    ONE = "1"
    TWO = "2"
    A = "A"
    LONG = "9" * 120


def expected_of(raw: bytes) -> list[Field] | str:
    """Read bytes with the model: their fields, or how they are to be refused."""
    try:
        return fix_model.read(raw)
    except GarbledError:
        return "garbled"
    except RejectedError as refusal:
        return _rejected(refusal.tag, refusal.reason)


def check_parse(parse: Parse, raw: bytes, expected: list[Field] | str, rng: random.Random) -> Message | None:
    """Parse bytes and hold all of the answer against the model's.

    Raises:
        EscapeError: Another exception came out, or another answer.
    """
    try:
        message = parse(raw)
    except GarbledFrame:
        answer = "garbled"
    except RejectedMessage as error:
        answer = _rejected(error.tag, error.reason)
    except Exception as error:
        raise EscapeError(f"{parse!r} raised {error!r} for {raw!r}") from error
    else:
        if isinstance(expected, str):
            raise EscapeError(f"{parse!r} accepted {raw!r}, which is {expected}")
        try:
            _check_message(message, raw, expected, rng)
        except EscapeError as error:
            raise EscapeError(f"{error}: {message!r} of {raw!r}") from error
        except Exception as error:
            raise EscapeError(f"{error!r}: {message!r} is not what {raw!r} holds") from error
        return message
    if answer != expected:
        raise EscapeError(f"{parse!r} answered {answer}, not {expected!r}, to {raw!r}")
    return None


def _check_message(message: Message, raw: bytes, fields: Sequence[Field], rng: random.Random) -> None:
    assert message.frame == raw
    assert message.pairs() == tuple(fields)
    assert message.tags() == tuple(tag for tag, _ in fields)
    assert message.values() == tuple(value for _, value in fields)
    values_of: dict[int, list[bytes]] = {}
    for tag, value in fields:
        values_of.setdefault(tag, []).append(value)
    for tag in rng.sample(list(values_of), min(_SAMPLED_TAGS, len(values_of))):
        held = values_of[tag]
        assert tag in message, tag
        assert message.every(tag) == tuple(held), tag
        if len(held) == 1:
            assert message.find(tag) == held[0], tag
            assert message.raw(tag) == held[0], tag
        else:
            assert _refusal(message.find, tag) == _REPEATED, tag
            assert _refusal(message.raw, tag) == _REPEATED, tag
    for tag in ABSENT:
        if tag not in values_of:
            assert tag not in message, tag
            assert message.find(tag) is None, tag
            assert message.every(tag) == (), tag
            assert _refusal(message.raw, tag) == _MISSING, tag
    single = [tag for tag, held in values_of.items() if len(held) == 1]
    for tag in rng.sample(single, min(_TYPED_FIELDS, len(single))):
        check_getters(message, tag, values_of[tag][0])


def check_value(value: bytes) -> None:
    """Read one value by every typed getter, in a message of its own.

    Raises:
        EscapeError: An answer is not the model's.
    """
    check_getters(parse(sealed(b"35=0\x015001=" + value + b"\x01")), 5001, value)


def check_getters(message: Message, tag: int, value: bytes) -> None:
    """Hold every typed getter's answer for one field against the model's reading of its bytes.

    Raises:
        EscapeError: One differs.
    """
    _check_getter(message.text, tag, fix_model.text(value), value)
    _check_getter(message.integer, tag, fix_model.integer(value), value)
    _check_getter(lambda tag: Fraction(message.decimal(tag)), tag, fix_model.fraction(value), value)
    _check_getter(message.utc_ns, tag, fix_model.utc_ns(value), value)
    _check_getter(message.char, tag, fix_model.char(value), value)
    _check_getter(message.flag, tag, fix_model.flag(value), value)
    known = {member.value.encode(): member for member in Choice}
    _check_getter(lambda tag: message.choice(tag, Choice), tag, known.get(value), value)


def _check_getter(read: Callable[[int], Any], tag: int, expected: Any, value: bytes) -> None:
    try:
        answer = read(tag)
    except RejectedMessage as error:
        if expected is not None or error.tag != tag or error.reason not in {_OUT_OF_RANGE, _WRONG_FORMAT}:
            raise EscapeError(f"{read!r} raised {error!r} for {value!r}, which is {expected!r}") from error
    else:
        if expected is None or answer != expected or type(answer) is not type(expected):
            raise EscapeError(f"{read!r} answered {answer!r} for {value!r}, which is {expected!r}")


def _refusal(read: Callable[[int], Any], tag: int) -> int:
    """Return the reason for which a read is refused; negative if it is not, or names another tag."""
    try:
        read(tag)
    except RejectedMessage as error:
        return int(error.reason) if error.tag == tag else -2
    return -1


def _rejected(tag: int, reason: int) -> str:
    return f"rejected for reason {int(reason)}, tag {tag}"


def check_stream(stream: bytes, pieces: Sequence[bytes], max_bytes: int) -> collections.Counter[str]:
    """Feed a stream in pieces, hold its messages and reports against the plain model's; count what came.

    Raises:
        EscapeError: They differ, or more is held than is allowed.
    """
    reader = FrameStream(max_bytes)
    events: list[Event] = []
    try:
        for piece in pieces:
            events += reader.feed(piece)
            if reader.pending_bytes >= max_bytes:
                raise EscapeError(f"{reader.pending_bytes} bytes held of at most {max_bytes}: {pieces!r}")
        events += reader.close()
    except TapemarkError as error:
        raise EscapeError(f"{error!r} for {pieces!r}") from error
    expected = stream_model.events(stream, max_bytes)
    if plain(events) != expected:
        raise EscapeError(f"{events!r} are not {expected!r}, at most {max_bytes} bytes each, of {pieces!r}")
    return collections.Counter(map(_outcome, events))


def _outcome(event: Event) -> str:
    if isinstance(event, bytes):
        return "messages found"
    is_nearer = event.expected.endswith("as CheckSum (10) shows")
    return "reports of a length that took in the next message" if is_nearer else f"reports of {event.field}"
