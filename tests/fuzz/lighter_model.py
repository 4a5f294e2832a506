"""An independent reading of Lighter's frames, to hold every answer of the decoder and the sync against.

It reads with the standard library, looks each field up by the key that the venue's reference gives, and keeps
the book that an update leads to in plain dictionaries. It shares no table and no code with `tapemark`.
"""

import json
import re
from decimal import Decimal
from typing import Any

from tapemark.errors import InvalidFrame
from tapemark.lighter import decode, wire
from tapemark.lighter.sync import BookSync, Outcome
from tapemark.market.book import OrderBook
from tapemark.market.scale import Scale
from tapemark.market.views import BookStatus
from tests.fuzz.campaign import EscapeError

_TICK, _STEP = Decimal("0.01"), Decimal("0.0001")
_NUMERAL = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,2})?", re.ASCII)
_CHANNEL = re.compile(r"order_book[:/](?:0|[1-9][0-9]{0,8})", re.ASCII)
_BASE = ({206_450: 72_500, 206_000: 10_000}, {206_454: 5, 206_510: 15_000})
"""The bids and asks, in ticks and steps, that an update is applied to."""

Sides = tuple[dict[int, int], dict[int, int]]


def check_frame(raw: bytes) -> str:
    """Decode a frame and apply it, hold all of it against the independent reading, and say what became of it.

    Returns:
        `refused` for an `InvalidFrame` of the decoder, `UnknownFrame`, or the outcome of the sync.

    Raises:
        EscapeError: Another exception came out, an accepted field has a value that the bytes do not hold, a
            frame without fault was refused, or the book is not what the levels make of it.
    """
    tree, is_plain = _tree(raw)
    try:
        message = decode.frame(raw)
    except InvalidFrame as error:
        if is_plain and (_is_unknown(tree) or _is_book(tree)):
            raise EscapeError(f"refused {raw!r} without a fault: {error}") from error
        return "refused"
    except Exception as error:
        raise EscapeError(f"decode.frame raised {error!r} for {raw!r}") from error
    try:
        if isinstance(message, wire.UnknownFrame):
            assert message.type == tree["type"]
            assert _is_unknown(tree)
            return "UnknownFrame"
        _check_message(message, tree)
        return _check_book(message, tree)
    except (AssertionError, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise EscapeError(f"{error!r}: {message!r} is not what {raw!r} says") from error


def _tree(raw: bytes) -> tuple[Any, bool]:
    """Read JSON, and say whether any reader must read it so: no key twice, nothing lenient."""
    twice = []

    def united(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        twice.extend([len(pairs)] if len(dict(pairs)) < len(pairs) else [])
        return dict(pairs)

    # The decoder skips what no type names without looking for bad UTF-8 or control characters in it. Read
    # that leniently here; in a field that was accepted, such text could not compare equal.
    text = raw.decode("utf-8", "surrogateescape")
    try:
        tree = json.loads(text, strict=False, parse_constant=_no_constant, object_pairs_hook=united)
    except (ValueError, RecursionError):
        return None, False
    try:
        json.loads(raw.decode("utf-8"))
        json.dumps(tree, ensure_ascii=False).encode("utf-8")
    except ValueError:
        return tree, False
    return tree, not twice


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _is_unknown(tree: Any) -> bool:
    known = ("update/order_book", "subscribed/order_book")
    return isinstance(tree, dict) and isinstance(tree.get("type"), str) and tree["type"] not in known


def _is_book(tree: Any) -> bool:
    """Say whether a tree is an order-book frame in all its fields; a level's texts may be anything."""
    if not isinstance(tree, dict) or tree.get("type") not in ("update/order_book", "subscribed/order_book"):
        return False
    book = tree.get("order_book")
    return (
        isinstance(tree.get("channel"), str)
        and _CHANNEL.fullmatch(tree["channel"]) is not None
        and _is_int(tree.get("timestamp"), 10**12, 10**14 - 1)
        and _is_int(tree.get("last_updated_at"), 10**15, 10**17 - 1)
        and isinstance(book, dict)
        and _is_int(book.get("code"), 0, 0)
        and _is_int(book.get("nonce"), 0, 2**63 - 1)
        and (tree["type"] != "update/order_book" or _is_int(book.get("begin_nonce"), 0, 2**63 - 1))
        and all(_is_side(book.get(key)) for key in ("asks", "bids"))
    )


def _is_int(value: Any, low: int = -(2**63), high: int = 2**63 - 1) -> bool:
    return type(value) is int and low <= value <= high


def _is_side(rows: Any) -> bool:
    return isinstance(rows, list) and all(
        isinstance(row, dict) and isinstance(row.get("price"), str) and isinstance(row.get("size"), str)
        for row in rows
    )


def _check_message(message: wire.BookSnapshot | wire.BookUpdate, tree: Any) -> None:
    kind = "update/order_book" if isinstance(message, wire.BookUpdate) else "subscribed/order_book"
    source, book = tree["order_book"], message.book
    assert tree["type"] == kind
    assert message.channel == tree["channel"]
    assert message.market_id == int(re.split("[:/]", tree["channel"])[1])
    assert (message.sent_ms, message.event_us) == (tree["timestamp"], tree["last_updated_at"])
    assert (book.code, book.nonce) == (source["code"], source["nonce"])
    assert _is_book(tree)
    if isinstance(message, wire.BookUpdate):
        assert message.book.begin_nonce == source["begin_nonce"]
    for levels, rows in ((book.asks, source["asks"]), (book.bids, source["bids"])):
        pairs = [(row["price"], row["size"]) for row in rows]
        assert [(level.price, level.size) for level in levels] == pairs


def _check_book(message: wire.BookSnapshot | wire.BookUpdate, tree: Any) -> str:
    """Apply a message to a book of its own and compare that with what plain dictionaries become."""
    asked: list[int] = []
    book = OrderBook()
    sync = BookSync(message.market_id, book, Scale(_TICK, _STEP), asked.append)
    sides = _sides(tree)
    is_update = isinstance(message, wire.BookUpdate)
    dropped = BookStatus.GAP if is_update else BookStatus.EMPTY
    expected = None if sides is None else _applied(sides, *(_BASE if is_update else ({}, {})))
    try:
        if isinstance(message, wire.BookSnapshot):
            outcome = sync.parse_snapshot(message, 7).write()
        else:
            _begin(sync, message.channel, message.book.begin_nonce)
            if message.book.begin_nonce >= message.book.nonce:
                expected = None
            outcome = sync.parse_update(message, 7).write()
    except InvalidFrame:
        assert sides is None
        assert asked == [message.market_id]
        assert (len(book), book.top.status, sync.is_live) == (0, dropped, False)
        return "bad level"
    assert sides is not None
    if outcome is Outcome.APPLIED:
        assert expected is not None
        assert tuple(dict(side) for side in book.depth(10**6)) == expected
        top = book.top
        assert (top.sequence, top.event_us, top.sent_ms, top.recv_ns) == (
            tree["order_book"]["nonce"],
            tree["last_updated_at"],
            tree["timestamp"],
            7,
        )
        assert not asked
        assert not _is_crossed(expected)
    elif outcome is Outcome.CROSSED:
        assert expected is not None
        assert _is_crossed(expected)
        assert (len(book), book.top.status, asked) == (0, BookStatus.CROSSED, [message.market_id])
    else:
        assert outcome is Outcome.GAP or outcome is Outcome.LATE
        assert expected is None
    return outcome.name


def _begin(sync: BookSync, channel: str, nonce: int) -> None:
    """Give a sync the book that updates are applied to."""
    bids, asks = (
        [wire.Level(str(ticks * _TICK), str(size * _STEP)) for ticks, size in side.items()] for side in _BASE
    )
    begin = wire.BookSnapshot(
        type="subscribed/order_book",
        channel=channel,
        sent_ms=10**12,
        event_us=10**15,
        book=wire.Book(code=0, asks=asks, bids=bids, nonce=nonce),
    )
    assert sync.parse_snapshot(begin, 1).write() is Outcome.APPLIED


def _sides(tree: Any) -> Sides | None:
    """Read bids and asks in whole ticks and steps, zero sizes included; None where a text does not fit."""
    sides = []
    for key in ("bids", "asks"):
        side = {}
        for row in tree["order_book"][key]:
            ticks, size = _count(row["price"], _TICK), _count(row["size"], _STEP)
            if not ticks or size is None:  # no price is zero
                return None
            side[ticks] = size
        sides.append(side)
    return sides[0], sides[1]


def _count(text: str, step: Decimal) -> int | None:
    if len(text) > 120 or not _NUMERAL.fullmatch(text):
        return None
    count, rest = divmod(Decimal(text), step) if Decimal(text) < 2**64 else (2**63, 0)
    return None if rest or count >= 2**63 else int(count)


def _applied(changed: Sides, bids: dict[int, int], asks: dict[int, int]) -> Sides:
    bids, asks = bids | changed[0], asks | changed[1]
    return {t: size for t, size in bids.items() if size}, {t: size for t, size in asks.items() if size}


def _is_crossed(sides: Sides) -> bool:
    bids, asks = sides
    return bool(bids and asks) and max(bids) >= min(asks)
