import json
from decimal import Decimal
from typing import Any

import pytest

from tapemark.derive import decode, reports, wire
from tapemark.derive.actions import TradeAsset
from tapemark.derive.commands import Listing
from tapemark.errors import InvalidFrame
from tapemark.model import (
    FillReport,
    Instrument,
    InstrumentKind,
    LiquidityRole,
    OrderStatus,
    OrderStatusReport,
    OrderType,
    Side,
    TimeInForce,
)
from tapemark.numerals import SignedNumerals
from tests.tapemark.derive.frames import ORDER, OWN_TRADE

INSTRUMENT: dict[str, Any] = {
    "amount_step": "0.01",
    "base_asset_address": "0x00000000000000000000000000000000000000a1",
    "base_asset_sub_id": "39614082287924319838483674368",
    "instrument_name": "SOL-20270326-90-C",
    "instrument_type": "option",
    "is_active": True,
    "maximum_amount": "1000",
    "minimum_amount": "0.1",
    "tick_size": "0.5",
    "option_details": {"strike": "90"},
}


def order(**changes: Any) -> wire.OrderRecord:
    return decode.payload(json.dumps(ORDER | changes).encode(), wire.OrderRecord)


def instrument(**changes: Any) -> wire.InstrumentRecord:
    return decode.payload(json.dumps(INSTRUMENT | changes).encode(), wire.InstrumentRecord)


def test_an_order_record_becomes_a_status_report() -> None:
    assert reports.order_report(order(), SignedNumerals(), 5) == OrderStatusReport(
        "SOL-PERP",
        "o-1",
        "alpha-7",
        Side.BUY,
        OrderType.LIMIT,
        TimeInForce.GTC,
        OrderStatus.OPEN,
        "open",
        Decimal("101.3"),
        Decimal(2),
        Decimal("0.5"),
        Decimal("101.2"),
        "",
        1794128400000,
        1794128400456,
        5,
    )


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("open", OrderStatus.OPEN),
        ("filled", OrderStatus.FILLED),
        ("cancelled", OrderStatus.CANCELLED),
        ("expired", OrderStatus.EXPIRED),
        ("rejected", OrderStatus.REJECTED),
        ("untriggered", OrderStatus.OTHER),
        ("other", OrderStatus.OTHER),
    ],
)
def test_a_status_that_is_not_known_is_kept_as_the_venues_word(word: str, status: OrderStatus) -> None:
    report = reports.order_report(order(order_status=word), SignedNumerals(), 5)
    assert (report.status, report.venue_status) == (status, word)


def test_an_order_without_label_reason_or_average_is_not_given_one() -> None:
    report = reports.order_report(
        order(label=None, cancel_reason=None, average_price=None), SignedNumerals(), 5
    )
    assert (report.client_order_id, report.cancel_reason, report.average_price) == ("", "", None)


def test_an_own_trade_becomes_a_fill_whose_fee_may_be_a_rebate() -> None:
    record = decode.payload(json.dumps(OWN_TRADE).encode(), wire.OwnTrade)
    assert reports.fill_report(record, SignedNumerals(), 5) == FillReport(
        "SOL-PERP",
        "o-1",
        "alpha-7",
        "t-1",
        Side.SELL,
        LiquidityRole.MAKER,
        Decimal("101.25"),
        Decimal("0.5"),
        Decimal("-0.003"),
        1794128400100,
        5,
    )


@pytest.mark.parametrize("text", ["1O", "-0.5", "NaN", ""])
@pytest.mark.parametrize("key", ["limit_price", "amount", "filled_amount", "average_price"])
def test_a_bad_number_of_an_order_is_named_also_when_the_cache_is_warm(key: str, text: str) -> None:
    numerals = SignedNumerals()
    for _ in range(2):
        if text == "-0.5" and key.endswith("price"):
            reports.order_report(order(**{key: text}), numerals, 5)  # a price may be negative
            continue
        with pytest.raises(InvalidFrame) as caught:
            reports.order_report(order(**{key: text}), numerals, 5)
        assert (caught.value.field, caught.value.got) == (key, repr(text))


@pytest.mark.parametrize(("key", "text"), [("trade_price", "x"), ("trade_amount", "-1"), ("trade_fee", "")])
def test_a_bad_number_of_a_fill_is_named(key: str, text: str) -> None:
    record = decode.payload(json.dumps(OWN_TRADE | {key: text}).encode(), wire.OwnTrade)
    with pytest.raises(InvalidFrame) as caught:
        reports.fill_report(record, SignedNumerals(), 5)
    assert caught.value.field == key


def test_an_order_without_a_fill_has_no_average_price() -> None:
    report = reports.order_report(order(filled_amount="0", average_price="0"), SignedNumerals(), 5)
    assert (report.filled_size, report.average_price) == (Decimal(0), None)


def test_an_instrument_record_becomes_a_listing() -> None:
    record = instrument()
    instrument_of_it = Instrument(
        symbol="SOL-20270326-90-C",
        kind=InstrumentKind.OPTION,
        tick_size=Decimal("0.5"),
        size_step=Decimal("0.01"),
        min_size=Decimal("0.1"),
        max_size=Decimal(1000),
    )
    asset = TradeAsset("0x00000000000000000000000000000000000000a1", 39614082287924319838483674368)
    assert reports.instrument(record) == instrument_of_it
    assert reports.listing(record) == Listing(instrument_of_it, asset)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"tick_size": "0"}, "tick_size"),
        ({"amount_step": "-1"}, "amount_step"),
        ({"minimum_amount": "x"}, "minimum_amount"),
        ({"maximum_amount": "0.01"}, "maximum_amount"),
        ({"instrument_name": ""}, "instrument_name"),
    ],
)
def test_an_instrument_out_of_range_is_the_venues_fault(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidFrame) as caught:
        reports.instrument(instrument(**changes))
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"base_asset_sub_id": "1.5"}, "base_asset_sub_id"),
        ({"base_asset_sub_id": "-1"}, "base_asset_sub_id"),
        ({"base_asset_sub_id": "9" * 78}, "TradeAsset.sub_id"),
        ({"base_asset_address": "0x12"}, "TradeAsset.address"),
        ({"tick_size": "0.0000000000000000001"}, "Listing.instrument.tick_size"),
    ],
)
def test_an_asset_that_cannot_be_signed_is_the_venues_fault(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidFrame) as caught:
        reports.listing(instrument(**changes))
    assert caught.value.field == field
