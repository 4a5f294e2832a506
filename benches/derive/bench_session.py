"""A whole session: every frame that a busy client receives, decoded and parsed in the order it came."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from benches.derive import plain
from benches.inputs import frames
from benchgate.measure import Measure
from tapemark.derive import decode, parse, reports, wire
from tapemark.model import OptionGreeks
from tapemark.numerals import SignedNumerals, UnsignedNumerals

_FRAMES = 10_000


def session(raws: list[bytes], keep: Callable[[object], object]) -> None:
    """Decode and parse every frame; `keep` is given each domain object, of a ticker all that it holds."""
    prices, signed, recv_ns = UnsignedNumerals(), SignedNumerals(), plain.RECV_NS
    for raw in raws:
        message = decode.frame(raw)
        if isinstance(message, wire.BookUpdate):
            keep(parse.book_deltas(message, prices, recv_ns))
        elif isinstance(message, wire.TickerUpdate):
            keep(parse.quote(message, prices, recv_ns))
            keep(parse.mark_price(message, prices, recv_ns))
            keep(parse.index_price(message, prices, recv_ns))
            keep(parse.funding_rate(message, signed, recv_ns))
            keep(parse.option_greeks(message, recv_ns))
        elif isinstance(message, wire.TradesUpdate):
            keep(parse.trades(message, prices, recv_ns))
        elif isinstance(message, wire.OrdersUpdate):
            keep([reports.order_report(record, signed, recv_ns) for record in message.data])
        elif isinstance(message, wire.OwnTradesUpdate):
            keep([reports.fill_report(record, signed, recv_ns) for record in message.data])
        else:
            keep(message)


def expected(raws: list[bytes]) -> list[object]:
    """Give what `session` keeps, by the plain code; of a response its id."""
    kept: list[object] = []
    for raw in raws:
        message = json.loads(raw)
        channel = message.get("params", {}).get("channel", "")
        if not channel:
            kept.append(message["id"])
        elif channel.startswith("orderbook."):
            kept.append(plain.book_deltas(raw))
        elif channel.startswith("ticker_slim."):
            is_option = message["params"]["data"]["instrument_ticker"]["option_pricing"] is not None
            kept += [plain.quote(raw), plain.mark_price(raw), plain.index_price(raw)]
            kept += [None, plain.option_greeks(raw)] if is_option else [plain.funding_rate(raw), None]
        elif channel.startswith("trades."):
            kept.append(plain.trades(raw))
        else:
            kept.append(plain.order_reports(raw) if channel.endswith(".orders") else plain.fill_reports(raw))
    return kept


def comparable(item: Any) -> object:
    """Give what two items have in common when they say the same: a response its id, greeks their fields."""
    return plain.in_fields(item) if isinstance(item, OptionGreeks) else getattr(item, "id", item)


def _forget(_: object) -> None:
    return None


@pytest.mark.items(_FRAMES, "frames")
def bench_mixed(measure: Measure) -> None:
    """Decode and parse 10,000 frames: books, tickers, trades, own orders and fills, responses."""
    raws = frames("derive/session_mixed")
    assert len(raws) == _FRAMES
    kept: list[Any] = []
    session(raws, kept.append)
    assert [comparable(item) for item in kept] == [comparable(item) for item in expected(raws)]
    measure(session, raws, _forget, calls=1)
