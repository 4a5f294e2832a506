"""Route the frames of the Derive venue into its state: tickers, whole books and own orders.

Format: the subscription frames that `tapemark.derive.decode` reads. A ticker gives best bid and ask, and
mark, index and funding where it carries any of them; a frame of `orderbook.*` replaces the whole ladder,
since the venue sends no deltas and no sequence; each record of a frame of own orders is one step of an
order's life.

Guarantees: `parse` decodes, finds the symbol, in whichever case the venue writes it, and converts every text;
it writes nothing, so a bad frame raises and changes nothing. A ticker whose venue time lies before what is
held is late, and so is such a book where a live one is held: its write changes nothing, says so, and is
counted. The count goes on rising where a wrong time, far ahead, was held for true; `reconnected` forgets it.
No order can have the price zero: in a ticker it stands for a side that has none, as if it were left out, and
in a book it is refused. Orders are kept whatever their symbol, in the venue's spelling, since a lost report
would lose an order; each of a frame's orders stands by itself, so one that takes an illegal step keeps no
other back.

Left to the caller: one thread that writes, and to say by `reconnected` when tickers and books come by a new
connection; one book channel for each instrument (two of different depth would replace each other), and own
fills, which `tapemark.derive.dispatch` tells.

Source: the venue's public API reference.
"""

from collections import Counter
from typing import NoReturn

import msgspec

from tapemark.derive import decode, reports, wire
from tapemark.derive.channels import TOPICS
from tapemark.errors import CrossedBook, IllegalTransition, InvalidFrame
from tapemark.market.book import OrderBook
from tapemark.market.orders import OrderStates
from tapemark.market.route import Skip
from tapemark.market.scale import Level, refuse_text
from tapemark.market.state import Market, Reference, Ticker, Venue, VenueState, require_state_of
from tapemark.market.views import BookStatus
from tapemark.model import OrderStatus, OrderStatusReport
from tapemark.numerals import SignedNumerals, UnsignedNumerals

_TICKER = "params.data.instrument_ticker"
# Looked up once: an attribute of an enum class costs a tenth of a ticker.
_UNKNOWN_SYMBOL, _LIVE = Skip.UNKNOWN_SYMBOL, BookStatus.LIVE
_MAX_CHANNELS = 65_536


class TickerWrite(msgspec.Struct, frozen=True, gc=False):
    """A ticker, with mark, index and funding where the frame had any."""

    state: VenueState
    symbol: str
    ticker: Ticker
    reference: Reference | None
    skipped: Counter[Skip]

    def write(self) -> bool:
        """Write both; tell whether either was new. A late ticker is counted, its reference new or not."""
        is_new = self.state.write_ticker(self.symbol, self.ticker)
        if not is_new:
            self.skipped[Skip.LATE] += 1
        if self.reference is not None:
            return self.state.write_reference(self.symbol, self.reference) or is_new
        return is_new


class BookWrite(msgspec.Struct, frozen=True, gc=False):
    """A whole ladder, best first as the venue sends it."""

    book: OrderBook
    bids: list[Level]
    asks: list[Level]
    sent_ms: int
    recv_ns: int
    skipped: Counter[Skip]

    def write(self) -> bool:
        """Replace the ladder, unless a live one is newer; tell whether it was done.

        Raises:
            CrossedBook: Its best bid is not below its best ask: the book was dropped.
            InvalidFrame: A price is zero; the book stays what it was.
        """
        sent_ms = self.sent_ms
        event_us = sent_ms * 1_000
        top = self.book.top
        if event_us < top.event_us and top.status is _LIVE:
            self.skipped[Skip.LATE] += 1
            return False
        try:
            self.book.replace(self.bids, self.asks, sent_ms, event_us, sent_ms, self.recv_ns)
        except CrossedBook:
            raise
        except InvalidFrame as fault:
            raise fault.at(f"params.data.{fault.field}").of(self.book.name) from None
        return True


class OrdersWrite(msgspec.Struct, frozen=True, gc=False):
    """The steps of own orders, in the frame's order."""

    orders: OrderStates
    reports: list[OrderStatusReport]

    def write(self) -> bool:
        """Write each step; tell whether any was new.

        Raises:
            IllegalTransition: A step is none that its order can take. That order stays what it was, all
                others are written; the first such step is named by its row.
        """
        is_new, refused = False, None
        for row, report in enumerate(self.reports):
            try:
                is_new |= self.orders.write(report)
            except IllegalTransition as fault:
                refused = refused or fault.at(f"params.data[{row}].{fault.field}")
        if refused:
            raise refused
        return is_new


class DeriveRoute:
    """Turn raw frames into writes of one venue's state.

    Args:
        state: What is written; the symbols that it holds are those that are routed.

    Attributes:
        skipped: How often a frame, its ticker, or an order's record made no write, by reason.

    Raises:
        InvalidArgument: The state is not Derive's.
    """

    __slots__ = ("_by_channel", "_markets", "_numerals", "_signed", "_state", "skipped")

    def __init__(self, state: VenueState) -> None:
        require_state_of(Venue.DERIVE, state)
        self._state, self._markets = state, state.markets
        self._by_channel: dict[str, Market] = {}  # those of tickers, since half of all frames are such
        self._numerals, self._signed = UnsignedNumerals(), SignedNumerals()
        self.skipped: Counter[Skip] = Counter()

    def reconnected(self) -> None:
        """Start again with a new connection: tickers, references and books are unknown until they come.

        Own orders stay: what the venue then says of them goes on from what is known.
        """
        for market in list(self._markets.values()):
            market.ticker = market.reference = None
            if market.book.top.status is _LIVE:
                market.book.clear(BookStatus.GAP)

    def handle(self, raw: bytes, recv_ns: int) -> bool:
        """Parse one frame and write what it says; tell whether anything of it was new.

        Args:
            raw: The frame's UTF-8 JSON, as bytes; that it is, is not checked.
            recv_ns: When it was received; see `tapemark.market.route` for the clock.

        Raises:
            InvalidFrame: As for `parse`, or a book has the price zero; nothing has changed.
            CrossedBook: The book is crossed and was dropped.
            IllegalTransition: An order cannot take such a step; see `OrdersWrite.write`.
        """
        prepared = self.parse(raw, recv_ns)
        return prepared is not None and prepared.write()

    def parse(self, raw: bytes, recv_ns: int) -> TickerWrite | BookWrite | OrdersWrite | None:
        """Decode one frame, find what it is of, and convert its texts; None where it makes no write.

        Args:
            raw: The frame's UTF-8 JSON, as bytes; that it is, is not checked.
            recv_ns: When it was received; see `tapemark.market.route` for the clock.

        Raises:
            InvalidFrame: The frame is not well-formed, or a price or size is no multiple of its step.
        """
        message = decode.frame(raw)
        reason = _UNKNOWN_SYMBOL
        if type(message) is wire.TickerUpdate:
            market = self._by_channel.get(message.channel) or self._of_channel(message.channel)
            if market is not None:
                # Half of all frames are tickers: one call less is a thirtieth of their cost.
                data = message.data
                found = data.instrument_ticker
                prices, sizes = market.scale.prices, market.scale.sizes
                bid, bid_size = found.bid_price, found.bid_amount
                ask, ask_size = found.ask_price, found.ask_amount
                try:
                    bid_ticks = None if bid is None else prices[bid]
                    bid_steps = None if bid_size is None else sizes[bid_size]
                    ask_ticks = None if ask is None else prices[ask]
                    ask_steps = None if ask_size is None else sizes[ask_size]
                except InvalidFrame:
                    _refuse_ticker(market, found)
                if not bid_ticks:
                    bid_ticks = bid_steps = None
                if not ask_ticks:
                    ask_ticks = ask_steps = None
                ticker = Ticker(bid_ticks, bid_steps, ask_ticks, ask_steps, data.timestamp_ms, recv_ns)
                if found.mark_price is None and found.index_price is None and found.funding_rate is None:
                    return TickerWrite(self._state, market.symbol, ticker, None, self.skipped)
                reference = self._reference(market, data, recv_ns)
                return TickerWrite(self._state, market.symbol, ticker, reference, self.skipped)
        elif type(message) is wire.BookUpdate:
            name = message.data.instrument_name
            market = self._markets.get(name) or self._of_name(name)
            if market is not None:
                return _book(market, message.data, recv_ns, self.skipped)
        elif type(message) is wire.OrdersUpdate:
            return self._orders(message.data, recv_ns)
        else:
            is_unknown = type(message) is wire.UnknownChannel
            reason = Skip.UNKNOWN_MESSAGE if is_unknown else Skip.NO_STATE
        self.skipped[reason] += 1
        return None

    def _of_channel(self, channel: str) -> Market | None:
        """Find the market of a ticker's channel that was not met before."""
        market = self._of_name(TOPICS[channel].subject)
        if market is not None:
            if len(self._by_channel) >= _MAX_CHANNELS:
                self._by_channel.clear()
            self._by_channel[channel] = market
        return market

    def _of_name(self, name: str) -> Market | None:
        """Find a market by the venue's name, which need not be in the state's case."""
        return self._markets.get(name.upper())

    def _reference(self, market: Market, data: wire.TickerSlim, recv_ns: int) -> Reference:
        found = data.instrument_ticker
        mark, index, funding = found.mark_price, found.index_price, found.funding_rate
        key = "M"
        try:
            exact_mark = None if mark is None else self._numerals[mark]
            key = "I"
            exact_index = None if index is None else self._numerals[index]
            key = "f"
            rate = None if funding is None else self._signed[funding]
        except InvalidFrame as fault:
            raise fault.at(f"{_TICKER}.{key}").of(market.symbol) from None
        return Reference(exact_mark, exact_index, rate, data.timestamp_ms, recv_ns)

    def _orders(self, records: list[wire.OrderRecord], recv_ns: int) -> OrdersWrite:
        parsed: list[OrderStatusReport] = []
        try:
            for record in records:
                parsed.append(reports.order_report(record, self._signed, recv_ns))  # noqa: PERF401 - the length is the row
        except InvalidFrame as fault:
            raise fault.at(f"params.data[{len(parsed)}].{fault.field}") from None
        if unknown := sum(report.status is OrderStatus.OTHER for report in parsed):
            self.skipped[Skip.UNKNOWN_STATUS] += unknown
        return OrdersWrite(self._state.orders, parsed)


def _book(market: Market, data: wire.Orderbook, recv_ns: int, skipped: Counter[Skip]) -> BookWrite:
    levels = market.scale.levels
    try:
        bids, asks = levels(data.bids, "params.data.bids"), levels(data.asks, "params.data.asks")
    except InvalidFrame as fault:
        raise fault.of(market.symbol) from None
    return BookWrite(market.book, bids, asks, data.timestamp_ms, recv_ns, skipped)


def _refuse_ticker(market: Market, ticker: wire.InstrumentTicker) -> NoReturn:
    prices, sizes = market.scale.prices, market.scale.sizes
    texts = (
        ("b", ticker.bid_price, prices),
        ("B", ticker.bid_amount, sizes),
        ("a", ticker.ask_price, prices),
        ("A", ticker.ask_amount, sizes),
    )
    given = ((f"{_TICKER}.{key}", text, steps) for key, text, steps in texts if text is not None)
    refuse_text(given, market.symbol)
