"""Decimal numerals as peers write them: text to exact `Decimal` and back.

The grammar is strict: an optional `-`, ASCII digits with at most one point (`.5` and `5.` are fine), and an
optional exponent of at most two digits. `Decimal()` itself also takes spaces, underscores, `NaN`, `Infinity`
and the digits of every script; a price that reads like that is a fault of the peer, not a price.

`NumeralCache` serves order books, whose levels repeat from one snapshot to the next: a text seen before
costs one dictionary look-up instead of a check and a conversion.
"""

import re
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, InvalidOperation

from tapemark.errors import InvalidFrame

EXPECTED = "a decimal number"
"""How errors name the grammar."""

NUMERAL_CHARS = "-.0123456789"
"""`text.strip(NUMERAL_CHARS)` is empty for every numeral without an exponent: one C call rules out the rest."""

_EXPONENT_FORM = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]{1,2}")
_MAX_CACHED_CHARS = 32

# `create_decimal` takes one argument and is about a quarter faster than the type's own constructor. With the
# largest precision nothing is ever rounded. A context of its own keeps the thread's flags and precision out.
_EXACT = Context(prec=MAX_PREC, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[InvalidOperation])
unchecked_decimal = _EXACT.create_decimal
"""Convert a text that consists of `NUMERAL_CHARS`; raises `decimal.InvalidOperation` when it is no numeral."""


def decimal_from_text(text: str, field: str) -> Decimal:
    """Convert a numeral to the exact decimal it writes.

    Args:
        text: The numeral.
        field: Its path in the frame, for the error.

    Raises:
        InvalidFrame: `text` is not a decimal number by the grammar of this module.
    """
    if text.strip(NUMERAL_CHARS):
        if not _EXPONENT_FORM.fullmatch(text):
            raise InvalidFrame(field, EXPECTED, text)
        return Decimal(plain_text(Decimal(text)))
    try:
        return unchecked_decimal(text)
    except InvalidOperation:
        raise InvalidFrame(field, EXPECTED, text) from None


def plain_text(value: Decimal) -> str:
    """Write a finite decimal without an exponent, keeping its digits: `Decimal("1E+3")` becomes `1000`."""
    return format(value, "f")


class NumeralCache(dict[str, Decimal]):
    """Exact decimals of the unsigned numerals seen so far, by text; `cache[text]` converts on first sight.

    Holds at most `limit` texts of at most 32 characters; when full it is emptied and fills again, which costs
    one conversion a level. Use one cache per venue connection. Concurrent use is safe: the worst case is a
    conversion done twice.

    Raises:
        InvalidFrame: On first sight, when the text is no numeral or is negative; the field is `level`, since
            a cache cannot know where the text stood.
    """

    def __init__(self, limit: int = 65_536) -> None:
        super().__init__()
        self._limit = limit

    def __missing__(self, text: str) -> Decimal:
        """Check and convert a text seen for the first time."""
        value = decimal_from_text(text, "level")
        if value.is_signed():
            raise InvalidFrame("level", "a decimal number of zero or more", text)
        if len(text) <= _MAX_CACHED_CHARS:
            if len(self) >= self._limit:
                self.clear()
            self[text] = value
        return value
