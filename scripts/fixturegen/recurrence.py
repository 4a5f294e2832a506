"""How often the numerals of a stream recur: what a reader that remembers texts would find remembered.

A reader keeps prices and sizes of the market apart from what may be negative (funding, own orders and fills),
so a text counts as seen before when it occurred earlier among those of its own kind.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

QUOTE = ("b", "B", "a", "A")
"""The keys of a ticker's best prices and sizes."""
TICKER = (*QUOTE, "M", "I", "f")
"""Also mark, index and funding rate."""

_ORDER = ("limit_price", "amount", "filled_amount", "average_price")
_FILL = ("trade_price", "trade_amount", "trade_fee")


def seen_before(frames: Iterable[bytes], ticker_keys: tuple[str, ...]) -> float:
    """Return the share of the numerals that occurred earlier in the stream, of those that a client reads.

    These are all levels of books, `ticker_keys` of tickers, price and amount of trades, and what is reported
    of own orders and fills. What is null is not read.
    """
    market: list[str] = []
    signed: list[str] = []
    for frame in frames:
        params = json.loads(frame).get("params")
        if params is None:
            continue
        data, channel = params["data"], params["channel"]
        if channel.startswith("orderbook."):
            market += [text for level in (*data["bids"], *data["asks"]) for text in level]
        elif channel.startswith("ticker_slim."):
            for key in ticker_keys:
                (signed if key == "f" else market).extend(_texts(data["instrument_ticker"], (key,)))
        elif channel.startswith("trades."):
            market += [text for record in data for text in _texts(record, _FILL[:2])]
        else:
            keys = _ORDER if channel.endswith(".orders") else _FILL
            signed += [text for record in data for text in _texts(record, keys)]
    # Whatever the order, all but the first of equal texts were seen before.
    count, first_seen = len(market) + len(signed), len(set(market)) + len(set(signed))
    return (count - first_seen) / count if count else 0.0


def _texts(record: dict[str, Any], keys: tuple[str, ...]) -> Iterator[str]:
    return (record[key] for key in keys if record[key] is not None)
