"""How long single frames take, over a whole session of fifty symbols: to a prepared write, and to the state.

One pass gives both metrics of a frame, so `end_to_end` holds a third reading of the clock. It also holds the
freeing of what was parsed, which `parse` does not. Neither has a batch: the mean of frames of such different
kinds would say nothing of the timer beside their median.

The state is empty at the beginning of each pass, and so are the caches of texts: a price or size that was not
seen before costs its conversion.
"""

from benches.market.replay import Replayed
from benches.market.session import Session, load_short, load_whole
from benchgate.latency.declaration import Metric, Play, Recorder, Replay


def prepare(*, quick: bool) -> Play:
    """Load the whole session, or for a quick run the short one."""
    session = load_short() if quick else load_whole()
    return Play(lambda recorder: play(session, recorder), room=len(session.frames))


def play(session: Session, recorder: Recorder) -> None:
    """Time every frame."""
    replayed, clock_ns = Replayed(session), recorder.clock_ns
    parsed, written = recorder.lane("parse"), recorder.lane("end_to_end")
    for venue, recv_ns, raw in session.frames:
        parse = replayed.parse[venue]
        received = clock_ns()
        prepared = parse(raw, recv_ns)
        decoded = clock_ns()
        assert prepared is not None
        prepared.write()
        prepared = None
        done = clock_ns()
        parsed(decoded - received)
        written(done - received)
    replayed.check(session)


DISTRIBUTIONS = (
    Replay(
        metrics=(
            Metric(
                "parse", "one frame decoded, routed by type and symbol, its texts converted; nothing written"
            ),
            Metric("end_to_end", "one raw frame to the updated state, all writes included"),
        ),
        load=prepare,
        passes=3,
    ),
)
