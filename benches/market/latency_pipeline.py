"""How long single frames take, over a whole session of fifty symbols: to a prepared write, and to the state.

One pass gives both metrics of a frame, so `end_to_end` holds a third reading of the clock, and the freeing of
what was parsed. The state is empty at the beginning of each pass, and so are the caches of texts: a price or
size that was not seen before costs its conversion.
"""

from collections.abc import Callable

from benches.market.replay import Replayed
from benches.market.session import CUT_FRAMES, Session, load
from benchgate.latency.declaration import Batch, Metric, Play, Recorder, Replay


def prepare(*, quick: bool) -> Play:
    """Load the session, or for a quick run its cut."""
    session = load(CUT_FRAMES if quick else None)
    count = len(session.frames)
    return Play(
        lambda recorder: play(session, recorder),
        room=count,
        batches={
            "parse": Batch(lambda: parse_batch(session), count),
            "end_to_end": Batch(lambda: end_to_end_batch(session), count),
        },
    )


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


def parse_batch(session: Session) -> Callable[[], None]:
    """Make a fresh state whose routes parse every frame."""
    parse_of = Replayed(session).parse

    def run() -> None:
        for venue, recv_ns, raw in session.frames:
            parse_of[venue](raw, recv_ns)

    return run


def end_to_end_batch(session: Session) -> Callable[[], None]:
    """Make a fresh state whose routes handle every frame."""
    replayed = Replayed(session)
    return lambda: replayed.play(session.frames)


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
