"""The whole session of 176,555 frames, replayed three times in one process."""

import gc
import sys

import pytest

from benches.market.replay import Replayed
from benches.market.session import load
from tapemark.market.views import BookStatus

pytestmark = pytest.mark.slow

_PASSES = 3
_LOOK_EVERY = 101  # frames


@pytest.mark.skipif(not sys.getallocatedblocks(), reason="Python's own allocator is not in use")
def test_passes_lead_to_the_models_state_with_no_crossed_book_and_no_more_memory_than_the_first() -> None:
    session = load()
    assert session.expected is not None
    assert len(session.frames) == 176_555
    blocks: list[int] = []
    before = _blocks()
    for _ in range(_PASSES):
        replayed = Replayed(session)
        markets = [*replayed.derive.markets.values(), *replayed.lighter.markets.values()]
        for at, (venue, recv_ns, raw) in enumerate(session.frames):
            replayed.handle[venue](raw, recv_ns)
            if at % _LOOK_EVERY == 0:
                spreads = [market.book.spread_ticks for market in markets]
                assert all(spread is None or spread > 0 for spread in spreads)
        replayed.check(session)
        # One that crosses is dropped at once, and would stay so.
        assert {market.book.top.status for market in markets} == {BookStatus.LIVE}
        blocks.append(_blocks() - before)
        del replayed, markets
    assert max(blocks[1:]) <= blocks[0] * 1.01, blocks


def _blocks() -> int:
    gc.collect()
    return sys.getallocatedblocks()
