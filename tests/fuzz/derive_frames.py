"""Throw mutated frames at Derive's decoder, parsers and route: `nox -s fuzz`, or a few in the tests.

    python -m tests.fuzz.derive_frames [COUNT] [SEED]

Every answer is held against an independent reading (`derive_model`), and what a frame does to a state against
what was there before (`derive_route`). Prints what became of the frames; exits 1 with the first frame whose
answer was wrong.
"""

import sys
from collections import Counter
from pathlib import Path

from tests.fuzz.campaign import run, throw
from tests.fuzz.derive_model import check_frame
from tests.fuzz.derive_route import check_route

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "derive"
SEEDS = (
    "book_1",
    "book_10",
    "ticker_perp",
    "ticker_option",
    "trades_1",
    "trades_10",
    "orders",
    "own_trades",
    "response",
    "response_error",
    "subscription_status",
)


def seeds() -> list[bytes]:
    """Return the committed frames that mutations start from."""
    return [(FIXTURES / f"{name}.json").read_bytes() for name in SEEDS]


def begin() -> list[bytes]:
    """Return the frames that a route has had before a mutated one: a book, a ticker and an order."""
    return [(FIXTURES / f"{name}.json").read_bytes() for name in ("book_10", "ticker_perp", "orders")]


def fuzz(count: int, seed: int) -> Counter[str]:
    """Check `count` mutated frames, and what a tenth as many do to a state; count the former's outcomes.

    Raises:
        EscapeError: One answer was wrong.
    """
    begun = begin()
    throw(lambda raw: check_route(raw, begun), seeds(), count // 10, seed)
    return throw(check_frame, seeds(), count, seed)


if __name__ == "__main__":
    sys.exit(run(fuzz, "mutated frames"))
