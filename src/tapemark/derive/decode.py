"""Decode Derive frames: raw bytes to typed wire messages, without a tree in between.

`frame` guesses the channel's kind from one byte at the place where the venue's usual key order puts it,
decodes the whole frame in one pass into that kind's type, and then checks the guess against the channel that
was really decoded. A frame in another key order, of another kind, or with numerals in another JSON form takes
the second way: envelope first, then the payload by its channel, then (`tapemark.derive.exact`) each number by
its place. Both ways give the same message for the same content; only the time differs. The second is also the
stricter one with what breaks the rules: it may refuse what the first has skipped or rounded (see below).

A channel without a type here is returned as `UnknownChannel` with its payload. Everything else that does not
fit raises `InvalidFrame`. Unknown keys are skipped unread, bad UTF-8 in them included; of a repeated key the
last one counts, as in most JSON readers. Tickers are read a little more leniently, since their greeks are
floats in JSON strings: a fraction of a millisecond in the timestamp is rounded away, and the string `null`
stands for null where no text may stand.

Source: the venue's public API reference; JSON-RPC 2.0 for responses and errors.
"""

from collections.abc import Callable
from typing import Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Raw, Struct

from tapemark.derive import exact, wire
from tapemark.derive.channels import MAX_KEPT_CHARS, TOPICS, Kind
from tapemark.errors import InvalidFrame

T = TypeVar("T")

_UPDATES: dict[Kind, type[Any]] = {
    Kind.ORDERBOOK: wire.BookUpdate,
    Kind.TICKER: wire.TickerUpdate,
    Kind.PUBLIC_TRADES: wire.TradesUpdate,
    Kind.ORDERS: wire.OrdersUpdate,
    Kind.OWN_TRADES: wire.OwnTradesUpdate,
}


class _Frame(Struct, Generic[T], frozen=True, gc=False):
    """A whole subscription frame of a known kind."""

    method: Literal["subscription"]
    params: T


_FRAMES: dict[Kind, Any] = {
    Kind.ORDERBOOK: _Frame[wire.BookUpdate],
    Kind.TICKER: _Frame[wire.TickerUpdate],
    Kind.PUBLIC_TRADES: _Frame[wire.TradesUpdate],
    Kind.ORDERS: _Frame[wire.OrdersUpdate],
    Kind.OWN_TRADES: _Frame[wire.OwnTradesUpdate],
}

# A ticker's greeks are floats in JSON strings, which only the lax decoder reads. Texts stay texts there.
_LAX: frozenset[object] = frozenset((wire.TickerSlim, wire.TickerUpdate))

_Route = tuple[Callable[[bytes], _Frame[wire.KnownUpdate]], Kind]


def _route(kind: Kind) -> _Route:
    return msgspec.json.Decoder(_FRAMES[kind], strict=_UPDATES[kind] not in _LAX).decode, kind


# The third letter of a public channel's name tells the three kinds apart. A private channel begins with the
# digits of its subaccount, so that its third character is a digit, the dot or the `o` or `t` behind it.
_USUAL_PREFIX = b'{"jsonrpc":"2.0","method":"subscription","params":{"channel":"'
_THIRD_LETTER = len(_USUAL_PREFIX) + 2
_ORDERS_ROUTE = _route(Kind.ORDERS)
_OWN_TRADES_ROUTE = _route(Kind.OWN_TRADES)
_PRIVATE: _Route = (_ORDERS_ROUTE[0], Kind.UNKNOWN)
_ROUTES = dict.fromkeys(b"0123456789.ot", _PRIVATE) | {
    ord(kind.value[2]): _route(kind) for kind in (Kind.ORDERBOOK, Kind.TICKER, Kind.PUBLIC_TRADES)
}
_MAX_PRIVATE_CHANNEL_BYTES = 40

# Channels that the second way has met, by name. A plain dictionary is read faster than `TOPICS`, which can
# fill itself; a channel enters at its first frame.
_met: dict[str, Kind] = {}
_MAX_MET = 65_536


def frame(raw: bytes) -> wire.Message:
    """Decode one WebSocket frame.

    Args:
        raw: The frame's UTF-8 JSON.

    Raises:
        InvalidFrame: The frame is not JSON, is neither a subscription nor a response, or a field does not
            fit its type.
    """
    try:
        route = _ROUTES[raw[_THIRD_LETTER]]
        if route is _PRIVATE:
            route = _private_route(raw)
        decoder, kind = route
        update = decoder(raw).params
        if _met[update.channel] is kind:
            return update
    except (KeyError, IndexError, AttributeError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass  # a channel's first frame, an unusual one, or a bad one: the second way tells which
    return _by_envelope(raw)


def _private_route(raw: bytes) -> _Route:
    begin = len(_USUAL_PREFIX)
    end = raw.find(b'"', begin, begin + _MAX_PRIVATE_CHANNEL_BYTES)
    return _ORDERS_ROUTE if raw.endswith(b".orders", begin, end) else _OWN_TRADES_ROUTE


class _Envelope(Struct, frozen=True, gc=False):
    """The outer keys of every frame."""

    method: str = ""
    params: Raw = Raw(b"")
    id: int | str | None = None
    result: Raw = Raw(b"")
    error: Raw = Raw(b"null")


class _Params(Struct, frozen=True, gc=False):
    """A subscription's channel with its payload unread."""

    channel: str
    data: Raw


class _Error(Struct, frozen=True, gc=False):
    """The error object of JSON-RPC 2.0, section 5.1."""

    code: int
    message: str


class _ErrorData(Struct, frozen=True, gc=False):
    """Its third member, unread."""

    data: Raw = Raw(b"")


def _by_envelope(raw: bytes) -> wire.Message:
    envelope = _outer(raw, _Envelope, "")
    if envelope.method == "subscription":
        params = _outer(envelope.params, _Params, "params")
        kind = TOPICS[params.channel].kind
        if kind is Kind.UNKNOWN:
            return wire.UnknownChannel(params.channel, bytes(params.data))
        update: wire.KnownUpdate = payload(envelope.params, _UPDATES[kind], path="params")
        if len(params.channel) <= MAX_KEPT_CHARS:
            if len(_met) >= _MAX_MET:
                _met.clear()
            _met[params.channel] = kind
        return update
    if envelope.method:
        raise InvalidFrame("method", "`subscription` or none", envelope.method)
    if bytes(envelope.error) != b"null":
        error = payload(envelope.error, _Error, "error")
        data = bytes(_outer(envelope.error, _ErrorData, "error").data)
        return wire.ErrorResponse(envelope.id, error.code, error.message, data)
    if bytes(envelope.result):
        return wire.Response(envelope.id, envelope.result.copy())
    raise InvalidFrame("frame", "a subscription, a result or an error", raw)


def _outer(raw: bytes | Raw, kind: type[T], path: str) -> T:
    """Decode a part of the envelope, whose own fields never come in another JSON form."""
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        got = bytes(raw) if isinstance(raw, Raw) else raw
        raise InvalidFrame(path or "frame", f"a JSON-RPC object ({error})", got) from None


def payload(raw: bytes | Raw, kind: type[T], path: str = "") -> T:
    """Decode a bare payload or record, such as one `wire.OrderRecord` from a REST response.

    Args:
        raw: UTF-8 JSON.
        kind: The wire type, or a list of it.
        path: Where it stands in its frame, for errors.

    Raises:
        InvalidFrame: `raw` is not JSON or does not fit `kind`.
    """
    try:
        return msgspec.json.decode(raw, type=kind, strict=kind not in _LAX)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return exact.read(raw, kind, path)


class _Candles(Struct, frozen=True, gc=False):
    """The body of a candle response."""

    result: list[wire.Candle]


_decode_candles = msgspec.json.Decoder(_Candles).decode


def candles(raw: bytes) -> list[wire.Candle]:
    """Decode the body of a `public/get_tradingview_chart_data` response.

    Raises:
        InvalidFrame: The body is not JSON, carries an error in place of a result, or a field does not fit.
    """
    try:
        return _decode_candles(raw).result
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return exact.read(raw, _Candles, "").result


def ticker_day(raw: bytes) -> wire.TickerDayUpdate:
    """Decode what `frame` leaves out of a ticker frame: price band and day statistics.

    Raises:
        InvalidFrame: The frame is not a ticker's, or a field does not fit.
    """
    return payload(raw, _Frame[wire.TickerDayUpdate]).params


class _StatusResult(Struct, frozen=True, gc=False):
    """The result of a subscribe request."""

    status: dict[str, str]


def subscription_status(response: wire.Response) -> dict[str, str]:
    """Read which channels a subscribe request opened: each channel with `ok` or the venue's error text.

    The venue reports a failed subscription here and not as a JSON-RPC error.

    Raises:
        InvalidFrame: The response does not answer a subscribe request.
    """
    return payload(response.result, _StatusResult, "result").status
