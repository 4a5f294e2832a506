"""A session as a client receives it: 50 symbols of two venues, every kind of frame as often as its mix says.

A session is lines of text. The first is a JSON object: what is listed, and how much of what there is. Then
one line a frame: `d` for Derive or `l` for Lighter, a space, the receive time in nanoseconds, a space, and
the frame as received. Receive times rise from line to line; of one instrument, so do the venue's own times.
The first frames are the whole books of Lighter's markets, since nothing can be applied before them.

The whole session has as many frames of each kind as the published latency matrix has samples. A published
sample of a book delta is a level, and there are more levels than frames left for them: an update has one or a
few.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from scripts.fixturegen.draw import Draw
from scripts.fixturegen.orders import OwnOrders
from scripts.fixturegen.session import START_MS
from scripts.marketgen import listings
from scripts.marketgen.derive import OptionMarket, PerpMarket
from scripts.marketgen.lighter import Market

SCHEMA = 1
DERIVE, LIGHTER = "derive", "lighter"
_LONGEST_GAP_NS = 8_000_000
_LATENCY_MS = (5, 10)
_REJECTED, _EXPIRED = 5, 10
_ORDERS_TOPIC = b'.orders","data":'


@dataclass(frozen=True)
class Mix:
    """How much there is of what, and how deep books are: levels a side."""

    tickers: int
    marks: int
    """How many of the tickers carry mark, index and funding rate."""
    orders: int
    snapshots: int
    """Of Derive's books; each of Lighter's markets adds one."""
    updates: int
    level_changes: int
    derive_depth: int
    lighter_depth: int
    """About; each market of Lighter has its own."""

    def counts(self) -> dict[str, int]:
        """Give the counts as the first line of the session does."""
        snapshots = self.snapshots + len(listings.lighter())
        return {
            "frames": self.tickers + self.orders + snapshots + self.updates,
            "tickers": self.tickers,
            "marks": self.marks,
            "orders": self.orders,
            "snapshots": snapshots,
            "updates": self.updates,
            "level_changes": self.level_changes,
        }


WHOLE = Mix(
    tickers=89_033,
    marks=120,
    orders=3_458,
    snapshots=16_406 - 20,
    updates=67_658,
    level_changes=102_549,
    derive_depth=10,
    lighter_depth=300,
)
"""The counts of the published latency matrix."""

SHORT = Mix(
    tickers=1_008,
    marks=8,
    orders=40,
    snapshots=186 - 20,
    updates=766,
    level_changes=1_161,
    derive_depth=5,
    lighter_depth=20,
)
"""The same mix in 2,000 frames, but for some more marks; books are shallow so that it stays small."""


def lines(mix: Mix, seed: int) -> Iterator[bytes]:
    """Give the lines of a session, without line ends; the same for the same mix and seed."""
    yield heading(mix, seed)
    yield from Tape(mix, seed).lines()


def heading(mix: Mix, seed: int) -> bytes:
    """Write the first line of a session."""
    derive = [*listings.perps(), *(listing for _, _, listing in listings.options())]
    listed = [listings.heading(DERIVE, listing, None, mix.derive_depth) for listing in derive]
    for market_id, listing in enumerate(listings.lighter()):
        listed.append(listings.heading(LIGHTER, listing, market_id, None))
    tree = {"schema": SCHEMA, "seed": seed, "listings": listed, "counts": mix.counts()}
    return json.dumps(tree, separators=(",", ":")).encode()


class Tape:
    """What is left to send, and the markets that send it."""

    def __init__(self, mix: Mix, seed: int) -> None:
        def draw(name: str) -> Draw:
            return Draw(int.from_bytes(f"{seed}/{name}".encode()))

        self._draw = draw("session")
        self._now_ns = START_MS * 1_000_000
        self._mix, self._publish_id = mix, 7_000_000
        self._perps = [
            PerpMarket(draw(listing.name), listing, mix.derive_depth) for listing in listings.perps()
        ]
        options = [
            OptionMarket(draw(listing[2].name), listing, mix.derive_depth, self._perps[0])
            for listing in listings.options()
        ]
        # Busy ones first; perpetuals are busier.
        self._derive: list[PerpMarket | OptionMarket] = [*self._perps, *options]
        self.lighter = []
        for market_id, listing in enumerate(listings.lighter()):
            own = draw(f"{LIGHTER}/{market_id}")
            depth = max(1, mix.lighter_depth * own.between(50, 150) // 100)
            self.lighter.append(Market(own, market_id, listing, depth))
        self._orders = OwnOrders(draw("orders"), [market.perp for market in self._perps[:8]])
        self._notices: list[bytes] = []
        self._event_ms: dict[str, int] = {}

    def lines(self) -> Iterator[bytes]:
        """Give the line of every frame, kinds and symbols shuffled."""
        for letter, raw in self._frames():
            yield b"%s %d %s" % (letter, self._now_ns, raw)

    def _frames(self) -> Iterator[tuple[bytes, bytes]]:
        """Give each frame with its venue's letter; by then it is the time when the frame is received."""
        mix, draw = self._mix, self._draw
        for market in self.lighter:
            self._pass_time()
            yield b"l", market.snapshot(self._now_ns // 1_000)
        sizes = self._update_sizes()
        tickers, marks, snapshots, orders = mix.tickers, mix.marks, mix.snapshots, mix.orders
        while left := tickers + snapshots + orders + len(sizes):
            self._pass_time()
            card = draw.below(left)
            if card < tickers:
                is_marked = draw.below(tickers) < marks
                tickers, marks = tickers - 1, marks - is_marked
                yield b"d", self._ticker(is_marked=is_marked)
            elif card < tickers + snapshots:
                snapshots -= 1
                yield b"d", self._snapshot()
            elif card < tickers + snapshots + orders:
                orders -= 1
                yield b"d", self._notice()
            else:
                market = self.lighter[draw.near_zero(len(self.lighter))]
                yield b"l", market.update(sizes.pop(), self._now_ns // 1_000)

    def _update_sizes(self) -> list[int]:
        """Deal the level changes out to the updates: one to each, the others at random."""
        sizes = [1] * self._mix.updates
        for _ in range(self._mix.level_changes - self._mix.updates):
            sizes[self._draw.below(self._mix.updates)] += 1
        return sizes

    def _pass_time(self) -> None:
        self._now_ns += 1_000 + self._draw.near_zero(_LONGEST_GAP_NS)

    def _ticker(self, *, is_marked: bool) -> bytes:
        if is_marked:
            perp = self._draw.pick(self._perps)
            return perp.ticker(self._event(perp.name), is_marked=True)
        market = self._derive[self._draw.near_zero(len(self._derive))]
        event_ms = self._event(market.name)
        if isinstance(market, OptionMarket):
            return market.ticker(event_ms)
        return market.ticker(event_ms, is_marked=False)

    def _snapshot(self) -> bytes:
        market = self._derive[self._draw.near_zero(len(self._derive))]
        self._publish_id += self._draw.between(1, 9)
        return market.snapshot(self._event(market.name), self._publish_id)

    def _notice(self) -> bytes:
        """Give the next notice of an own order, letting things happen to orders until there is one."""
        event_ms = self._event("orders")
        while not self._notices:
            happens = self._draw.below(100)
            if happens < _REJECTED:
                self._notices.append(self._orders.reject(event_ms))
            elif happens < _EXPIRED:
                self._notices += self._orders.expire(event_ms)
            else:
                frames = self._orders.act(event_ms)
                self._notices += [raw for raw in frames if _ORDERS_TOPIC in raw[:120]]
        return self._notices.pop(0)

    def _event(self, of: str) -> int:
        """Say when the venue made what is received now, later than what it made before of the same."""
        sent_ms = self._now_ns // 1_000_000 - self._draw.between(*_LATENCY_MS)
        event_ms = max(sent_ms, self._event_ms.get(of, 0) + 1)
        self._event_ms[of] = event_ms
        return event_ms
