"""One instrument of the Derive venue: its ticker, and its book of fixed depth, whole in each frame.

Shapes and motion are those of the fixtures. Here a ticker carries mark, index and funding rate only when
told, since a session counts those apart; and now and then nobody bids for an option, in its ticker or in its
book.
"""

from scripts.fixturegen.draw import Draw
from scripts.fixturegen.market import Book, Listing, Option, Perp

_REFERENCE = ("M", "I", "f")
_BID = ("b", "B")
_BIDLESS = 0.02


class PerpMarket:
    """A perpetual, whose ticker tells the best of its book."""

    def __init__(self, draw: Draw, listing: Listing, depth: int) -> None:
        self.perp = Perp(draw, listing, depth)
        self.name = listing.name

    def ticker(self, event_ms: int, *, is_marked: bool) -> bytes:
        """Move on and write the ticker."""
        self.perp.book.step()
        return self.perp.ticker_frame(event_ms, () if is_marked else _REFERENCE)

    def snapshot(self, event_ms: int, publish_id: int) -> bytes:
        """Move on and write the book."""
        self.perp.book.step()
        return self.perp.book.frame(event_ms, publish_id)


class OptionMarket:
    """An option, whose ticker follows `underlying` and never carries a reference."""

    def __init__(
        self, draw: Draw, listing: tuple[int, str, Listing], depth: int, underlying: PerpMarket
    ) -> None:
        strike, kind, steps = listing
        self._draw, self._underlying = draw, underlying
        self._option, self._book = Option(draw, strike, kind), Book(draw, steps, depth)
        self.name = steps.name

    def ticker(self, event_ms: int) -> bytes:
        """Write the ticker."""
        null = (*_REFERENCE, *_BID) if self._draw.chance(_BIDLESS) else _REFERENCE
        return self._option.ticker_frame(event_ms, self._underlying.perp.book.bids[0][0], null)

    def snapshot(self, event_ms: int, publish_id: int) -> bytes:
        """Move on and write the book."""
        self._book.step()
        return self._book.frame(event_ms, publish_id, is_bidless=self._draw.chance(_BIDLESS))
