"""What well-known parsers get wrong: the right value for each, beside what the others answered."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tapemark.errors import RejectedMessage
from tapemark.fix.reader import parse
from tests.fuzz.fix_messages import Field, sealed
from tests.fuzz.fix_peer_faults import CASES, outcomes_of

ANSWERS = {
    fault["name"]: fault
    for fault in json.loads((Path(__file__).parents[2] / "vectors" / "fix_messages.json").read_text())[
        "faults"
    ]
}
cases = pytest.mark.parametrize("name", CASES)


def bytes_of(read_by_peer: list[Any]) -> list[list[Field]]:
    """Give the messages that simplefix delivered, without its errors."""
    messages = [message for message in read_by_peer if isinstance(message, list)]
    return [[(tag, value.encode("latin-1")) for tag, value in message] for message in messages]


@cases
def test_it_is_read_right(name: str) -> None:
    assert outcomes_of(CASES[name].pieces) == list(CASES[name].right)


@cases
def test_it_is_read_right_byte_by_byte(name: str) -> None:
    whole = b"".join(CASES[name].pieces)
    pieces = [whole[at : at + 1] for at in range(len(whole))]
    assert outcomes_of(pieces) == list(CASES[name].right)


@cases
def test_the_peers_recorded_answers_are_wrong_where_the_case_says_so(name: str) -> None:
    case, answers = CASES[name], ANSWERS[name]
    assert [piece.encode("latin-1") for piece in answers["pieces"]] == list(case.pieces)
    messages = [outcome for outcome in case.right if isinstance(outcome, list)]
    assert ("simplefix" in case.wrong) == (bytes_of(answers["simplefix"]) != messages)
    assert ("quickfix" in case.wrong) == (bool(answers["quickfix"]) == isinstance(case.right[0], list))


def test_there_is_a_case_for_each_recorded_answer() -> None:
    assert list(ANSWERS) == list(CASES)


def test_the_length_that_does_not_fit_is_named_with_what_is_left() -> None:
    with pytest.raises(RejectedMessage) as caught:
        parse(CASES["data longer than the message"].first)
    assert "500" in str(caught.value)
    assert "at most 3" in str(caught.value)


def order(fields: bytes) -> bytes:
    return sealed(b"35=D\x0149=S\x0156=T\x0134=1\x0152=20240115-10:30:00\x01" + fields.replace(b"|", b"\x01"))


def test_a_tag_twice_outside_a_group_is_an_error_that_names_it() -> None:
    # simplefix gives the first; quickfix parses it, and finds the second by its dictionary only.
    message = parse(order(b"11=a|38=1|38=2|"))
    with pytest.raises(RejectedMessage, match="tag 38") as caught:
        message.raw(38)
    assert (caught.value.tag, caught.value.reason) == (38, 13)
    assert message.every(38) == (b"1", b"2")


def test_a_price_keeps_the_digits_that_a_double_loses() -> None:
    # quickfix's numbers are doubles.
    message = parse(order(b"44=123456789.123456789|38=0.1|"))
    assert message.decimal(44) == Decimal("123456789.123456789")
    assert message.decimal(38) == Decimal("0.1")


def test_a_day_that_no_calendar_has_is_an_error() -> None:
    # quickfix takes 30 February, also with its dictionary.
    with pytest.raises(RejectedMessage, match="tag 60") as caught:
        parse(order(b"60=20240230-10:30:00|")).utc_ns(60)
    assert caught.value.reason == 6


def test_an_ordinary_field_after_the_largest_message_size_is_a_field() -> None:
    message = parse(sealed(b"35=A\x0149=S\x0156=T\x0134=1\x0152=20240115-10:30:00\x01383=4096\x01141=Y\x01"))
    assert message.integer(383) == 4096
    assert message.flag(141) is True
