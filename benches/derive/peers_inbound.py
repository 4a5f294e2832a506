"""The inbound rows beside a floor and beside the plain code a user would write.

The floor is one msgspec decode of the same bytes into a struct of just the fields that the row needs,
decimals where the row yields decimals and floats where it yields floats: no domain object, no check of the
channel or of a numeral's grammar, no flags. The plain code (`benches.derive.plain`) makes the same domain
objects from the tree that json or orjson gives.

A row repeats one frame, so tapemark finds its numerals in the connection's cache; `nothing cached` gives it
an empty cache for each frame. The streams, whose numerals recur as on a feed, are what a connection pays.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct

from benches.derive import bench_inbound_pipeline as ours
from benches.derive import plain
from benches.inputs import frame, frames
from benchgate.comparison import Call, Claim, Comparison, Contender
from tapemark.model import OptionGreeks, Side
from tapemark.numerals import SignedNumerals, UnsignedNumerals

_SYMBOL = "ETH-PERP"
_TAPEMARK, _UNCACHED, _FLOOR = "tapemark", "tapemark, nothing cached", "msgspec floor"
_JSON, _ORJSON = "json and Decimal", "orjson and Decimal"


class _Book(Struct, gc=False):
    instrument_name: str
    timestamp: int
    bids: list[tuple[Decimal, Decimal]]
    asks: list[tuple[Decimal, Decimal]]


class _Quote(Struct, gc=False):
    a: Decimal
    A: Decimal
    b: Decimal
    B: Decimal


class _Mark(Struct, gc=False):
    M: Decimal


class _Index(Struct, gc=False):
    I: Decimal  # noqa: E741 - the venue's key


class _Funding(Struct, gc=False):
    f: Decimal


class _Pricing(Struct, gc=False):
    d: float
    g: float
    v: float
    t: float
    r: float
    i: float
    bi: float
    ai: float
    f: float


class _Greeks(Struct, gc=False):
    option_pricing: _Pricing


class _Trade(Struct, gc=False):
    instrument_name: str
    trade_price: Decimal
    trade_amount: Decimal
    direction: Side
    trade_id: str
    timestamp: int


class _Candle(Struct, gc=False):
    open_price: Decimal
    high_price: Decimal
    low_price: Decimal
    close_price: Decimal
    volume_contracts: Decimal
    timestamp_bucket: int


class _Candles(Struct, gc=False):
    result: list[_Candle]


def _frame_of(data: Any) -> Any:
    """Build the type of a frame whose payload is `data`, with the channel and nothing else around it."""
    params = msgspec.defstruct("_Params", [("channel", str), ("data", data)], gc=False)
    return msgspec.defstruct("_Frame", [("params", params)], gc=False)


def _ticker_of(inner: Any) -> Any:
    return _frame_of(msgspec.defstruct("_Data", [("instrument_ticker", inner), ("timestamp", int)], gc=False))


@dataclass(frozen=True)
class _Row:
    """One inbound row: the floor's type, our pipeline and the plain code, all called with a frame first.

    Then come `between`, and for our pipeline a cache of numerals, for the plain code its `loads`. The row's
    claim is that our pipeline takes at most `floors` times the floor's time.
    """

    name: str
    source: str
    floor: Any
    tapemark: Callable[..., object]
    by_hand: Callable[..., object]
    cache: Callable[[], object] | None = UnsignedNumerals
    between: tuple[object, ...] = ()
    is_strict: bool = True
    floors: float = 1.6
    note: str = ""

    @property
    def is_stream(self) -> bool:
        """Tell whether the row takes many frames."""
        return "_stream" in self.source

    def raws(self) -> list[bytes]:
        """Read the frames that the row takes."""
        return frames(self.source) if self.is_stream else [frame(self.source)]

    def caches(self) -> tuple[object, ...]:
        """Give our pipeline's last arguments: an empty cache, or none where it takes none."""
        return self.between if self.cache is None else (*self.between, self.cache())

    def load_floor(self) -> Call:
        """Give the floor, whose decimals and floats must be those of the domain objects."""
        decode = msgspec.json.Decoder(self.floor, strict=self.is_strict).decode
        for raw in self.raws():
            assert _numbers(decode(raw)) == _numbers(self.by_hand(raw, *self.between)) - {0}
        return _over(self.raws(), decode, tuple)

    def load_tapemark(self) -> Call:
        """Give our pipeline with one cache for all calls; over a stream, one for each pass over it."""
        caches = self.caches()
        for raw in self.raws():
            mine, other = self.tapemark(raw, *caches), self.by_hand(raw, *self.between)
            assert _comparable(mine) == _comparable(other)
        return _over(self.raws(), self.tapemark, self.caches)

    def load_uncached(self) -> Call:
        """Give our pipeline with an empty cache for each frame, which it builds."""
        self.load_tapemark()
        tapemark, caches, (raw,) = self.tapemark, self.caches, self.raws()
        return lambda: tapemark(raw, *caches())

    def load_json(self) -> Call:
        """Give the plain code on the standard library's json; it is what the others are checked against."""
        return _over(self.raws(), self.by_hand, lambda: (*self.between, json.loads))

    def load_orjson(self) -> Call:
        """Give the plain code on orjson."""
        import orjson  # noqa: PLC0415 - may not be installed

        for raw in self.raws():
            assert self.by_hand(raw, *self.between, orjson.loads) == self.by_hand(raw, *self.between)
        return _over(self.raws(), self.by_hand, lambda: (*self.between, orjson.loads))

    def comparison(self) -> Comparison:
        """Declare the row; only a single frame is claimed to be twice as fast as the plain code."""
        uncached = () if self.is_stream or self.cache is None else (Contender(_UNCACHED, self.load_uncached),)
        return Comparison(
            name=self.name,
            reference=_FLOOR,
            contenders=(
                Contender(_FLOOR, self.load_floor),
                Contender(_TAPEMARK, self.load_tapemark),
                *uncached,
                Contender(_JSON, self.load_json),
                Contender(_ORJSON, self.load_orjson),
            ),
            claims=(
                Claim(_TAPEMARK, at_most=self.floors),
                *(() if self.is_stream else (Claim(_JSON, at_least=2, of=_TAPEMARK),)),
            ),
            note=self.note,
        )


def _over(raws: list[bytes], route: Callable[..., object], last: Callable[[], tuple[object, ...]]) -> Call:
    """Give the call that takes one frame through a route, or a stream of them with new last arguments."""
    if len(raws) == 1:
        return partial(route, raws[0], *last())

    def call() -> None:
        arguments = last()
        for raw in raws:
            route(raw, *arguments)

    return call


def _numbers(result: object) -> set[object]:
    """Collect the decimals and floats in a result, however deep."""
    found: set[object] = set()
    pending: list[object] = [msgspec.to_builtins(result, builtin_types=(Decimal,), enc_hook=str)]
    while pending:
        match pending.pop():
            case dict() as mapping:
                pending += mapping.values()
            case list() | tuple() as items:
                pending += items
            case Decimal() | float() as number:
                found.add(number)
    return found


def _comparable(result: object) -> object:
    return plain.in_fields(result) if isinstance(result, OptionGreeks) else result


def _levels(depth: int, empty: int) -> Callable[[], Call]:
    """Give the loader of a call that takes 1,000 levels a side in books of `depth`, and empty books."""

    def load() -> Call:
        raw, numerals = frame(f"derive/book_{depth}"), UnsignedNumerals()
        tree = json.loads(raw)
        tree["params"]["data"] |= {"bids": [], "asks": []}
        bare = json.dumps(tree, separators=(",", ":")).encode()
        for book in (raw, bare):
            assert ours.book_deltas(book, numerals) == plain.book_deltas(book)
        books = [raw] * (1_000 // depth) + [bare] * empty

        def call() -> None:
            for book in books:
                ours.book_deltas(book, numerals)

        return call

    return load


_TICKER = "derive/ticker_perp"
_ROWS = (
    _Row("book_deltas", "derive/book_1", _frame_of(_Book), ours.book_deltas, plain.book_deltas),
    _Row("quotes", _TICKER, _ticker_of(_Quote), ours.quotes, plain.quote),
    _Row("trades", "derive/trades_1", _frame_of(list[_Trade]), ours.trades, plain.trades),
    _Row("mark_price", _TICKER, _ticker_of(_Mark), ours.mark_price, plain.mark_price),
    _Row("index_price", _TICKER, _ticker_of(_Index), ours.index_price, plain.index_price),
    _Row(
        "funding_rate",
        _TICKER,
        _ticker_of(_Funding),
        ours.funding_rate,
        plain.funding_rate,
        cache=SignedNumerals,
    ),
    _Row("bars", "derive/candles", _Candles, ours.bars, plain.bars, between=(_SYMBOL,)),
    _Row(
        "option_greeks",
        "derive/ticker_option",
        _ticker_of(_Greeks),
        ours.option_greeks,
        plain.option_greeks,
        cache=None,
        is_strict=False,
        note="The floor reads floats from texts (strict=False), as the domain wants floats here.",
    ),
    _Row(
        "book_stream_10",
        "derive/book_stream_10",
        _frame_of(_Book),
        ours.book_deltas,
        plain.book_deltas,
        note="200 consecutive snapshots of 10 levels a side; the cache is empty at the first.",
    ),
    _Row(
        "book_stream_100",
        "derive/book_stream_100",
        _frame_of(_Book),
        ours.book_deltas,
        plain.book_deltas,
        note="200 consecutive snapshots of 100 levels a side; the cache is empty at the first.",
    ),
    _Row(
        "ticker_stream",
        "derive/ticker_stream",
        _ticker_of(_Quote),
        ours.quotes,
        plain.quote,
        floors=2.2,
        note="The quotes of 200 consecutive tickers; the cache is empty at the first.",
    ),
    _Row(
        "trade_stream",
        "derive/trade_stream",
        _frame_of(list[_Trade]),
        ours.trades,
        plain.trades,
        floors=2.2,
        note="200 consecutive frames of one to three trades; the cache is empty at the first.",
    ),
)
_TEN = Contender("100 books of 10", _levels(10, 0))
_HUNDRED = Contender("10 books of 100, 90 empty", _levels(100, 90))
_THOUSAND = Contender("1 book of 1,000, 99 empty", _levels(1_000, 99))
_FEWER = Contender("1 book of 1,000 alone", _levels(1_000, 0))
PEERS = (
    *(row.comparison() for row in _ROWS),
    Comparison(
        name="book_per_level",
        reference=_TEN.name,
        contenders=(_TEN, _HUNDRED, _THOUSAND, _FEWER),
        claims=tuple(
            claim
            for contender in (_HUNDRED, _THOUSAND)
            for claim in (Claim(contender.name, at_most=1.15), Claim(contender.name, at_least=0.85))
        ),
        note=(
            "Each handles 1,000 levels a side, all seen before, and all but the last 100 frames, so that what"
            " differs is the cost of a level. The last shows what the envelopes of the other 99 cost."
        ),
    ),
)
