"""From the bytes of a frame to its wire message, numerals still text: the first half of the inbound rows."""

from json import loads

from benches.derive import wire_keys
from benches.derive.wire_keys import agrees
from benches.inputs import frame
from benchgate.measure import Measure
from tapemark.derive import decode


def bench_orderbook(measure: Measure) -> None:
    """Decode a book frame of one level a side."""
    raw = frame("derive/book_1")
    assert agrees(decode.frame(raw), loads(raw)["params"], wire_keys.BOOK)
    measure(decode.frame, raw)


def bench_ticker(measure: Measure) -> None:
    """Decode a perpetual's ticker frame."""
    raw = frame("derive/ticker_perp")
    assert agrees(decode.frame(raw), loads(raw)["params"], wire_keys.TICKER)
    measure(decode.frame, raw)


def bench_trades(measure: Measure) -> None:
    """Decode a frame of one public trade."""
    raw = frame("derive/trades_1")
    assert agrees(decode.frame(raw), loads(raw)["params"], wire_keys.TRADES)
    measure(decode.frame, raw)


def bench_candles(measure: Measure) -> None:
    """Decode a REST response of three candles."""
    raw = frame("derive/candles")
    assert agrees(decode.candles(raw), loads(raw)["result"], wire_keys.CANDLES)
    measure(decode.candles, raw)


def bench_option_ticker(measure: Measure) -> None:
    """Decode an option's ticker frame with its block of greeks."""
    raw = frame("derive/ticker_option")
    assert agrees(decode.frame(raw), loads(raw)["params"], wire_keys.OPTION_TICKER)
    measure(decode.frame, raw)


def bench_orders(measure: Measure) -> None:
    """Decode a private frame of one order."""
    raw = frame("derive/orders")
    assert agrees(decode.frame(raw), loads(raw)["params"], wire_keys.ORDERS)
    measure(decode.frame, raw)


def bench_own_trades(measure: Measure) -> None:
    """Decode a private frame of one fill."""
    raw = frame("derive/own_trades")
    assert agrees(decode.frame(raw), loads(raw)["params"], wire_keys.OWN_TRADES)
    measure(decode.frame, raw)
