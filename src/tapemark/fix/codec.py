"""How each data type of FIX 4.4 is read, checked and written: the values of typed messages.

| data types | Python |
|---|---|
| String, Currency, Country, Exchange, MonthYear, MultipleValueString, char | `str` |
| int, SeqNum | `int` |
| Price, PriceOffset, Qty, Amt, Percentage, float | `Decimal`, with the digits as sent |
| UTCTimestamp | `int`, nanoseconds since 1970 |
| LocalMktDate | `datetime.date` |
| Boolean | `bool` |
| data | `bytes` |
| a field with listed values | its enumeration |

What is written can be read again and is the same value: numbers without an exponent and with their digits,
times with three digits of a second's fraction, or six or nine where they need them. Codes of currencies,
countries and exchanges are not looked up in their lists, which change without FIX.

Source: FIX 4.4 with errata 20030618, volume 1, "Data types".
"""

import datetime as dt
import enum
import functools
import re
from collections.abc import Callable
from decimal import Decimal
from operator import methodcaller
from typing import Any

import msgspec

from tapemark.errors import InvalidArgument, RejectedMessage
from tapemark.fix import values
from tapemark.fix.dictionary import DataType, Field
from tapemark.fix.syntax import SOH, Reason
from tapemark.fix.values import DAYS_KEPT, EPOCH_DAY, NS_PER_SEC, SEC_PER_DAY
from tapemark.numerals import MAX_CHARS, plain_text

_FIRST_NS = (dt.date.min.toordinal() - EPOCH_DAY) * SEC_PER_DAY * NS_PER_SEC
_END_NS = (dt.date.max.toordinal() + 1 - EPOCH_DAY) * SEC_PER_DAY * NS_PER_SEC
_INT_LIMIT = 10 ** (MAX_CHARS - 1)
_MONTH_YEAR = re.compile(r"[0-9]{4}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01]|w[1-5])?").fullmatch
_MULTIPLE = re.compile(r"[!-~]+(?: [!-~]+)*").fullmatch


class Codec(msgspec.Struct, frozen=True):
    """One data type, or one enumeration.

    Attributes:
        expected: What a user's value must be, for an error.
        accepts: Tells whether a user's value is that.
        read: Reads what a peer sent; takes the bytes and the tag, raises RejectedMessage.
        quick: Reads it without the tag; may raise KeyError, ValueError or RejectedMessage: then ask `read`.
        write: Writes a value that `accepts` or `read` let pass.
        sample: Any value that is accepted.
    """

    expected: str
    accepts: Callable[[Any], bool]
    read: Callable[[bytes, int], Any]
    quick: Callable[[bytes], Any]
    write: Callable[[Any], bytes]
    sample: Any


def _quick(read: Callable[[bytes, int], Any]) -> Callable[[bytes], Any]:
    return lambda raw: read(raw, 0)


def _is_text(value: object) -> bool:
    return type(value) is str and value != "" and value.isascii() and "\x01" not in value


def _is_char(value: object) -> bool:
    return _is_text(value) and len(str(value)) == 1


def _is_int(value: object) -> bool:
    return type(value) is int and abs(value) < _INT_LIMIT


def _is_seq_num(value: object) -> bool:
    return type(value) is int and 0 < value < _INT_LIMIT


def _is_decimal(value: object) -> bool:
    if type(value) is not Decimal or not value.is_finite() or abs(value.adjusted()) > MAX_CHARS:
        return False
    return len(plain_text(value)) <= MAX_CHARS


def _is_utc_ns(value: object) -> bool:
    return type(value) is int and _FIRST_NS <= value < _END_NS


def _is_data(value: object) -> bool:
    return type(value) is bytes and value != b""


def _seq_num(raw: bytes, tag: int) -> int:
    number = values.integer(raw, tag)
    if number < 1:
        raise RejectedMessage(tag, Reason.VALUE_OUT_OF_RANGE, "a sequence number of 1 or more", raw)
    return number


def _month_year(raw: bytes, tag: int) -> str:
    if not _MONTH_YEAR(raw.decode("latin-1")):
        raise RejectedMessage(tag, Reason.INCORRECT_FORMAT, "YYYYMM, YYYYMMDD or YYYYMMwN", raw)
    return raw.decode("ascii")


def _multiple(raw: bytes, tag: int) -> str:
    if not _MULTIPLE(raw.decode("latin-1")):
        raise RejectedMessage(tag, Reason.INCORRECT_FORMAT, "values with one space between", raw)
    return raw.decode("ascii")


def _data(raw: bytes, _tag: int) -> bytes:
    return raw


def _written_int(value: int) -> bytes:
    return b"%d" % value


def _written_decimal(value: Decimal) -> bytes:
    text = plain_text(value)
    if len(text) > MAX_CHARS:  # a peer's longest number, sent without the zero before its point
        text = text.replace("0.", ".", 1)
    return text.encode("ascii")


def _written_date(value: dt.date) -> bytes:
    return value.isoformat().replace("-", "").encode("ascii")


def _written_flag(value: bool) -> bytes:  # noqa: FBT001 - a Boolean is what it writes
    return b"Y" if value else b"N"


def utc_text(ns: int) -> bytes:
    """Write nanoseconds since 1970 as a UTCTimestamp: milliseconds, or micro- or nanoseconds where needed.

    Raises:
        InvalidArgument: The time is not in the years 1 to 9999.
    """
    if not _is_utc_ns(ns):
        raise InvalidArgument("ns", "a time in the years 1 to 9999", ns)
    seconds, fraction_ns = divmod(ns, NS_PER_SEC)
    day, second = divmod(seconds, SEC_PER_DAY)
    whole = b"%b-%02d:%02d:%02d" % (_day_text(day), second // 3600, second // 60 % 60, second % 60)
    if fraction_ns % 1_000_000 == 0:
        return b"%b.%03d" % (whole, fraction_ns // 1_000_000)
    if fraction_ns % 1000 == 0:
        return b"%b.%06d" % (whole, fraction_ns // 1000)
    return b"%b.%09d" % (whole, fraction_ns)


@functools.lru_cache(maxsize=DAYS_KEPT)
def _day_text(day: int) -> bytes:
    return _written_date(dt.date.fromordinal(EPOCH_DAY + day))


_CHARS = {bytes((code,)): chr(code) for code in range(128)}
_to_text = methodcaller("decode", "ascii")
_from_text = methodcaller("encode", "ascii")
_TEXT = Codec("ASCII of one character or more without SOH", _is_text, values.text, _to_text, _from_text, "x")
_DECIMAL = Codec(
    f"a finite Decimal of at most {MAX_CHARS} characters",
    _is_decimal,
    values.decimal,
    values.decimal_of.__getitem__,
    _written_decimal,
    Decimal(0),
)
_CODECS = dict.fromkeys(
    (DataType.STRING, DataType.CURRENCY, DataType.COUNTRY, DataType.EXCHANGE), _TEXT
) | dict.fromkeys(
    (
        DataType.PRICE,
        DataType.PRICE_OFFSET,
        DataType.QTY,
        DataType.AMT,
        DataType.PERCENTAGE,
        DataType.FLOAT,
    ),
    _DECIMAL,
)
_CODECS |= {
    DataType.CHAR: Codec(
        "one ASCII character, not SOH", _is_char, values.char, _CHARS.__getitem__, _from_text, "x"
    ),
    DataType.INT: Codec("an int", _is_int, values.integer, _quick(values.integer), _written_int, 1),
    DataType.SEQ_NUM: Codec("an int of 1 or more", _is_seq_num, _seq_num, _quick(_seq_num), _written_int, 1),
    DataType.MONTH_YEAR: Codec(
        "YYYYMM, YYYYMMDD or YYYYMMwN",
        lambda value: type(value) is str and _MONTH_YEAR(value) is not None,
        _month_year,
        _quick(_month_year),
        _from_text,
        "197001",
    ),
    DataType.MULTIPLE_VALUE_STRING: Codec(
        "printable ASCII values with one space between",
        lambda value: type(value) is str and _MULTIPLE(value) is not None,
        _multiple,
        _quick(_multiple),
        _from_text,
        "x",
    ),
    DataType.LOCAL_MKT_DATE: Codec(
        "a datetime.date",
        lambda value: type(value) is dt.date,
        values.day,
        functools.lru_cache(maxsize=DAYS_KEPT)(_quick(values.day)),
        _written_date,
        dt.date.min,
    ),
    DataType.UTC_TIMESTAMP: Codec(
        "nanoseconds since 1970, in the years 1 to 9999",
        _is_utc_ns,
        values.utc_ns,
        _quick(values.utc_ns),
        utc_text,
        0,
    ),
    DataType.BOOLEAN: Codec(
        "a bool",
        lambda value: type(value) is bool,
        values.flag,
        {b"Y": True, b"N": False}.__getitem__,
        _written_flag,
        sample=False,
    ),
}


def codec_of(field: Field) -> Codec:
    """Return how a field of a typed message is read, checked and written.

    Raises:
        KeyError: Its data type is none of this module's table.
    """
    if field.data_type is DataType.DATA:
        return Codec(
            "bytes, not empty", _is_data, _data, bytes, functools.partial(_written_data, field.tag), b"x"
        )
    return _CODECS[field.data_type] if field.values is None else _choice(field.values, field.data_type)


def _written_data(tag: int, value: bytes) -> bytes:
    """Write the value of a length field, and the data field after it."""
    return b"%d%b%d=%b" % (len(value), SOH, tag, value)


def _choice(kind: type[enum.Enum], data_type: DataType) -> Codec:
    member_of = {str(member.value).encode("ascii"): member for member in kind}
    text_of = {member: raw for raw, member in member_of.items()}

    def read(raw: bytes, tag: int) -> enum.Enum:
        # An int may have leading zeros, so that `01` is the value 1.
        plain = b"%d" % values.integer(raw, tag) if data_type is DataType.INT else raw
        return values.choice(plain, tag, kind)

    return Codec(
        f"a member of {kind.__name__}",
        lambda value: type(value) is kind,
        read,
        member_of.__getitem__,
        text_of.__getitem__,
        next(iter(kind)),
    )
