"""The whole session of 176,555 frames, replayed three times in one process."""

import gc
import sys

import pytest

from benches.market.replay import Replayed
from benches.market.session import Session, load_whole
from tapemark.market.views import BookStatus

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.getallocatedblocks(), reason="Python's own allocator is not in use"),
]

_PASSES = 3
_LOOK_EVERY = 101  # frames


@pytest.fixture(scope="module")
def session() -> Session:
    made = load_whole()
    assert len(made.frames) == 176_555
    return made


def test_passes_lead_to_the_models_state_with_no_crossed_book_and_no_more_memory_than_the_first(
    session: Session,
) -> None:
    """Each pass has a state of its own: nothing of it is left behind in the modules."""
    blocks: list[int] = []
    before = _blocks()
    for _ in range(_PASSES):
        replayed = Replayed(session)
        markets = [*replayed.derive.markets.values(), *replayed.lighter.markets.values()]
        for at, (venue, recv_ns, raw) in enumerate(session.frames):
            replayed.handle[venue](raw, recv_ns)
            if at % _LOOK_EVERY == 0:
                for bids, asks in (market.book.view().depth(1) for market in markets):
                    assert not bids or not asks or bids[0][0] < asks[0][0]
        replayed.check(session)
        # One that crosses is dropped at once, and would stay so.
        assert {market.book.top.status for market in markets} == {BookStatus.LIVE}
        blocks.append(_blocks() - before)
        del replayed, markets
    assert max(blocks[1:]) <= blocks[0] * 1.01, blocks


def test_a_state_that_takes_the_session_again_and_again_holds_no_more_than_after_the_first_time(
    session: Session,
) -> None:
    """Of Derive all is late or a repeat by then; Lighter's books are written anew, after a reconnection."""
    replayed = Replayed(session)
    scales = [
        market.scale for venue in (replayed.derive, replayed.lighter) for market in venue.markets.values()
    ]
    blocks: list[int] = []
    before = _blocks()
    for _ in range(_PASSES):
        replayed.reconnected()
        replayed.play(session.frames)
        replayed.check(session)
        for scale in scales:  # how full these bounded caches are says nothing of the state
            scale.prices.clear()
            scale.sizes.clear()
        blocks.append(_blocks() - before)
    assert max(blocks[1:]) <= blocks[0] * 1.01, blocks


def _blocks() -> int:
    gc.collect()
    return sys.getallocatedblocks()
