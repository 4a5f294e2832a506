"""A whole session: every frame that a busy client receives, decoded and parsed in the order it came."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from benches.derive import plain
from benches.inputs import frames
from benchgate.measure import Measure
from tapemark.derive import decode, parse
from tapemark.derive.channels import TOPICS, Kind
from tapemark.derive.wire import Update
from tapemark.numerals import NumeralCache

_FRAMES = 10_000
_TICKER_PARSERS = (parse.quote, parse.mark_price, parse.index_price, parse.funding_rate, parse.option_greeks)


def session(raws: list[bytes], numerals: NumeralCache, keep: Callable[[object], object]) -> None:
    """Decode and parse every frame; `keep` is given each domain object, of a ticker all that it holds."""
    recv_ns = plain.RECV_NS
    for raw in raws:
        message: Any = decode.frame(raw)
        if type(message) is not Update:
            keep(message)
            continue
        kind = TOPICS[message.channel].kind
        if kind is Kind.ORDERBOOK:
            keep(parse.book_deltas(message, numerals, recv_ns))
        elif kind is Kind.TICKER:
            for parser in _TICKER_PARSERS:
                keep(parser(message, recv_ns))
        elif kind is Kind.PUBLIC_TRADES:
            keep(parse.trades(message, recv_ns))
        elif kind is Kind.ORDERS:
            keep([parse.order_report(record, recv_ns) for record in message.data])
        else:
            keep([parse.fill_report(record, recv_ns) for record in message.data])


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


def _forget(_: object) -> None:
    return None


@pytest.mark.items(_FRAMES, "frames")
def bench_mixed(measure: Measure) -> None:
    """Decode and parse 10,000 frames: books, tickers, trades, own orders and fills, responses."""
    raws = frames("derive/session_mixed")
    assert len(raws) == _FRAMES
    kept: list[Any] = []
    session(raws, NumeralCache(), kept.append)
    assert [getattr(item, "id", item) for item in kept] == expected(raws)
    measure.fresh(session, lambda: (raws, NumeralCache(), _forget), calls=1)
