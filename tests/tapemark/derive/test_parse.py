from decimal import Decimal
from typing import Any, TypeVar

import msgspec
import pytest

from tapemark.derive import decode, parse, wire
from tapemark.errors import InvalidFrame
from tapemark.model import (
    Bar,
    BookAction,
    BookDelta,
    FundingRate,
    Greeks,
    IndexPrice,
    MarkPrice,
    OptionGreeks,
    Quote,
    RecordFlag,
    Side,
    Trade,
)
from tapemark.numerals import SignedNumerals, UnsignedNumerals
from tests.tapemark.derive.frames import BOOK, GREEKS, PERP, TRADE, frame
from tests.tapemark.derive.test_decode import DROP, changed

U = TypeVar("U", bound=wire.Update)
CLEAR = (BookAction.CLEAR, None, Decimal(0), Decimal(0))
RECV_NS = 5


def updated(channel: str, data: Any, kind: type[U]) -> U:
    message = decode.frame(frame(channel, data))
    assert isinstance(message, kind)
    return message


def book(**changes: Any) -> wire.BookUpdate:
    return updated("orderbook.SOL-PERP.1.10", BOOK | changes, wire.BookUpdate)


def ticker(**changes: Any) -> wire.TickerUpdate:
    data = PERP
    for key, value in changes.items():
        data = changed(data, ("instrument_ticker", key), value)
    return updated("ticker_slim.SOL-PERP.100", data, wire.TickerUpdate)


def test_a_snapshot_is_a_clear_then_bids_then_asks_the_last_one_flagged() -> None:
    deltas = parse.book_deltas(book(), UnsignedNumerals(), RECV_NS)
    snapshot, last = RecordFlag.SNAPSHOT, RecordFlag.SNAPSHOT | RecordFlag.LAST
    assert deltas.deltas == (
        BookDelta(*CLEAR, snapshot),
        BookDelta(BookAction.ADD, Side.BUY, Decimal(101), Decimal("1.25"), snapshot),
        BookDelta(BookAction.ADD, Side.SELL, Decimal("101.5"), Decimal(2), snapshot),
        BookDelta(BookAction.ADD, Side.SELL, Decimal(102), Decimal("0.75"), last),
    )
    assert (deltas.symbol, deltas.sequence, deltas.event_ms) == ("SOL-PERP", 1794128400123, 1794128400123)
    assert deltas.recv_ns == RECV_NS


def test_a_book_of_bids_alone_flags_its_last_bid() -> None:
    deltas = parse.book_deltas(book(asks=[]), UnsignedNumerals(), RECV_NS).deltas
    assert [delta.flags for delta in deltas] == [RecordFlag.SNAPSHOT, RecordFlag.SNAPSHOT | RecordFlag.LAST]
    assert deltas[1].side is Side.BUY


def test_an_empty_book_is_one_clear_that_is_snapshot_and_last() -> None:
    deltas = parse.book_deltas(book(asks=[], bids=[]), UnsignedNumerals(), RECV_NS).deltas
    assert deltas == (BookDelta(*CLEAR, RecordFlag.SNAPSHOT | RecordFlag.LAST),)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"bids": [["x", "1"]]}, "params.data.bids[0][0]"),
        ({"bids": [["1", "1"], ["2", "-1"]]}, "params.data.bids[1][1]"),
        ({"asks": [["1", "1"], ["1_0", "1"]]}, "params.data.asks[1][0]"),
        ({"asks": [["NaN", "1"]]}, "params.data.asks[0][0]"),
    ],
)
def test_a_bad_level_is_named_also_when_the_cache_is_warm(changes: dict[str, Any], field: str) -> None:
    numerals = UnsignedNumerals()
    for _ in range(2):
        with pytest.raises(InvalidFrame) as caught:
            parse.book_deltas(book(**changes), numerals, RECV_NS)
        assert caught.value.field == field
        assert caught.value.expected == "a decimal number of zero or more"


def test_a_quote_has_both_sides() -> None:
    assert parse.quote(ticker(), UnsignedNumerals(), RECV_NS) == Quote(
        "SOL-PERP", Decimal(101), Decimal(4), Decimal("101.5"), Decimal("3.5"), 1794128400123, RECV_NS
    )


@pytest.mark.parametrize("absent", [None, DROP])
def test_a_side_that_the_venue_left_out_is_none(absent: object) -> None:
    quote = parse.quote(ticker(a=absent, A=absent), UnsignedNumerals(), RECV_NS)
    assert (quote.ask_price, quote.ask_size) == (None, None)
    assert (quote.bid_price, quote.bid_size) == (Decimal(101), Decimal(4))


@pytest.mark.parametrize("key", ["a", "A", "b", "B"])
def test_a_bad_quote_is_named(key: str) -> None:
    with pytest.raises(InvalidFrame) as caught:
        parse.quote(ticker(**{key: "1,5"}), UnsignedNumerals(), RECV_NS)
    assert caught.value.field == f"params.data.instrument_ticker.{key}"


def test_mark_index_and_funding_come_from_one_ticker() -> None:
    numerals, signed = UnsignedNumerals(), SignedNumerals()
    at = ("SOL-PERP", 1794128400123, RECV_NS)
    mark, index = (
        parse.mark_price(ticker(), numerals, RECV_NS),
        parse.index_price(ticker(), numerals, RECV_NS),
    )
    assert mark == MarkPrice(at[0], Decimal("101.02"), *at[1:])
    assert index == IndexPrice(at[0], Decimal("100.9"), *at[1:])
    assert parse.funding_rate(ticker(), signed, RECV_NS) == FundingRate(at[0], Decimal("-0.0000125"), *at[1:])


@pytest.mark.parametrize("absent", [None, DROP])
def test_what_the_ticker_lacks_is_none_and_not_zero(absent: object) -> None:
    bare = ticker(M=absent, I=absent, f=absent, option_pricing=absent)
    assert parse.mark_price(bare, UnsignedNumerals(), RECV_NS) is None
    assert parse.index_price(bare, UnsignedNumerals(), RECV_NS) is None
    assert parse.funding_rate(bare, SignedNumerals(), RECV_NS) is None
    assert parse.option_greeks(bare, RECV_NS) is None


@pytest.mark.parametrize(
    ("key", "read"),
    [
        ("M", lambda update: parse.mark_price(update, UnsignedNumerals(), RECV_NS)),
        ("I", lambda update: parse.index_price(update, UnsignedNumerals(), RECV_NS)),
        ("f", lambda update: parse.funding_rate(update, SignedNumerals(), RECV_NS)),
    ],
)
def test_a_bad_price_of_a_ticker_is_named(key: str, read: Any) -> None:
    with pytest.raises(InvalidFrame) as caught:
        read(ticker(**{key: "1e"}))
    assert str(caught.value).startswith(f"params.data.instrument_ticker.{key}: expected a decimal number")
    assert "got '1e'" in str(caught.value)


def test_greeks_are_floats_under_the_domains_names() -> None:
    greeks = parse.option_greeks(ticker(option_pricing=GREEKS), RECV_NS)
    assert greeks is not None
    assert isinstance(greeks, OptionGreeks)
    assert isinstance(greeks.greeks, Greeks)
    assert (greeks.symbol, greeks.event_ms, greeks.recv_ns) == ("SOL-PERP", 1794128400123, RECV_NS)
    assert (greeks.greeks.delta, greeks.greeks.theta, greeks.greeks.ask_iv) == (0.55, -0.27, 0.9)


@pytest.mark.parametrize("absent", [None, DROP])
def test_a_single_greek_may_be_missing(absent: object) -> None:
    pricing = changed(GREEKS, ("v",), absent)
    greeks = parse.option_greeks(ticker(option_pricing=pricing), RECV_NS)
    assert greeks is not None
    assert greeks.greeks.vega is None
    assert greeks.greeks.rho == 0.031


def test_a_trades_direction_is_the_aggressors_side() -> None:
    records = [TRADE, TRADE | {"direction": "buy", "trade_id": "t-2"}]
    update = updated("trades.perp.SOL", records, wire.TradesUpdate)
    assert parse.trades(update, UnsignedNumerals(), RECV_NS) == [
        Trade("SOL-PERP", Decimal("101.25"), Decimal("0.5"), Side.SELL, "t-1", 1794128400100, RECV_NS),
        Trade("SOL-PERP", Decimal("101.25"), Decimal("0.5"), Side.BUY, "t-2", 1794128400100, RECV_NS),
    ]


@pytest.mark.parametrize("key", ["trade_price", "trade_amount"])
def test_a_bad_trade_is_named_by_row_and_no_trade_is_returned(key: str) -> None:
    update = updated("trades.perp.SOL", [TRADE, TRADE | {key: "-1"}], wire.TradesUpdate)
    with pytest.raises(InvalidFrame) as caught:
        parse.trades(update, UnsignedNumerals(), RECV_NS)
    assert caught.value.field == f"params.data[1].{key}"


def test_a_bar_starts_at_its_bucket() -> None:
    candle = wire.Candle("1.0", "3", "0.5", "2", "4.25", 1794128400)
    assert parse.bar(candle, "SOL-PERP", UnsignedNumerals(), RECV_NS) == Bar(
        "SOL-PERP",
        Decimal(1),
        Decimal(3),
        Decimal("0.5"),
        Decimal(2),
        Decimal("4.25"),
        1794128400000,
        RECV_NS,
    )


@pytest.mark.parametrize("place", range(5))
def test_a_bad_candle_is_named(place: int) -> None:
    candle = wire.Candle("1", "3", "0.5", "2", "4.25", 1794128400)
    bad = msgspec.structs.replace(candle, **{wire.Candle.__struct_fields__[place]: "?"})
    with pytest.raises(InvalidFrame) as caught:
        parse.bar(bad, "SOL-PERP", UnsignedNumerals(), RECV_NS)
    assert caught.value.field == wire.Candle.__struct_fields__[place]
