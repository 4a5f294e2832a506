"""Seeded sessions of a feed with faults, held against a plain exchange and a plain sound receiver."""

import collections
import random
from decimal import Decimal

import pytest

from tapemark.errors import InvalidFrame
from tapemark.lighter import decode, wire
from tapemark.lighter.sync import BookSync, Outcome
from tapemark.market.book import OrderBook
from tapemark.market.scale import Scale
from tapemark.market.views import BookStatus
from tests.tapemark.lighter.exchange import Exchange, Fault, Frame, Wire
from tests.tapemark.lighter.receiver import REFUSED, Answer, Receiver

SESSIONS = 500
CHANGES = 60
QUIET_CHANGES = 40
STEP_NS = 50_000_000
RETRY_NS = 6 * STEP_NS


class Session:
    """One connection after another to one exchange."""

    def __init__(self, seed: int, fault_share: float) -> None:
        self.rng = rng = random.Random(seed)
        self.exchange = Exchange(rng)
        self.wire = Wire(rng, fault_share)
        self.receiver = Receiver(self.exchange, RETRY_NS)
        self.asked: list[int] = []
        self.book = OrderBook()
        scale = Scale(Decimal("0.01"), Decimal("0.0001"))
        self.sync = BookSync(7, self.book, scale, self.asked.append, retry_ns=RETRY_NS)
        self.due: list[int] = [2]  # how many changes until a subscription is answered, one for each asked for
        self.is_subscribed = False
        self.recv_ns = 10**9
        self.counts: collections.Counter[str] = collections.Counter()

    def change(self) -> None:
        """Let the exchange change its book once, and take what has arrived."""
        update = self.exchange.change()
        if self.is_subscribed:
            self.wire.send(update)
        self.due = [left - 1 for left in self.due]
        for _ in range(self.due.count(0)):
            self.is_subscribed = True
            self.wire.send(self.exchange.snapshot())
        self.due = [left for left in self.due if left > 0]
        self.recv_ns += STEP_NS
        for frame in self.wire.received():
            self.take(frame)

    def reconnect(self) -> None:
        """Lose what is in flight, and subscribe anew."""
        self.counts["reconnects"] += 1
        self.wire.in_flight.clear()
        self.is_subscribed = self.rng.random() < 0.1  # a venue that sends updates before the snapshot
        self.due = [self.rng.randrange(1, 4)]
        self.sync.reconnected()
        self.receiver.reconnected()

    def take(self, frame: Frame) -> None:
        """Give a frame to the sync, and hold the answer and the book against the model's."""
        was_live, sound = self.sync.is_live, self.receiver.answers(frame, self.recv_ns)
        answer = self.answer(frame)
        assert answer in sound, (answer, sound, frame)
        self.receiver.note(frame, answer, self.recv_ns)
        self.counts[str(answer)] += 1
        self.counts[frame.fault.value] += 1
        self.counts["recoveries"] += self.sync.is_live and not was_live
        assert len(self.asked) == self.receiver.asks_made, (answer, frame)
        self.subscribe_as_asked()
        self.check()

    def answer(self, frame: Frame) -> Answer:
        """Decode a frame, parse it and write it."""
        try:
            message = decode.frame(frame.raw)
            if isinstance(message, wire.BookSnapshot):
                assert frame.is_snapshot
                return self.sync.parse_snapshot(message, self.recv_ns).write()
            assert isinstance(message, wire.BookUpdate)
            assert not frame.is_snapshot
            return self.sync.parse_update(message, self.recv_ns).write()
        except InvalidFrame:
            return REFUSED

    def subscribe_as_asked(self) -> None:
        """Ask the exchange for each subscription that the sync asked for since the last frame."""
        new = len(self.asked) - self.counts["asked"]
        assert self.asked[len(self.asked) - new :] == [7] * new
        self.counts["asked"] += new
        for _ in range(new):
            self.due.append(self.rng.randrange(1, 5))
            self.is_subscribed &= self.rng.random() < 0.7  # some venues go on with the old one meanwhile

    def check(self) -> None:
        """Hold the book against the receiver's, and where nothing was altered, against the exchange's."""
        receiver, top = self.receiver, self.book.top
        bids, asks = (dict(side) for side in self.book.depth(10**6))
        assert self.sync.is_live == (receiver.at is not None)
        if receiver.at is None:
            assert top.status is not BookStatus.LIVE
            assert not bids
            assert not asks
            return
        assert top.status is BookStatus.LIVE
        assert (bids, asks) == (receiver.bids, receiver.asks)
        assert top.sequence == receiver.label
        state = self.exchange.states[receiver.at]
        assert (top.event_us, top.sent_ms, top.recv_ns) == (
            receiver.time_us,
            state.sent_ms,
            receiver.applied_ns,
        )
        if not receiver.is_altered:
            assert (bids, asks) == (state.bids, state.asks)
            self.counts["states equal"] += 1
        if not receiver.is_mislabelled:
            assert (top.sequence, top.event_us) == (state.nonce, state.event_us)


def run(seed: int, fault_share: float = 0.06) -> Session:
    """Run a session with faults, then let it go on without: the book must find back to the exchange's."""
    session = Session(seed, fault_share)
    for _ in range(CHANGES):
        if session.rng.random() < fault_share / 5:
            session.reconnect()
        session.change()
    session.wire.fault_share = 0
    for _ in range(QUIET_CHANGES):
        session.change()
    for frame in session.wire.in_flight:
        session.take(frame)
    if session.receiver.is_altered:  # which no receiver can tell: only a snapshot heals it
        session.reconnect()
        session.wire.in_flight = [session.exchange.snapshot()]
        session.take(session.wire.in_flight.pop())
    assert session.receiver.at == len(session.exchange.states) - 1
    assert not session.receiver.is_altered
    return session


@pytest.mark.parametrize("block", range(10))
def test_the_book_is_the_exchanges_after_each_recovery(block: int) -> None:
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(block * SESSIONS // 10, (block + 1) * SESSIONS // 10):
        counts.update(run(seed).counts)
    for kind in (*map(str, Outcome), REFUSED, *(fault.value for fault in Fault), "reconnects"):
        assert counts[kind], kind
    assert counts["recoveries"] > 150
    assert counts["states equal"] > 2_000


@pytest.mark.parametrize("seed", range(20))
def test_without_faults_no_gap_is_seen(seed: int) -> None:
    session = run(seed, fault_share=0)
    assert session.counts[str(Outcome.GAP)] == 0
    assert session.counts[str(Outcome.LATE)] == 0
    assert session.counts[str(Outcome.STALE)] == 0
    assert session.asked == []
