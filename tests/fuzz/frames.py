"""Throw mutated frames at the Derive decoder and parsers: `nox -s fuzz`, or a few in the tests.

    python -m tests.fuzz.frames [COUNT] [SEED]

Every answer is held against an independent reading (`frame_model`). Prints what became of the frames; exits 1
with the first frame whose answer was wrong.
"""

import collections
import random
import sys
from pathlib import Path

from tests.fuzz.frame_model import EscapeError, check_frame
from tests.fuzz.mutation import mutated

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


def fuzz(count: int, seed: int) -> collections.Counter[str]:
    """Check `count` mutated frames and count the outcomes.

    Raises:
        EscapeError: One answer was wrong.
    """
    rng = random.Random(seed)
    frames = seeds()
    return collections.Counter(check_frame(mutated(rng.choice(frames), rng)) for _ in range(count))


def main() -> int:
    """Run from the command line."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    try:
        outcomes = fuzz(count, seed)
    except EscapeError as escape:
        sys.stderr.write(f"escape: {escape}\n")
        return 1
    for outcome, number in outcomes.most_common():
        sys.stdout.write(f"{number:>9,}  {outcome}\n")
    sys.stdout.write(f"{count:>9,}  mutated frames, seed {seed}, 0 escapes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
