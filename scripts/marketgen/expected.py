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

import json
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from scripts.marketgen.session import DERIVE, LIGHTER

_PHASES = {"filled", "cancelled", "expired", "rejected"}


class Model:
    """The state after the lines so far."""

    def __init__(self, heading: bytes) -> None:
        listed = json.loads(heading)["listings"]
        self.books: dict[tuple[str, str], tuple[dict[Decimal, Decimal], dict[Decimal, Decimal]]] = {}
        self.book_times: dict[tuple[str, str], dict[str, int]] = {}
        self.tickers: dict[str, dict[str, Any]] = {}
        self.references: dict[str, dict[str, Any]] = {}
        self.orders: dict[str, dict[str, str]] = {}
        self._symbols = {(one["venue"], one["symbol"]) for one in listed}
        self._ids = {one["market_id"]: one["symbol"] for one in listed if one["venue"] == LIGHTER}

    def take(self, line: bytes) -> None:
        """Follow one line after the first.

        Raises:
            ValueError: The frame does not follow from those before, or leaves a book crossed.
        """
        letter, recv_text, raw = line.split(b" ", 2)
        frame, recv_ns = json.loads(raw), int(recv_text)
        if letter == b"l":
            self._lighter(frame, recv_ns)
            return
        channel, data = frame["params"]["channel"], frame["params"]["data"]
        if channel.startswith("ticker_slim."):
            self._ticker(channel.split(".")[1], data, recv_ns)
        elif channel.startswith("orderbook."):
            at = (DERIVE, data["instrument_name"])
            self.books[at] = tuple(  # type: ignore[assignment]  # of two
                {Decimal(price): Decimal(size) for price, size in data[side]} for side in ("bids", "asks")
            )
            if self.is_crossed(*at):
                raise ValueError(f"{at}: crossed at {data['timestamp']}")
            time_ms = data["timestamp"]
            self.book_times[at] = {
                "sequence": time_ms,
                "event_us": time_ms * 1_000,
                "sent_ms": time_ms,
                "recv_ns": recv_ns,
            }
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
                "ticker": self.tickers.get(symbol) if is_derive else None,
                "reference": self.references.get(symbol) if is_derive else None,
                "book": self._book((venue, symbol)),
            }
        return {"markets": markets, "orders": dict(sorted(self.orders.items()))}

    def _book(self, at: tuple[str, str]) -> dict[str, Any] | None:
        if at not in self.books:
            return None
        bids, asks = self.books[at]
        return self.book_times[at] | {
            "bids": {f"{price:f}": f"{bids[price]:f}" for price in sorted(bids, reverse=True)},
            "asks": {f"{price:f}": f"{asks[price]:f}" for price in sorted(asks)},
        }

    def _lighter(self, frame: dict[str, Any], recv_ns: int) -> None:
        book = frame["order_book"]
        at = (LIGHTER, self._ids[int(frame["channel"].split(":")[1])])
        if frame["type"] == "subscribed/order_book":
            self.books[at] = ({}, {})
        elif self.book_times[at]["sequence"] != book["begin_nonce"]:
            raise ValueError(f"{at}: a gap before nonce {book['begin_nonce']}")
        has_new = False
        for side, key in zip(self.books[at], ("bids", "asks"), strict=True):
            for level in book[key]:
                price, size = Decimal(level["price"]), Decimal(level["size"])
                if size:
                    has_new |= price not in side
                    side[price] = size
                else:
                    side.pop(price, None)
        # Only a level that was not there can cross the book, and to look for that is most of the work.
        if has_new and self.is_crossed(*at):
            raise ValueError(f"{at}: crossed at nonce {book['nonce']}")
        self.book_times[at] = {
            "sequence": book["nonce"],
            "event_us": frame["last_updated_at"],
            "sent_ms": frame["timestamp"],
            "recv_ns": recv_ns,
        }

    def _ticker(self, symbol: str, data: dict[str, Any], recv_ns: int) -> None:
        ticker, times = data["instrument_ticker"], {"event_ms": data["timestamp"], "recv_ns": recv_ns}
        names = {"bid_price": "b", "bid_size": "B", "ask_price": "a", "ask_size": "A"}
        self.tickers[symbol] = {name: _exact(ticker[key]) for name, key in names.items()} | times
        if ticker["M"] is not None:
            names = {"mark": "M", "index": "I", "funding": "f"}
            self.references[symbol] = {name: _exact(ticker[key]) for name, key in names.items()} | times

    def _order(self, record: dict[str, Any]) -> None:
        status, filled = record["order_status"], Decimal(record["filled_amount"])
        open_phase = "partly_filled" if filled else "new"
        self.orders[record["order_id"]] = {
            "symbol": record["instrument_name"],
            "phase": status if status in _PHASES else open_phase,
            "filled_size": f"{filled:f}",
        }


def final_state(lines: Iterable[bytes]) -> dict[str, Any]:
    """Follow a session to its end and give the state as the module describes it."""
    lines = iter(lines)
    model = Model(next(lines))
    for line in lines:
        model.take(line)
    return model.state()


def _exact(text: str | None) -> str | None:
    return None if text is None else f"{Decimal(text):f}"
