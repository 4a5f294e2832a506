"""Messages that two other parsers read: tapemark must read the same fields in them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tapemark.fix.journey import stages
from tapemark.fix.reader import parse
from tapemark.fix.stream import FrameStream

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "fix_messages.json").read_text())["messages"]
FRAMES = [vector["frame"].encode("latin-1") for vector in VECTORS]


def bytes_of(fields: list[Any]) -> list[tuple[int, bytes]]:
    return [(tag, value.encode("latin-1")) for tag, value in fields]


def flat(tree: list[Any]) -> Iterator[Any]:
    """Give the fields of a message as quickfix has them: those of its groups apart."""
    for entry in tree:
        if entry and isinstance(entry[0], int):
            yield entry
        else:
            yield from flat(entry)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["simplefix"][2][1])
def test_the_fields_are_those_that_simplefix_and_quickfix_read(vector: dict[str, Any]) -> None:
    pairs = parse(vector["frame"].encode("latin-1")).pairs()
    assert list(pairs) == bytes_of(vector["simplefix"])
    assert sorted(pairs) == sorted(bytes_of(list(flat(vector["quickfix"]))))


@pytest.mark.parametrize("stage", stages([]))
def test_every_stage_of_the_journey_reads_them_too(stage: str) -> None:
    read = stages([])[stage]
    assert [read(frame).pairs() for frame in FRAMES] == [parse(frame).pairs() for frame in FRAMES]


def test_a_stream_of_them_comes_out_as_they_are() -> None:
    assert FrameStream().feed(b"".join(FRAMES)) == FRAMES


def test_the_vectors_cover_types_groups_data_and_large_tags() -> None:
    fields = [bytes_of(vector["simplefix"]) for vector in VECTORS]
    assert {b"0", b"3", b"8", b"9", b"A", b"AE", b"D", b"E", b"F", b"G", b"W", b"X"} <= {
        f[2][1] for f in fields
    }
    assert any(b"\x0110=" in value for message in fields for _, value in message)
    tags = {tag for message in fields for tag, _ in message}
    assert {212, 213, 93, 89, 354, 355, 453, 802, 268, 73} <= tags
    assert max(tags) > 5000
    assert max(len(vector["quickfix"][1]) for vector in VECTORS) > 10  # fields and entries of a body
