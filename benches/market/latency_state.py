"""How long single writes of market state take, over a whole session of fifty symbols.

Every frame is parsed off the clock, and its writes are timed: what is written was built before. An update's
levels are written one at a time, those that are deleted first, so that no book is crossed between two of
them: the published figures count levels, too.

Batches are of the session's beginning: those of the whole would be a million objects, among which what the
samples write would lie. `book_snapshot` has none: its books are of very different depths, so the mean of a
batch would say nothing of the timer beside their median.

`ticker_one_key` is the published bench of a ticker write, the one that others can reproduce: one symbol that
is there already, and nothing between two writes.
"""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, TypeVar

from benches.market.replay import Replayed
from benches.market.session import Session, load_short, load_whole
from benchgate.latency.declaration import (
    Batch,
    Calls,
    Distribution,
    Metric,
    Play,
    Recorder,
    Replay,
    steady,
)
from tapemark.derive.route import BookWrite, OrdersWrite, TickerWrite
from tapemark.lighter.sync import SnapshotWrite, UpdateWrite
from tapemark.market.scale import Level
from tapemark.market.state import Reference, Ticker, Venue, VenueState

if TYPE_CHECKING:
    from tapemark.model import OrderStatusReport

_BATCH_FRAMES = 20_000
_Row = TypeVar("_Row", bound=tuple[object, ...])
_Levels = Sequence[Level]
_BookWrite = tuple[Callable[..., None], tuple[_Levels, _Levels, int, int, int, int]]


def prepare(*, quick: bool) -> Play:
    """Load the whole session, or for a quick run the short one."""
    session = load_short() if quick else load_whole()
    room = max(session.counts.values())
    return Play(lambda recorder: play(session, recorder), room=room, batches=Batches(session).declared())


def play(session: Session, recorder: Recorder) -> None:
    """Parse every frame and time what it writes."""
    replayed, clock_ns = Replayed(session), recorder.clock_ns
    state, orders = replayed.derive, replayed.derive.orders
    ticker, mark_price = recorder.lane("ticker"), recorder.lane("mark_price")
    order_update = recorder.lane("order_update")
    book_snapshot, book_delta = recorder.lane("book_snapshot"), recorder.lane("book_delta")
    for venue, recv_ns, raw in session.frames:
        parsed = replayed.parse[venue](raw, recv_ns)
        if type(parsed) is TickerWrite:
            symbol, written, reference = parsed.symbol, parsed.ticker, parsed.reference
            before = clock_ns()
            state.write_ticker(symbol, written)
            after = clock_ns()
            ticker(after - before)
            if reference is not None:
                before = clock_ns()
                state.write_reference(symbol, reference)
                after = clock_ns()
                mark_price(after - before)
        elif type(parsed) is UpdateWrite:
            for apply, arguments in setting(parsed, replayed):
                before = clock_ns()
                apply(*arguments)
                after = clock_ns()
                book_delta(after - before)
        elif type(parsed) is OrdersWrite:
            for report in parsed.reports:
                before = clock_ns()
                orders.write(report)
                after = clock_ns()
                order_update(after - before)
        elif type(parsed) is BookWrite or type(parsed) is SnapshotWrite:
            replace, arguments = replacing(parsed, replayed)
            before = clock_ns()
            replace(*arguments)
            after = clock_ns()
            book_snapshot(after - before)
    replayed.check(session)


def replacing(parsed: BookWrite | SnapshotWrite, replayed: Replayed) -> _BookWrite:
    """Give what replaces a ladder, past the checks for what is late of either venue, and its arguments."""
    bids, asks, recv_ns = parsed.bids, parsed.asks, parsed.recv_ns
    if type(parsed) is SnapshotWrite:
        message = parsed.message
        replace = replayed.lighter_book(message.market_id).replace
        return replace, (bids, asks, message.book.nonce, message.event_us, message.sent_ms, recv_ns)
    assert type(parsed) is BookWrite
    sent_ms = parsed.sent_ms
    return parsed.book.replace, (bids, asks, sent_ms, sent_ms * 1_000, sent_ms, recv_ns)


def setting(parsed: UpdateWrite, replayed: Replayed) -> Iterator[_BookWrite]:
    """Give what sets each level of an update, the deleted ones first, and its arguments."""
    message = parsed.message
    apply = replayed.lighter_book(message.market_id).apply
    times = (message.book.nonce, message.event_us, message.sent_ms, parsed.recv_ns)
    sides: list[tuple[_Levels, _Levels]] = [([level], ()) for level in parsed.bids]
    sides += [((), [level]) for level in parsed.asks]
    for bids, asks in sorted(sides, key=lambda side: (side[0] or side[1])[0][1] > 0):
        yield apply, (bids, asks, *times)


class Batches:
    """The writes of a session's beginning by metric, ready to be made without a clock."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._tickers: list[tuple[str, Ticker]] = []
        self._references: list[tuple[str, Reference]] = []
        self._reports: list[tuple[OrderStatusReport]] = []
        self._firsts: list[_BookWrite] = []  # the whole books of Lighter, which its deltas begin with
        self._deltas: list[_BookWrite] = []
        replayed = Replayed(session)
        for venue, recv_ns, raw in session.frames[:_BATCH_FRAMES]:
            parsed = replayed.parse[venue](raw, recv_ns)
            if type(parsed) is TickerWrite:
                self._tickers.append((parsed.symbol, parsed.ticker))
                if parsed.reference is not None:
                    self._references.append((parsed.symbol, parsed.reference))
            elif type(parsed) is UpdateWrite:
                self._deltas += setting(parsed, replayed)
            elif type(parsed) is OrdersWrite:
                self._reports += [(report,) for report in parsed.reports]
            elif type(parsed) is SnapshotWrite:
                self._firsts.append(replacing(parsed, replayed))

    def declared(self) -> dict[str, Batch]:
        """Give them by metric."""
        return {
            "ticker": self._fresh(lambda replayed: replayed.derive.write_ticker, self._tickers),
            "mark_price": self._fresh(lambda replayed: replayed.derive.write_reference, self._references),
            "order_update": self._fresh(lambda replayed: replayed.derive.orders.write, self._reports),
            "book_delta": Batch(self._load_deltas, len(self._deltas)),
        }

    def _fresh(self, write_of: Callable[[Replayed], Callable[..., object]], rows: list[_Row]) -> Batch:
        """Declare the writes of all rows to a fresh state."""

        def load() -> Callable[[], None]:
            write = write_of(Replayed(self._session))

            def run() -> None:
                for row in rows:
                    write(*row)

            return run

        return Batch(load, len(rows))

    def _load_deltas(self) -> Callable[[], None]:
        """Set the books back to where their deltas begin."""
        write_all(self._firsts)
        return lambda: write_all(self._deltas)


def write_all(made: list[_BookWrite]) -> None:
    """Make every write of a book."""
    for write, arguments in made:
        write(*arguments)


def one_key() -> Calls:
    """Replace the ticker of one symbol by a record that was built before."""
    state = VenueState(Venue.DERIVE)
    market = state.add("ETH-PERP", Decimal("0.01"), Decimal("0.001"))
    ticker = Ticker(284_137, 12_500, 284_138, 900, 1_774_884_082_326, 1)
    assert state.write_ticker(market.symbol, ticker)
    assert market.ticker is ticker
    return steady(state.write_ticker, market.symbol, ticker)


DISTRIBUTIONS = (
    Distribution(
        name="ticker_one_key",
        load=one_key,
        calls=89_033,
        note="as published: one symbol that is there already, and nothing between two writes; the receive "
        "time is handed in",
    ),
    Replay(
        metrics=(
            Metric(
                "ticker", "best bid and ask of one symbol replaced; the record was built before", picture=True
            ),
            Metric("mark_price", "mark, index and funding of one symbol replaced"),
            Metric("order_update", "one step of an order: the map of orders and the symbol's index"),
            Metric(
                "book_snapshot",
                "one whole ladder replaced; in the whole session, of 10 levels a side or some hundred",
            ),
            Metric(
                "book_delta",
                "one level set or deleted, and the top published; in the whole session, of some hundred",
            ),
        ),
        load=prepare,
        passes=3,
    ),
)
