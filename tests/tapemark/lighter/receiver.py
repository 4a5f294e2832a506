"""A plain model of a sound receiver, which knows from each frame's index what was lost and what came late.

It keeps plain dictionaries, reads the frames' texts with `Decimal`, and says of each frame what a receiver
may do with it. Where a frame that looks well had told an untruth about its nonce, more than one answer is
sound; otherwise there is just one.
"""

import dataclasses
from decimal import Decimal

from tapemark.lighter.sync import Outcome
from tests.tapemark.lighter.exchange import Exchange, Fault, Frame, Side

REFUSED = "refused"
"""The frame raises: its bytes, or a text in it, are none."""

Answer = Outcome | str


@dataclasses.dataclass
class Receiver:
    """What a sound receiver holds.

    Attributes:
        exchange: The truth.
        retry_ns: How long it waits for a snapshot before it asks again.
        at: The index of the state that the book has reached, None while it waits for a snapshot.
        label: The nonce by which the receiver knows that state.
        bids: The levels, in ticks and steps.
        asks: The same.
        asked_ns: Since when a snapshot is waited for.
        asks_made: How often a new subscription was asked for.
        is_altered: A level was changed on its way, which no receiver can tell: the book may be wrong.
        is_mislabelled: The label is not the state's nonce.
        is_doubtful: While waiting, a wrong nonce was seen on this connection.
        newest: While waiting, the highest index seen on this connection.
    """

    exchange: Exchange
    retry_ns: int
    at: int | None = None
    label: int = -1
    bids: Side = dataclasses.field(default_factory=dict)
    asks: Side = dataclasses.field(default_factory=dict)
    asked_ns: int | None = None
    asks_made: int = 0
    is_altered: bool = False
    is_mislabelled: bool = False
    is_doubtful: bool = False
    newest: int = -1

    def reconnected(self) -> None:
        """Start again."""
        self.at = self.asked_ns = None
        self.newest, self.is_doubtful = -1, False

    def answers(self, frame: Frame) -> set[Answer]:
        """Return every sound answer to a frame."""
        if frame.fault in {Fault.TORN, Fault.TEXT}:
            return {REFUSED}
        return self._to_snapshot(frame) if frame.is_snapshot else self._to_update(frame)

    def _to_snapshot(self, frame: Frame) -> set[Answer]:
        good: set[Answer] = {Outcome.CROSSED if self._crossed_by(frame) else Outcome.APPLIED}
        if self.at is None:
            if frame.fault is Fault.NONCE or self.is_doubtful:
                return good | {Outcome.STALE}
            return {Outcome.STALE} if frame.index < self.newest else good
        if frame.fault is Fault.NONCE or self.is_mislabelled:
            return good | {Outcome.LATE}
        return {Outcome.LATE} if frame.index < self.at else good

    def _to_update(self, frame: Frame) -> set[Answer]:
        if self.at is None:
            return {Outcome.WAITING}
        if frame.index <= self.at:
            # Nothing was lost; but a frame that lies, or a receiver that was lied to, may give that look.
            in_doubt = self.is_mislabelled or frame.fault is Fault.NONCE
            return {Outcome.LATE, Outcome.GAP} if in_doubt else {Outcome.LATE}
        if frame.index > self.at + 1 or self.is_mislabelled or frame.fault is Fault.BEGIN:
            return {Outcome.GAP}
        if frame.fault is Fault.NONCE and frame.tree["order_book"]["nonce"] <= self.label:
            return {Outcome.GAP}
        return {Outcome.CROSSED if self._crossed_by(frame) else Outcome.APPLIED}

    def note(self, frame: Frame, answer: Answer, recv_ns: int) -> None:
        """Do what the answer says, which is one of the sound ones."""
        book = frame.tree["order_book"]
        match answer:
            case Outcome.APPLIED:
                self.bids, self.asks = self._sides_after(frame)
                is_altered = frame.fault is Fault.LEVEL
                self.is_altered = is_altered or (self.is_altered and not frame.is_snapshot)
                self.at, self.label = frame.index, book["nonce"]
                self.is_mislabelled = frame.fault is Fault.NONCE
            case Outcome.GAP | Outcome.CROSSED:
                self._drop(frame, recv_ns)
            case Outcome.WAITING:
                self._see(frame)
                self._wait(recv_ns)
            case Outcome.STALE:
                self.newest, self.is_doubtful = frame.index, frame.fault is Fault.NONCE
                self._ask(recv_ns)
            case "refused" if frame.fault is Fault.TEXT:
                self._note_bad_text(frame, recv_ns)

    def _note_bad_text(self, frame: Frame, recv_ns: int) -> None:
        if frame.is_snapshot:
            if self.at is None:
                self._ask(recv_ns)
        elif self.at is None:
            self._see(frame)
            self._wait(recv_ns)
        # With a wrong label a late frame need not look late.
        elif frame.index > self.at or (self.is_mislabelled and ladder_nonce(frame) > self.label):
            self._drop(frame, recv_ns)

    def _drop(self, frame: Frame, recv_ns: int) -> None:
        if self.at is not None:
            self.newest, self.is_doubtful = self.at, self.is_mislabelled
        self.at = None
        self._see(frame)
        self._ask(recv_ns)

    def _see(self, frame: Frame) -> None:
        self.newest = max(self.newest, frame.index)
        self.is_doubtful |= frame.fault is Fault.NONCE

    def _wait(self, recv_ns: int) -> None:
        if self.asked_ns is None:
            self.asked_ns = recv_ns
        elif recv_ns - self.asked_ns >= self.retry_ns:
            self._ask(recv_ns)

    def _ask(self, recv_ns: int) -> None:
        self.asked_ns = recv_ns
        self.asks_made += 1

    def _sides_after(self, frame: Frame) -> tuple[Side, Side]:
        book, sides = frame.tree["order_book"], []
        for side, rows in ((self.bids, book["bids"]), (self.asks, book["asks"])):
            after = {} if frame.is_snapshot else dict(side)
            for row in rows:
                after[int(Decimal(row["price"]) * 100)] = int(Decimal(row["size"]) * 10_000)
            sides.append({ticks: size for ticks, size in after.items() if size})
        return sides[0], sides[1]

    def _crossed_by(self, frame: Frame) -> bool:
        if frame.fault is not Fault.LEVEL and not self.is_altered:
            return False  # the exchange crosses no book
        bids, asks = self._sides_after(frame)
        return bool(bids and asks) and max(bids) >= min(asks)


def ladder_nonce(frame: Frame) -> int:
    """Return the nonce that a frame says its book reaches."""
    nonce: int = frame.tree["order_book"]["nonce"]
    return nonce
