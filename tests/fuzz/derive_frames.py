"""Throw mutated frames at the Derive decoder and parsers: `nox -s fuzz`, or a few in the tests.

    python -m tests.fuzz.derive_frames [COUNT] [SEED]

Every answer is held against an independent reading (`derive_model`). Prints what became of the frames; exits
1 with the first frame whose answer was wrong.
"""

import sys
from collections import Counter
from pathlib import Path

from tests.fuzz.campaign import run, throw
from tests.fuzz.derive_model import check_frame

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


def fuzz(count: int, seed: int) -> Counter[str]:
    """Check `count` mutated frames and count the outcomes.

    Raises:
        EscapeError: One answer was wrong.
    """
    return throw(check_frame, seeds(), count, seed)


if __name__ == "__main__":
    sys.exit(run(fuzz, "mutated frames"))
