"""From the bytes of a FIX field to a Python value, by the data types of FIX 4.4.

The grammars are the standard's, and strict: what Python's own conversions take beyond them (spaces, a plus
sign, underscores, exponents, digits of other scripts) is an error. Prices and quantities become exact
decimals that keep the digits as sent; times become integers of nanoseconds, so that nothing is rounded.

Prices, quantities and days recur and are remembered: at most `CACHE_LIMIT` numbers, and a few days. A number
has at most `MAX_CHARS` characters.

Source: FIX 4.4 with errata 20030618, volume 1, "Data types"; fractions of a second beyond milliseconds as
later versions of the standard write them.
"""

import datetime as dt
import re
from decimal import Decimal
from enum import Enum
from typing import TypeVar

from tapemark.errors import RejectedMessage
from tapemark.fix.syntax import Reason
from tapemark.numerals import CACHE_LIMIT, MAX_CHARS

EPOCH_DAY = dt.date(1970, 1, 1).toordinal()
"""The ordinal of the day from which times are counted."""

SEC_PER_DAY, NS_PER_SEC = 86_400, 1_000_000_000

Choice = TypeVar("Choice", bound=Enum)

_NUMBER = re.compile(rb"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)").fullmatch
_TIME = re.compile(
    rb"([0-9]{8})-([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)(?:\.([0-9]{3}|[0-9]{6}|[0-9]{9}))?"
).fullmatch
_LEAP = (b"23", b"59")

DAYS_KEPT = 64
"""How many days a cache of them holds."""

_days: dict[bytes, int] = {}


class _Decimals(dict[bytes, Decimal]):
    """Numbers by their bytes, each checked and converted once."""

    def __missing__(self, raw: bytes) -> Decimal:
        """Convert and keep a number seen for the first time; a ValueError says that it is none."""
        if len(raw) > MAX_CHARS or not _NUMBER(raw):
            raise ValueError(raw)
        if len(self) >= CACHE_LIMIT:
            self.clear()
        value = self[raw] = Decimal(raw.decode("ascii"))
        return value


decimal_of = _Decimals()
"""The exact decimal of a float by its bytes, remembered; ValueError for bytes that are none."""


def text(raw: bytes, tag: int) -> str:
    """Read a String, which FIX without MessageEncoding (347) writes in ASCII.

    Raises:
        RejectedMessage: A byte is not ASCII.
    """
    if raw.isascii():
        return raw.decode("ascii")
    raise RejectedMessage(tag, Reason.INCORRECT_FORMAT, "ASCII", raw)


def integer(raw: bytes, tag: int) -> int:
    """Read an int: digits, also with leading zeros, and an optional minus sign.

    Raises:
        RejectedMessage: It is not an int.
    """
    if len(raw) <= MAX_CHARS and raw.removeprefix(b"-").isdigit():
        return int(raw)
    raise RejectedMessage(tag, Reason.INCORRECT_FORMAT, "an integer", raw)


def decimal(raw: bytes, tag: int) -> Decimal:
    """Read a float (Price, Qty, Amt and the like) exactly: digits, an optional point and minus sign.

    Raises:
        RejectedMessage: It is not a float, as `+1`, `1e3` and `.` are not.
    """
    try:
        return decimal_of[raw]
    except ValueError:
        raise RejectedMessage(tag, Reason.INCORRECT_FORMAT, "a decimal number", raw) from None


def utc_ns(raw: bytes, tag: int) -> int:
    """Read a UTCTimestamp as nanoseconds since 1970: seconds, or a fraction of 3, 6 or 9 digits.

    A leap second, `23:59:60`, is the same instant as the midnight after it.

    Raises:
        RejectedMessage: It has another form, or there is no such day or time.
    """
    match = _TIME(raw)
    if match is None:
        raise RejectedMessage(tag, Reason.INCORRECT_FORMAT, "YYYYMMDD-HH:MM:SS[.sss]", raw)
    date, hour, minute, second, fraction = match.groups()
    if second == b"60" and (hour, minute) != _LEAP:
        raise RejectedMessage(tag, Reason.INCORRECT_FORMAT, "second 60 at 23:59 only", raw)
    seconds = _start_sec(date, tag) + int(hour) * 3600 + int(minute) * 60 + int(second)
    ns = int(fraction) * 10 ** (9 - len(fraction)) if fraction else 0
    return seconds * NS_PER_SEC + ns


def _start_sec(date: bytes, tag: int) -> int:
    """Return when a day starts, in seconds since 1970."""
    start = _days.get(date)
    if start is None:
        ordinal = day(date, tag).toordinal()
        if len(_days) >= DAYS_KEPT:
            _days.clear()
        start = _days[date] = (ordinal - EPOCH_DAY) * SEC_PER_DAY
    return start


def day(raw: bytes, tag: int) -> dt.date:
    """Read a LocalMktDate: a day of the calendar, YYYYMMDD.

    Raises:
        RejectedMessage: It has another form, or there is no such day.
    """
    try:
        if len(raw) == 8 and raw.isdigit():
            return dt.date(int(raw[:4]), int(raw[4:6]), int(raw[6:]))
    except ValueError:
        pass
    raise RejectedMessage(tag, Reason.INCORRECT_FORMAT, "a day of the calendar, YYYYMMDD", raw)


def char(raw: bytes, tag: int) -> str:
    """Read a char: one ASCII character.

    Raises:
        RejectedMessage: It is not one character, or not ASCII.
    """
    if len(raw) == 1 and raw.isascii():
        return raw.decode("ascii")
    raise RejectedMessage(tag, Reason.INCORRECT_FORMAT, "one character", raw)


def flag(raw: bytes, tag: int) -> bool:
    """Read a Boolean: `Y` or `N`.

    Raises:
        RejectedMessage: It is neither.
    """
    if raw in {b"Y", b"N"}:
        return raw == b"Y"
    raise RejectedMessage(tag, Reason.INCORRECT_FORMAT, "Y or N", raw)


def choice(raw: bytes, tag: int, kind: type[Choice]) -> Choice:
    """Read a field of a fixed set of values, as the member of an enumeration whose values are their texts.

    Raises:
        RejectedMessage: It is none of them.
    """
    try:
        return kind(raw.decode("latin-1"))
    except ValueError:
        known = " ".join(str(member.value) for member in kind)
        raise RejectedMessage(tag, Reason.VALUE_OUT_OF_RANGE, f"one of {known}", raw) from None
