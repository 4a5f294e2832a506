"""Compare what tapemark reads in FIX messages with what simplefix and quickfix read in them.

Run it where simplefix and quickfix are installed beside msgspec; without quickfix, which has to be compiled,
its part is left out with a message:

    python -m tests.differential.fix [--seed N] [--messages N] [--write-vectors]

All messages come from the seed, with the fields that they were made of: where two readers differ, that says
who is wrong. Each difference is put down to a cause by a rule that looks at the bytes alone, and counted; one
without a cause is shown, and the exit code is 1. quickfix reads by the dictionary that its wheel carries,
FIX44.xml, with which tapemark's own is compared, too. `--write-vectors` then writes a small part of the same
messages, with the others' answers, to tests/vectors, along with a few faulty ones, for the tests, which run
without these libraries.
"""

import argparse
import itertools
import json
import random
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tapemark.errors import InvalidFrame
from tapemark.fix.reader import parse
from tapemark.fix.stream import FrameStream
from tests.differential.fix_dictionary import Carried, compare_dictionaries
from tests.differential.fix_peers import (
    DICTIONARY,
    IS_QUICKFIX_THERE,
    QuickFix,
    has_deep_data,
    is_utf8,
    quickfix_tree,
    simplefix_of,
    tree_of,
)
from tests.fuzz.fix_messages import BODIES, DATA_OF, Drawn, Field, Node, message
from tests.fuzz.fix_peer_faults import CASES, outcomes_of

SEED, MESSAGES = 20_240_601, 5_000
STREAM_MESSAGES = 5
VECTORS = Path(__file__).parents[1] / "vectors" / "fix_messages.json"
VECTOR_BYTES, VECTORS_PER_TYPE = 420, 2

NOT_TEXT = "quickfix: the binding takes a str, so data that is no UTF-8 cannot be given to it"
DEEP_DATA = "quickfix: data in a group within a group ends at its first SOH, and the message is refused"
CUT_BEFORE_SOH = "simplefix: a read that ends just before the SOH of a data field loses the message"


class Tally:
    """Comparisons, and what became of them, by what was compared."""

    def __init__(self) -> None:
        self.rows: dict[str, Counter[str]] = {}

    def compare(self, what: str, ours: object, theirs: object, case: object, cause: str = "") -> None:
        """Count one comparison; if the two differ, under its cause, or show it when it has none."""
        row = self.rows.setdefault(what, Counter())
        row["cases"] += 1
        if ours == theirs:
            row["agree"] += 1
            return
        row[cause or "unexplained"] += 1
        if not cause and row["unexplained"] <= 3:
            shown = f"  case   {case}\n  ours   {ours!r}\n  theirs {theirs!r}"
            print(f"unexplained: {what}\n{shown}", file=sys.stderr)

    def report(self) -> int:
        """Print the table and the causes; return how many comparisons are unexplained."""
        width = max(map(len, self.rows))
        print(f"{'compared':{width}}  {'cases':>7}  {'agree':>7}  explained  unexplained")
        for what, row in self.rows.items():
            explained = row["cases"] - row["agree"] - row["unexplained"]
            counts = f"{row['cases']:7,}  {row['agree']:7,}  {explained:9,}  {row['unexplained']:11,}"
            print(f"{what:{width}}  {counts}")
        for what, row in self.rows.items():
            for cause in row.keys() - {"cases", "agree", "unexplained"}:
                print(f"{row[cause]:7,} of {what}: {cause}")
        return sum(row["unexplained"] for row in self.rows.values())


def ours_of(frame: bytes) -> list[Field] | str:
    """Read a message with tapemark."""
    try:
        return list(parse(frame).pairs())
    except InvalidFrame as error:
        return f"{type(error).__name__}: {error}"


def compare_messages(drawn: Sequence[Drawn], tally: Tally, peer: QuickFix | None) -> None:
    """Read whole messages on all sides."""
    for one in drawn:
        ours = ours_of(one.frame)
        tally.compare("tapemark, fields as drawn", ours, one.pairs, one.frame)
        tally.compare("simplefix, fields", [ours], simplefix_of([one.frame]), one.frame)
        if peer is not None:
            compare_quickfix(one, ours, tally, peer)


def compare_quickfix(drawn: Drawn, ours: list[Field] | str, tally: Tally, peer: QuickFix) -> None:
    """Read one message with quickfix: all fields with their groups, then single ones by its getters."""
    if not is_utf8(drawn.frame):
        tally.compare("quickfix, fields and groups", ours, NOT_TEXT, drawn.frame, NOT_TEXT)
        return
    read = peer.read(drawn.frame)
    cause = DEEP_DATA if isinstance(read, str) and has_deep_data(drawn.body) else ""
    arranged = ours if isinstance(ours, str) else tree_of(ours, drawn)
    tally.compare("quickfix, fields and groups", arranged, quickfix_tree(read), drawn.frame, cause)
    if isinstance(read, str) or isinstance(ours, str):
        return
    ours_read = parse(drawn.frame)
    for part, nodes in (
        (read.getHeader(), drawn.header),
        (read, drawn.body),
        (read.getTrailer(), drawn.trailer),
    ):
        for tag in {node.tag for node in nodes}:
            if len(ours_read.every(tag)) == 1:
                got = part.getField(tag).encode("utf-8", "surrogateescape")
                tally.compare("quickfix, string getters", ours_read.raw(tag), got, drawn.frame)
    for tag, field in peer.number_fields().items():
        if read.isSetField(tag) and len(ours_read.every(tag)) == 1:
            read.getField(field)
            number, value = ours_read.decimal(tag), ours_read.raw(tag)
            tally.compare("quickfix, numbers as double", float(number), field.getValue(), value)


def compare_streams(drawn: Sequence[Drawn], tally: Tally, rng: random.Random) -> None:
    """Read messages one after the other in random pieces, with simplefix and with tapemark's stream."""
    for first in range(0, len(drawn), STREAM_MESSAGES):
        batch = drawn[first : first + STREAM_MESSAGES]
        stream = b"".join(one.frame for one in batch)
        cuts = {0, len(stream), *rng.choices(range(len(stream)), k=rng.choice((1, 5, 20, 100)))}
        pieces = _pieces(stream, cuts)
        reader = FrameStream()
        ours = [
            ours_of(event) if isinstance(event, bytes) else event
            for piece in pieces
            for event in reader.feed(piece)
        ]
        tally.compare("tapemark, streams in pieces as drawn", ours, [one.pairs for one in batch], pieces)
        harmless = cuts - data_ends(batch)
        cause = CUT_BEFORE_SOH if harmless != cuts else ""
        tally.compare("simplefix, streams in pieces", ours, simplefix_of(pieces), pieces, cause)
        if cause:
            pieces = _pieces(stream, harmless)
            tally.compare("simplefix, the same without its cause", ours, simplefix_of(pieces), pieces)


def _pieces(stream: bytes, cuts: Iterable[int]) -> list[bytes]:
    return [stream[start:end] for start, end in itertools.pairwise(sorted(cuts))]


def data_ends(batch: Sequence[Drawn]) -> set[int]:
    """Give the offsets in a stream of messages at which the value of a data field ends."""
    ends: set[int] = set()
    at = 0
    for one in batch:
        previous = 0
        for tag, value in one.pairs:
            at += len(b"%d=" % tag) + len(value)
            if DATA_OF.get(previous) == tag:
                ends.add(at)
            at, previous = at + 1, tag
    return ends


def compare_faults(tally: Tally, peer: QuickFix | None) -> list[dict[str, Any]]:
    """Read bytes that a peer is known to get wrong; return its answers as vectors."""
    vectors = []
    for name, case in CASES.items():
        ours = outcomes_of(case.pieces)
        tally.compare("tapemark, bytes that others get wrong", ours, list(case.right), name)
        theirs = simplefix_of(case.pieces)
        is_wrong = [read for read in theirs if isinstance(read, list)] != [
            read for read in case.right if isinstance(read, list)
        ]
        tally.compare("simplefix, known to get it wrong", "simplefix" in case.wrong, is_wrong, name)
        vector = {"name": name, "pieces": list(case.pieces), "simplefix": theirs}
        if peer is not None:
            refusal = peer.refusal(case.first) if is_utf8(case.first) else NOT_TEXT
            is_wrong = bool(refusal) == isinstance(case.right[0], list)
            tally.compare("quickfix, known to get it wrong", "quickfix" in case.wrong, is_wrong, name)
            vector["quickfix"] = refusal
        vectors.append(vector)
    return vectors


def message_vectors(drawn: Sequence[Drawn], peer: QuickFix) -> list[dict[str, Any]]:
    """Choose short messages of every type, those with most groups and data, with the others' answers."""
    vectors: list[dict[str, Any]] = []
    for msg_type in BODIES:
        short = [
            one
            for one in drawn
            if one.header[2].value == msg_type.encode()
            and len(one.frame) <= VECTOR_BYTES
            and is_utf8(one.frame)
        ]
        short = [one for one in short if not has_deep_data(one.body)]
        for one in sorted(short, key=richness, reverse=True)[:VECTORS_PER_TYPE]:
            simple = simplefix_of([one.frame])[0]
            tree = quickfix_tree(peer.read(one.frame))
            vectors.append({"frame": one.frame, "simplefix": simple, "quickfix": tree})
    return vectors


def richness(drawn: Drawn) -> int:
    """Count the groups that have entries, those within others twice, and the data fields."""
    return _groups((*drawn.header, *drawn.body)) + sum(tag in DATA_OF for tag, _ in drawn.pairs)


def _groups(nodes: Sequence[Node]) -> int:
    return sum(
        bool(node.instances) + 2 * sum(_groups(instance) for instance in node.instances) for node in nodes
    )


def write_vectors(seed: int, messages: list[dict[str, Any]], faults: list[dict[str, Any]]) -> None:
    """Write vectors with the account of their making; bytes as text of one character a byte."""
    provenance = {
        "source": "simplefix and quickfix: the fields they read are their own answers",
        "made_by": "python -m tests.differential.fix --write-vectors",
        "seed": seed,
        "messages": "drawn from the seed by tests/fuzz/fix_messages.py",
        "faults": "written in tests/fuzz/fix_peer_faults.py",
        "versions": {library: version(library) for library in ("simplefix", "quickfix")},
        "quickfix_dictionary": f"{DICTIONARY} of its wheel",
    }
    lines = [f'  "provenance": {json.dumps(provenance, indent=4)}']
    for name, vectors in (("messages", messages), ("faults", faults)):
        rows = ",\n".join(f"    {json.dumps(_textual(vector))}" for vector in vectors)
        lines.append(f'  "{name}": [\n{rows}\n  ]')
    VECTORS.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"wrote {len(messages)} messages and {len(faults)} faults to tests/vectors/{VECTORS.name}")


def _textual(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, dict):
        return {key: _textual(part) for key, part in value.items()}
    return [_textual(part) for part in value] if isinstance(value, list | tuple) else value


def draw(rng: random.Random, count: int) -> list[Drawn]:
    """Draw so many messages that quickfix can be given, and those that come up beside them."""
    drawn: list[Drawn] = []
    while count:
        drawn.append(message(rng))
        count -= is_utf8(drawn[-1].frame)
    return drawn


def main() -> int:
    """Compare everything; return the exit code."""
    parser = argparse.ArgumentParser(description="Compare tapemark's reading of FIX with other libraries'.")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--messages", type=int, default=MESSAGES)
    parser.add_argument(
        "--write-vectors", action="store_true", help="write tests/vectors if all is explained"
    )
    options = parser.parse_args()
    if options.write_vectors and not IS_QUICKFIX_THERE:
        parser.error("--write-vectors: quickfix is not installed, and the vectors hold its answers")
    rng, tally = random.Random(options.seed), Tally()
    drawn = draw(rng, options.messages)
    peer = QuickFix() if IS_QUICKFIX_THERE else None
    if peer is None:
        print("quickfix, which has to be compiled, is not installed: its part is left out")
    compare_messages(drawn, tally, peer)
    compare_streams(drawn, tally, rng)
    faults = compare_faults(tally, peer)
    if peer is not None:
        compare_dictionaries(Carried(peer.path), tally.compare)
    if tally.report():
        return 1
    if options.write_vectors and peer is not None:
        write_vectors(options.seed, message_vectors(drawn, peer), faults)
    return 0


if __name__ == "__main__":
    sys.exit(main())
