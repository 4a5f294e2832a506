"""One instrument of the Derive venue: its ticker, and its book of fixed depth, whole in each frame.

Shapes and motion are those of the fixtures. Here a ticker carries mark, index and funding rate only when
told, since a session counts those apart; and now and then nobody bids for an option, in its ticker or in its
book.

A session has a hundred thousand of these frames. So what of a frame stays is written once, by the shapes of
the fixtures, and only prices, sizes and times are put in anew: the levels of a book, and the quote of a
ticker, whose price band and day's statistics are renewed every so many tickers.
"""

from scripts.fixturegen.draw import Draw
from scripts.fixturegen.market import Book, Listing, Option, Perp

_TICKERS_PER_RENEWAL = 32
_KEPT_LEVELS = 20_000
_BIDLESS = 0.2


class Ladder:
    """A book and the frames that tell it whole."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self._head = book.frame(0).decode().partition('"timestamp"')[0]
        self._texts: dict[tuple[int, int], str] = {}

    def frame(self, event_ms: int, publish_id: int, *, is_bidless: bool = False) -> bytes:
        """Move on and write the book."""
        self.book.step()
        bids = "" if is_bidless else self._side(self.book.bids)
        return (
            f'{self._head}"timestamp":{event_ms},"bids":[{bids}],"asks":[{self._side(self.book.asks)}],'
            f'"publish_id":{publish_id}}}}}}}'
        ).encode()

    def _side(self, levels: list[tuple[int, int]]) -> str:
        """Write levels; most of them were there before."""
        listing, texts = self.book.listing, self._texts
        if len(texts) > _KEPT_LEVELS:
            texts.clear()
        for level in levels:
            if level not in texts:
                ticks, steps = level
                texts[level] = f'["{listing.price(ticks)}","{listing.size(steps)}"]'
        return ",".join([texts[level] for level in levels])


class PerpMarket:
    """A perpetual, whose ticker tells the best of its book."""

    def __init__(self, draw: Draw, listing: Listing, depth: int) -> None:
        self.name, self._listing = listing.name, listing
        self.perp = Perp(draw, listing, depth)
        self._ladder = Ladder(self.perp.book)
        self._head = self._tail = ""
        self._tickers = 0

    def ticker(self, event_ms: int, *, is_marked: bool) -> bytes:
        """Move on and write the ticker."""
        book, price, size = self.perp.book, self._listing.price, self._listing.size
        book.step()
        if is_marked:
            return self.perp.ticker_frame(event_ms)
        if self._tickers % _TICKERS_PER_RENEWAL == 0:
            whole = self.perp.ticker_frame(event_ms).decode()
            self._head = whole[: whole.index('"A":')]
            self._tail = whole[whole.index('"maxp":') : whole.index('"t":')]
        self._tickers += 1
        (bid, bid_size), (ask, ask_size) = book.bids[0], book.asks[0]
        return (
            f'{self._head}"A":"{size(ask_size)}","B":"{size(bid_size)}","I":null,"M":null,'
            f'"a":"{price(ask)}","b":"{price(bid)}","f":null,{self._tail}"t":{event_ms}}},'
            f'"timestamp":{event_ms}}}}}}}'
        ).encode()

    def snapshot(self, event_ms: int, publish_id: int) -> bytes:
        """Move on and write the book."""
        return self._ladder.frame(event_ms, publish_id)


class OptionMarket:
    """An option, whose ticker follows `underlying` and never carries a reference."""

    def __init__(
        self, draw: Draw, listing: tuple[int, str, Listing], depth: int, underlying: PerpMarket
    ) -> None:
        strike, kind, steps = listing
        self._draw, self._underlying, self.name = draw, underlying, steps.name
        self._option, self._ladder = Option(draw, strike, kind), Ladder(Book(draw, steps, depth))

    def ticker(self, event_ms: int) -> bytes:
        """Write the ticker."""
        null = "IMfbB" if self._draw.chance(_BIDLESS) else "IMf"
        return self._option.ticker_frame(event_ms, self._underlying.perp.book.bids[0][0], null)

    def snapshot(self, event_ms: int, publish_id: int) -> bytes:
        """Move on and write the book."""
        return self._ladder.frame(event_ms, publish_id, is_bidless=self._draw.chance(_BIDLESS))
