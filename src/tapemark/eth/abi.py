"""Words of the Ethereum contract ABI, and the two texts that become words: addresses and decimals.

A static type takes one word of 32 bytes, big endian; a negative int256 is its two's complement. Decimals are
fixed point with 18 places. Encoding is exact or refused: nothing is rounded, clamped or wrapped. Dynamic
types are left out, since no signed action uses one.

Source: the Solidity contract ABI specification, "Formal Specification of the Encoding"; EIP-55 for addresses.
"""

import functools
import re
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, Inexact, InvalidOperation
from typing import Final

from tapemark.errors import InvalidArgument
from tapemark.eth.keccak import keccak256

WORD_BYTES: Final = 32
TRUE_WORD: Final = (1).to_bytes(WORD_BYTES)
FALSE_WORD: Final = bytes(WORD_BYTES)

_UINT256_MAX: Final = 2**256 - 1
_INT256_MIN, _INT256_MAX = -(2**255), 2**255 - 1
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}")
_ADDRESS_PADDING: Final = bytes(12)
_SCALED_DIGITS: Final = 78  # as many as 2**256 has

PLACES: Final = Decimal(18)
EXACT: Final = Context(prec=100, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact, InvalidOperation])
"""`int(EXACT.scaleb(value, PLACES))` is `scaled_1e18(value)`, for a hot path whose values that has accepted.

The precision holds every accepted value, and what it would have to round off raises Inexact. The exponent is
as wide as decimals go, so that nothing underflows to zero in silence.
"""


def uint256_word(value: int, field: str) -> bytes:
    """Encode an unsigned integer as one word.

    Raises:
        InvalidArgument: `value` is not an int (a bool is not one) or not in the range of uint256.
    """
    if type(value) is not int or not 0 <= value <= _UINT256_MAX:
        raise InvalidArgument(field, "an int of uint256", value)
    return value.to_bytes(WORD_BYTES)


def int256_word(value: int, field: str) -> bytes:
    """Encode a signed integer as one word, in two's complement.

    Raises:
        InvalidArgument: `value` is not an int (a bool is not one) or not in the range of int256.
    """
    if type(value) is not int or not _INT256_MIN <= value <= _INT256_MAX:
        raise InvalidArgument(field, "an int of int256", value)
    return value.to_bytes(WORD_BYTES, signed=True)


def bool_word(value: bool, field: str) -> bytes:  # noqa: FBT001 - the value to encode, not a switch
    """Encode a bool as one word.

    Raises:
        InvalidArgument: `value` is not a bool; 0 and 1 are not.
    """
    if type(value) is not bool:
        raise InvalidArgument(field, "a bool", value)
    return TRUE_WORD if value else FALSE_WORD


def address_word(address: str | bytes, field: str) -> bytes:
    """Encode an address, as text or as its 20 bytes, as one word.

    Raises:
        InvalidArgument: The text is refused by `address_bytes`, or the bytes are not 20.
    """
    if isinstance(address, str):
        address = address_bytes(address, field)
    elif type(address) is not bytes or len(address) != 20:
        raise InvalidArgument(field, "an address: text or 20 bytes", address)
    return _ADDRESS_PADDING + address


def address_bytes(text: str, field: str) -> bytes:
    """Read an address: `0x` and 40 hex digits, which carry a checksum if they mix upper and lower case.

    Returns:
        The address, 20 bytes.

    Raises:
        InvalidArgument: The text has another form, or its checksum (EIP-55) is wrong.
    """
    if type(text) is not str or _ADDRESS.fullmatch(text) is None:
        raise InvalidArgument(field, "0x and 40 hex digits", text)
    digits = text[2:]
    if digits not in (digits.lower(), digits.upper()) and not _carries_checksum(text):
        raise InvalidArgument(field, "an address with a valid EIP-55 checksum", text)
    return bytes.fromhex(digits)


@functools.lru_cache(maxsize=1024)  # a process names the same few addresses in every request
def _carries_checksum(text: str) -> bool:
    return text == checksum_address(bytes.fromhex(text[2:]))


def checksum_address(raw: bytes) -> str:
    """Write the 20 bytes of an address with the checksum of EIP-55.

    Raises:
        InvalidArgument: `raw` is not 20 bytes.
    """
    if type(raw) is not bytes or len(raw) != 20:
        raise InvalidArgument("raw", "20 bytes", raw)
    digits = raw.hex()
    nibbles = keccak256(digits.encode()).hex()
    return "0x" + "".join(d.upper() if n > "7" else d for d, n in zip(digits, nibbles, strict=False))


def scaled_1e18(value: Decimal, field: str) -> int:
    """Scale a decimal by 10^18, exactly.

    Trailing zeros do not count as decimals: what matters is the value. The result has at most 78 digits;
    whether it fits the signed or the unsigned word is for that word to check.

    Raises:
        InvalidArgument: `value` is not a finite Decimal, needs more than 18 decimals, or is beyond 256 bits.
    """
    if type(value) is not Decimal or not value.is_finite():
        raise InvalidArgument(field, "a finite Decimal", value)
    if not value:
        return 0
    if value.adjusted() + 18 >= _SCALED_DIGITS:
        raise InvalidArgument(field, "a Decimal that fits 256 bits when scaled by 10^18", value)
    try:
        exact = EXACT.scaleb(value, PLACES)
        scaled = int(exact)
    except Inexact:
        # More than 100 digits, of which at most 78 stand before the eighteenth decimal.
        raise InvalidArgument(field, "at most 18 decimals", value) from None
    if scaled != exact:
        raise InvalidArgument(field, "at most 18 decimals", value)
    return scaled
