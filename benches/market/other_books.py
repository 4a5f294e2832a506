"""Order books that a user would take instead of ours, each with the methods of `benches.market.text_books`.

One that is not installed raises ImportError when it is made.
"""

import json
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from types import SimpleNamespace
from typing import Any

from benches.market.book_feed import Exact, Update
from benches.market.text_books import Book, OfPairs


class _Dicts(OfPairs):
    """Two dictionaries of numbers, searched for the best at each reading."""

    def __init__(self, number: type[Decimal | float]) -> None:
        self._number = number
        self._make: Callable[[dict[Any, Any]], Any] = dict
        self._bids: Any = {}
        self._asks: Any = {}

    def replace(self, bids: Any, asks: Any) -> None:
        number = self._number
        self._bids = self._make({number(price): number(size) for price, size in bids})
        self._asks = self._make({number(price): number(size) for price, size in asks})

    def apply(self, bids: Any, asks: Any) -> None:
        number = self._number
        for side, levels in ((self._bids, bids), (self._asks, asks)):
            for price_text, size_text in levels:
                size = number(size_text)
                if size:
                    side[number(price_text)] = size
                else:
                    side.pop(number(price_text), None)

    def best(self) -> tuple[Any, ...]:
        bids, asks = self._bids, self._asks
        bid, ask = max(bids), min(asks)
        return bid, bids[bid], ask, asks[ask]

    def exact(self, best: tuple[Any, ...]) -> Exact:
        bid, bid_size, ask, ask_size = (Decimal(str(number)) for number in best)
        return bid, bid_size, ask, ask_size


class _SortedDicts(_Dicts):
    """Two `SortedDict` of sortedcontainers, both rising: of two orders of bids the faster, without a key."""

    def __init__(self, number: type[Decimal | float]) -> None:
        from sortedcontainers import SortedDict  # noqa: PLC0415 - may not be installed

        super().__init__(number)
        self._make = SortedDict

    def best(self) -> tuple[Any, ...]:
        return *self._bids.peekitem(-1), *self._asks.peekitem(0)


class _OrderBookPackage(OfPairs):
    """PyPI `order-book`, whose sides are dictionaries that sort their prices when they are read."""

    def __init__(self) -> None:
        from order_book import OrderBook as Sides  # noqa: PLC0415 - the same

        self._book: Any = Sides()

    def replace(self, bids: Any, asks: Any) -> None:
        self._book.bids = {Decimal(price): Decimal(size) for price, size in bids}
        self._book.asks = {Decimal(price): Decimal(size) for price, size in asks}

    def apply(self, bids: Any, asks: Any) -> None:
        for side, levels in ((self._book.bids, bids), (self._book.asks, asks)):
            for price_text, size_text in levels:
                price, size = Decimal(price_text), Decimal(size_text)
                if size:
                    side[price] = size
                elif price in side:
                    del side[price]

    def best(self) -> tuple[Any, ...]:
        return *self._book.bids.index(0), *self._book.asks.index(0)

    def exact(self, best: tuple[Any, ...]) -> Exact:
        bid, bid_size, ask, ask_size = best
        return bid, bid_size, ask, ask_size


class _Nautilus(OfPairs):
    """nautilus_trader's book of levels, which takes a delta object for each level.

    A feed like Lighter's does not say whether a level is new; UPDATE inserts it where it is.
    """

    def __init__(self) -> None:
        library = self._library()
        self._instrument = library.InstrumentId.from_str("ETH.LIGHTER")
        self._book = library.OrderBook(self._instrument, library.BookType.L2_MBP)
        self._price, self._size = library.Price.from_str, library.Quantity.from_str
        self._order, self._delta, self._deltas = (
            library.BookOrder,
            library.OrderBookDelta,
            library.OrderBookDeltas,
        )
        self._add, self._update, self._delete = (
            library.BookAction.ADD,
            library.BookAction.UPDATE,
            library.BookAction.DELETE,
        )
        self._buy, self._sell = library.OrderSide.BUY, library.OrderSide.SELL

    @staticmethod
    def _library() -> Any:
        from nautilus_trader.model import book, data, enums, identifiers, objects  # noqa: PLC0415 - the same

        return SimpleNamespace(
            **vars(book) | vars(data) | vars(enums) | vars(identifiers) | vars(objects),
        )

    def replace(self, bids: Any, asks: Any) -> None:
        instrument, delta, order, add = self._instrument, self._delta, self._order, self._add
        price_of, size_of = self._price, self._size
        deltas = [
            delta(instrument, add, order(side, price_of(price), size_of(size), 0), 0, 1, 2, 3)
            for side, levels in ((self._buy, bids), (self._sell, asks))
            for price, size in levels
        ]
        self._book.clear(2, 1)
        self._book.apply_deltas(self._deltas(instrument, deltas))

    def apply(self, bids: Any, asks: Any) -> None:
        for side, levels in ((self._buy, bids), (self._sell, asks)):
            for price, size_text in levels:
                size = self._size(size_text)
                action = self._update if size.raw else self._delete
                order = self._order(side, self._price(price), size, 0)
                self._book.apply_delta(self._delta(self._instrument, action, order, 0, 1, 2, 3))

    def best(self) -> tuple[Any, ...]:
        book = self._book
        return book.best_bid_price(), book.best_bid_size(), book.best_ask_price(), book.best_ask_size()

    def exact(self, best: tuple[Any, ...]) -> Exact:
        bid, bid_size, ask, ask_size = (number.as_decimal() for number in best)
        return bid, bid_size, ask, ask_size


class _NautilusPyo3(_Nautilus):
    """The same book by the newer of nautilus_trader's two bindings to its Rust."""

    @staticmethod
    def _library() -> Any:
        from nautilus_trader.core import nautilus_pyo3  # noqa: PLC0415 - the same

        return nautilus_pyo3


class _LighterSdk:
    """The way of `WsClient` in PyPI `lighter-sdk` 1.1.8: it keeps the snapshot's own lists of dictionaries.

    Written here after that class's `update_orders`, since the package wants a urllib3 of before 2.1 and
    brings 35 MB of compiled signers. A level is searched for by its price text in a copy of the list, and
    each update walks both lists for sizes of zero. A new level stands at the end, so the best has to be
    searched for.
    """

    def __init__(self) -> None:
        self._bids: list[dict[str, str]] = []
        self._asks: list[dict[str, str]] = []

    def decoder(self, updates: list[Update]) -> Callable[[], list[Any]]:
        as_sent = [
            [[{"price": price, "size": size} for price, size in side] for side in update]
            for update in updates
        ]
        return partial(json.loads, json.dumps(as_sent))

    def replace(self, bids: Any, asks: Any) -> None:
        self._bids, self._asks = bids, asks

    def apply(self, bids: Any, asks: Any) -> None:
        self._merge(asks, self._asks)
        self._merge(bids, self._bids)

    def _merge(self, levels: list[dict[str, str]], kept: list[dict[str, str]]) -> None:
        for level in levels:
            is_new = True
            for known in kept[:]:
                if level["price"] == known["price"]:
                    is_new = False
                    known["size"] = level["size"]
                    if float(level["size"]) == 0:
                        kept.remove(known)
            if is_new:
                kept.append(level)
        kept[:] = [level for level in kept if float(level["size"]) > 0]

    def best(self) -> tuple[Any, ...]:
        bid = max(self._bids, key=_price)
        ask = min(self._asks, key=_price)
        return bid["price"], bid["size"], ask["price"], ask["size"]

    def exact(self, best: tuple[Any, ...]) -> Exact:
        bid, bid_size, ask, ask_size = (Decimal(text) for text in best)
        return bid, bid_size, ask, ask_size


def _price(level: dict[str, str]) -> float:
    return float(level["price"])


OTHERS: dict[str, Callable[[], Book]] = {
    "SortedDict of decimals": partial(_SortedDicts, Decimal),
    "SortedDict of floats": partial(_SortedDicts, float),
    "order-book": _OrderBookPackage,
    "nautilus_trader": _Nautilus,
    "nautilus_trader, pyo3": _NautilusPyo3,
    "dict of decimals, max and min": partial(_Dicts, Decimal),
    "dict of floats, max and min": partial(_Dicts, float),
    "as lighter-sdk": _LighterSdk,
}
