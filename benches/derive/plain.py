"""The plain code a user would write: a JSON library, `Decimal`, and the same domain objects.

It shares nothing with tapemark but the domain types, so it serves twice: as the oracle that each row is
checked against before it is measured, and as the peer that `nox -s peers` measures beside it (with `loads`
from json or orjson). It checks only what its libraries check.
"""

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from msgspec.structs import asdict

from tapemark.model import (
    Bar,
    BookAction,
    BookDelta,
    BookDeltas,
    FillReport,
    FundingRate,
    Greeks,
    IndexPrice,
    LiquidityRole,
    MarkPrice,
    OptionGreeks,
    OrderStatus,
    OrderStatusReport,
    OrderType,
    Quote,
    RecordFlag,
    Side,
    TimeInForce,
    Trade,
)

Loads = Callable[[bytes], Any]

RECV_NS = 1_794_128_400_012_345_678
"""When every frame of these benches was received."""


def book_deltas(raw: bytes, loads: Loads = json.loads) -> BookDeltas:
    """Turn a book frame into one clear and one add per level, the last record flagged."""
    data = loads(raw)["params"]["data"]
    zero = Decimal(0)
    deltas = [BookDelta(BookAction.CLEAR, None, zero, zero, RecordFlag.SNAPSHOT)]
    for side, key in ((Side.BUY, "bids"), (Side.SELL, "asks")):
        for price, size in data[key]:
            deltas.append(BookDelta(BookAction.ADD, side, Decimal(price), Decimal(size), RecordFlag.SNAPSHOT))
    last = deltas[-1]
    flags = RecordFlag.SNAPSHOT | RecordFlag.LAST
    deltas[-1] = BookDelta(last.action, last.side, last.price, last.size, flags)
    return BookDeltas(data["instrument_name"], tuple(deltas), data["timestamp"], data["timestamp"], RECV_NS)


def quote(raw: bytes, loads: Loads = json.loads) -> Quote:
    """Take best bid and ask from a ticker frame."""
    symbol, ticker, event_ms = _ticker(raw, loads)
    bid, bid_size, ask, ask_size = (Decimal(ticker[key]) for key in ("b", "B", "a", "A"))
    return Quote(symbol, bid, bid_size, ask, ask_size, event_ms, RECV_NS)


def mark_price(raw: bytes, loads: Loads = json.loads) -> MarkPrice:
    """Take the mark price from a ticker frame."""
    symbol, ticker, event_ms = _ticker(raw, loads)
    return MarkPrice(symbol, Decimal(ticker["M"]), event_ms, RECV_NS)


def index_price(raw: bytes, loads: Loads = json.loads) -> IndexPrice:
    """Take the index price from a ticker frame."""
    symbol, ticker, event_ms = _ticker(raw, loads)
    return IndexPrice(symbol, Decimal(ticker["I"]), event_ms, RECV_NS)


def funding_rate(raw: bytes, loads: Loads = json.loads) -> FundingRate:
    """Take the funding rate from a perpetual's ticker frame."""
    symbol, ticker, event_ms = _ticker(raw, loads)
    return FundingRate(symbol, Decimal(ticker["f"]), event_ms, RECV_NS)


def option_greeks(raw: bytes, loads: Loads = json.loads) -> OptionGreeks:
    """Take greeks and volatilities from an option's ticker frame."""
    symbol, ticker, event_ms = _ticker(raw, loads)
    pricing = ticker["option_pricing"]
    greeks = Greeks(
        delta=float(pricing["d"]),
        gamma=float(pricing["g"]),
        vega=float(pricing["v"]),
        theta=float(pricing["t"]),
        rho=float(pricing["r"]),
        mark_iv=float(pricing["i"]),
        bid_iv=float(pricing["bi"]),
        ask_iv=float(pricing["ai"]),
        forward_price=float(pricing["f"]),
    )
    return OptionGreeks(symbol, greeks, event_ms, RECV_NS)


def in_fields(greeks: OptionGreeks | None) -> dict[str, object]:
    """Spread greeks into their fields, to compare them with others whose greeks are of a subclass."""
    return {} if greeks is None else {**asdict(greeks), "greeks": asdict(greeks.greeks)}


def trades(raw: bytes, loads: Loads = json.loads) -> list[Trade]:
    """Turn a frame of public trades into domain trades."""
    return [
        Trade(
            record["instrument_name"],
            Decimal(record["trade_price"]),
            Decimal(record["trade_amount"]),
            Side(record["direction"]),
            record["trade_id"],
            record["timestamp"],
            RECV_NS,
        )
        for record in loads(raw)["params"]["data"]
    ]


def bars(raw: bytes, symbol: str, loads: Loads = json.loads) -> list[Bar]:
    """Turn a candle response into bars."""
    return [
        Bar(
            symbol,
            Decimal(record["open_price"]),
            Decimal(record["high_price"]),
            Decimal(record["low_price"]),
            Decimal(record["close_price"]),
            Decimal(record["volume_contracts"]),
            record["timestamp_bucket"] * 1_000,
            RECV_NS,
        )
        for record in loads(raw)["result"]
    ]


def order_reports(raw: bytes) -> list[OrderStatusReport]:
    """Turn a frame of own orders into status reports; each must have a status that this suite acts on."""
    return [
        OrderStatusReport(
            record["instrument_name"],
            record["order_id"],
            record["label"],
            Side(record["direction"]),
            OrderType(record["order_type"]),
            TimeInForce(record["time_in_force"]),
            OrderStatus(record["order_status"]),
            record["order_status"],
            Decimal(record["limit_price"]),
            Decimal(record["amount"]),
            Decimal(record["filled_amount"]),
            Decimal(record["average_price"]) if Decimal(record["filled_amount"]) else None,
            record["cancel_reason"],
            record["creation_timestamp"],
            record["last_update_timestamp"],
            RECV_NS,
        )
        for record in json.loads(raw)["params"]["data"]
    ]


def fill_reports(raw: bytes) -> list[FillReport]:
    """Turn a frame of own trades into fill reports."""
    return [
        FillReport(
            record["instrument_name"],
            record["order_id"],
            record["label"],
            record["trade_id"],
            Side(record["direction"]),
            LiquidityRole(record["liquidity_role"]),
            Decimal(record["trade_price"]),
            Decimal(record["trade_amount"]),
            Decimal(record["trade_fee"]),
            record["timestamp"],
            RECV_NS,
        )
        for record in json.loads(raw)["params"]["data"]
    ]


def _ticker(raw: bytes, loads: Loads) -> tuple[str, Any, int]:
    params = loads(raw)["params"]
    return params["channel"].split(".")[1], params["data"]["instrument_ticker"], params["data"]["timestamp"]
