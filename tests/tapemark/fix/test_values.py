"""The data types of FIX 4.4: what is read, and what is refused though Python would take it."""

import datetime as dt
import enum
import random
from decimal import Decimal

import pytest

from tapemark.errors import RejectedMessage
from tapemark.fix import values
from tapemark.fix.reader import parse
from tapemark.fix.syntax import Reason
from tests.tapemark.fix.corpus import EXECUTION_REPORT

TAG = 44


class Side(enum.Enum):
    """Two of the values of tag 54."""

    BUY = "1"
    SELL = "2"


@pytest.mark.parametrize(
    ("raw", "value"),
    [("0", 0), ("-0", 0), ("23", 23), ("00023", 23), ("-17", -17), ("9" * 30, int("9" * 30))],
)
def test_an_integer(raw: str, value: int) -> None:
    assert values.integer(raw.encode(), TAG) == value


@pytest.mark.parametrize(
    "raw", ["", "-", "+1", "1.0", " 1", "1 ", "1_0", "--1", "0x1", "1e3", "\uff19", "9" * 5000]
)
def test_no_integer(raw: str) -> None:
    with pytest.raises(RejectedMessage, match="tag 44: expected an integer") as caught:
        values.integer(raw.encode(), TAG)
    assert (caught.value.tag, caught.value.reason) == (TAG, Reason.INCORRECT_FORMAT)


@pytest.mark.parametrize("raw", ["0", "-0", "150.50", "00.10", ".5", "5.", "-.5", "1000", "9" * 120])
def test_a_decimal_keeps_its_digits(raw: str) -> None:
    for _ in range(2):
        value = values.decimal(raw.encode(), TAG)
        assert value == Decimal(raw)
        assert value.as_tuple() == Decimal(raw).as_tuple()


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "-",
        ".",
        "-.",
        "+200.00",
        "1e3",
        "1E3",
        "NaN",
        "Infinity",
        "1_0",
        " 1",
        "1 ",
        "1\n",
        "\u0663",
        "1.2.3",
        "9" * 121,
    ],
)
def test_no_decimal(raw: str) -> None:
    for _ in range(2):
        with pytest.raises(RejectedMessage, match="tag 44: expected a decimal number") as caught:
            values.decimal(raw.encode(), TAG)
        assert caught.value.reason == Reason.INCORRECT_FORMAT


def test_times_agree_with_the_calendar() -> None:
    rng = random.Random(44)
    epoch = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    for _ in range(2_000):
        moment = epoch + dt.timedelta(microseconds=rng.randrange(-(10**15), 3 * 10**15))
        micros = (moment - epoch) // dt.timedelta(microseconds=1)
        text = moment.strftime("%Y%m%d-%H:%M:%S")
        assert values.utc_ns(text.encode(), TAG) == micros // 10**6 * 10**9
        assert values.utc_ns(f"{text}.{moment.microsecond:06d}".encode(), TAG) == micros * 1000
        assert values.utc_ns(f"{text}.{moment.microsecond:06d}789".encode(), TAG) == micros * 1000 + 789


@pytest.mark.parametrize(
    ("raw", "ns"),
    [
        ("19700101-00:00:00", 0),
        ("19691231-23:59:59.999999999", -1),
        ("20240115-10:30:00.123", 1_705_314_600_123_000_000),
        ("20161231-23:59:60", 1_483_228_800_000_000_000),
        ("20161231-23:59:60.500", 1_483_228_800_500_000_000),
        ("20240229-00:00:00.000000001", 1_709_164_800_000_000_001),
    ],
)
def test_a_time(raw: str, ns: int) -> None:
    assert values.utc_ns(raw.encode(), TAG) == ns


@pytest.mark.parametrize(
    "raw",
    [
        "20240115",
        "20240115-10:30",
        "20240115 10:30:00",
        "20240115-10:30:00.",
        "20240115-10:30:00.1",
        "20240115-10:30:00.1234",
        "20240115-10:30:00.123456789012",
        "20240115-10:30:00Z",
        "20240115-24:00:00",
        "20240115-10:60:00",
        "20240115-10:30:60",
        "20240115-10:30:61",
        "20230229-00:00:00",
        "20241301-00:00:00",
        "20240100-00:00:00",
        "00000101-00:00:00",
        "20240115-10:30:00\n",
    ],
)
def test_no_time(raw: str) -> None:
    with pytest.raises(RejectedMessage, match="tag 60: expected") as caught:
        values.utc_ns(raw.encode(), 60)
    assert caught.value.reason == Reason.INCORRECT_FORMAT


def test_characters_flags_and_texts() -> None:
    assert values.char(b"1", TAG) == "1"
    assert (values.flag(b"Y", TAG), values.flag(b"N", TAG)) == (True, False)
    assert values.text(b"AAPL US", TAG) == "AAPL US"
    for read, raw in (
        (values.char, b""),
        (values.char, b"12"),
        (values.char, b"\xe9"),
        (values.flag, b"y"),
        (values.flag, b"1"),
        (values.flag, b""),
        (values.text, b"\xc3\xa9"),
    ):
        with pytest.raises(RejectedMessage, match="tag 44") as caught:
            read(raw, TAG)
        assert caught.value.reason == Reason.INCORRECT_FORMAT


def test_a_choice_is_a_member_or_out_of_range() -> None:
    assert values.choice(b"2", 54, Side) is Side.SELL
    with pytest.raises(RejectedMessage, match="tag 54: expected one of 1 2, got b'9'") as caught:
        values.choice(b"9", 54, Side)
    assert caught.value.reason == Reason.VALUE_OUT_OF_RANGE


def test_a_message_gives_each_type_by_tag() -> None:
    message = parse(EXECUTION_REPORT)
    assert message.text(55) == "AAPL"
    assert message.integer(34) == 12_345
    assert str(message.decimal(44)) == "150.50"
    assert message.utc_ns(52) == 1_705_314_600_123_000_000
    assert message.char(150) == "0"
    assert message.choice(54, Side) is Side.BUY
    with pytest.raises(RejectedMessage, match="tag 43: expected a value, got 'no such tag'"):
        message.flag(43)
    with pytest.raises(RejectedMessage, match="tag 55: expected an integer, got b'AAPL'"):
        message.integer(55)
