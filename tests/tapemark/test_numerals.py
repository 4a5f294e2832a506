import re
import threading
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapemark import numerals
from tapemark.errors import InvalidFrame
from tapemark.numerals import (
    SignedNumerals,
    UnsignedNumerals,
    decimal_from_text,
    plain_text,
    unsigned_from_text,
)

# The grammar again, written as one pattern, where the module checks it with a strip.
GRAMMAR = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,2})?", re.ASCII)
GOOD = [
    "0",
    "-0",
    "1",
    "12.50",
    ".5",
    "5.",
    "-.5",
    "007",
    "1e3",
    "1E-3",
    "-2.5e+10",
    "9" * 59 + "." + "1" * 60,
]
BAD = [
    "",
    ".",
    "-",
    "+1",
    "--1",
    "1-2",
    "1.2.3",
    " 1",
    "1 ",
    "1_000",
    "NaN",
    "sNaN12",
    "-nan",
    "Infinity",
    "inf",
    "0x10",
    "\uff11",
    "1\u0663",
    "1e",
    "e5",
    "1e100",
    "1e-999999999",
    "1e5.0",
    "1\x00",
    "null",
    "9" * 121,
    "0." + "0" * 119,
]

nearly_numerals = st.text(alphabet="0123456789.-+eE _nNaAiIfF\uff11", max_size=12)


@pytest.mark.parametrize("text", GOOD)
def test_a_numeral_becomes_the_decimal_it_writes(text: str) -> None:
    assert decimal_from_text(text, "f") == Decimal(text)


@pytest.mark.parametrize("text", BAD)
@pytest.mark.parametrize("convert", [decimal_from_text, unsigned_from_text])
def test_what_is_no_numeral_is_refused_by_name(text: str, convert: object) -> None:
    with pytest.raises(InvalidFrame) as caught:
        convert(text, "params.x")  # type: ignore[operator]  # one of the two functions above
    assert caught.value.field == "params.x"
    assert caught.value.expected.startswith("a decimal number")


@given(nearly_numerals)
def test_the_grammar_is_the_pattern(text: str) -> None:
    good = GRAMMAR.fullmatch(text) is not None
    try:
        value = decimal_from_text(text, "f")
    except InvalidFrame:
        assert not good
    else:
        assert good
        assert value == Decimal(text)
        assert "e" not in str(plain_text(value)).lower()


@given(nearly_numerals)
def test_unsigned_is_signed_without_a_minus(text: str) -> None:
    try:
        signed: Decimal | None = decimal_from_text(text, "f")
    except InvalidFrame:
        signed = None
    try:
        unsigned: Decimal | None = unsigned_from_text(text, "f")
    except InvalidFrame:
        unsigned = None
    assert unsigned == (None if text.startswith("-") else signed)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=18))
def test_text_and_back_is_the_same_value(value: Decimal) -> None:
    assert decimal_from_text(plain_text(value), "f") == value


def test_the_callers_decimal_context_changes_nothing() -> None:
    text = "123456789012345678901234567890.123456789"
    with localcontext(prec=3) as context:
        context.clear_flags()
        value = decimal_from_text(text, "f")
        assert not any(context.flags.values())
    assert str(value) == text


@given(nearly_numerals)
def test_a_cache_answers_as_the_function_does_both_times(text: str) -> None:
    for cache, convert in (
        (SignedNumerals(), decimal_from_text),
        (UnsignedNumerals(), unsigned_from_text),
    ):
        for _ in range(2):
            try:
                expected: object = convert(text, "numeral")
            except InvalidFrame as error:
                expected = error.args
            try:
                got: object = cache[text]
            except InvalidFrame as error:
                got = error.args
                assert text not in cache
            assert got == expected


@pytest.mark.parametrize("kind", [SignedNumerals, UnsignedNumerals])
def test_a_cache_is_bounded(
    kind: type[SignedNumerals | UnsignedNumerals], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numerals, "CACHE_LIMIT", 100)
    cache = kind()
    for n in range(1_000):
        assert cache[str(n)] == n
        assert len(cache) <= 100


@pytest.mark.usefixtures("eager_switches")
def test_threads_sharing_a_cache_read_right_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numerals, "CACHE_LIMIT", 50)
    cache = UnsignedNumerals()
    wrong: list[int] = []

    def read() -> None:
        wrong.extend(n for n in [*range(80)] * 100 if cache[str(n)] != n)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_thread_s_context_does_not_change_how_a_value_is_written() -> None:
    with localcontext(capitals=0):
        assert plain_text(Decimal("1E+3")) == "1000"
        assert decimal_from_text("1e3", "f") == 1000


@pytest.mark.parametrize("kind", [SignedNumerals, UnsignedNumerals])
def test_a_cache_keeps_no_long_text(kind: type[SignedNumerals | UnsignedNumerals]) -> None:
    cache = kind()
    with pytest.raises(InvalidFrame):
        cache["1" * 1_000_000]
    assert not cache


def test_an_exponent_is_gone_from_what_is_kept() -> None:
    assert str(UnsignedNumerals()["1e3"]) == "1000"
    assert str(decimal_from_text("-2.5e-3", "f")) == "-0.0025"
