"""A plain model of the venue and of the way to it: a book that changes, its frames, and what goes wrong.

Prices and sizes are whole numbers here and are written with two and four decimals. Nothing of `tapemark` is
used. Each change of the book has an index; a frame carries the index of the state that it leads to, by which
the tests know what was lost, whatever the frame itself says.
"""

import dataclasses
import enum
import json
import random

from tests.tapemark.lighter.frames import Pairs, Tree, encoded, tree

CHANNEL = "order_book:7"
START_MS = 1_774_884_082_326

Side = dict[int, int]


class Fault(enum.Enum):
    """What was done to a frame on its way."""

    NONE = "none"
    TORN = "torn"
    """Cut short, hence no JSON."""
    TEXT = "text"
    """A price or size that is none."""
    NONCE = "nonce"
    """Another `nonce`."""
    NONCE_AND_TIME = "nonce and time"
    """Another `nonce`, and another time of the engine."""
    BEGIN = "begin"
    """Another `begin_nonce`."""
    LEVEL = "level"
    """Another price or size, as good as the true one, which no receiver can tell."""


@dataclasses.dataclass
class State:
    """The book after one change."""

    nonce: int
    sent_ms: int
    event_us: int
    bids: Side
    asks: Side


@dataclasses.dataclass
class Frame:
    """A frame on its way; `index` is that of the state it leads to."""

    index: int
    is_snapshot: bool
    tree: Tree
    raw: bytes
    fault: Fault = Fault.NONE


class Exchange:
    """One market: `states[i]` is its book after `i` changes."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.offset = rng.randrange(10**6)
        self.mid = rng.randrange(5_000, 50_000)
        bids = {self.mid - rng.randrange(1, 40): rng.randrange(1, 10**6) for _ in range(20)}
        asks = {self.mid + rng.randrange(1, 40): rng.randrange(1, 10**6) for _ in range(20)}
        self.states = [State(rng.randrange(10**10), START_MS, START_MS * 1_000 - 17_182, bids, asks)]

    def change(self) -> Frame:
        """Change the book and return the update that says so."""
        rng, last = self.rng, self.states[-1]
        bids, asks = dict(last.bids), dict(last.asks)
        self.mid += rng.choice((0, 0, 0, 1, -1, 3, -5))
        # What the mid has passed is gone, and the update says so.
        changed_bids = {ticks: 0 for ticks in bids if ticks >= self.mid}
        changed_asks = {ticks: 0 for ticks in asks if ticks <= self.mid}
        if rng.random() < 0.01:
            changed_bids |= dict.fromkeys(bids, 0)
        for _ in range(rng.choice((0, 1, 1, 1, 2, 4))):
            distance = rng.randrange(1, 40)
            size = rng.choice((0, rng.randrange(1, 10**6)))  # zero of an absent level among them
            if rng.random() < 0.5:
                changed_bids[self.mid - distance] = size
            else:
                changed_asks[self.mid + distance] = size
        for side, changed in ((bids, changed_bids), (asks, changed_asks)):
            side.update(changed)
            for ticks in [ticks for ticks, size in side.items() if not size]:
                del side[ticks]
        event_us = last.event_us + rng.randrange(1, 400_000)
        nonce = last.nonce + rng.choice((1, 2, 22, rng.randrange(1, 500)))
        self.states.append(State(nonce, event_us // 1_000 + rng.randrange(20, 60), event_us, bids, asks))
        self.offset += rng.choice((1, 1, 7, rng.randrange(1, 10**4)))
        return self._frame(changed_bids, changed_asks, last.nonce, is_snapshot=False)

    def snapshot(self) -> Frame:
        """Return the whole book as a new subscription begins."""
        last = self.states[-1]
        return self._frame(last.bids, last.asks, self.rng.choice((0, last.nonce - 1)), is_snapshot=True)

    def _frame(self, bids: Side, asks: Side, begin_nonce: int, *, is_snapshot: bool) -> Frame:
        state = self.states[-1]
        kind = "subscribed" if is_snapshot else "update"
        found = tree(kind, begin_nonce, state.nonce, self._levels(bids), self._levels(asks))
        found |= {"channel": CHANNEL, "timestamp": state.sent_ms, "last_updated_at": state.event_us}
        found["offset"] = found["order_book"]["offset"] = self.offset
        return Frame(len(self.states) - 1, is_snapshot, found, encoded(found))

    def _levels(self, side: Side) -> Pairs:
        rows = list(side.items())
        self.rng.shuffle(rows)
        return tuple((written(ticks, 2), written(size, 4)) for ticks, size in rows)


def written(count: int, decimals: int) -> str:
    """Write a whole number of the last decimal place."""
    return f"{count // 10**decimals}.{count % 10**decimals:0{decimals}}"


def corrupted(frame: Frame, rng: random.Random) -> Frame:
    """Return a corrupted copy of a frame."""
    found = json.loads(frame.raw)
    book = found["order_book"]
    levels = book["bids"] + book["asks"]
    fault = rng.choice([fault for fault in Fault if fault is not Fault.NONE])
    if (fault in {Fault.TEXT, Fault.LEVEL} and not levels) or (fault is Fault.BEGIN and frame.is_snapshot):
        fault = Fault.TORN
    match fault:
        case Fault.TEXT:
            key, awkward = (
                rng.choice(("price", "size")),
                ("NaN", "-1", "", "1e400", "0.00001", "9" * 30, "1,5"),
            )
            rng.choice(levels)[key] = rng.choice(awkward)
        case Fault.LEVEL:
            level = rng.choice(levels)
            if rng.random() < 0.5:
                level["size"] = written(rng.randrange(10**6), 4)
            else:
                toward = 1 if any(level is bid for bid in book["bids"]) else -1  # the other side of the book
                ticks = int(level["price"].replace(".", "")) + toward * rng.choice((-1, 1, 60, 60))
                level.update(price=written(ticks, 2), size="1.2500")
        case Fault.NONCE:
            book["nonce"] = _another(book["nonce"], rng)
        case Fault.NONCE_AND_TIME:
            book["nonce"] = _another(book["nonce"], rng)
            found["last_updated_at"] += rng.choice((-1, 1)) * rng.choice((10**9, 10**14))
        case Fault.BEGIN:
            book["begin_nonce"] = _another(book["begin_nonce"], rng)
    raw = frame.raw[: rng.randrange(len(frame.raw))] if fault is Fault.TORN else encoded(found)
    return Frame(frame.index, frame.is_snapshot, found, raw, fault)


def _another(nonce: int, rng: random.Random) -> int:
    """Choose a wrong nonce far from all true ones, so that none of them meets it by chance."""
    return max(0, nonce + rng.choice((-1, 1)) * rng.choice((10**8, 10**9, 10**15)) - 1)


class Wire:
    """The way from the exchange, on which frames are dropped, repeated, reordered and corrupted.

    Args:
        rng: Makes every choice.
        fault_share: How often each kind of fault happens to a frame.
    """

    def __init__(self, rng: random.Random, fault_share: float) -> None:
        self.rng = rng
        self.fault_share = fault_share
        self.in_flight: list[Frame] = []

    def send(self, frame: Frame) -> None:
        """Put a frame on its way, with whatever happens to it."""
        rng, share = self.rng, self.fault_share
        if rng.random() < share:
            return
        if rng.random() < share:
            frame = corrupted(frame, rng)
        self.in_flight.append(frame)
        if rng.random() < share:
            self.in_flight.insert(rng.randrange(len(self.in_flight) + 1), frame)
        if rng.random() < share and len(self.in_flight) > 1:
            late = self.in_flight.pop(rng.randrange(len(self.in_flight)))
            self.in_flight.append(late)

    def received(self) -> list[Frame]:
        """Take some of the frames that have arrived."""
        count = len(self.in_flight) - self.rng.choice((0, 0, 1, 3))
        arrived = self.in_flight[: max(0, count)]
        del self.in_flight[: len(arrived)]
        return arrived
