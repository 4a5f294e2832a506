import json
import random
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from eth_abi.abi import encode
from hypothesis import given
from hypothesis import strategies as st

from tapemark.errors import InvalidArgument
from tapemark.eth.abi import (
    EXACT,
    PLACES,
    address_bytes,
    address_word,
    bool_word,
    checksum_address,
    int256_word,
    scaled_1e18,
    uint256_word,
)

PUBLISHED = json.loads((Path(__file__).parents[2] / "vectors" / "published.json").read_text())["eip_55"]
UINT256_MAX = 2**256 - 1
INT256_MIN, INT256_MAX = -(2**255), 2**255 - 1

decimals = st.builds(
    lambda sign, digits, exponent: Decimal((sign, digits, exponent)),
    st.integers(0, 1),
    st.lists(st.integers(0, 9), min_size=1, max_size=100).map(tuple),
    st.integers(-60, 60),
)


def random_words(count: int) -> list[tuple[str, int | bool | str]]:
    rng = random.Random(2)
    drawn: list[tuple[str, int | bool | str]] = []
    for _ in range(count // 4):
        bits = rng.randrange(1, 257)
        drawn += [
            ("uint256", rng.getrandbits(bits)),
            ("int256", rng.getrandbits(bits - 1) * rng.choice((1, -1))),
            ("address", "0x" + rng.randbytes(20).hex()),
            ("bool", rng.random() < 0.5),
        ]
    return drawn


RANGE_ENDS: list[tuple[str, int | bool | str]] = [
    *(("uint256", value) for value in (0, 1, UINT256_MAX - 1, UINT256_MAX)),
    *(("int256", value) for value in (INT256_MIN, INT256_MIN + 1, -1, 0, 1, INT256_MAX - 1, INT256_MAX)),
    *(("address", "0x" + digit * 40) for digit in "0f"),
    ("bool", False),
    ("bool", True),
]
ENCODERS: dict[str, Any] = {
    "uint256": uint256_word,
    "int256": int256_word,
    "address": address_word,
    "bool": bool_word,
}


def test_words_equal_those_of_eth_abi() -> None:
    for kind, value in random_words(2_000) + RANGE_ENDS:
        assert ENCODERS[kind](value, "value") == encode([kind], [value]), (kind, value)


@pytest.mark.parametrize(
    ("encoder", "value"),
    [
        (uint256_word, -1),
        (uint256_word, UINT256_MAX + 1),
        pytest.param(uint256_word, 10**5_000, id="more digits than Python writes"),
        (int256_word, INT256_MIN - 1),
        (int256_word, INT256_MAX + 1),
        *((uint256_word, value) for value in (True, 1.0, "1", None, Decimal(1))),
        *((int256_word, value) for value in (True, 1.0, "1", None, Decimal(1))),
        *((bool_word, value) for value in (0, 1, "true", None)),
        (address_word, b"\0" * 19),
        (address_word, bytearray(20)),
        (address_word, 7),
    ],
)
def test_a_value_that_does_not_fit_its_word_is_refused_by_name(encoder: Any, value: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"^the\.field: expected "):
        encoder(value, "the.field")


@pytest.mark.parametrize("address", PUBLISHED["addresses"])
def test_published_checksums(address: str) -> None:
    raw = bytes.fromhex(address[2:])
    assert checksum_address(raw) == address
    for written in (address, address.lower(), "0x" + address[2:].upper()):
        assert address_bytes(written, "a") == raw
        assert address_word(written, "a") == address_word(raw, "a") == bytes(12) + raw


@pytest.mark.parametrize(
    "address", [a for a in PUBLISHED["addresses"] if a[2:].lower() != a[2:] != a[2:].upper()]
)
def test_one_letter_of_the_wrong_case_is_refused(address: str) -> None:
    for at, letter in enumerate(address):
        if at > 1 and letter.isalpha():
            with pytest.raises(InvalidArgument, match="checksum"):
                address_bytes(address[:at] + letter.swapcase() + address[at + 1 :], "a")


@pytest.mark.parametrize(
    "text",
    [
        *("", "0x", "0x" + "0" * 39, "0x" + "0" * 41, "0X" + "0" * 40, "00" + "0" * 40, "0x" + "g" * 40),
        *(" 0x" + "0" * 40, "0x" + "0" * 40 + "\n", "0x" + "\u0660" * 40, b"0x" + b"0" * 40, None, 0),
    ],
)
def test_other_texts_are_no_addresses(text: Any) -> None:
    with pytest.raises(InvalidArgument, match="40 hex digits"):
        address_bytes(text, "a")


def test_only_twenty_bytes_are_written_as_an_address() -> None:
    for raw in (b"\0" * 19, b"\0" * 21, "0" * 20):
        with pytest.raises(InvalidArgument, match="20 bytes"):
            checksum_address(raw)  # type: ignore[arg-type]  # the last one is the point


@given(decimals)
def test_scaling_is_exact_or_refused(value: Decimal) -> None:
    exact = Fraction(value) * 10**18
    if exact.denominator == 1 and abs(exact) < 10**78:
        assert scaled_1e18(value, "v") == exact
        assert int(EXACT.scaleb(value, PLACES)) == exact
    else:
        with pytest.raises(InvalidArgument):
            scaled_1e18(value, "v")


@pytest.mark.parametrize(
    ("text", "scaled"),
    [
        ("0.000000000000000001", 1),
        ("-0.000000000000000001", -1),
        ("1.0000000000000000000000000", 10**18),
        ("0E-1000000", 0),
        ("-0", 0),
        ("0E+999999", 0),
        ("1E+59", 10**77),
        ("12345678901234567890123456789.123456789012345678", 12345678901234567890123456789123456789012345678),
        # 28 digits, the precision of the default context, are not enough for this one.
        ("123456789012345678901.123456789012345678", 123456789012345678901123456789012345678),
    ],
)
def test_scaling_of_the_edges(text: str, scaled: int) -> None:
    value = Decimal(text)
    assert scaled_1e18(value, "v") == scaled
    assert int(EXACT.scaleb(value, PLACES)) == scaled


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((Decimal(text), "a finite Decimal") for text in ("NaN", "-NaN", "sNaN", "Infinity", "-Infinity")),
        *((value, "a finite Decimal") for value in (1.5, 1, True, "1", None)),
        *((Decimal(text), "at most 18 decimals") for text in ("1E-19", "0.0000000000000000011", "1E-999999")),
        (Decimal("1." + "0" * 120 + "1"), "at most 18 decimals"),
        (Decimal("1E-1999999999999999997"), "at most 18 decimals"),
        *((Decimal(text), "a Decimal that fits 256 bits") for text in ("1E+60", "-1E+60", "1E+999999999")),
    ],
)
def test_what_cannot_be_scaled_is_refused_by_name(value: Any, expected: str) -> None:
    with pytest.raises(InvalidArgument, match=f"^TradeAction.amount: expected {expected}"):
        scaled_1e18(value, "TradeAction.amount")
