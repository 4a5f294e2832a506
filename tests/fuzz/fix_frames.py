"""Throw mutated FIX messages and streams at `tapemark.fix`: `nox -s fuzz`, or a few in the tests.

    python -m tests.fuzz.fix_frames [COUNT] [SEED]

Every answer is held against an independent reading (`fix_model`, `stream_model`). Prints what became of the
messages, and how the time grows with the bytes (`fix_linear`); exits 1 with the first wrong answer, or if it
grows too fast.
"""

import collections
import random
import sys
from collections.abc import Iterator

from tapemark.fix.journey import Parse, stages
from tapemark.fix.stream import MAX_MESSAGE_BYTES
from tests.fuzz.campaign import EscapeError, report
from tests.fuzz.fix_answers import check_parse, check_stream, check_value, expected_of
from tests.fuzz.fix_linear import LIMIT, ratios
from tests.fuzz.fix_messages import DATA_OF, Drawn, message
from tests.fuzz.fix_mutation import mutated, mutated_value, pieces_of, stream_of
from tests.fuzz.fix_typed import TYPES, check_drawn, check_groups, check_typed

POOL = 500
LAYOUTS = 64
_LONGEST_BYTES = 700  # the generator draws a few long messages, on which most of the time would be spent
_STAGED_SHARE, _VALUES_SHARE, _TYPED_SHARE = 0.0625, 0.25, 0.4
MESSAGES_PER_STREAM = 50


def pool(rng: random.Random) -> list[Drawn]:
    """Draw the valid messages that mutations start from, few of them long."""
    drawn: list[Drawn] = []
    while len(drawn) < POOL:
        candidate = message(rng, rng.choice("8D") if rng.random() < _TYPED_SHARE else None)
        if len(candidate.frame) <= _LONGEST_BYTES or rng.random() < 0.1:
            drawn.append(candidate)
    return drawn


def samples(drawn: list[Drawn]) -> Iterator[bytes]:
    """Pick the messages whose layouts a reader is shown: those without data."""
    layouts = {tuple(tag for tag, _ in one.pairs): one.frame for one in drawn}
    plain = [frame for tags, frame in layouts.items() if not DATA_OF.keys() & set(tags)]
    yield from plain[:LAYOUTS]


def fuzz(count: int, seed: int) -> collections.Counter[str]:
    """Check `count` mutated messages and count the outcomes.

    Raises:
        EscapeError: One answer was wrong.
    """
    rng = random.Random(seed)
    drawn = pool(rng)
    for one in drawn:
        check_drawn(one)
    parses = stages(samples(drawn))
    outcomes: collections.Counter[str] = collections.Counter()
    for _ in range(count):
        outcomes.update(check(mutated(rng.choice(drawn), rng.choice(drawn), rng), parses, rng))
        if rng.random() < _VALUES_SHARE:
            check_value(mutated_value(rng.choice(drawn), rng))
    return outcomes


def fuzz_streams(count: int, seed: int) -> collections.Counter[str]:
    """Check `count` streams of some messages, many mutated, and count what was in them.

    Raises:
        EscapeError: A message was missed, invented, or reported wrongly.
    """
    rng = random.Random(seed)
    drawn = pool(rng)
    outcomes: collections.Counter[str] = collections.Counter()
    for _ in range(count):
        stream = stream_of(rng.sample(drawn, rng.randrange(1, 8)), rng)
        max_bytes = rng.choice((MAX_MESSAGE_BYTES, MAX_MESSAGE_BYTES, 2_000, 600, rng.randrange(25, 500)))
        outcomes.update(check_stream(stream, pieces_of(stream, rng), max_bytes))
        outcomes["bytes"] += len(stream)
    return outcomes


def check(raw: bytes, parses: dict[str, Parse], rng: random.Random) -> list[str]:
    """Read bytes with the public reader, sometimes with every stage; say what became of them, and as typed.

    Raises:
        EscapeError: One answer was wrong.
    """
    expected = expected_of(raw)
    message = check_parse(parses["4_precomputed_layout"], raw, expected, rng)
    if rng.random() < _STAGED_SHARE:
        for parse in parses.values():
            check_parse(parse, raw, expected, rng)
    if message is None or isinstance(expected, str):
        return [str(expected).partition(",")[0]]
    check_groups(message, expected)
    outcomes = [f"read as {type(message).__name__}"]
    if expected[2][1] in TYPES:
        outcomes.append(check_typed(message, expected))
    return outcomes


def main() -> int:
    """Run from the command line."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    streams = count // MESSAGES_PER_STREAM
    try:
        outcomes = fuzz(count, seed)
        report(outcomes, f"{count:>9,}  mutated messages, seed {seed}, 0 escapes\n")
        outcomes = fuzz_streams(streams, seed)
        report(outcomes, f"{streams:>9,}  streams in pieces, seed {seed}, 0 escapes\n")
    except EscapeError as escape:
        sys.stderr.write(f"escape: {escape}\n")
        return 1
    slow = 0
    for name, (ratio, took_ms) in ratios().items():
        sys.stdout.write(
            f"{ratio:>9.2f}  times as long for 1 MiB as for 512 KiB, {took_ms:,.0f} ms: {name}\n"
        )
        slow += ratio > LIMIT
    if slow:
        sys.stderr.write(f"{slow} of these take more than {LIMIT} times as long for twice as much\n")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
