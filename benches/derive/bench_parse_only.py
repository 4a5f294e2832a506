"""From a wire message to domain objects, every priced text into its exact decimal: the second half.

`order_report` and `fill_report` are that half of the dispatch rows. Each row repeats one message, so what has
a cache of numerals finds its texts there.
"""

from collections.abc import Callable
from typing import Any

from benches.derive import plain
from benches.inputs import frame
from benchgate.measure import Measure
from tapemark.derive import decode, parse, reports, wire
from tapemark.model import Bar
from tapemark.numerals import SignedNumerals, UnsignedNumerals

_decoded: Callable[[bytes], Any] = decode.frame


def bars(candles: list[wire.Candle], symbol: str, numerals: UnsignedNumerals) -> list[Bar]:
    """Parse every candle of a response."""
    return [parse.bar(candle, symbol, numerals, plain.RECV_NS) for candle in candles]


def bench_orderbook_deltas(measure: Measure) -> None:
    """Turn a decoded book of one level a side, whose texts were seen before, into a clear and two adds."""
    raw, numerals = frame("derive/book_1"), UnsignedNumerals()
    update = _decoded(raw)
    assert parse.book_deltas(update, numerals, plain.RECV_NS) == plain.book_deltas(raw)
    measure(parse.book_deltas, update, numerals, plain.RECV_NS)


def bench_trade(measure: Measure) -> None:
    """Turn one decoded public trade into a trade."""
    raw, numerals = frame("derive/trades_1"), UnsignedNumerals()
    (record,) = _decoded(raw).data
    assert [parse.trade(record, numerals, plain.RECV_NS)] == plain.trades(raw)
    measure(parse.trade, record, numerals, plain.RECV_NS)


def bench_ticker_quote(measure: Measure) -> None:
    """Take the quote from a decoded ticker."""
    raw, numerals = frame("derive/ticker_perp"), UnsignedNumerals()
    update = _decoded(raw)
    assert parse.quote(update, numerals, plain.RECV_NS) == plain.quote(raw)
    measure(parse.quote, update, numerals, plain.RECV_NS)


def bench_mark_price(measure: Measure) -> None:
    """Take the mark price from a decoded ticker."""
    raw, numerals = frame("derive/ticker_perp"), UnsignedNumerals()
    update = _decoded(raw)
    assert parse.mark_price(update, numerals, plain.RECV_NS) == plain.mark_price(raw)
    measure(parse.mark_price, update, numerals, plain.RECV_NS)


def bench_index_price(measure: Measure) -> None:
    """Take the index price from a decoded ticker."""
    raw, numerals = frame("derive/ticker_perp"), UnsignedNumerals()
    update = _decoded(raw)
    assert parse.index_price(update, numerals, plain.RECV_NS) == plain.index_price(raw)
    measure(parse.index_price, update, numerals, plain.RECV_NS)


def bench_funding_rate(measure: Measure) -> None:
    """Take the funding rate from a decoded ticker."""
    raw, numerals = frame("derive/ticker_perp"), SignedNumerals()
    update = _decoded(raw)
    assert parse.funding_rate(update, numerals, plain.RECV_NS) == plain.funding_rate(raw)
    measure(parse.funding_rate, update, numerals, plain.RECV_NS)


def bench_bars(measure: Measure) -> None:
    """Turn three decoded candles into three bars."""
    raw, numerals = frame("derive/candles"), UnsignedNumerals()
    candles = decode.candles(raw)
    assert bars(candles, "ETH-PERP", numerals) == plain.bars(raw, "ETH-PERP")
    measure(bars, candles, "ETH-PERP", numerals)


def bench_option_greeks(measure: Measure) -> None:
    """Take greeks and volatilities from a decoded option ticker."""
    raw = frame("derive/ticker_option")
    update = _decoded(raw)
    greeks = parse.option_greeks(update, plain.RECV_NS)
    assert plain.in_fields(greeks) == plain.in_fields(plain.option_greeks(raw))
    measure(parse.option_greeks, update, plain.RECV_NS)


def bench_order_report(measure: Measure) -> None:
    """Turn one decoded own order into a status report."""
    raw = frame("derive/orders")
    (record,) = _decoded(raw).data
    numerals = SignedNumerals()
    assert [reports.order_report(record, numerals, plain.RECV_NS)] == plain.order_reports(raw)
    measure(reports.order_report, record, numerals, plain.RECV_NS)


def bench_fill_report(measure: Measure) -> None:
    """Turn one decoded own trade into a fill report."""
    raw = frame("derive/own_trades")
    (record,) = _decoded(raw).data
    numerals = SignedNumerals()
    assert [reports.fill_report(record, numerals, plain.RECV_NS)] == plain.fill_reports(raw)
    measure(reports.fill_report, record, numerals, plain.RECV_NS)
