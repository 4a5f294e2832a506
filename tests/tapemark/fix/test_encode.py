"""Frames are held against the published ones, frames written by hand, and what is read back."""

import datetime as dt
import re
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapemark.errors import InvalidArgument
from tapemark.fix import fix44
from tapemark.fix.codec import utc_text
from tapemark.fix.dictionary import DataType
from tapemark.fix.encode import encode, seal
from tapemark.fix.fix44 import DICTIONARY, ExecutionReport, Header, NewOrderSingle
from tapemark.fix.reader import parse
from tapemark.fix.record import MessageRecord, Record
from tapemark.fix.typed import decode
from tests.tapemark.fix.corpus import EXECUTION_REPORT, NEW_ORDER_SINGLE, sealed, soh

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)

CANONICAL = {
    "execution report": EXECUTION_REPORT,
    "new order": NEW_ORDER_SINGLE,
    "groups": sealed(
        "35=D|49=S|56=T|34=1|52=20240115-10:30:00.000001|627=1|628=H|629=20240115-10:30:00.000|630=2|11=C|453=2|"
        "448=A|447=D|452=3|802=1|523=x|803=1|448=B|75=20240115|78=1|79=ACC|539=1|524=N|804=2|545=s|545=t|80=7|"
        "18=1 G|386=1|336=DAY|55=X|454=0|54=1|60=20240115-10:30:00.123456789|38=0.10|40=2|44=-1.50|"
    ),
    "data and extra": sealed(
        soh(
            "35=D|49=S|56=T|90=3|91=a|b|34=1|43=N|52=00010101-00:00:00.000|11=C|54=1|60=19691231-23:59:59.999|40=1|"
        )
        + soh("58=t|354=3|355=|=||9001=x|555=2|600=A|600=B|95=1|96=||93=2|89=|s|")
    ),
}


@pytest.mark.parametrize("name", CANONICAL)
def test_canonical_bytes_come_out_as_they_were(name: str) -> None:
    assert encode(decode(parse(CANONICAL[name]))) == CANONICAL[name]


def test_another_form_comes_out_in_canonical_form() -> None:
    free = (
        "35=D|9001=x|56=T|49=S|34=007|52=20240115-10:30:00|40=2|44=.5|38=5.|11=C|60=20240115-23:59:60|54=1|"
    )
    assert encode(decode(parse(sealed(free)))) == sealed(
        "35=D|49=S|56=T|34=7|52=20240115-10:30:00.000|11=C|54=1|60=20240116-00:00:00.000|38=5|40=2|44=0.5|9001=x|"
    )


def test_numbers_have_no_exponent_and_keep_their_digits() -> None:
    order = decode(parse(NEW_ORDER_SINGLE))
    assert isinstance(order, NewOrderSingle)
    for value, text in (
        ("1E+3", b"1000"),
        ("1.50", b"1.50"),
        ("1E-9", b"0.000000001"),
        ("0E-8", b"0.00000000"),
        ("-0", b"-0"),
        ("123456789012345678901234567890.10", b"123456789012345678901234567890.10"),
    ):
        fields = {name: getattr(order, name) for name in order.__struct_fields__}
        frame = encode(NewOrderSingle(**fields | {"price": Decimal(value)}))
        assert parse(frame).raw(44) == text


def test_the_longest_number_of_a_peer_is_written_so_that_it_can_be_read() -> None:
    for value in ("." + "7" * 119, "-." + "7" * 118, "9" * 120):
        found = decode(
            parse(
                sealed(
                    f"35=D|49=S|56=T|34=1|52=20240115-10:30:00|11=C|54=1|60=20240115-10:30:00|40=1|44={value}|"
                )
            )
        )
        assert decode(parse(encode(found))) == found


def test_a_time_beyond_the_calendar_is_refused() -> None:
    found = decode(
        parse(sealed("35=D|49=S|56=T|34=1|52=20240115-10:30:00|11=C|54=1|60=99991231-23:59:60|40=1|"))
    )
    with pytest.raises(InvalidArgument, match="years 1 to 9999"):
        encode(found)


@settings(max_examples=100)
@given(
    st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31), timezones=st.just(dt.UTC)),  # noqa: DTZ001 - st adds it
    st.integers(0, 999),
)
def test_times_are_written_with_as_few_digits_as_they_need(day: dt.datetime, ns: int) -> None:
    whole = (day - EPOCH) // dt.timedelta(microseconds=1)
    text = utc_text(whole * 1000 + ns).decode()
    fraction = f"{day.microsecond:06d}{ns:03d}"
    kept = 3 if fraction[3:] == "000000" else 6 if fraction[6:] == "000" else 9
    stamp = f"{day.year:04d}{day:%m%d-%H:%M:%S}"
    assert text == f"{stamp}.{fraction[:kept]}"


def test_seal_puts_length_and_sum_around_a_body() -> None:
    assert seal(EXECUTION_REPORT[16:-7]) == EXECUTION_REPORT
    assert seal(b"35=0\x01") == soh("8=FIX.4.4|9=5|35=0|10=163|")
    long = soh("35=B|58=") + b"\xff" * 100_000 + b"\x01"
    assert seal(long) == sealed(long)


@pytest.mark.parametrize(
    "body", [b"", b"35=0", b"34=1\x01", b"\x0135=0\x01", "35=0\x01", bytearray(b"35=0\x01"), None]
)
def test_seal_refuses_what_is_no_body(body: Any) -> None:
    with pytest.raises(InvalidArgument, match="body"):
        seal(body)


@pytest.mark.parametrize("message", [None, b"", fix44.Party(party_id="A")])
def test_only_messages_are_encoded(message: Any) -> None:
    with pytest.raises(InvalidArgument, match="message"):
        encode(message)


TEXT = st.text(st.characters(codec="ascii", exclude_characters="\x01"), min_size=1, max_size=12)
DECIMAL = st.decimals(
    allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12, places=8
) | st.builds(
    Decimal,
    st.tuples(
        st.integers(0, 1),
        st.lists(st.integers(0, 9), min_size=1, max_size=20).map(tuple),
        st.integers(-30, 30),
    ),
)
VALUES: dict[DataType, st.SearchStrategy[Any]] = dict.fromkeys(
    (DataType.STRING, DataType.CURRENCY, DataType.COUNTRY, DataType.EXCHANGE), TEXT
) | dict.fromkeys(
    (DataType.AMT, DataType.FLOAT, DataType.PERCENTAGE, DataType.PRICE, DataType.PRICE_OFFSET, DataType.QTY),
    DECIMAL,
)
VALUES |= {
    DataType.BOOLEAN: st.booleans(),
    DataType.CHAR: TEXT.map(lambda text: text[0]),
    DataType.DATA: st.binary(min_size=1, max_size=12) | st.just(b"\x0110=000\x01"),
    DataType.INT: st.integers(-(10**20), 10**20),
    DataType.LOCAL_MKT_DATE: st.dates(),
    DataType.MONTH_YEAR: st.sampled_from(("202401", "20240131", "202412w5")),
    DataType.MULTIPLE_VALUE_STRING: st.sampled_from(("1", "1 G", "a b c")),
    DataType.SEQ_NUM: st.integers(1, 10**18),
    DataType.UTC_TIMESTAMP: st.integers(-62_135_596_800 * 10**9, 253_402_300_800 * 10**9 - 1),
}
EXTRA = st.lists(
    st.tuples(
        st.integers(5000, 10**9 - 1), st.binary(min_size=1, max_size=5).filter(lambda raw: b"\x01" not in raw)
    ).map(lambda pair: (pair,))
    | st.binary(min_size=1, max_size=5).map(lambda data: ((95, b"%d" % len(data)), (96, data)))
    | st.just(((555, b"1"), (600, b"A"))),
    max_size=3,
).map(lambda runs: tuple(pair for run in runs for pair in run))


def records(kind: type[Record]) -> st.SearchStrategy[Any]:
    """Draw records of a type by what the dictionary says of their fields."""
    required: dict[str, Any] = {}
    optional: dict[str, Any] = {}
    for slot in kind.SLOTS:
        field = DICTIONARY.fields[slot.tag]
        if slot.entry is not None:
            values: Any = st.lists(records(slot.entry), max_size=3).map(tuple)
        else:
            values = st.sampled_from(list(field.values)) if field.values else VALUES[field.data_type]
        (required if slot.is_required else optional)[slot.attribute] = values
    if issubclass(kind, MessageRecord):
        required["header"] = records(Header)
        optional |= {"extra": EXTRA, "signature": VALUES[DataType.DATA]}
    # Few fields at a time: a message with all of them takes long to draw.
    chosen = st.lists(st.sampled_from(sorted(optional)), max_size=4, unique=True) if optional else st.just([])
    return chosen.flatmap(
        lambda names: st.builds(kind, **required, **{name: optional[name] for name in names})
    )


@settings(max_examples=60)
@given(records(ExecutionReport) | records(NewOrderSingle))
def test_what_is_written_is_read_back(message: Any) -> None:
    frame = encode(message)
    parsed = parse(frame)
    assert decode(parsed) == message
    assert encode(decode(parsed)) == frame
    plain = re.sub(rb"^8=FIX\.4\.4\x019=(\d+)\x01", b"", frame)
    assert frame == sealed(plain[:-7])
