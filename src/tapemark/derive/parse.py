"""Turn the venue's market data into domain types, every priced text into its exact decimal.

Rules, as the venue's reference gives them: a book snapshot is one clear followed by one add per level, bids
then asks, the last record flagged; the `direction` of a public trade is the aggressor's side; a candle's
bucket is in UNIX seconds and marks the bar's start. Funding and greeks that are null or absent come back as
None and never as zero.

The caller keeps one cache of numerals per connection and passes it in, since prices and sizes recur from
frame to frame. A text that is no decimal number raises `InvalidFrame` with its path, found by a second look
that only a bad frame pays for. `recv_ns` is the caller's receive time.
"""

from decimal import Decimal

from tapemark.derive import wire
from tapemark.derive.channels import TOPICS
from tapemark.errors import InvalidFrame
from tapemark.model import (
    Bar,
    BookAction,
    BookDelta,
    BookDeltas,
    FundingRate,
    IndexPrice,
    MarkPrice,
    OptionGreeks,
    Quote,
    RecordFlag,
    Side,
    Trade,
)
from tapemark.numerals import SignedNumerals, UnsignedNumerals

_TICKER = "params.data.instrument_ticker"
# Enum members and flags are looked up once: an attribute of an enum class costs as much as half a level.
_ADD, _BUY, _SELL = BookAction.ADD, Side.BUY, Side.SELL
_SNAPSHOT, _LAST = RecordFlag.SNAPSHOT, RecordFlag.SNAPSHOT | RecordFlag.LAST
_CLEAR = BookDelta(BookAction.CLEAR, None, Decimal(0), Decimal(0), _SNAPSHOT)
_CLEAR_ALONE = BookDelta(BookAction.CLEAR, None, Decimal(0), Decimal(0), _LAST)


def book_deltas(update: wire.BookUpdate, numerals: UnsignedNumerals, recv_ns: int) -> BookDeltas:
    """Turn a full-depth snapshot into one clear and one add per level.

    Args:
        update: The decoded frame.
        numerals: The connection's cache.
        recv_ns: When the frame was received.

    Raises:
        InvalidFrame: A price or amount is no decimal number of zero or more.
    """
    book = update.data
    deltas = [_CLEAR]
    append = deltas.append
    try:
        for price, size in book.bids:
            append(BookDelta(_ADD, _BUY, numerals[price], numerals[size], _SNAPSHOT))
        for price, size in book.asks:
            append(BookDelta(_ADD, _SELL, numerals[price], numerals[size], _SNAPSHOT))
    except InvalidFrame as fault:
        raise _placed(fault, _book_texts(book)) from None
    last = deltas.pop()
    if last is _CLEAR:
        append(_CLEAR_ALONE)
    else:
        append(BookDelta(_ADD, last.side, last.price, last.size, _LAST))
    return BookDeltas(book.instrument_name, tuple(deltas), book.timestamp_ms, book.timestamp_ms, recv_ns)


def _book_texts(book: wire.Orderbook) -> list[tuple[str, str | None]]:
    return [
        (f"params.data.{side}[{row}][{column}]", text)
        for side, levels in (("bids", book.bids), ("asks", book.asks))
        for row, level in enumerate(levels)
        for column, text in enumerate(level)
    ]


def _placed(fault: InvalidFrame, texts: list[tuple[str, str | None]]) -> InvalidFrame:
    """Name the place of the text that a cache of numerals refused: the first that reads like it."""
    return next(
        (fault.at(path) for path, text in texts if InvalidFrame("", "", text).got == fault.got), fault
    )


def quote(update: wire.TickerUpdate, numerals: UnsignedNumerals, recv_ns: int) -> Quote:
    """Take best bid and ask from a ticker; a price or size that is null or absent is None.

    Args:
        update: The decoded frame.
        numerals: The connection's cache.
        recv_ns: When the frame was received.

    Raises:
        InvalidFrame: A price or amount is no decimal number of zero or more.
    """
    ticker = update.data.instrument_ticker
    bid_price, bid_size = ticker.bid_price, ticker.bid_amount
    ask_price, ask_size = ticker.ask_price, ticker.ask_amount
    try:
        return Quote(
            TOPICS[update.channel].subject,
            None if bid_price is None else numerals[bid_price],
            None if bid_size is None else numerals[bid_size],
            None if ask_price is None else numerals[ask_price],
            None if ask_size is None else numerals[ask_size],
            update.data.timestamp_ms,
            recv_ns,
        )
    except InvalidFrame as fault:
        places = zip("bBaA", (bid_price, bid_size, ask_price, ask_size), strict=True)
        raise _placed(fault, [(f"{_TICKER}.{key}", text) for key, text in places]) from None


def mark_price(update: wire.TickerUpdate, numerals: UnsignedNumerals, recv_ns: int) -> MarkPrice | None:
    """Take the mark price from a ticker; None where the venue gives none.

    Raises:
        InvalidFrame: It is no decimal number of zero or more.
    """
    text = update.data.instrument_ticker.mark_price
    if text is None:
        return None
    try:
        return MarkPrice(TOPICS[update.channel].subject, numerals[text], update.data.timestamp_ms, recv_ns)
    except InvalidFrame as fault:
        raise fault.at(f"{_TICKER}.M") from None


def index_price(update: wire.TickerUpdate, numerals: UnsignedNumerals, recv_ns: int) -> IndexPrice | None:
    """Take the index price from a ticker; None where the venue gives none.

    Raises:
        InvalidFrame: It is no decimal number of zero or more.
    """
    text = update.data.instrument_ticker.index_price
    if text is None:
        return None
    try:
        return IndexPrice(TOPICS[update.channel].subject, numerals[text], update.data.timestamp_ms, recv_ns)
    except InvalidFrame as fault:
        raise fault.at(f"{_TICKER}.I") from None


def funding_rate(update: wire.TickerUpdate, numerals: SignedNumerals, recv_ns: int) -> FundingRate | None:
    """Take the funding rate from a ticker; None on options and spot, which have none.

    Raises:
        InvalidFrame: It is no decimal number.
    """
    text = update.data.instrument_ticker.funding_rate
    if text is None:
        return None
    try:
        return FundingRate(TOPICS[update.channel].subject, numerals[text], update.data.timestamp_ms, recv_ns)
    except InvalidFrame as fault:
        raise fault.at(f"{_TICKER}.f") from None


def option_greeks(update: wire.TickerUpdate, recv_ns: int) -> OptionGreeks | None:
    """Take greeks and implied volatilities from an option's ticker; None for any other instrument."""
    pricing = update.data.instrument_ticker.option_pricing
    if pricing is None:
        return None
    return OptionGreeks(TOPICS[update.channel].subject, pricing, update.data.timestamp_ms, recv_ns)


def trades(update: wire.TradesUpdate, numerals: UnsignedNumerals, recv_ns: int) -> list[Trade]:
    """Turn a list of public trades into domain trades, in the venue's order.

    Raises:
        InvalidFrame: A price or amount is no decimal number of zero or more; no trade is returned then.
    """
    parsed: list[Trade] = []
    try:
        for record in update.data:
            parsed.append(trade(record, numerals, recv_ns))  # noqa: PERF401 - the length names the bad row
    except InvalidFrame as fault:
        raise fault.at(f"params.data[{len(parsed)}].{fault.field}") from None
    return parsed


def trade(record: wire.PublicTrade, numerals: UnsignedNumerals, recv_ns: int) -> Trade:
    """Turn one public trade into a domain trade.

    Raises:
        InvalidFrame: Price or amount is no decimal number of zero or more.
    """
    try:
        return Trade(
            record.instrument_name,
            numerals[record.trade_price],
            numerals[record.trade_amount],
            record.direction,
            record.trade_id,
            record.timestamp_ms,
            recv_ns,
        )
    except InvalidFrame as fault:
        price, amount = ("trade_price", record.trade_price), ("trade_amount", record.trade_amount)
        raise _placed(fault, [price, amount]) from None


def bar(candle: wire.Candle, symbol: str, numerals: UnsignedNumerals, recv_ns: int) -> Bar:
    """Turn a REST candle into a bar that starts at its bucket.

    Args:
        candle: The wire record, which does not name its instrument.
        symbol: The instrument that was asked for.
        numerals: The connection's cache.
        recv_ns: When the response was received.

    Raises:
        InvalidFrame: A price or the volume is no decimal number of zero or more.
    """
    try:
        return Bar(
            symbol,
            numerals[candle.open_price],
            numerals[candle.high_price],
            numerals[candle.low_price],
            numerals[candle.close_price],
            numerals[candle.volume_contracts],
            candle.bucket_sec * 1000,
            recv_ns,
        )
    except InvalidFrame as fault:
        keys = ("open_price", "high_price", "low_price", "close_price", "volume_contracts")
        raise _placed(fault, [(key, getattr(candle, key)) for key in keys]) from None
