"""Lighter's order-book feed: frames decoded, and a book kept in step with them by their nonces.

The frames are those of the busiest market of the committed session: its snapshot and the updates after it.
"""

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest

from benches.market.session import LIGHTER, load_short
from benchgate.measure import Measure
from tapemark.lighter import decode
from tapemark.lighter.sync import BookSync
from tapemark.lighter.wire import BookSnapshot, BookUpdate
from tapemark.market.book import OrderBook
from tapemark.market.scale import Scale

UPDATES = 50
_CHANNEL = b'"channel":"order_book:0"'
_TICK_SIZE, _SIZE_STEP = Decimal("0.01"), Decimal("0.0001")
_RECV_NS = 1_794_128_400_000_000_123


def frames() -> tuple[bytes, list[bytes]]:
    """Give the snapshot of market 0 and the updates after it."""
    found = [raw for venue, _, raw in load_short().frames if venue == LIGHTER and _CHANNEL in raw]
    return found[0], found[1 : UPDATES + 1]


def fields(message: BookSnapshot | BookUpdate) -> dict[str, Any]:
    """Give a message in the form in which a plain reading has it."""
    book = message.book
    sides = {"asks": book.asks, "bids": book.bids}
    return {
        "channel": message.channel,
        "timestamp": message.sent_ms,
        "last_updated_at": message.event_us,
        "nonce": book.nonce,
        **{
            side: [{"price": level.price, "size": level.size} for level in levels]
            for side, levels in sides.items()
        },
    }


def plain_fields(raw: bytes) -> dict[str, Any]:
    """Read the same with the standard library."""
    tree = json.loads(raw)
    outer = {name: tree[name] for name in ("channel", "timestamp", "last_updated_at")}
    return outer | {name: tree["order_book"][name] for name in ("nonce", "asks", "bids")}


def plain_best(raws: Sequence[bytes]) -> tuple[Decimal, Decimal]:
    """Give the best bid and ask after frames, by dicts of decimals."""
    sides: dict[str, dict[Decimal, Decimal]] = {"bids": {}, "asks": {}}
    for raw in raws:
        for side, levels in sides.items():
            levels.update(
                (Decimal(level["price"]), Decimal(level["size"]))
                for level in json.loads(raw)["order_book"][side]
            )
    bids, asks = ([price for price, size in side.items() if size] for side in sides.values())
    return max(bids), min(asks)


def follow(sync: BookSync, snapshot: bytes, updates: Sequence[bytes]) -> None:
    """Decode and apply a snapshot and the updates after it."""
    message = decode.frame(snapshot)
    assert type(message) is BookSnapshot
    sync.parse_snapshot(message, _RECV_NS).write()
    for raw in updates:
        update = decode.frame(raw)
        assert type(update) is BookUpdate
        sync.parse_update(update, _RECV_NS).write()


def bench_decode_update(measure: Measure) -> None:
    """Decode an update of one level."""
    _, updates = frames()
    raw = next(raw for raw in updates if raw.count(b'"price"') == 1)
    message = decode.frame(raw)
    assert type(message) is BookUpdate
    assert fields(message) == plain_fields(raw)
    assert message.book.begin_nonce == json.loads(raw)["order_book"]["begin_nonce"]
    measure(decode.frame, raw)


def bench_decode_snapshot(measure: Measure) -> None:
    """Decode a snapshot of some twenty levels a side."""
    raw, _ = frames()
    message = decode.frame(raw)
    assert type(message) is BookSnapshot
    assert fields(message) == plain_fields(raw)
    measure(decode.frame, raw, calls=50)


@pytest.mark.items(UPDATES + 1, "frames")
def bench_sync(measure: Measure) -> None:
    """Decode and apply a snapshot and the 50 updates after it, whose texts were seen before."""
    snapshot, updates = frames()
    book, scale, asked = OrderBook(), Scale(_TICK_SIZE, _SIZE_STEP), list[int]()
    sync = BookSync(0, book, scale, asked.append)
    follow(sync, snapshot, updates)
    assert sync.is_live
    assert asked == []
    assert book.best_bid is not None
    assert book.best_ask is not None
    found = (scale.prices.exact(book.best_bid[0]), scale.prices.exact(book.best_ask[0]))
    assert found == plain_best([snapshot, *updates])
    measure.fresh(follow, lambda: (BookSync(0, OrderBook(), scale, asked.append), snapshot, updates), calls=2)
