"""From the bytes of a frame to its wire message, numerals still text: the first half of the inbound rows."""

from enum import Enum
from json import loads
from typing import Any

from msgspec import Struct, structs

from benches.inputs import frame
from benchgate.measure import Measure
from tapemark.derive import decode


def agrees(decoded: object, tree: Any) -> bool:
    """Tell whether a wire message says what the JSON tree says, in every field that it has."""
    if isinstance(decoded, Struct):
        return all(
            agrees(getattr(decoded, field.name), tree[field.encode_name])
            for field in structs.fields(decoded)
            if field.encode_name in tree or field.required
        )
    if isinstance(decoded, list | tuple):
        return len(decoded) == len(tree) and all(map(agrees, decoded, tree))
    if isinstance(decoded, float):
        return decoded == float(tree)
    value = decoded.value if isinstance(decoded, Enum) else decoded
    return bool(value == tree) and type(value) is type(tree)


def bench_orderbook(measure: Measure) -> None:
    """Decode a book frame of one level a side."""
    raw = frame("derive/book_1")
    assert agrees(decode.frame(raw), loads(raw)["params"])
    measure(decode.frame, raw)


def bench_ticker(measure: Measure) -> None:
    """Decode a perpetual's ticker frame."""
    raw = frame("derive/ticker_perp")
    assert agrees(decode.frame(raw), loads(raw)["params"])
    measure(decode.frame, raw)


def bench_trades(measure: Measure) -> None:
    """Decode a frame of one public trade."""
    raw = frame("derive/trades_1")
    assert agrees(decode.frame(raw), loads(raw)["params"])
    measure(decode.frame, raw)


def bench_candles(measure: Measure) -> None:
    """Decode a REST response of three candles."""
    raw = frame("derive/candles")
    assert agrees(decode.candles(raw), loads(raw)["result"])
    measure(decode.candles, raw)


def bench_option_ticker(measure: Measure) -> None:
    """Decode an option's ticker frame with its block of greeks."""
    raw = frame("derive/ticker_option")
    assert agrees(decode.frame(raw), loads(raw)["params"])
    measure(decode.frame, raw)


def bench_orders(measure: Measure) -> None:
    """Decode a private frame of one order."""
    raw = frame("derive/orders")
    assert agrees(decode.frame(raw), loads(raw)["params"])
    measure(decode.frame, raw)


def bench_own_trades(measure: Measure) -> None:
    """Decode a private frame of one fill."""
    raw = frame("derive/own_trades")
    assert agrees(decode.frame(raw), loads(raw)["params"])
    measure(decode.frame, raw)
