import json
import random
from typing import Any

import pytest

from tapemark.errors import InvalidFrame
from tapemark.lighter import decode, wire
from tests.tapemark.lighter.frames import DOCUMENTED, encoded, tree

UPDATE = tree("update", 7, 9, (("99.50", "1.0"),), (("100.50", "0.0"), ("101.00", "2.5")))
DROP = object()


def changed(path: tuple[str | int, ...], value: Any) -> bytes:
    """Return the update with one place changed or dropped."""
    copy = json.loads(encoded(UPDATE))
    *parents, last = path
    node = copy
    for step in parents:
        node = node[step]
    if value is DROP:
        del node[last]
    else:
        node[last] = value
    return encoded(copy)


def shuffled(node: Any, rng: random.Random) -> Any:
    """Return a copy with the keys of every object in another order, an unknown one among them."""
    if isinstance(node, dict):
        items = [(key, shuffled(value, rng)) for key, value in node.items()]
        items.append(("unknown", {"price": 1}))
        rng.shuffle(items)
        return dict(items)
    return [shuffled(item, rng) for item in node] if isinstance(node, list) else node


def test_the_documented_update_is_read_field_by_field() -> None:
    message = decode.frame(DOCUMENTED)
    assert message == wire.BookUpdate(
        type="update/order_book",
        channel="order_book:0",
        sent_ms=1774884082326,
        event_us=1774884082309144,
        book=wire.BookChange(
            code=0,
            asks=[wire.Level("2064.54", "0.3285")],
            bids=[],
            nonce=9182390020,
            begin_nonce=9182389998,
        ),
    )
    assert isinstance(message, wire.BookUpdate)
    assert message.market_id == 0


@pytest.mark.parametrize("separator", [":", "/"])
def test_a_snapshot_is_read_with_its_market(separator: str) -> None:
    frame = tree("subscribed", 0, 9, (("99.50", "1.0"),)) | {"channel": f"order_book{separator}131"}
    del frame["order_book"]["begin_nonce"]
    message = decode.frame(encoded(frame))
    assert isinstance(message, wire.BookSnapshot)
    assert message.market_id == 131
    assert (message.book.bids, message.book.asks) == ([wire.Level("99.50", "1.0")], [])


@pytest.mark.parametrize("kind", ["update", "subscribed"])
@pytest.mark.parametrize("seed", range(20))
def test_any_order_of_the_keys_and_unknown_ones_make_no_difference(kind: str, seed: int) -> None:
    frame = UPDATE | {"type": f"{kind}/order_book"}
    assert decode.frame(encoded(shuffled(frame, random.Random(seed)))) == decode.frame(encoded(frame))


@pytest.mark.parametrize(
    "kind", ["connected", "ping", "update/trade", "subscribed/market_stats", "", "x" * 99]
)
def test_a_frame_of_another_type_is_unknown_and_no_fault(kind: str) -> None:
    assert decode.frame(encoded({"session": 1, "type": kind})) == wire.UnknownFrame(kind)


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (("type",), DROP, "type"),
        (("type",), 7, "type"),
        (("channel",), DROP, "channel"),
        (("channel",), "order_book:", "channel"),
        (("channel",), "order_book:-1", "channel"),
        (("channel",), "order_book:01", "channel"),
        (("channel",), "order_book:1234567890", "channel"),
        (("channel",), "order_book:\u0663", "channel"),
        (("channel",), "order_book:1\n", "channel"),
        (("channel",), "trade:0", "channel"),
        (("timestamp",), DROP, "timestamp"),
        (("timestamp",), 1_774_884_082, "timestamp"),
        (("timestamp",), 1_774_884_082_326_000, "timestamp"),
        (("last_updated_at",), 1_774_884_082_326, "last_updated_at"),
        (("last_updated_at",), "1774884082309144", "last_updated_at"),
        (("order_book",), None, "order_book"),
        (("order_book", "code"), 1, "order_book.code"),
        (("order_book", "code"), DROP, "order_book.code"),
        (("order_book", "nonce"), -1, "order_book.nonce"),
        (("order_book", "nonce"), 2**63, "order_book.nonce"),
        (("order_book", "nonce"), True, "order_book.nonce"),
        (("order_book", "nonce"), 1.5, "order_book.nonce"),
        (("order_book", "begin_nonce"), DROP, "order_book.begin_nonce"),
        (("order_book", "asks"), DROP, "order_book.asks"),
        (("order_book", "bids"), None, "order_book.bids"),
        (("order_book", "asks", 1), ["101.00", "2.5"], "order_book.asks[1]"),
        (("order_book", "asks", 1, "price"), 101.5, "order_book.asks[1].price"),
        (("order_book", "asks", 1, "size"), DROP, "order_book.asks[1].size"),
        (("order_book", "bids", 0, "size"), None, "order_book.bids[0].size"),
    ],
)
def test_a_field_that_does_not_fit_is_named_by_its_path(
    path: tuple[str | int, ...], value: Any, field: str
) -> None:
    with pytest.raises(InvalidFrame) as caught:
        decode.frame(changed(path, value))
    assert caught.value.field == field
    if value is not DROP and value is not True:
        assert caught.value.got == repr(value)


def test_an_error_says_what_was_expected_and_what_came() -> None:
    with pytest.raises(InvalidFrame, match=r"^order_book\.code: expected int <= 0, got 20001$"):
        decode.frame(changed(("order_book", "code"), 20_001))
    with pytest.raises(InvalidFrame, match=r"^timestamp: expected int >= 1000000000000, got 12$"):
        decode.frame(changed(("timestamp",), 12))


def test_a_missing_key_is_said_of_what_came_and_json_that_is_cut_is_said_to_be() -> None:
    with pytest.raises(InvalidFrame, match=r"^type: expected a value under this key, got \{'error': 7\}$"):
        decode.frame(b'{"error":7}')
    with pytest.raises(InvalidFrame, match=r"^frame: expected JSON in UTF-8 \(Input data was truncated\)"):
        decode.frame(DOCUMENTED[:-1])


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"null",
        b"[]",
        b"7",
        DOCUMENTED[:-1],
        DOCUMENTED + b"}",
        DOCUMENTED.replace(b"2064.54", b"\xff"),
        DOCUMENTED.replace(b"2064.54", b"\\ud800"),
        DOCUMENTED.replace(b"1558300", b"NaN"),
        b"[" * 100_000,
        b'{"error":{"code":30003,"message":"Already Subscribed"}}',
    ],
)
def test_what_is_no_frame_is_refused(raw: bytes) -> None:
    with pytest.raises(InvalidFrame):
        decode.frame(raw)


def test_the_memory_of_channels_is_bounded() -> None:
    ids = wire.MARKET_IDS
    for market_id in range(wire._MAX_CHANNELS + 10):
        assert ids[f"order_book:{market_id}"] == market_id
    assert len(ids) <= wire._MAX_CHANNELS
