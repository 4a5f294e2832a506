"""What the programs that throw mutated frames have in common: the throwing, the report and the exit code."""

import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence

from tests.fuzz.mutation import mutated


class EscapeError(AssertionError):
    """The code under test did what its contract forbids."""


def throw(check: Callable[[bytes], str], frames: Sequence[bytes], count: int, seed: int) -> Counter[str]:
    """Give `check` mutations of the frames, `count` of them; return how often each outcome was.

    Raises:
        EscapeError: One answer was wrong.
    """
    rng = random.Random(seed)
    return Counter(check(mutated(rng.choice(frames), rng)) for _ in range(count))


def report(outcomes: Counter[str], total: str) -> None:
    """Print the outcomes, the most common first, and what they are of."""
    for outcome, number in outcomes.most_common():
        sys.stdout.write(f"{number:>9,}  {outcome}\n")
    sys.stdout.write(f"{total}\n")


def run(fuzz: Callable[[int, int], Counter[str]], what: str) -> int:
    """Throw as many frames as the command line says, 200,000 by default; return the exit code."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    try:
        report(fuzz(count, seed), f"{count:>9,}  {what}, seed {seed}, 0 escapes")
    except EscapeError as escape:
        sys.stderr.write(f"escape: {escape}\n")
        return 1
    return 0
