"""Frames of the feed in the venue's form, for the tests that say what becomes of one."""

import json
from typing import Any

Pairs = tuple[tuple[str, str], ...]
Tree = dict[str, Any]

DOCUMENTED = (
    b'{"type":"update/order_book","channel":"order_book:0","offset":1558300,"timestamp":1774884082326,'
    b'"last_updated_at":1774884082309144,"order_book":{"code":0,"asks":[{"price":"2064.54","size":"0.3285"}],'
    b'"bids":[],"offset":1558300,"nonce":9182390020,"begin_nonce":9182389998}}'
)
SENT_MS, EVENT_US = 1_774_884_082_326, 1_774_884_082_309_144


def tree(kind: str, begin: int, nonce: int, bids: Pairs = (), asks: Pairs = ()) -> Tree:
    """Return a frame's tree, of market 0; both clocks go on with the nonce."""
    sides = [[{"price": price, "size": size} for price, size in side] for side in (asks, bids)]
    return {
        "type": f"{kind}/order_book",
        "channel": "order_book:0",
        "offset": 5,
        "timestamp": SENT_MS + nonce,
        "last_updated_at": EVENT_US + nonce,
        "order_book": {
            "code": 0,
            "asks": sides[0],
            "bids": sides[1],
            "offset": 5,
            "nonce": nonce,
            "begin_nonce": begin,
        },
    }


def encoded(frame: object) -> bytes:
    """Write a tree as the venue does, without spaces."""
    return json.dumps(frame, separators=(",", ":")).encode()
