"""From the bytes of a frame to domain objects: what a client pays for one message of market data.

The four rows of the perpetual's ticker (`quotes`, `mark_price`, `index_price`, `funding_rate`) share one
decode: a client that wants all four decodes once, so their sum overcounts.

Each row repeats one frame, so its numerals are in the connection's cache. How often that is so on a feed, and
what it costs when it is not, the streams in `bench_sizes` tell.
"""

from collections.abc import Callable
from typing import Any

import pytest

from benches.derive import plain
from benches.inputs import frame
from benchgate.measure import Measure
from tapemark.derive import decode, parse
from tapemark.model import Bar, BookDeltas, FundingRate, IndexPrice, MarkPrice, OptionGreeks, Quote, Trade
from tapemark.numerals import SignedNumerals, UnsignedNumerals

# Which of the messages it is, the fixture says and the oracle checks.
_decoded: Callable[[bytes], Any] = decode.frame


def book_deltas(raw: bytes, numerals: UnsignedNumerals) -> BookDeltas:
    """Decode and parse a book frame."""
    return parse.book_deltas(_decoded(raw), numerals, plain.RECV_NS)


def quotes(raw: bytes, numerals: UnsignedNumerals) -> Quote:
    """Decode and parse a ticker frame for its quote."""
    return parse.quote(_decoded(raw), numerals, plain.RECV_NS)


def trades(raw: bytes, numerals: UnsignedNumerals) -> list[Trade]:
    """Decode and parse a frame of public trades."""
    return parse.trades(_decoded(raw), numerals, plain.RECV_NS)


def mark_price(raw: bytes, numerals: UnsignedNumerals) -> MarkPrice | None:
    """Decode and parse a ticker frame for its mark price."""
    return parse.mark_price(_decoded(raw), numerals, plain.RECV_NS)


def index_price(raw: bytes, numerals: UnsignedNumerals) -> IndexPrice | None:
    """Decode and parse a ticker frame for its index price."""
    return parse.index_price(_decoded(raw), numerals, plain.RECV_NS)


def funding_rate(raw: bytes, numerals: SignedNumerals) -> FundingRate | None:
    """Decode and parse a ticker frame for its funding rate."""
    return parse.funding_rate(_decoded(raw), numerals, plain.RECV_NS)


def bars(raw: bytes, symbol: str, numerals: UnsignedNumerals) -> list[Bar]:
    """Decode and parse a candle response."""
    return [parse.bar(candle, symbol, numerals, plain.RECV_NS) for candle in decode.candles(raw)]


def option_greeks(raw: bytes) -> OptionGreeks | None:
    """Decode and parse an option's ticker frame for its greeks."""
    return parse.option_greeks(_decoded(raw), plain.RECV_NS)


@pytest.mark.components("derive/decode_only/orderbook", "derive/parse_only/orderbook_deltas")
def bench_book_deltas(measure: Measure) -> None:
    """Turn a book frame of one level a side, whose texts were seen before, into a clear and two adds."""
    raw, numerals = frame("derive/book_1"), UnsignedNumerals()
    assert book_deltas(raw, numerals) == plain.book_deltas(raw)
    measure(book_deltas, raw, numerals)


@pytest.mark.components("derive/decode_only/ticker", "derive/parse_only/ticker_quote")
def bench_quotes(measure: Measure) -> None:
    """Turn a perpetual's ticker frame into a quote."""
    raw, numerals = frame("derive/ticker_perp"), UnsignedNumerals()
    assert quotes(raw, numerals) == plain.quote(raw)
    measure(quotes, raw, numerals)


@pytest.mark.components("derive/decode_only/trades", "derive/parse_only/trade")
def bench_trades(measure: Measure) -> None:
    """Turn a frame of one public trade into a list of one trade."""
    raw, numerals = frame("derive/trades_1"), UnsignedNumerals()
    assert trades(raw, numerals) == plain.trades(raw)
    measure(trades, raw, numerals)


@pytest.mark.components("derive/decode_only/ticker", "derive/parse_only/mark_price")
def bench_mark_price(measure: Measure) -> None:
    """Turn a perpetual's ticker frame into a mark price."""
    raw, numerals = frame("derive/ticker_perp"), UnsignedNumerals()
    assert mark_price(raw, numerals) == plain.mark_price(raw)
    measure(mark_price, raw, numerals)


@pytest.mark.components("derive/decode_only/ticker", "derive/parse_only/index_price")
def bench_index_price(measure: Measure) -> None:
    """Turn a perpetual's ticker frame into an index price."""
    raw, numerals = frame("derive/ticker_perp"), UnsignedNumerals()
    assert index_price(raw, numerals) == plain.index_price(raw)
    measure(index_price, raw, numerals)


@pytest.mark.components("derive/decode_only/ticker", "derive/parse_only/funding_rate")
def bench_funding_rate(measure: Measure) -> None:
    """Turn a perpetual's ticker frame into a funding rate."""
    raw, numerals = frame("derive/ticker_perp"), SignedNumerals()
    assert funding_rate(raw, numerals) == plain.funding_rate(raw)
    measure(funding_rate, raw, numerals)


@pytest.mark.components("derive/decode_only/candles", "derive/parse_only/bars")
def bench_bars(measure: Measure) -> None:
    """Turn a REST response of three candles into three bars (the published figure builds one of three)."""
    raw, numerals = frame("derive/candles"), UnsignedNumerals()
    assert bars(raw, "ETH-PERP", numerals) == plain.bars(raw, "ETH-PERP")
    measure(bars, raw, "ETH-PERP", numerals)


@pytest.mark.components("derive/decode_only/option_ticker", "derive/parse_only/option_greeks")
def bench_option_greeks(measure: Measure) -> None:
    """Turn an option's ticker frame into its greeks and volatilities."""
    raw = frame("derive/ticker_option")
    assert plain.in_fields(option_greeks(raw)) == plain.in_fields(plain.option_greeks(raw))
    measure(option_greeks, raw)
