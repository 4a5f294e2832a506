"""Decimal numerals as peers write them: text to exact `Decimal` and back.

The grammar is strict: an optional `-`, ASCII digits with at most one point (`.5` and `5.` are fine), and an
optional exponent of at most two digits; at most 120 characters, which is more than a uint256 with 18 decimals
needs. `Decimal()` itself also takes spaces, underscores, `NaN`, `Infinity`
and the digits of every script; a price that reads like that is a fault of the peer, not a price.

Prices and sizes recur: an order book's levels from one snapshot to the next, a price within the day's range.
`UnsignedNumerals` and `SignedNumerals` remember them by text, so that a text seen before costs one dictionary
look-up in place of a check and a conversion. A cache holds at most `CACHE_LIMIT` texts; when full it is
emptied and fills again. Concurrent use is safe: the worst case is a conversion done twice.
"""

import re
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, InvalidOperation

from tapemark.errors import InvalidFrame

_EXPECTED = "a decimal number"
_UNSIGNED_EXPECTED = "a decimal number of zero or more"
_CACHE_FIELD = "numeral"

MAX_CHARS = 120
"""Longest numeral: no price needs more, and a peer could fill the memory with longer ones."""

CACHE_LIMIT = 65_536
"""How many texts a cache holds: a day's prices and usual sizes of some hundred instruments, about 15 MB."""

# `text.strip(these)` is empty for every numeral without an exponent: one C call rules out all else.
_SIGNED_CHARS = "-.0123456789"
_UNSIGNED_CHARS = ".0123456789"

_UNSIGNED_FORM = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]{1,2}")
_SIGNED_FORM = re.compile("-?" + _UNSIGNED_FORM.pattern)

# `create_decimal` takes one argument and is faster than the type's own constructor. With the largest
# precision nothing is ever rounded; a context of its own keeps the thread's flags and precision out.
_exact_decimal = Context(prec=MAX_PREC, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[InvalidOperation]).create_decimal


def decimal_from_text(text: str, field: str) -> Decimal:
    """Convert a numeral of either sign to the exact decimal it writes.

    Args:
        text: The numeral.
        field: Its path in the frame, for the error.

    Raises:
        InvalidFrame: `text` is not a decimal number by the grammar of this module.
    """
    try:
        is_plain = len(text) <= MAX_CHARS and not text.strip(_SIGNED_CHARS)
        return _exact_decimal(text) if is_plain else _with_exponent(text, _SIGNED_FORM)
    except InvalidOperation:
        raise InvalidFrame(field, _EXPECTED, text) from None


def unsigned_from_text(text: str, field: str) -> Decimal:
    """Convert a numeral without a minus sign to the exact decimal it writes.

    Args:
        text: The numeral.
        field: Its path in the frame, for the error.

    Raises:
        InvalidFrame: `text` is not a decimal number by the grammar of this module, or carries a minus sign.
    """
    try:
        is_plain = len(text) <= MAX_CHARS and not text.strip(_UNSIGNED_CHARS)
        return _exact_decimal(text) if is_plain else _with_exponent(text, _UNSIGNED_FORM)
    except InvalidOperation:
        raise InvalidFrame(field, _UNSIGNED_EXPECTED, text) from None


def _with_exponent(text: str, form: re.Pattern[str]) -> Decimal:
    """Convert a numeral with an exponent to the decimal that writes the same value without one."""
    if len(text) > MAX_CHARS or not form.fullmatch(text):
        raise InvalidOperation
    return Decimal(plain_text(Decimal(text)))


def plain_text(value: Decimal) -> str:
    """Write a finite decimal without an exponent, keeping its digits: `Decimal("1E+3")` becomes `1000`."""
    text = str(value)  # a third of the cost of `format`, which only an exponent needs
    # The thread's decimal context chooses the case of the exponent's letter.
    return format(value, "f") if "E" in text or "e" in text else text


class SignedNumerals(dict[str, Decimal]):
    """Numerals of either sign that recur, such as funding rates.

    Raises:
        InvalidFrame: On first sight, when the text is no numeral; the field is `numeral`, since a cache
            cannot know where the text stood.
    """

    def __missing__(self, text: str) -> Decimal:
        """Check, convert and keep a text seen for the first time."""
        if len(self) >= CACHE_LIMIT:
            self.clear()
        value = self[text] = decimal_from_text(text, _CACHE_FIELD)
        return value


class UnsignedNumerals(dict[str, Decimal]):
    """Numerals of zero or more that recur: prices and sizes.

    Raises:
        InvalidFrame: On first sight, when the text is no numeral or carries a minus sign; the field is
            `numeral`, since a cache cannot know where the text stood.
    """

    def __missing__(self, text: str) -> Decimal:
        """Check, convert and keep a text seen for the first time."""
        if len(self) >= CACHE_LIMIT:
            self.clear()
        # The usual numeral is converted here: a call less is a quarter of the cost of a first sight.
        if len(text) > MAX_CHARS or text.strip(_UNSIGNED_CHARS):
            value = self[text] = unsigned_from_text(text, _CACHE_FIELD)
        else:
            try:
                value = self[text] = _exact_decimal(text)
            except InvalidOperation:
                raise InvalidFrame(_CACHE_FIELD, _UNSIGNED_EXPECTED, text) from None
        return value
