"""One market of Lighter: its whole book as the first frame, then updates of single levels in the nonce chain.

Sizes are absolute and zero deletes; now and then a level is deleted that is not there, which is normal.
Numerals have all decimals of their market (`2064.50`, `0.0000`). Nonces step by more than one. Offsets belong
to the API servers: they jump and say nothing. An update never names a level twice, and never leaves the book
crossed.

Source of the shapes: the venue's WebSocket reference, and what its servers send beyond it: the engine's time
in microseconds (`last_updated_at`) beside the servers' in milliseconds, and a first frame whose `begin_nonce`
is 0.
"""

import functools
from bisect import bisect_left, insort

from scripts.fixturegen.draw import Draw
from scripts.fixturegen.market import Listing

_SIZE_BOUND = 90_000
_WIDEST_STEP = 4
_ABSENT = 0.02
_THROUGH = 0.15
_JUMP = 0.002

Changes = dict[int, int]
"""Levels of one side that an update names: rank to size in steps."""


class Ladder:
    """One side of a book. Ranks rise from the best level on: a price in ticks, of bids its negative."""

    def __init__(self, draw: Draw, best: int, depth: int) -> None:
        self._draw, self._depth = draw, depth
        self.ranks = [best]
        while len(self.ranks) < depth:
            self.ranks.append(self.ranks[-1] + draw.between(1, _WIDEST_STEP))
        self.sizes = {rank: self.new_size() for rank in self.ranks}

    def new_size(self) -> int:
        """Draw a size in steps, above zero."""
        return 1 + self._draw.near_zero(_SIZE_BOUND)

    def write(self, rank: int, size: int) -> None:
        """Set a level to a size; zero deletes it, and nothing happens when it is not there."""
        if size:
            if rank not in self.sizes:
                insort(self.ranks, rank)
            self.sizes[rank] = size
        elif self.sizes.pop(rank, None) is not None:
            del self.ranks[bisect_left(self.ranks, rank)]

    def change(self, lowest: int) -> tuple[int, int]:
        """Draw a change near the top: a level resized, deleted or added at `lowest` or behind it."""
        draw, ranks = self._draw, self.ranks
        rank = ranks[draw.near_zero(len(ranks))]
        if draw.chance(0.4):
            return rank, self.new_size()
        if draw.chance(_ABSENT):
            beyond = ranks[-1] + draw.between(1, 40)
            return beyond, 0
        if draw.chance(0.5 * len(ranks) / self._depth):
            return rank, (0 if len(ranks) > 1 else self.new_size())
        return max(lowest, rank + draw.between(-_WIDEST_STEP, _WIDEST_STEP)), self.new_size()


class Market:
    """The book of one market and its place in the chain of nonces."""

    def __init__(self, draw: Draw, market_id: int, listing: Listing, depth: int) -> None:
        self._draw, self._listing, self._channel = draw, listing, f"order_book:{market_id}"
        self.asks = Ladder(draw, listing.start_ticks + listing.spread_ticks, depth)
        self.bids = Ladder(draw, -listing.start_ticks, depth)
        self._nonce = 9_000_000_000 + draw.below(90_000_000)
        self._offset = draw.below(4_000_000)
        self._sent_ms = self._engine_us = 0

    def snapshot(self, now_us: int) -> bytes:
        """Write the frame that answers a subscription."""
        return self._frame("subscribed/order_book", 0, self.asks.sizes, self.bids.sizes, now_us)

    def update(self, levels: int, now_us: int) -> bytes:
        """Change as many levels as told and write the frame that says so."""
        asks: Changes = {}
        bids: Changes = {}
        if levels > 1 and self._draw.chance(_THROUGH):
            self._trade_through(asks, bids)
        while len(asks) + len(bids) < levels:
            mine, other, changes = (
                (self.asks, self.bids, asks) if self._draw.chance(0.5) else (self.bids, self.asks, bids)
            )
            rank, size = mine.change(1 - other.ranks[0])
            if rank not in changes:
                changes[rank] = size
                mine.write(rank, size)
        begin, self._nonce = self._nonce, self._nonce + self._draw.between(1, 40)
        jump = self._draw.between(1_000, 90_000) if self._draw.chance(_JUMP) else self._draw.near_zero(9)
        self._offset += 1 + jump
        return self._frame("update/order_book", begin, asks, bids, now_us)

    def _trade_through(self, asks: Changes, bids: Changes) -> None:
        """Take the best level of one side and put its price on the other: crossed unless both are applied."""
        is_buy = self._draw.chance(0.5)
        mine, other = (self.asks, self.bids) if is_buy else (self.bids, self.asks)
        gone, joined = (asks, bids) if is_buy else (bids, asks)
        if len(mine.ranks) == 1:
            return
        rank, size = mine.ranks[0], other.new_size()
        gone[rank], joined[-rank] = 0, size
        mine.write(rank, 0)
        other.write(-rank, size)

    def _frame(self, kind: str, begin_nonce: int, asks: Changes, bids: Changes, now_us: int) -> bytes:
        """Write a frame; each of its clocks has only risen since the one before."""
        sent_us = now_us - self._draw.between(800, 4_000)
        self._sent_ms = max(self._sent_ms, sent_us // 1_000)
        self._engine_us = max(self._engine_us + 1, sent_us - self._draw.between(3_000, 18_000))
        return (
            f'{{"type":"{kind}","channel":"{self._channel}","offset":{self._offset},'
            f'"timestamp":{self._sent_ms},"last_updated_at":{self._engine_us},'
            f'"order_book":{{"code":0,"asks":[{self._levels(asks, 1)}],"bids":[{self._levels(bids, -1)}],'
            f'"offset":{self._offset},"nonce":{self._nonce},"begin_nonce":{begin_nonce}}}}}'
        ).encode()

    def _levels(self, changes: Changes, sign: int) -> str:
        price, size = self._listing.price_decimals, self._listing.size_decimals
        return ",".join(
            f'{{"price":"{whole_text(sign * rank, price)}","size":"{whole_text(changes[rank], size)}"}}'
            for rank in sorted(changes)
        )


@functools.lru_cache(1 << 16)
def whole_text(units: int, decimals: int) -> str:
    """Write `units * 10 ** -decimals`, of zero or more, with all its decimals."""
    if not decimals:
        return str(units)
    digits = str(units).rjust(decimals + 1, "0")
    return f"{digits[:-decimals]}.{digits[-decimals:]}"
