"""Where a session leads, found the plainest way: JSON, decimals and dicts, without regard to speed.

The result is a JSON object. `markets` has, by venue and symbol, the last `ticker`, the last `reference`
(mark, index, funding rate) and the `book`, each null when there was none. Prices and sizes are texts of exact
decimals; a book's sides are objects from price to size, best first. Beside them stand the times that the last
frame gave: `event_ms` or `event_us` by the venue's engine, `sent_ms` by its servers, `recv_ns` by the
receiver; a book also has the `sequence` that it follows from, which is Lighter's nonce and, as Derive numbers
nothing, its time. `orders` has, by order id, the symbol, the phase and the filled size.

A frame that leads nowhere (a gap in a chain of nonces, a book that is crossed) raises, because a session made
here has none.
"""

import functools
import json
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from scripts.marketgen.session import DERIVE, LIGHTER

Sides = tuple[dict[Decimal, Decimal], dict[Decimal, Decimal]]
"""Bids and asks: price to size."""

_QUOTE = {"bid_price": "b", "bid_size": "B", "ask_price": "a", "ask_size": "A"}
_REFERENCE = {"mark": "M", "index": "I", "funding": "f"}
_ENDED = {"filled", "cancelled", "expired", "rejected"}

_decode = json.JSONDecoder().decode
# The same texts come back all the time, and half of the work would be to convert them again.
_decimal = functools.lru_cache(1 << 16)(Decimal)


class Model:
    """The state after the lines so far."""

    def __init__(self, heading: bytes) -> None:
        listed = json.loads(heading)["listings"]
        self.books: dict[tuple[str, str], Sides] = {}
        self._book_times: dict[tuple[str, str], dict[str, int]] = {}
        self._tickers: dict[str, tuple[dict[str, Any], int]] = {}
        self._references: dict[str, tuple[dict[str, Any], int]] = {}
        self._orders: dict[str, dict[str, str]] = {}
        self._symbols = {(one["venue"], one["symbol"]) for one in listed}
        self._ids = {one["market_id"]: one["symbol"] for one in listed if one["venue"] == LIGHTER}

    def take(self, line: bytes) -> None:
        """Follow one line after the first.

        Raises:
            ValueError: The frame does not follow from those before, or leaves a book crossed.
        """
        letter, recv_text, raw = line.split(b" ", 2)
        frame, recv_ns = _decode(raw.decode()), int(recv_text)
        if letter == b"l":
            self._lighter(frame, recv_ns)
            return
        channel, data = frame["params"]["channel"], frame["params"]["data"]
        if channel.startswith("ticker_slim."):
            symbol = channel.split(".")[1]
            self._tickers[symbol] = (data, recv_ns)
            if data["instrument_ticker"]["M"] is not None:
                self._references[symbol] = (data, recv_ns)
        elif channel.startswith("orderbook."):
            self._derive_book(data, recv_ns)
        else:
            for record in data:
                self._order(record)

    def is_crossed(self, venue: str, symbol: str) -> bool:
        """Tell whether the best bid of a book is not below its best ask."""
        bids, asks = self.books[venue, symbol]
        return bool(bids and asks) and max(bids) >= min(asks)

    def state(self) -> dict[str, Any]:
        """Give the state as the module describes it."""
        markets: dict[str, dict[str, Any]] = {DERIVE: {}, LIGHTER: {}}
        for venue, symbol in sorted(self._symbols):
            is_derive = venue == DERIVE
            markets[venue][symbol] = {
                "ticker": _exact(self._tickers.get(symbol), _QUOTE) if is_derive else None,
                "reference": _exact(self._references.get(symbol), _REFERENCE) if is_derive else None,
                "book": self._book((venue, symbol)),
            }
        return {"markets": markets, "orders": dict(sorted(self._orders.items()))}

    def _book(self, at: tuple[str, str]) -> dict[str, Any] | None:
        if at not in self.books:
            return None
        bids, asks = self.books[at]
        return self._book_times[at] | {
            "bids": {f"{price:f}": f"{bids[price]:f}" for price in sorted(bids, reverse=True)},
            "asks": {f"{price:f}": f"{asks[price]:f}" for price in sorted(asks)},
        }

    def _derive_book(self, data: dict[str, Any], recv_ns: int) -> None:
        at, time_ms = (DERIVE, data["instrument_name"]), data["timestamp"]
        bids, asks = (
            {_decimal(price): _decimal(size) for price, size in data[side]} for side in ("bids", "asks")
        )
        self.books[at] = (bids, asks)
        if self.is_crossed(*at):
            raise ValueError(f"{at}: crossed at {time_ms}")
        self._book_times[at] = {
            "sequence": time_ms,
            "event_us": time_ms * 1_000,
            "sent_ms": time_ms,
            "recv_ns": recv_ns,
        }

    def _lighter(self, frame: dict[str, Any], recv_ns: int) -> None:
        book = frame["order_book"]
        at = (LIGHTER, self._ids[int(frame["channel"].split(":")[1])])
        if frame["type"] == "subscribed/order_book":
            self.books[at] = ({}, {})
        elif self._book_times[at]["sequence"] != book["begin_nonce"]:
            raise ValueError(f"{at}: a gap before nonce {book['begin_nonce']}")
        has_new = False
        for side, key in zip(self.books[at], ("bids", "asks"), strict=True):
            for level in book[key]:
                price, size = _decimal(level["price"]), _decimal(level["size"])
                if size:
                    has_new |= price not in side
                    side[price] = size
                else:
                    side.pop(price, None)
        # Only a level that was not there can cross the book, and to look for the best is most of the work.
        if has_new and self.is_crossed(*at):
            raise ValueError(f"{at}: crossed at nonce {book['nonce']}")
        self._book_times[at] = {
            "sequence": book["nonce"],
            "event_us": frame["last_updated_at"],
            "sent_ms": frame["timestamp"],
            "recv_ns": recv_ns,
        }

    def _order(self, record: dict[str, Any]) -> None:
        status, filled = record["order_status"], Decimal(record["filled_amount"])
        open_phase = "partly_filled" if filled else "new"
        self._orders[record["order_id"]] = {
            "symbol": record["instrument_name"],
            "phase": status if status in _ENDED else open_phase,
            "filled_size": f"{filled:f}",
        }


def final_state(lines: Iterable[bytes]) -> dict[str, Any]:
    """Follow a session to its end and give the state as the module describes it."""
    lines = iter(lines)
    model = Model(next(lines))
    for line in lines:
        model.take(line)
    return model.state()


def _exact(ticker: tuple[dict[str, Any], int] | None, names: dict[str, str]) -> dict[str, Any] | None:
    """Take what has a name from a ticker; what is null there is null here."""
    if ticker is None:
        return None
    data, recv_ns = ticker
    texts = {name: data["instrument_ticker"][key] for name, key in names.items()}
    taken = {name: None if text is None else f"{Decimal(text):f}" for name, text in texts.items()}
    return taken | {"event_ms": data["timestamp"], "recv_ns": recv_ns}
