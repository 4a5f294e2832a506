import pickle

import pytest

from tapemark.errors import (
    CallerError,
    InvalidArgument,
    InvalidFrame,
    PeerError,
    RejectedMessage,
    TapemarkError,
)


def test_the_tree_is_the_one_its_docstring_draws() -> None:
    assert InvalidArgument.__mro__.index(CallerError) < InvalidArgument.__mro__.index(ValueError)
    assert issubclass(InvalidFrame, PeerError)
    assert not issubclass(InvalidFrame, CallerError | ValueError)
    assert issubclass(CallerError, TapemarkError)
    assert issubclass(PeerError, TapemarkError)


@pytest.mark.parametrize("kind", [InvalidArgument, InvalidFrame])
def test_a_fault_says_field_expected_and_got(kind: type[InvalidArgument | InvalidFrame]) -> None:
    error = kind("amount", "a positive decimal", "-1")
    assert str(error) == "amount: expected a positive decimal, got '-1'"
    assert (error.field, error.expected, error.got) == ("amount", "a positive decimal", "'-1'")


@pytest.mark.parametrize("kind", [InvalidArgument, InvalidFrame])
def test_a_fault_survives_a_trip_between_processes(kind: type[InvalidArgument | InvalidFrame]) -> None:
    error = kind("amount", "less", "x" * 500)
    back = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert type(back) is kind
    assert (back.args, back.field, back.expected, back.got) == (
        error.args,
        error.field,
        error.expected,
        error.got,
    )


def test_what_came_is_cut_short() -> None:
    error = InvalidFrame("frame", "JSON", b"x" * 100_000)
    assert len(str(error)) < 200
    assert "(100000 bytes)" in str(error)


def test_what_came_is_cut_after_80_characters() -> None:
    assert InvalidFrame("f", "a", "x" * 78).got == repr("x" * 78)
    assert InvalidFrame("f", "a", "x" * 79).got == "'" + "x" * 79 + "\u2026 (79 characters)"


def test_what_has_no_length_of_its_own_is_measured_as_it_is_shown() -> None:
    assert InvalidFrame("f", "a", [1] * 40).got == repr([1] * 40)[:80] + "\u2026 (120 characters)"


def test_a_caller_who_knows_names_the_symbol_and_a_kind_keeps_its_facts() -> None:
    error = InvalidFrame("numeral", "a decimal number", "x").at("params.data.M").of("ETH-PERP")
    assert str(error) == "params.data.M: expected a decimal number for ETH-PERP, got 'x'"
    assert (error.field, error.expected) == ("params.data.M", "a decimal number for ETH-PERP")
    assert str(error.of("")) == str(error)
    rejected = RejectedMessage(44, 6, "a price", "x").of("ETH-PERP")
    assert str(rejected) == "tag 44: expected a price for ETH-PERP, got 'x'"
    assert (rejected.tag, rejected.reason) == (44, 6)


def test_a_caller_who_knows_better_renames_the_field() -> None:
    error = InvalidFrame("numeral", "a decimal number", "x").at("params.data.M")
    assert str(error) == "params.data.M: expected a decimal number, got 'x'"
