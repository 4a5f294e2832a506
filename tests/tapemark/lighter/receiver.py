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

LIES = {Fault.NONCE, Fault.NONCE_AND_TIME}
"""Faults after which a frame looks well and is not of the state that it says."""


@dataclasses.dataclass
class Receiver:
    """What a sound receiver holds.

    Attributes:
        exchange: The truth.
        retry_ns: How long it waits for a snapshot before it asks again, or live, for more than late updates.
        at: The index of the state that the book has reached, None while it waits for a snapshot.
        label: The nonce by which the receiver knows that state.
        time_us: The engine's time by which it does.
        applied_ns: When it was reached.
        bids: The levels, in ticks and steps.
        asks: The same.
        asked_ns: When a snapshot was asked for; the first update of a connection counts as asking.
        asks_made: How often a new subscription was asked for.
        is_altered: A level was changed on its way, which no receiver can tell: the book may be wrong.
        is_mislabelled: The label is not the state's nonce.
        is_doubtful: While waiting, a wrong nonce was seen on this connection.
        newest: While waiting, the highest index seen since the book was dropped, or the connection began.
        takes_any: While waiting, one snapshot was refused as stale, hence none will be again.
    """

    exchange: Exchange
    retry_ns: int
    at: int | None = None
    label: int = -1
    time_us: int = 0
    applied_ns: int = 0
    bids: Side = dataclasses.field(default_factory=dict)
    asks: Side = dataclasses.field(default_factory=dict)
    asked_ns: int | None = None
    asks_made: int = 0
    is_altered: bool = False
    is_mislabelled: bool = False
    is_doubtful: bool = False
    newest: int = -1
    takes_any: bool = False

    def reconnected(self) -> None:
        """Start again."""
        self.at = self.asked_ns = None
        self.newest, self.is_doubtful, self.takes_any = -1, False, False

    def answers(self, frame: Frame, recv_ns: int) -> set[Answer]:
        """Return every sound answer to a frame."""
        if frame.fault in {Fault.TORN, Fault.TEXT}:
            return {REFUSED}
        return self._to_snapshot(frame) if frame.is_snapshot else self._to_update(frame, recv_ns)

    def _to_snapshot(self, frame: Frame) -> set[Answer]:
        good: set[Answer] = {Outcome.CROSSED if self._crossed_by(frame) else Outcome.APPLIED}
        if self.at is None:
            if self.takes_any:
                return good
            if frame.fault in LIES or self.is_doubtful:
                return good | {Outcome.STALE}
            return {Outcome.STALE} if frame.index < self.newest else good
        if frame.fault in LIES or self.is_mislabelled:
            return good | {Outcome.LATE}
        return {Outcome.LATE} if frame.index < self.at else good

    def _to_update(self, frame: Frame, recv_ns: int) -> set[Answer]:
        if self.at is None:
            return {Outcome.WAITING}
        follows = frame.index == self.at + 1 and not self.is_mislabelled and frame.fault is not Fault.BEGIN
        if follows and frame_nonce(frame) > self.label:
            return {Outcome.CROSSED if self._crossed_by(frame) else Outcome.APPLIED}
        return {Outcome.LATE} if self._is_late(frame, recv_ns) else {Outcome.GAP}

    def _is_late(self, frame: Frame, recv_ns: int) -> bool:
        """Tell whether nothing was lost by an update that does not follow, as far as that can be known."""
        if recv_ns - self.applied_ns >= self.retry_ns:
            return False
        if self.is_mislabelled or frame.fault in LIES:
            return frame_nonce(frame) <= self.label and frame.tree["last_updated_at"] <= self.time_us
        assert self.at is not None
        return frame.index <= self.at

    def note(self, frame: Frame, answer: Answer, recv_ns: int) -> None:
        """Do what the answer says, which is one of the sound ones."""
        book = frame.tree["order_book"]
        match answer:
            case Outcome.APPLIED:
                self.bids, self.asks = self._sides_after(frame)
                is_altered = frame.fault is Fault.LEVEL
                self.is_altered = is_altered or (self.is_altered and not frame.is_snapshot)
                self.at, self.label, self.time_us = frame.index, book["nonce"], frame.tree["last_updated_at"]
                self.applied_ns = recv_ns
                self.is_mislabelled = frame.fault in LIES
            case Outcome.CROSSED if self.at is None:
                self._ask_again(recv_ns)
            case Outcome.GAP | Outcome.CROSSED:
                self._drop(frame, recv_ns)
            case Outcome.WAITING:
                self._see(frame, recv_ns)
            case Outcome.STALE:
                self.takes_any = True
                self._ask_again(recv_ns)
            case "refused" if frame.fault is Fault.TEXT:
                self._note_bad_text(frame, recv_ns)

    def _note_bad_text(self, frame: Frame, recv_ns: int) -> None:
        if frame.is_snapshot:
            if self.at is None:
                self._ask_again(recv_ns)
        elif self.at is None:
            self._see(frame, recv_ns)
        elif not self._is_late(frame, recv_ns):
            self._drop(frame, recv_ns)

    def _drop(self, frame: Frame, recv_ns: int) -> None:
        self.at, self.takes_any = None, False
        self.newest, self.is_doubtful = frame.index, frame.fault in LIES
        self._ask(recv_ns)

    def _see(self, frame: Frame, recv_ns: int) -> None:
        self.newest = max(self.newest, frame.index)
        self.is_doubtful |= frame.fault in LIES
        if self.asked_ns is None:
            self.asked_ns = recv_ns
        self._ask_again(recv_ns)

    def _ask_again(self, recv_ns: int) -> None:
        if self.asked_ns is None or recv_ns - self.asked_ns >= self.retry_ns:
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


def frame_nonce(frame: Frame) -> int:
    """Return the nonce that a frame says its book reaches."""
    nonce: int = frame.tree["order_book"]["nonce"]
    return nonce
