"""How long single writes of market state take, over a whole session of fifty symbols.

Every frame is parsed off the clock, and its writes are timed: what is written was built before. An update's
levels are written one at a time, those that are deleted first, so that no book is crossed between two of
them: the published figures count levels, too.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from benches.market.replay import Replayed
from benches.market.session import CUT_FRAMES, Session, load
from benchgate.latency.declaration import Batch, Metric, Play, Recorder, Replay
from tapemark.derive.route import BookWrite, OrdersWrite, TickerWrite
from tapemark.lighter.sync import SnapshotWrite, UpdateWrite
from tapemark.market.scale import Level

if TYPE_CHECKING:
    from tapemark.market.state import Reference, Ticker
    from tapemark.model import OrderStatusReport

_BATCH_FRAMES = 20_000
_Levels = Sequence[Level]
_BookWrite = tuple[Callable[..., None], tuple[_Levels, _Levels, int, int, int, int]]


def prepare(*, quick: bool) -> Play:
    """Load the session, or for a quick run its cut."""
    session = load(CUT_FRAMES if quick else None)
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
    """Give what replaces a ladder, past Lighter's chain of nonces, and its arguments."""
    bids, asks, recv_ns = parsed.bids, parsed.asks, parsed.recv_ns
    if type(parsed) is SnapshotWrite:
        message = parsed.message
        replace = replayed.lighter_book(message.market_id).replace
        return replace, (bids, asks, message.ladder.nonce, message.event_us, message.sent_ms, recv_ns)
    assert type(parsed) is BookWrite
    sent_ms = parsed.sent_ms
    return parsed.book.replace, (bids, asks, sent_ms, sent_ms * 1_000, sent_ms, recv_ns)


def setting(parsed: UpdateWrite, replayed: Replayed) -> Iterator[_BookWrite]:
    """Give what sets each level of an update, the deleted ones first, and its arguments."""
    message = parsed.message
    apply = replayed.lighter_book(message.market_id).apply
    times = (message.ladder.nonce, message.event_us, message.sent_ms, parsed.recv_ns)
    sides: list[tuple[_Levels, _Levels]] = [([level], ()) for level in parsed.bids]
    sides += [((), [level]) for level in parsed.asks]
    for bids, asks in sorted(sides, key=lambda side: (side[0] or side[1])[0][1] > 0):
        yield apply, (bids, asks, *times)


class Batches:
    """The writes of a session's beginning by metric, ready to be made without a clock.

    Those of the whole session would be a million objects, among which what the samples write would lie.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._tickers: list[tuple[str, Ticker]] = []
        self._references: list[tuple[str, Reference]] = []
        self._reports: list[OrderStatusReport] = []
        self._firsts: list[_BookWrite] = []  # the whole books of Lighter, which its deltas begin with
        self._ladders: list[_BookWrite] = []
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
                self._reports += parsed.reports
            elif type(parsed) is BookWrite or type(parsed) is SnapshotWrite:
                self._ladders.append(replacing(parsed, replayed))
                if type(parsed) is SnapshotWrite:
                    self._firsts.append(self._ladders[-1])

    def declared(self) -> dict[str, Batch]:
        """Give them by metric."""
        return {
            "ticker": Batch(self.load_tickers, len(self._tickers)),
            "mark_price": Batch(self.load_references, len(self._references)),
            "order_update": Batch(self.load_orders, len(self._reports)),
            "book_snapshot": Batch(lambda: lambda: write_all(self._ladders), len(self._ladders)),
            "book_delta": Batch(self.load_deltas, len(self._deltas)),
        }

    def load_tickers(self) -> Callable[[], None]:
        """Make a fresh state for all ticker writes."""
        write, made = Replayed(self._session).derive.write_ticker, self._tickers

        def run() -> None:
            for symbol, ticker in made:
                write(symbol, ticker)

        return run

    def load_references(self) -> Callable[[], None]:
        """Make a fresh state for all writes of mark, index and funding."""
        write, made = Replayed(self._session).derive.write_reference, self._references

        def run() -> None:
            for symbol, reference in made:
                write(symbol, reference)

        return run

    def load_orders(self) -> Callable[[], None]:
        """Make a fresh state for all steps of orders."""
        write, made = Replayed(self._session).derive.orders.write, self._reports

        def run() -> None:
            for report in made:
                write(report)

        return run

    def load_deltas(self) -> Callable[[], None]:
        """Set the books back to where their deltas begin."""
        write_all(self._firsts)
        return lambda: write_all(self._deltas)


def write_all(made: list[_BookWrite]) -> None:
    """Make every write of a book."""
    for write, arguments in made:
        write(*arguments)


DISTRIBUTIONS = (
    Replay(
        metrics=(
            Metric(
                "ticker", "best bid and ask of one symbol replaced; the record was built before", picture=True
            ),
            Metric("mark_price", "mark, index and funding of one symbol replaced"),
            Metric("order_update", "one step of an order: the map of orders and the symbol's index"),
            Metric("book_snapshot", "one whole ladder replaced: 10 levels a side, or some hundred"),
            Metric("book_delta", "one level of a book of some hundred set or deleted, and its top published"),
        ),
        load=prepare,
        passes=3,
    ),
)
