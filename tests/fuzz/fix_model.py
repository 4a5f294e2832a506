"""An independent, plain reading of FIX 4.4 messages, to hold every answer of `tapemark.fix` against.

It goes over the bytes one field after the other, as the standard describes them, and shares no table and no
code with the package: the pairs of length and data are written out again, the checksum is `sum`, days are
counted month by month.
"""

from fractions import Fraction

Field = tuple[int, bytes]

SOH = 1
MAX_DIGITS = 9
MAX_NUMBER_BYTES = 120

DATA_AFTER = {
    "90": "91",
    "93": "89",
    "95": "96",
    "212": "213",
    "348": "349",
    "350": "351",
    "352": "353",
    "354": "355",
    "356": "357",
    "358": "359",
    "360": "361",
    "362": "363",
    "364": "365",
    "445": "446",
    "618": "619",
    "621": "622",
}
"""Each length field of FIX 4.4 that announces data, and the field with the data."""

_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DIGITS = frozenset(b"0123456789")


class GarbledError(Exception):
    """The bytes are no message: to be ignored."""


class RejectedError(Exception):
    """A message with a wrong field: its tag, and the SessionRejectReason."""

    def __init__(self, tag: int, reason: int) -> None:
        super().__init__(tag, reason)
        self.tag, self.reason = tag, reason


def read(frame: bytes) -> list[Field]:
    """List the fields of one whole message, from `8=` to `10=`.

    Raises:
        GarbledError: The frame is none.
        RejectedError: A field is wrong.
    """
    start, end = bounds(frame)
    fields = [(8, frame[2:9]), (9, frame[12 : start - 1])]
    fields += _fields(frame, start, end)
    return [*fields, (10, frame[end + 3 : end + 6])]


def bounds(frame: bytes) -> tuple[int, int]:
    """Find the offsets of `35=` and `10=` in one whole message.

    Raises:
        GarbledError: The frame is none.
    """
    if frame[:12] != b"8=FIX.4.4\x019=":
        raise GarbledError
    start = 12
    while start < len(frame) and frame[start] in _DIGITS:
        start += 1
    if not 1 <= start - 12 <= MAX_DIGITS or frame[start : start + 1] != b"\x01":
        raise GarbledError
    end = start + 1 + int(frame[12:start])
    start += 1
    if frame[start : start + 3] != b"35=" or len(frame) != end + 7:
        raise GarbledError
    if frame[end - 1] != SOH or frame[end : end + 3] != b"10=" or frame[end + 6] != SOH:
        raise GarbledError
    if frame[end + 3 : end + 6] != f"{sum(frame[:end]) % 256:03d}".encode():
        raise GarbledError
    return start, end


def _fields(frame: bytes, at: int, end: int) -> list[Field]:
    """List the fields between two offsets, the second that of the byte after a SOH."""
    fields: list[Field] = []
    announced, length = "", 0  # the length field just read, and what it says
    while at < end:
        tag = ""
        while len(tag) <= MAX_DIGITS and frame[at] in _DIGITS:
            tag += chr(frame[at])
            at += 1
        if not 1 <= len(tag) <= MAX_DIGITS or tag[0] == "0" or frame[at : at + 1] != b"=":
            raise RejectedError(0, 0)
        at += 1
        if announced:
            if DATA_AFTER[announced] != tag:
                raise RejectedError(int(announced), 14)
            if at + length > end - 1:
                raise RejectedError(int(announced), 5)
            if frame[at + length] != SOH:
                raise RejectedError(int(announced), 6)
            after = at + length
        else:
            after = frame.index(SOH, at)
        value = frame[at:after]
        if not value:
            raise RejectedError(int(tag), 4)
        fields.append((int(tag), value))
        announced, length = (tag, _length(int(tag), value)) if tag in DATA_AFTER else ("", 0)
        at = after + 1
    if announced:
        raise RejectedError(int(announced), 14)
    return fields


def _length(tag: int, value: bytes) -> int:
    if len(value) > MAX_DIGITS or not all(byte in _DIGITS for byte in value):
        raise RejectedError(tag, 6)
    if int(value) == 0:
        raise RejectedError(tag, 5)
    return int(value)


def text(value: bytes) -> str | None:
    """Read a String; None if it is none."""
    return "".join(map(chr, value)) if all(byte < 128 for byte in value) else None


def integer(value: bytes) -> int | None:
    """Read an int; None if it is none."""
    sign, digits = (-1, value[1:]) if value[:1] == b"-" else (1, value)
    if not digits or len(value) > MAX_NUMBER_BYTES or not all(byte in _DIGITS for byte in digits):
        return None
    return sign * int(digits)


def fraction(value: bytes) -> Fraction | None:
    """Read a float exactly; None if it is none."""
    digits = value[1:] if value[:1] == b"-" else value
    whole, _, part = digits.partition(b".")
    if not whole + part or len(value) > MAX_NUMBER_BYTES or not all(byte in _DIGITS for byte in whole + part):
        return None
    number = Fraction(int(whole + part), 10 ** len(part))
    return -number if value[:1] == b"-" else number


def utc_ns(value: bytes) -> int | None:
    """Read a UTCTimestamp as nanoseconds since 1970; None if it is none."""
    shape = "".join("9" if byte in _DIGITS else chr(byte) for byte in value)
    if shape[:17] != "99999999-99:99:99" or shape[17:] not in {"", ".999", ".999999", ".999999999"}:
        return None
    year, month, day = int(value[:4]), int(value[4:6]), int(value[6:8])
    hour, minute, second = int(value[9:11]), int(value[12:14]), int(value[15:17])
    is_leap = (hour, minute, second) == (23, 59, 60)
    if year < 1 or not 1 <= month <= 12 or not 1 <= day <= _days_of(year, month):
        return None
    if hour > 23 or minute > 59 or (second > 59 and not is_leap):
        return None
    days = _days_before(year) - _days_before(1970) + sum(_days_of(year, m) for m in range(1, month)) + day - 1
    return (days * 86_400 + hour * 3_600 + minute * 60 + second) * 10**9 + int(value[18:].ljust(9, b"0"))


def _days_of(year: int, month: int) -> int:
    return 29 if month == 2 and _is_leap_year(year) else _MONTH_DAYS[month - 1]


def _is_leap_year(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _days_before(year: int) -> int:
    past = year - 1
    return past * 365 + past // 4 - past // 100 + past // 400


def char(value: bytes) -> str | None:
    """Read a char; None if it is none."""
    return chr(value[0]) if len(value) == 1 and value[0] < 128 else None


def flag(value: bytes) -> bool | None:
    """Read a Boolean; None if it is neither."""
    return {b"Y": True, b"N": False}.get(value)
