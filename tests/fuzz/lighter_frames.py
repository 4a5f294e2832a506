"""Throw mutated frames at Lighter's decoder, sync and route: `nox -s fuzz`, or a few in the tests.

    python -m tests.fuzz.lighter_frames [COUNT] [SEED]

Every answer is held against an independent reading (`lighter_model`), and what a frame does to a state
against what was there before (`lighter_route`). Prints what became of the frames; exits 1 with the first
frame whose answer was wrong.
"""

import sys
from collections import Counter

from tests.fuzz.campaign import run, throw
from tests.fuzz.lighter_model import check_frame
from tests.fuzz.lighter_route import check_route
from tests.tapemark.lighter.frames import Pairs, Tree, encoded, tree

_BEGIN, _NONCE = 9_182_389_998, 9_182_390_020
_ASKS: Pairs = (("2064.54", "0.3285"), ("2064.55", "12.0000"), ("2065.10", "1.5000"))
_BIDS: Pairs = (("2064.53", "0.0100"), ("2064.50", "7.2500"), ("2060.00", "100.0000"))
_UPDATE = tree("update", _BEGIN, _NONCE, (("2064.50", "0.0000"),), (("2064.54", "0.3285"),))
_TREES: tuple[Tree, ...] = (
    _UPDATE,
    _UPDATE,
    tree("update", _BEGIN, _NONCE, (), (("2064.54", "0.0000"), ("2066.00", "0.2000"))),
    tree("update", _BEGIN, _NONCE, (("2064.54", "1.0000"),)),
    tree("subscribed", _BEGIN, _NONCE, _BIDS, _ASKS),
    dict(sorted(tree("subscribed", _BEGIN, _NONCE, (), _ASKS).items())),
    dict(sorted(_UPDATE.items())),
    {"type": "connected", "session_id": "0f1e"},
    {"type": "ping"},
    {"type": "update/trade", "channel": "trade:0", "trades": [{"price": "2064.54"}]},
    {"error": {"code": 30_003, "message": "Already Subscribed"}},
)


def seeds() -> list[bytes]:
    """Return the frames that mutations start from, in the venue's form."""
    return [encoded(frame) for frame in _TREES]


def begin() -> list[bytes]:
    """Return the frames that a route has had before a mutated one: the snapshots of two markets."""
    first = tree("subscribed", 0, _BEGIN, _BIDS, _ASKS)
    return [encoded(first | {"channel": f"order_book:{market_id}"}) for market_id in (0, 1)]


def fuzz(count: int, seed: int) -> Counter[str]:
    """Check `count` mutated frames, and what a tenth as many do to a state; count the former's outcomes.

    Raises:
        EscapeError: One answer was wrong.
    """
    begun = begin()
    throw(lambda raw: check_route(raw, begun), seeds(), count // 10, seed)
    return throw(check_frame, seeds(), count, seed)


if __name__ == "__main__":
    sys.exit(run(fuzz, "mutated Lighter frames"))
