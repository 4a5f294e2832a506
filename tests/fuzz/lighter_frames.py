"""Throw mutated frames at Lighter's decoder and sync: `nox -s fuzz`, or a few in the tests.

    python -m tests.fuzz.lighter_frames [COUNT] [SEED]

Every answer is held against an independent reading (`lighter_model`). Prints what became of the frames; exits
1 with the first frame whose answer was wrong.
"""

import json
import sys
from collections import Counter
from typing import Any

from tests.fuzz.campaign import run, throw
from tests.fuzz.lighter_model import check_frame


def _levels(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"price": price, "size": size} for price, size in pairs]


def _book(kind: str, asks: list[dict[str, str]], bids: list[dict[str, str]]) -> dict[str, Any]:
    return {
        "type": kind,
        "channel": "order_book:0",
        "offset": 1_558_300,
        "timestamp": 1_774_884_082_326,
        "last_updated_at": 1_774_884_082_309_144,
        "order_book": {
            "code": 0,
            "asks": asks,
            "bids": bids,
            "offset": 1_558_300,
            "nonce": 9_182_390_020,
            "begin_nonce": 9_182_389_998,
        },
    }


_ASKS = _levels(("2064.54", "0.3285"), ("2064.55", "12.0000"), ("2065.10", "1.5000"))
_BIDS = _levels(("2064.53", "0.0100"), ("2064.50", "7.2500"), ("2060.00", "100.0000"))
_UPDATE = _book("update/order_book", _levels(("2064.54", "0.3285")), _levels(("2064.50", "0.0000")))
_TREES: tuple[dict[str, Any], ...] = (
    _UPDATE,
    _UPDATE,
    _book("update/order_book", _levels(("2064.54", "0.0000"), ("2066.00", "0.2000")), []),
    _book("update/order_book", [], _levels(("2064.54", "1.0000"))),
    _book("subscribed/order_book", _ASKS, _BIDS),
    dict(sorted(_book("subscribed/order_book", _ASKS, []).items())),
    dict(sorted(_UPDATE.items())),
    {"type": "connected", "session_id": "0f1e"},
    {"type": "ping"},
    {"type": "update/trade", "channel": "trade:0", "trades": [{"price": "2064.54"}]},
    {"error": {"code": 30_003, "message": "Already Subscribed"}},
)


def seeds() -> list[bytes]:
    """Return the frames that mutations start from, in the venue's form."""
    return [json.dumps(tree, separators=(",", ":")).encode() for tree in _TREES]


def fuzz(count: int, seed: int) -> Counter[str]:
    """Check `count` mutated frames and count the outcomes.

    Raises:
        EscapeError: One answer was wrong.
    """
    return throw(check_frame, seeds(), count, seed)


if __name__ == "__main__":
    sys.exit(run(fuzz, "mutated Lighter frames"))
