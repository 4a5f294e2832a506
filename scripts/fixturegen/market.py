"""A small market that moves: books whose levels mostly persist, and the tickers that go with them.

All state is integers (ticks, size steps, millionths), so every text is exact and the same everywhere.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from scripts.fixturegen import shapes
from scripts.fixturegen.draw import Draw, decimal_text

_SIZE_BOUND = 4_000
_STEPS_PER_RESIZE = 12
_VOL_MICROS = 615_000


@dataclass(frozen=True)
class Listing:
    """An instrument: its name, its steps as numbers of decimals, and where its price starts."""

    name: str
    currency: str
    price_decimals: int
    size_decimals: int
    start_ticks: int
    spread_ticks: int

    def price(self, ticks: int) -> str:
        """Write a price."""
        return decimal_text(ticks, self.price_decimals)

    def size(self, steps: int) -> str:
        """Write an amount."""
        return decimal_text(steps, self.size_decimals)

    def fee_micros(self, ticks: int, steps: int, rate_e5: int) -> int:
        """Charge a rate, in hundred-thousandths, on a notional: millionths of a dollar, rounded down."""
        scale: int = 10 ** (self.price_decimals + self.size_decimals)
        return ticks * steps * rate_e5 * 10 // scale


ETH_PERP = Listing("ETH-PERP", "ETH", 2, 3, 284_137, 8)
BTC_PERP = Listing("BTC-PERP", "BTC", 1, 5, 961_584, 11)
EXPIRY, EXPIRY_SEC = "20270326", 1_806_048_000


class Book:
    """The order book of one instrument: `depth` levels a side, best first, as (ticks, size steps)."""

    def __init__(self, draw: Draw, listing: Listing, depth: int) -> None:
        self._draw, self.listing, self.depth = draw, listing, depth
        self.bids = [(listing.start_ticks, self._size())]
        self.asks = [(listing.start_ticks + listing.spread_ticks, self._size())]
        self._top_up()

    def step(self) -> None:
        """Move to the next snapshot: now and then the price moves, and a few levels change in size."""
        draw = self._draw
        if draw.chance(0.3):
            self._move(draw.between(1, 3), up=draw.chance(0.5))
        for _ in range(max(1, self.depth // _STEPS_PER_RESIZE)):
            side = draw.pick((self.bids, self.asks))
            at = draw.near_zero(self.depth)
            side[at] = (side[at][0], self._size())

    def frame(self, timestamp_ms: int, publish_id: int | None = None) -> bytes:
        """Write the snapshot as the venue sends it."""
        name, price, size = self.listing.name, self.listing.price, self.listing.size
        bids, asks = ([(price(ticks), size(steps)) for ticks, steps in s] for s in (self.bids, self.asks))
        data = shapes.orderbook(name, timestamp_ms, bids, asks, publish_id)
        return shapes.subscription(f"orderbook.{name}.1.{self.depth}", data)

    def _move(self, ticks: int, *, up: bool) -> None:
        """Take `ticks` from one side and let the other follow, so that the spread stays as it was."""
        taken, joined, sign = (self.asks, self.bids, 1) if up else (self.bids, self.asks, -1)
        best = taken[0][0] + sign * ticks
        while taken and sign * (taken[0][0] - best) <= 0:
            taken.pop(0)
        taken.insert(0, (best, self._size()))
        joined.insert(0, (joined[0][0] + sign * ticks, self._size()))
        del taken[self.depth :], joined[self.depth :]
        self._top_up()

    def _top_up(self) -> None:
        for side, sign in ((self.bids, -1), (self.asks, 1)):
            while len(side) < self.depth:
                side.append((side[-1][0] + sign * self._draw.between(1, 3), self._size()))

    def _size(self) -> int:
        return 1 + self._draw.near_zero(_SIZE_BOUND)


class Perp:
    """A perpetual: its book and what its ticker says beside it."""

    def __init__(self, draw: Draw, listing: Listing, depth: int) -> None:
        self._draw, self.listing = draw, listing
        self.book = Book(draw, listing, depth)
        self._funding_e9 = 12_500
        self._trades, self._contracts = 3_107, 4_511_208

    def trade(self, steps: int) -> None:
        """Count a trade into the day's statistics."""
        self._trades += 1
        self._contracts += steps

    def marks(self) -> tuple[int, int]:
        """Draw the mark and the index near the middle of the book, in ticks."""
        middle = (self.book.bids[0][0] + self.book.asks[0][0]) // 2
        return middle + self._draw.between(-5, 5), middle - self._draw.between(-9, 40)

    def ticker_frame(self, timestamp_ms: int) -> bytes:
        """Write the slim ticker as the venue sends it."""
        price, size = self.listing.price, self.listing.size
        (bid, bid_size), (ask, ask_size) = self.book.bids[0], self.book.asks[0]
        mark, index = self.marks()
        self._funding_e9 += self._draw.between(-90, 90)
        prices: shapes.Tree = {
            "A": size(ask_size),
            "B": size(bid_size),
            "I": price(index),
            "M": price(mark),
            "a": price(ask),
            "b": price(bid),
            "f": f"{Decimal(self._funding_e9).scaleb(-9):f}",
            "maxp": price(mark * 102 // 100),
            "minp": price(mark * 98 // 100),
        }
        notional = self._contracts * mark
        stats: shapes.Tree = {
            "c": size(self._contracts),
            "h": price(self.listing.start_ticks * 104 // 100),
            "l": price(self.listing.start_ticks * 97 // 100),
            "n": self._trades,
            "oi": size(self._contracts * 3 // 2),
            "p": decimal_text((mark - self.listing.start_ticks) * 1_000 // self.listing.start_ticks, 3),
            "pr": decimal_text(notional * 9, self.listing.price_decimals + self.listing.size_decimals),
            "v": decimal_text(notional, self.listing.price_decimals + self.listing.size_decimals),
        }
        data = shapes.ticker_slim(timestamp_ms, prices, stats, option_pricing=None)
        return shapes.subscription(f"ticker_slim.{self.listing.name}.1000", data)


class Option:
    """An option, priced from its moneyness by a straight line: plausible figures, not a model."""

    def __init__(self, draw: Draw, strike: int, kind: str) -> None:
        self._draw, self._strike, self._call = draw, strike, kind == "C"
        self.name = f"ETH-{EXPIRY}-{strike}-{kind}"

    def ticker_frame(self, timestamp_ms: int, index_cents: int, null: Iterable[str] = ()) -> bytes:
        """Write the slim ticker, with its block of greeks, as the venue sends it; null where told, by key."""
        draw = self._draw
        forward_cents = index_cents + draw.between(20, 160)
        moneyness_e5 = (forward_cents - self._strike * 100) * 100_000 // forward_cents
        delta_e5 = min(98_000, max(2_000, 50_000 + moneyness_e5 * 2 + draw.between(-40, 40)))
        if not self._call:
            delta_e5 -= 100_000
        intrinsic_cents = max(0, (forward_cents - self._strike * 100) * (1 if self._call else -1))
        mark_dimes = intrinsic_cents // 10 + 900 + draw.between(-15, 15)
        prices: shapes.Tree = {
            "A": decimal_text(1 + draw.near_zero(9_000), 2),
            "B": decimal_text(1 + draw.near_zero(9_000), 2),
            "I": decimal_text(index_cents, 2),
            "M": decimal_text(mark_dimes, 1),
            "a": decimal_text(mark_dimes + draw.between(9, 40), 1),
            "b": decimal_text(mark_dimes - draw.between(9, 40), 1),
            "f": None,
            "maxp": decimal_text(mark_dimes * 11 // 10, 1),
            "minp": decimal_text(mark_dimes * 9 // 10, 1),
        }
        prices |= dict.fromkeys(null)
        vol_e6 = _VOL_MICROS + abs(moneyness_e5) // 4 + draw.between(-400, 400)
        pricing: shapes.Tree = {
            "ai": decimal_text(vol_e6 + draw.between(3_000, 30_000), 6),
            "bi": decimal_text(vol_e6 - draw.between(3_000, 30_000), 6),
            "d": decimal_text(delta_e5, 5),
            "df": "0.9987",
            "f": decimal_text(forward_cents, 2),
            "g": decimal_text(draw.between(30_000, 60_000), 8),
            "i": decimal_text(vol_e6, 6),
            "m": decimal_text(mark_dimes, 1),
            "r": decimal_text(delta_e5 * 17, 5),
            "t": decimal_text(-draw.between(120_000, 240_000), 5),
            "v": decimal_text(draw.between(130_000, 260_000), 5),
        }
        stats: shapes.Tree = {
            "c": decimal_text(draw.near_zero(4_000), 2),
            "h": decimal_text(mark_dimes * 12 // 10, 1),
            "l": decimal_text(mark_dimes * 8 // 10, 1),
            "n": draw.below(90),
            "oi": decimal_text(draw.near_zero(90_000), 2),
            "p": decimal_text(draw.between(-250, 250), 3),
            "pr": decimal_text(draw.near_zero(900_000), 2),
            "v": decimal_text(draw.near_zero(9_000_000), 2),
        }
        data = shapes.ticker_slim(timestamp_ms, prices, stats, pricing)
        return shapes.subscription(f"ticker_slim.{self.name}.1000", data)
