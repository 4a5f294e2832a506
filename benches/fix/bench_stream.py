"""A connection's bytes, in pieces of one size, cut into whole messages: framing alone, no message is parsed.

1,448 bytes are what one TCP segment holds on Ethernet, 65,536 what one read of a busy socket may give. The
rows of 1 and 7 bytes, the worst cases, have a tenth of the messages: a call that feeds 1.8 million pieces
would take as long as a whole row may, and fifty times as long where its instructions are counted.
"""

from collections.abc import Callable

import pytest

from benches.fix import plain
from benches.inputs import stream
from benchgate.measure import Measure
from tapemark.fix.stream import Event, FrameStream, Garbled

_SEGMENT = 1_448
_MESSAGES = 10_000
_FEWER_MESSAGES = 1_000
_WHOLE_OF_GARBLED = 899


def cut(pieces: list[bytes], keep: Callable[[list[Event]], object]) -> None:
    """Feed a new stream piece by piece to its end; `keep` is given what each piece completed."""
    frames = FrameStream()
    for piece in pieces:
        keep(frames.feed(piece))
    keep(frames.close())


def in_pieces(content: bytes, size: int) -> list[bytes]:
    """Cut bytes into pieces of one size."""
    return [content[at : at + size] for at in range(0, len(content), size)]


def _forget(_: list[Event]) -> None:
    return None


@pytest.mark.parametrize(
    "size",
    [
        pytest.param(1, marks=pytest.mark.items(_FEWER_MESSAGES, "messages")),
        pytest.param(7, marks=pytest.mark.items(_FEWER_MESSAGES, "messages")),
        pytest.param(_SEGMENT, marks=pytest.mark.items(_MESSAGES, "messages")),
        pytest.param(65_536, marks=pytest.mark.items(_MESSAGES, "messages")),
    ],
)
def bench_mixed(measure: Measure, size: int) -> None:
    """Cut 10,000 mixed messages out of a stream in pieces of one size, 1,000 if these have 1 or 7 bytes."""
    expected = plain.messages(stream("fix/session_mixed"))[
        : _MESSAGES if size >= _SEGMENT else _FEWER_MESSAGES
    ]
    pieces = in_pieces(b"".join(expected), size)
    found: list[Event] = []
    cut(pieces, found.extend)
    assert found == expected
    measure(cut, pieces, _forget, calls=1)


@pytest.mark.items(_WHOLE_OF_GARBLED, "messages")
def bench_garbled(measure: Measure) -> None:
    """Cut 899 messages out of a stream in pieces of 1,448 bytes, a tenth of it noise, cut short or spoilt."""
    content = stream("fix/session_garbled")
    pieces = in_pieces(content, _SEGMENT)
    found: list[Event] = []
    cut(pieces, found.extend)
    whole = [event for event in found if isinstance(event, bytes)]
    assert whole == plain.survivors(content)
    assert len(whole) == _WHOLE_OF_GARBLED
    skipped = sum(event.size for event in found if isinstance(event, Garbled))
    assert skipped == len(content) - sum(map(len, whole))
    measure(cut, pieces, _forget, calls=1)
