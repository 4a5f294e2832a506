import json
import random
from typing import Any, TypeVar

import pytest

from tapemark.derive import decode, wire
from tapemark.errors import InvalidFrame
from tests.tapemark.derive.frames import BOOK, GREEKS, ORDER, OWN_TRADE, PAYLOADS, PERP, TRADE, frame

P = TypeVar("P")
DROP = object()


def changed(tree: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """Return a copy of a JSON tree with one place changed or dropped."""
    tree = json.loads(json.dumps(tree))
    *parents, last = path
    node = tree
    for step in parents:
        node = node[step]
    if value is DROP:
        del node[last]
    else:
        node[last] = value
    return tree


def shuffled(tree: Any, rng: random.Random) -> Any:
    """Return a copy of a JSON tree with the keys of every object in another order."""
    if isinstance(tree, dict):
        items = [(key, shuffled(value, rng)) for key, value in tree.items()]
        rng.shuffle(items)
        return dict(items)
    return [shuffled(item, rng) for item in tree] if isinstance(tree, list) else tree


def with_noise(tree: Any) -> Any:
    """Return a copy of a JSON tree with an unknown key in every object."""
    if isinstance(tree, dict):
        return {"new": [{"x": 1.5}], **{key: with_noise(value) for key, value in tree.items()}, "other": "y"}
    return [with_noise(item) for item in tree] if isinstance(tree, list) else tree


def data_of(raw: bytes, kind: type[P]) -> P:
    """Decode a subscription frame whose payload is of one type, a list of records included."""
    message = decode.frame(raw)
    assert isinstance(message, wire.Update)
    data: object = getattr(message, "data")  # noqa: B009 - of each of its classes, not of itself
    assert isinstance(data, kind)
    return data


def records_of(raw: bytes, kind: type[P]) -> list[P]:
    """Decode a subscription frame whose payload is a list of records of one type."""
    records = [record for record in data_of(raw, list) if isinstance(record, kind)]
    assert len(records) == len(data_of(raw, list))
    return records


def test_an_order_book_is_read_level_by_level() -> None:
    assert decode.frame(frame("orderbook.SOL-PERP.1.10", BOOK)) == wire.BookUpdate(
        "orderbook.SOL-PERP.1.10",
        wire.Orderbook("SOL-PERP", 1794128400123, [("101", "1.25")], [("101.5", "2"), ("102", "0.75")], 12),
    )


def test_a_perpetuals_ticker_is_read_by_its_short_keys() -> None:
    update = decode.frame(frame("ticker_slim.SOL-PERP.100", PERP))
    assert update == wire.TickerUpdate(
        "ticker_slim.SOL-PERP.100",
        wire.TickerSlim(
            wire.InstrumentTicker("3.5", "4", "100.9", "101.02", "101.5", "101", "-0.0000125", None),
            1794128400123,
        ),
    )


def test_an_options_ticker_carries_its_greeks_as_floats() -> None:
    data = changed(PERP, ("instrument_ticker", "option_pricing"), GREEKS)
    ticker = data_of(frame("ticker_slim.SOL-20270326-90-C.100", data), wire.TickerSlim)
    pricing = ticker.instrument_ticker.option_pricing
    assert pricing is not None
    assert (pricing.delta, pricing.gamma, pricing.vega) == (0.55, 0.0125, 0.18)
    assert (pricing.theta, pricing.rho, pricing.forward_price) == (-0.27, 0.031, 101.75)
    assert (pricing.mark_iv, pricing.bid_iv, pricing.ask_iv) == (0.62, 0.0, 0.9)


def test_public_trades_orders_and_own_trades_are_lists_of_records() -> None:
    trades = frame("trades.perp.SOL", [TRADE, TRADE | {"trade_id": "t-2"}])
    assert [trade.trade_id for trade in records_of(trades, wire.PublicTrade)] == ["t-1", "t-2"]
    (order,) = records_of(frame("9.orders", [ORDER]), wire.OrderRecord)
    assert (order.label, order.nonce) == ("alpha-7", 17941284000001)
    (fill,) = records_of(frame("30769.trades", [OWN_TRADE]), wire.OwnTrade)
    assert (fill.order_id, fill.trade_fee) == ("o-1", "-0.003")


@pytest.mark.parametrize("channel", PAYLOADS)
def test_key_order_unknown_keys_and_spacing_change_nothing(channel: str) -> None:
    usual = decode.frame(frame(channel, PAYLOADS[channel]))
    rng = random.Random(1)
    tree = json.loads(frame(channel, PAYLOADS[channel]))
    for _ in range(20):
        assert decode.frame(json.dumps(shuffled(tree, rng)).encode()) == usual
    assert decode.frame(json.dumps(with_noise(tree), indent=2).encode()) == usual


@pytest.mark.parametrize("channel", PAYLOADS)
def test_numbers_may_come_as_strings_and_numerals_as_numbers(channel: str) -> None:
    usual = decode.frame(frame(channel, PAYLOADS[channel]))
    texts = frame(channel, PAYLOADS[channel])
    seen = 0
    for key, value in _numbers(json.loads(texts)["params"]["data"]):
        other = f'"{key}":{json.dumps(value)}'.encode()
        bent = f'"{key}":{value}'.encode() if isinstance(value, str) else f'"{key}":"{value}"'.encode()
        assert other in texts
        assert decode.frame(texts.replace(other, bent)) == usual, key
        seen += 1
    assert seen >= (2 if channel.startswith("orderbook") else 3)


def _numbers(tree: Any) -> list[tuple[str, Any]]:
    """List the keys whose value is a number or reads like one."""
    found = []
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in items:
        if isinstance(value, dict | list):
            found += _numbers(value)
        elif (
            isinstance(key, str)
            and not isinstance(value, bool)
            and str(value).lstrip("-").replace(".", "", 1).isdecimal()
        ):
            found.append((key, value))
    return found


def test_a_numeral_as_a_number_keeps_every_digit() -> None:
    raw = frame("orderbook.X-PERP.1.1", BOOK).replace(
        b'"101"', b"123456789012345678901.000000000000000000010"
    )
    assert data_of(raw, wire.Orderbook).bids == [("123456789012345678901.000000000000000000010", "1.25")]


@pytest.mark.parametrize("value", [None, DROP])
@pytest.mark.parametrize("key", ["A", "B", "I", "M", "a", "b", "f", "option_pricing", "stats", "t"])
def test_a_ticker_field_may_be_null_or_absent(key: str, value: object) -> None:
    data = changed(PERP, ("instrument_ticker", key), value)
    ticker = data_of(frame("ticker_slim.SOL-PERP.100", data), wire.TickerSlim).instrument_ticker
    keys = dict(zip(ticker.__struct_encode_fields__, ticker.__struct_fields__, strict=True))
    assert key not in keys or getattr(ticker, keys[key]) is None


def test_an_unknown_channel_is_handed_on_with_its_payload() -> None:
    message = decode.frame(frame("auctions.watch", {"a": [1, 2.50]}))
    assert message == wire.UnknownChannel("auctions.watch", b'{"a":[1,2.5]}')


def test_a_channel_that_only_looks_like_a_known_one_is_unknown() -> None:
    message = decode.frame(frame("ticker.SOL-PERP.1000", PERP))
    assert isinstance(message, wire.UnknownChannel)
    assert json.loads(message.payload) == PERP


def test_responses_and_errors_are_read_by_id() -> None:
    response = decode.frame(b'{"id":3,"result":{"status":{"a.b":"ok","c.d":"no such channel"}}}')
    assert isinstance(response, wire.Response)
    assert response.id == 3
    assert decode.subscription_status(response) == {"a.b": "ok", "c.d": "no such channel"}
    error = decode.frame(b'{"id":"x","error":{"code":-32602,"message":"Invalid params","data":["nonce"]}}')
    assert error == wire.ErrorResponse("x", -32602, "Invalid params", b'["nonce"]')


def test_a_null_error_beside_a_result_is_no_error() -> None:
    assert isinstance(decode.frame(b'{"id":3,"error":null,"result":[]}'), wire.Response)


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        (b"", "frame"),
        (b"{", "frame"),
        (b"[]", "frame"),
        (b"{}", "frame"),
        (b"\xff\xfe", "frame"),
        (b'{"method":"heartbeat"}', "method"),
        (b'{"method":"subscription","params":{}}', "params"),
        (b'{"id":1,"error":{"code":"x"}}', "error.code"),
        (b"[" * 100_000, "frame"),
        (b'{"x":' + b"[" * 100_000, "frame"),
        (frame("orderbook.SOL-PERP.1.10", BOOK)[:-3], "frame"),
    ],
)
def test_what_is_no_frame_is_refused(raw: bytes, field: str) -> None:
    with pytest.raises(InvalidFrame) as caught:
        decode.frame(raw)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("channel", "path", "value", "field"),
    [
        ("orderbook.SOL-PERP.1.10", ("bids",), DROP, "params.data.bids"),
        ("orderbook.SOL-PERP.1.10", ("bids", 0), ["1"], "params.data.bids[0]"),
        ("orderbook.SOL-PERP.1.10", ("asks", 1, 0), None, "params.data.asks[1][0]"),
        ("orderbook.SOL-PERP.1.10", ("instrument_name",), 5, "params.data.instrument_name"),
        ("orderbook.SOL-PERP.1.10", ("timestamp",), 1.5, "params.data.timestamp"),
        ("orderbook.SOL-PERP.1.10", ("timestamp",), 1794128400, "params.data.timestamp"),
        ("ticker_slim.SOL-PERP.100", ("timestamp",), True, "params.data.timestamp"),
        ("ticker_slim.SOL-PERP.100", ("instrument_ticker",), None, "params.data.instrument_ticker"),
        ("ticker_slim.SOL-PERP.100", ("instrument_ticker", "M"), True, "params.data.instrument_ticker.M"),
        ("trades.perp.SOL", (0, "direction"), "up", "params.data[0].direction"),
        ("trades.perp.SOL", (0, "trade_id"), DROP, "params.data[0].trade_id"),
        ("9.orders", (0, "order_type"), "iceberg", "params.data[0].order_type"),
        ("9.orders", (0, "nonce"), "1x", "params.data[0].nonce"),
        ("9.trades", (0, "liquidity_role"), 1, "params.data[0].liquidity_role"),
    ],
)
def test_a_bad_field_is_named_by_its_path(
    channel: str, path: tuple[str | int, ...], value: object, field: str
) -> None:
    with pytest.raises(InvalidFrame) as caught:
        decode.frame(frame(channel, changed(PAYLOADS[channel], path, value)))
    assert caught.value.field == field


@pytest.mark.parametrize("text", ["NaN", "inf", "-Infinity", "x", ""])
def test_a_greek_that_is_no_finite_number_is_refused(text: str) -> None:
    data = changed(PERP, ("instrument_ticker", "option_pricing"), GREEKS | {"d": text})
    with pytest.raises(InvalidFrame) as caught:
        decode.frame(frame("ticker_slim.SOL-20270326-90-C.100", data))
    assert caught.value.field == "params.data.instrument_ticker.option_pricing.d"


def test_the_day_of_a_ticker_is_read_on_demand() -> None:
    day = decode.ticker_day(frame("ticker_slim.SOL-PERP.100", PERP)).data.instrument_ticker
    assert (day.max_price, day.min_price, day.ticker_ms) == ("110", "90.5", 1794128400120)
    assert day.stats == wire.TickerStats("12", "104", "97", 5, "1", "0.01", "2", "3")


def test_candles_come_from_a_response_body() -> None:
    record = {
        "open_price": "1.0",
        "high_price": "3",
        "low_price": "0.5",
        "close_price": "2",
        "volume_usd": "9",
        "volume_contracts": "4.25",
        "timestamp": 1794128407,
        "timestamp_bucket": 1794128400,
    }
    expected = [wire.Candle("1.0", "3", "0.5", "2", "4.25", 1794128400)]
    assert decode.candles(json.dumps({"id": 1, "result": [record]}).encode()) == expected
    assert decode.candles(json.dumps({"result": [record | {"high_price": 3}]}).encode()) == expected
    for body in (b'{"id":1,"error":{"code":1,"message":"x"}}', b'{"result":[{"open_price":"1"}]}', b"<html>"):
        with pytest.raises(InvalidFrame):
            decode.candles(body)


def test_a_subscriptions_response_must_have_a_status() -> None:
    response = decode.frame(b'{"id":3,"result":[]}')
    assert isinstance(response, wire.Response)
    with pytest.raises(InvalidFrame) as caught:
        decode.subscription_status(response)
    assert caught.value.field == "result"


def test_a_repeated_key_counts_the_last_time() -> None:
    raw = frame("orderbook.SOL-PERP.1.10", BOOK).replace(
        b'"params":{"channel"', b'"params":{"channel":"orderbook.ETH-PERP.1.10","channel"'
    )
    update = decode.frame(raw)
    assert isinstance(update, wire.Update)
    assert update.channel == "orderbook.SOL-PERP.1.10"
    disguised = raw.replace(b'"channel":"orderbook.SOL-PERP.1.10"', b'"channel":"9.orders"')
    with pytest.raises(InvalidFrame):
        decode.frame(disguised)


@pytest.mark.parametrize(
    ("read", "path"),
    [
        (lambda raw: decode.payload(raw, wire.OrderRecord), "label"),
        (lambda raw: decode.payload(raw, wire.OrderRecord), "direction"),
        (lambda raw: decode.payload(raw, wire.OrderRecord), "limit_price"),
    ],
)
def test_half_a_surrogate_pair_is_no_text(read: Any, path: str) -> None:
    raw = json.dumps(ORDER | {path: "\ud800"}).encode()
    with pytest.raises(InvalidFrame):
        read(raw)
    with pytest.raises(InvalidFrame):
        read(raw.replace(b'"2"', b"2"))


def test_an_error_cannot_name_a_field_of_its_own_choice() -> None:
    raw = frame("9.orders", [ORDER | {"direction": "x' - at `$.params.data[0].label`"}])
    with pytest.raises(InvalidFrame) as caught:
        decode.frame(raw)
    assert caught.value.field == "params.data[0].direction"


def test_an_error_is_short_whatever_came() -> None:
    with pytest.raises(InvalidFrame) as caught:
        decode.frame(frame("9.orders", [ORDER | {"direction": "A" * 1_000_000}]))
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("channel", "key"),
    [
        ("9.orders", "order_id"),
        ("9.trades", "trade_id"),
        ("9.trades", "order_id"),
        ("trades.perp.SOL", "trade_id"),
    ],
)
def test_an_id_is_never_empty(channel: str, key: str) -> None:
    with pytest.raises(InvalidFrame) as caught:
        decode.frame(frame(channel, changed(PAYLOADS[channel], (0, key), "")))
    assert caught.value.field == f"params.data[0].{key}"


@pytest.mark.parametrize("expiry_sec", [0, 2**63 - 1, None])
def test_a_field_that_nothing_reads_loses_no_order(expiry_sec: int | None) -> None:
    (order,) = records_of(frame("9.orders", [ORDER | {"signature_expiry_sec": expiry_sec}]), wire.OrderRecord)
    assert order.signature_expiry_sec == expiry_sec


def test_an_errors_code_may_come_as_a_string() -> None:
    error = decode.frame(b'{"id":1,"error":{"code":"-5","message":"m","data":{"x":1}}}')
    assert error == wire.ErrorResponse(1, -5, "m", b'{"x":1}')


@pytest.mark.parametrize(
    ("raw", "field"),
    [(b'{"id":1,"error":{}}', "error.code"), (b'{"id":1,"method":"x","result":{}}', "method")],
)
def test_half_an_answer_is_refused(raw: bytes, field: str) -> None:
    with pytest.raises(InvalidFrame) as caught:
        decode.frame(raw)
    assert caught.value.field == field


def test_a_deep_value_where_nothing_is_read_is_refused_on_the_usual_way_too() -> None:
    raw = frame("orderbook.SOL-PERP.1.10", BOOK)
    decode.frame(raw)
    with pytest.raises(InvalidFrame):
        decode.frame(raw[:-2] + b',"x":' + b"[" * 100_000 + b"}}")


def test_a_response_keeps_nothing_of_the_callers_buffer() -> None:
    buffer = bytearray(b'{"id":1,"result":[1,2]}')
    response = decode.frame(buffer)  # type: ignore[arg-type]  # a caller may reuse one buffer for all frames
    buffer[:] = b"x" * len(buffer)
    assert isinstance(response, wire.Response)
    assert bytes(response.result) == b"[1,2]"


@pytest.mark.parametrize("channel", PAYLOADS)
@pytest.mark.parametrize("buffer", [bytearray, memoryview])
def test_any_buffer_of_bytes_is_read(channel: str, buffer: Any) -> None:
    raw = frame(channel, PAYLOADS[channel])
    assert decode.frame(buffer(raw)) == decode.frame(raw)


def test_many_channels_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "_MAX_MET", 5)
    for n in range(20):
        decode.frame(frame(f"orderbook.X{n}-PERP.1.10", BOOK))
        assert len(decode._met) <= 5
    decode.frame(frame(f"orderbook.{'Y' * 200}.1.10", BOOK))
    assert not any(len(channel) > 128 for channel in decode._met)
