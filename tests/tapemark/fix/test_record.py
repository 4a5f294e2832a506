"""Every check of a user's value has a case that only it refuses."""

import datetime as dt
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from tapemark.errors import InvalidArgument
from tapemark.fix import fix44
from tapemark.fix.fix44 import Header, NewOrderSingle, Party, PartySubID, TradingSession
from tapemark.fix.fix44_values import OrdType, Side
from tapemark.fix.record import MessageRecord, Record

ORDER: dict[str, Any] = {
    "header": Header(sender_comp_id="S", target_comp_id="T", msg_seq_num=1, sending_time_ns=0),
    "cl_ord_id": "C",
    "side": Side.BUY,
    "transact_time_ns": 0,
    "ord_type": OrdType.LIMIT,
}

RECORDS = [kind for kind in vars(fix44).values() if isinstance(kind, type) and issubclass(kind, Record)]
GENERATED = [kind for kind in RECORDS if kind not in {Record, MessageRecord}]


def test_the_types_are_the_generated_ones() -> None:
    assert {Header, Party, NewOrderSingle, fix44.ExecutionReport} < set(GENERATED)


@pytest.mark.parametrize("kind", GENERATED)
def test_the_fields_as_generated_are_those_worked_out_from_the_dictionary(kind: type[Record]) -> None:
    beside = {"header", "signature", "extra"} if issubclass(kind, MessageRecord) else set()
    generated = {field.name: field.required for field in msgspec.structs.fields(kind)}
    assert [name for name in generated if name not in beside] == [slot.attribute for slot in kind.SLOTS]
    assert all(generated[slot.attribute] == slot.is_required for slot in kind.SLOTS)
    assert beside <= generated.keys()


def test_the_least_and_the_most_are_accepted() -> None:
    NewOrderSingle(**ORDER)
    for changed in (
        {"transact_time_ns": 253_402_300_800 * 10**9 - 1},
        {"transact_time_ns": -62_135_596_800 * 10**9},
        {"price": Decimal("-1." + "0" * 117)},
        {"price": Decimal("1e119")},
        {"parties": ()},
        {"symbol": "\x00 =\x7f"},
        {"extra": ((95, b"2"), (96, b"\x01\x01"), (999_999_999, b"="), (96, b"x"))},
    ):
        NewOrderSingle(**ORDER | changed)


WRONG = [
    ({"symbol": ""}, "NewOrderSingle.symbol"),
    ({"symbol": "a\x01b"}, "NewOrderSingle.symbol"),
    ({"symbol": "\xe9"}, "NewOrderSingle.symbol"),
    ({"symbol": b"AAPL"}, "NewOrderSingle.symbol"),
    ({"cl_ord_id": None}, "NewOrderSingle.cl_ord_id"),
    ({"side": "1"}, "NewOrderSingle.side"),
    ({"side": OrdType.MARKET}, "NewOrderSingle.side"),
    ({"price": Decimal("NaN")}, "NewOrderSingle.price"),
    ({"price": Decimal("-Infinity")}, "NewOrderSingle.price"),
    ({"price": 1.5}, "NewOrderSingle.price"),
    ({"price": Decimal("1e1000000")}, "NewOrderSingle.price"),
    ({"price": Decimal("1." + "0" * 119)}, "NewOrderSingle.price"),
    ({"transact_time_ns": 253_402_300_800 * 10**9}, "NewOrderSingle.transact_time_ns"),
    ({"transact_time_ns": -62_135_596_801 * 10**9}, "NewOrderSingle.transact_time_ns"),
    ({"transact_time_ns": 1.5}, "NewOrderSingle.transact_time_ns"),
    ({"transact_time_ns": True}, "NewOrderSingle.transact_time_ns"),
    ({"trade_date": dt.datetime(2024, 1, 1, tzinfo=dt.UTC)}, "NewOrderSingle.trade_date"),
    ({"maturity_month_year": "2024"}, "NewOrderSingle.maturity_month_year"),
    ({"exec_inst": " 1"}, "NewOrderSingle.exec_inst"),
    ({"encoded_text": b""}, "NewOrderSingle.encoded_text"),
    ({"encoded_text": "text"}, "NewOrderSingle.encoded_text"),
    ({"signature": b""}, "NewOrderSingle.signature"),
    ({"header": None}, "NewOrderSingle.header"),
    ({"parties": [Party(party_id="A")]}, "NewOrderSingle.parties"),
    ({"parties": (TradingSession(trading_session_id="A"),)}, "NewOrderSingle.parties"),
    ({"extra": [(5001, b"x")]}, "NewOrderSingle.extra"),
    ({"extra": ((5001, "x"),)}, "NewOrderSingle.extra[0]"),
    ({"extra": ((55, b"x"),)}, "NewOrderSingle.extra[0]"),
    ({"extra": ((0, b"x"),)}, "NewOrderSingle.extra[0]"),
    ({"extra": ((10**9, b"x"),)}, "NewOrderSingle.extra[0]"),
    ({"extra": ((5001, b"x"), (5002, b""))}, "NewOrderSingle.extra[1]"),
    ({"extra": ((5001, b"a\x01"),)}, "NewOrderSingle.extra[0]"),
    ({"extra": ((95, b"2"), (96, b"abc"))}, "NewOrderSingle.extra[1]"),
    ({"extra": ((95, b"2"), (5001, b"ab"))}, "NewOrderSingle.extra[1]"),
    ({"extra": ((95, b"x"), (96, b"abc"))}, "NewOrderSingle.extra[0]"),
    ({"extra": ((95, b"2"),)}, "NewOrderSingle.extra"),
]


@pytest.mark.parametrize(("changed", "field"), WRONG)
def test_a_user_s_message_is_checked(changed: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        NewOrderSingle(**ORDER | changed)
    assert caught.value.field == field


def test_a_user_s_header_and_entries_are_checked() -> None:
    with pytest.raises(InvalidArgument, match=r"Party\.party_id: "):
        Party(party_id="")
    with pytest.raises(InvalidArgument, match=r"Party\.party_id_source: expected one ASCII character"):
        Party(party_id="A", party_id_source="DD")
    with pytest.raises(InvalidArgument, match=r"PartySubID\.party_sub_id_type: expected an int"):
        PartySubID(party_sub_id="A", party_sub_id_type=True)
    with pytest.raises(InvalidArgument, match=r"Header\.msg_seq_num: expected an int of 1 or more, got 0"):
        Header(sender_comp_id="S", target_comp_id="T", msg_seq_num=0, sending_time_ns=0)
    with pytest.raises(InvalidArgument, match=r"Header\.poss_dup_flag: expected a bool"):
        Header(sender_comp_id="S", target_comp_id="T", msg_seq_num=1, sending_time_ns=0, poss_dup_flag=1)  # type: ignore[arg-type]  # the point
