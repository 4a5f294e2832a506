"""An independent reading of Derive frames, to hold every answer of the decoder and the parsers against.

It reads with the standard library, every number as its text, and looks each field up by the key that the
venue's reference gives. It shares no table and no code with `tapemark.derive`.
"""

import json
import math
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from tapemark import model
from tapemark.derive import decode, parse, reports, wire
from tapemark.errors import InvalidFrame
from tapemark.numerals import SignedNumerals, UnsignedNumerals
from tests.fuzz.campaign import EscapeError

_NUMERAL = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,2})?", re.ASCII)

_BOOK = {"instrument_name": str, "timestamp": int, "publish_id": int}
_TICKER = {
    "A": "ask_amount",
    "B": "bid_amount",
    "I": "index_price",
    "M": "mark_price",
    "a": "ask_price",
    "b": "bid_price",
    "f": "funding_rate",
}
_GREEKS = {
    "ai": "ask_iv",
    "bi": "bid_iv",
    "d": "delta",
    "f": "forward_price",
    "g": "gamma",
    "i": "mark_iv",
    "r": "rho",
    "t": "theta",
    "v": "vega",
}
_RENAMED = {
    "timestamp_ms": "timestamp",
    "creation_timestamp_ms": "creation_timestamp",
    "last_update_timestamp_ms": "last_update_timestamp",
}


class Text(str):
    """A JSON number's text."""

    __slots__ = ()


def check_frame(raw: bytes) -> str:
    """Decode and parse a frame, hold all of it against the independent reading, and say what became of it.

    Returns:
        `refused` for an `InvalidFrame`, else the name of the message's type.

    Raises:
        EscapeError: Another exception came out, or an accepted field has a value that the bytes do not hold.
    """
    try:
        message = decode.frame(raw)
    except InvalidFrame:
        return "refused"
    except Exception as error:
        raise EscapeError(f"decode.frame raised {error!r} for {raw!r}") from error
    tree = _tree(raw)
    try:
        _check_message(message, tree)
    except InvalidFrame as error:
        raise EscapeError(f"a check raised {error!r} for {raw!r}") from error
    except (AssertionError, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise EscapeError(f"{error!r}: {message!r} is not what {raw!r} says") from error
    return type(message).__name__


def _tree(raw: bytes) -> Any:
    # The decoder skips what no type names without looking for bad UTF-8 or control characters in it. Read
    # that leniently here; in a field that was accepted, such text could not compare equal.
    text = raw.decode("utf-8", "surrogateescape")
    try:
        return json.loads(text, strict=False, parse_int=Text, parse_float=Text, parse_constant=_no_constant)
    except ValueError as error:
        raise EscapeError(f"accepted {raw!r}, which is not JSON: {error}") from error


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _check_message(message: wire.Message, tree: Any) -> None:
    match message:
        case wire.UnknownChannel():
            assert message.channel == tree["params"]["channel"]
            assert _tree(message.payload) == tree["params"]["data"]
        case wire.Response():
            assert "error" not in tree or tree["error"] is None
            assert _tree(bytes(message.result)) == tree["result"]
            assert str(message.id) == str(tree.get("id"))
        case wire.ErrorResponse():
            assert message.code == int(tree["error"]["code"])
            assert message.message == tree["error"]["message"]
        case wire.Update():
            assert tree["method"] == "subscription"
            assert message.channel == tree["params"]["channel"]
            _check_update(message, tree["params"]["data"])


def _check_update(update: Any, data: Any) -> None:
    kind = _kind_of(update.channel)
    match update.data:
        case wire.Orderbook():
            assert kind == "orderbook"
            _check_book(update, data)
        case wire.TickerSlim():
            assert kind == "ticker_slim"
            _check_ticker(update, data)
        case list():
            assert len(update.data) == len(data)
            for record, source in zip(update.data, data, strict=True):
                _check_record(record, source)
            if kind == "public":
                _check_trades(update, data)
            else:
                assert kind in {"orders", "own"}
                _check_reports(update.data, data)


def _kind_of(channel: str) -> str:
    parts = channel.split(".")
    if re.fullmatch(r"[0-9]+", parts[0], re.ASCII):
        assert len(parts) == 2
        return {"orders": "orders", "trades": "own"}[parts[1]]
    assert len(parts) == {"orderbook": 4, "ticker_slim": 3, "trades": 3}[parts[0]]
    return {"trades": "public"}.get(parts[0], parts[0])


def _same(value: object, source: Any) -> bool:
    """Say whether a decoded value is the JSON value: None for null, text for text, number for number."""
    if value is None or source is None:
        return value is None and source is None
    if isinstance(value, bool) or isinstance(source, bool):
        return value is source
    if isinstance(value, int):
        return Decimal(str(source)) == value
    if isinstance(value, model.Side | model.OrderType | model.TimeInForce | model.LiquidityRole):
        return bool(value.value == source)
    return bool(value == source)


def _check_record(record: Any, source: Any) -> None:
    for name in record.__struct_fields__:
        key = _RENAMED.get(name, name)
        assert _same(getattr(record, name), source.get(key)), f"{key}: {getattr(record, name)!r}"


def _check_book(update: wire.BookUpdate, data: Any) -> None:
    book = update.data
    assert book.instrument_name == data["instrument_name"]
    assert _same(book.timestamp_ms, data["timestamp"])
    levels = [*data["bids"], *data["asks"]]
    assert [list(level) for level in (*book.bids, *book.asks)] == levels
    texts = [text for level in levels for text in level]
    try:
        deltas = parse.book_deltas(update, UnsignedNumerals(), 7)
    except InvalidFrame:
        assert not all(_is_unsigned(text) for text in texts)
        return
    assert all(_is_unsigned(text) for text in texts)
    flat = [part for delta in deltas.deltas[1:] for part in (delta.price, delta.size)]
    assert flat == [Decimal(text) for text in texts]
    sides = [delta.side for delta in deltas.deltas]
    assert sides == [None] + [model.Side.BUY] * len(data["bids"]) + [model.Side.SELL] * len(data["asks"])
    assert [bool(delta.flags & model.RecordFlag.LAST) for delta in deltas.deltas] == [False] * len(levels) + [
        True
    ]


def _check_ticker(update: wire.TickerUpdate, data: Any) -> None:
    ticker, source = update.data.instrument_ticker, data["instrument_ticker"]
    # The lax reader, which a ticker's floats need, also rounds a fraction of a millisecond away.
    assert abs(Decimal(str(data["timestamp"])) - update.data.timestamp_ms) < Decimal("0.001")
    for key, name in _TICKER.items():
        assert _same(getattr(ticker, name), source.get(key)), key
    pricing = source.get("option_pricing")
    # The lax reader also takes the string "null" for null, where the place is not one for a text.
    assert (ticker.option_pricing is None) == (pricing in (None, "null"))
    numerals, signed = UnsignedNumerals(), SignedNumerals()
    symbol = update.channel.split(".")[1]
    greeks = parse.option_greeks(update, 7)
    if greeks is not None:
        assert greeks.symbol == symbol
        for key, name in _GREEKS.items():
            value, text = getattr(greeks.greeks, name), pricing.get(key)
            assert (value is None) == (text in (None, "null")), key
            assert value is None or (math.isfinite(value) and value == float(text)), key
    for function, field, key in (
        (parse.mark_price, "price", "M"),
        (parse.index_price, "price", "I"),
    ):
        _check_price(lambda function=function: function(update, numerals, 7), field, source.get(key))
    _check_price(lambda: parse.funding_rate(update, signed, 7), "rate", source.get("f"), signed=True)
    quoted = [source.get(key) for key in ("b", "B", "a", "A")]
    try:
        quote = parse.quote(update, numerals, 7)
    except InvalidFrame:
        assert not all(text is None or _is_unsigned(text) for text in quoted)
        return
    values = [quote.bid_price, quote.bid_size, quote.ask_price, quote.ask_size]
    assert all(text is None or _is_unsigned(text) for text in quoted)
    assert values == [None if text is None else Decimal(text) for text in quoted]


def _check_price(price: Any, field: str, text: str | None, *, signed: bool = False) -> None:
    good = text is None or (_is_numeral(text) if signed else _is_unsigned(text))
    try:
        value = price()
    except InvalidFrame:
        assert not good
        return
    assert good
    assert (value is None) == (text is None)
    assert value is None or getattr(value, field) == Decimal(text or "")


def _check_trades(update: wire.TradesUpdate, data: Any) -> None:
    texts = [record[key] for record in data for key in ("trade_price", "trade_amount")]
    try:
        trades = parse.trades(update, UnsignedNumerals(), 7)
    except InvalidFrame:
        assert not all(map(_is_unsigned, texts))
        return
    assert all(map(_is_unsigned, texts))
    assert [part for trade in trades for part in (trade.price, trade.size)] == list(map(Decimal, texts))
    assert [trade.aggressor.value for trade in trades] == [record["direction"] for record in data]


def _check_reports(records: Iterable[Any], data: Any) -> None:
    for record, source in zip(records, data, strict=True):
        if isinstance(record, wire.OrderRecord):
            signed, unsigned = ["limit_price", "average_price"], ["amount", "filled_amount"]
        else:
            signed, unsigned = ["trade_price", "trade_fee"], ["trade_amount"]
        good = all(_is_numeral(source[key]) for key in signed if source.get(key) is not None) and all(
            _is_unsigned(source[key]) for key in unsigned
        )
        try:
            if isinstance(record, wire.OrderRecord):
                report = reports.order_report(record, SignedNumerals(), 7)
                assert report.price == Decimal(source["limit_price"])
                assert report.size == Decimal(source["amount"])
                assert report.filled_size == Decimal(source["filled_amount"])
            else:
                fill = reports.fill_report(record, SignedNumerals(), 7)
                assert (fill.price, fill.size, fill.fee) == tuple(
                    Decimal(source[key]) for key in ("trade_price", "trade_amount", "trade_fee")
                )
        except InvalidFrame:
            assert not good
            continue
        assert good


def _is_numeral(text: str) -> bool:
    return len(text) <= 120 and _NUMERAL.fullmatch(text) is not None


def _is_unsigned(text: str) -> bool:
    return _is_numeral(text) and not text.startswith("-")
