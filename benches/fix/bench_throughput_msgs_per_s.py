"""Messages parsed one after the other, each with ids, numbers, a price and a length of its own."""

import pytest

from benches.fix import checks, plain
from benches.inputs import stream
from benchgate.measure import Measure
from tapemark.fix.reader import Reader

_MESSAGES = 1_000


def parse_all(parse: checks.Parse, frames: list[bytes]) -> None:
    """Parse each message and drop it."""
    for frame in frames:
        parse(frame)


@pytest.mark.items(_MESSAGES, "messages")
def bench_parse(measure: Measure) -> None:
    """Parse 1,000 ExecutionReports that differ, whole messages of one known layout."""
    frames = plain.messages(stream("fix/execution_reports"))
    assert len(frames) == _MESSAGES
    parse = Reader(frames[:1]).parse
    assert checks.reads(parse, frames[0])
    assert [list(parse(frame).pairs()) for frame in frames] == [plain.fields(frame) for frame in frames]
    measure(parse_all, parse, frames, calls=1)
