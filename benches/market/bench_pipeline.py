"""Frames of a session of both venues: to prepared writes, and to the updated state.

A call takes the last 200 frames of the committed session, on a fresh state that has had those before them:
texts of theirs that came before are known to it, as on a connection that has been open for a while.
"""

from collections.abc import Sequence

import pytest

from benches.market.replay import Replayed
from benches.market.session import Frame, Session, load_short
from benchgate.measure import Measure
from tapemark.market.route import Write

FRAMES = 200


def parse_all(replayed: Replayed, frames: Sequence[Frame]) -> list[Write | None]:
    """Parse every frame."""
    parse = replayed.parse
    return [parse[venue](raw, recv_ns) for venue, recv_ns, raw in frames]


def before_the_last(session: Session) -> Replayed:
    """Give the state before the frames of a call."""
    replayed = Replayed(session)
    replayed.play(session.frames[:-FRAMES])
    return replayed


@pytest.mark.items(FRAMES, "frames")
def bench_parse(measure: Measure) -> None:
    """Decode 200 frames, find their symbols and convert their texts, writing nothing."""
    session = load_short()
    frames, replayed = session.frames[-FRAMES:], before_the_last(session)
    for write in parse_all(replayed, frames):
        assert write is not None
        write.write()
    replayed.check(session)
    measure.fresh(parse_all, lambda: (before_the_last(session), frames), calls=1)


@pytest.mark.items(FRAMES, "frames")
@pytest.mark.components("market/pipeline/parse")
def bench_end_to_end(measure: Measure) -> None:
    """Take 200 raw frames to the updated state."""
    session = load_short()
    frames, replayed = session.frames[-FRAMES:], before_the_last(session)
    replayed.play(frames)
    replayed.check(session)
    measure.fresh(Replayed.play, lambda: (before_the_last(session), frames), calls=1)
