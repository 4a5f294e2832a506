"""Turn the venue's wire messages into domain types, every priced text into its exact decimal.

Rules, as the venue's reference gives them: a book snapshot is one clear followed by one add per level, bids
then asks, the last record flagged; the `direction` of a public trade is the aggressor's side; a candle's
bucket is in UNIX seconds and marks the bar's start. Funding and greeks that are null or absent come back as
None and never as zero.

Each function checks every text it converts and raises `InvalidFrame` with the field's path when one is no
decimal number. Texts are checked together with one strip where a record has several: that is the cheap way
to say yes; the slow way, field by field, finds the culprit. `recv_ns` is the caller's receive time.
"""

from collections.abc import Callable
from decimal import Decimal, InvalidOperation

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
from tapemark.numerals import NUMERAL_CHARS, NumeralCache, decimal_from_text, unchecked_decimal

_TICKER = "params.data.instrument_ticker"
_ADD, _BUY, _SELL = BookAction.ADD, Side.BUY, Side.SELL
_SNAPSHOT, _LAST = RecordFlag.SNAPSHOT, RecordFlag.SNAPSHOT | RecordFlag.LAST
_CLEAR = BookDelta(BookAction.CLEAR, None, Decimal(0), Decimal(0), _SNAPSHOT)
_CLEAR_ALONE = BookDelta(BookAction.CLEAR, None, Decimal(0), Decimal(0), _LAST)


def book_deltas(update: wire.Update[wire.Orderbook], numerals: NumeralCache, recv_ns: int) -> BookDeltas:
    """Turn a full-depth snapshot into one clear and one add per level.

    Args:
        update: The decoded frame.
        numerals: The connection's cache of level texts, which mostly repeat from frame to frame.
        recv_ns: When the frame was received.

    Raises:
        InvalidFrame: A price or amount is no decimal number of zero or more.
    """
    book = update.data
    try:
        deltas = [_CLEAR]
        deltas += [BookDelta(_ADD, _BUY, numerals[price], numerals[size], _SNAPSHOT) for price, size in book.bids]
        deltas += [BookDelta(_ADD, _SELL, numerals[price], numerals[size], _SNAPSHOT) for price, size in book.asks]
    except InvalidFrame:
        raise _bad_level(book) from None
    last = deltas[-1]
    deltas[-1] = (
        BookDelta(_ADD, last.side, last.price, last.size, _LAST) if last is not _CLEAR else _CLEAR_ALONE
    )
    return BookDeltas(book.instrument_name, tuple(deltas), book.timestamp_ms, book.timestamp_ms, recv_ns)


def _bad_level(book: wire.Orderbook) -> InvalidFrame:
    """Find the first level that a cache refuses, to name it by its path."""
    fresh = NumeralCache()
    for side, levels in (("bids", book.bids), ("asks", book.asks)):
        for row, level in enumerate(levels):
            for column, text in enumerate(level):
                try:
                    fresh[text]
                except InvalidFrame as error:
                    return InvalidFrame(f"params.data.{side}[{row}][{column}]", error.expected, text)
    raise AssertionError("a fresh cache refuses what the connection's cache refused")


def quote(update: wire.Update[wire.TickerSlim], recv_ns: int) -> Quote:
    """Take best bid and ask from a ticker; a side that is null or absent is None.

    Raises:
        InvalidFrame: A price or amount is no decimal number.
    """
    ticker = update.data.instrument_ticker
    bid_price, bid_size = ticker.bid_price, ticker.bid_amount
    ask_price, ask_size = ticker.ask_price, ticker.ask_amount
    try:
        if not f"{bid_price}{bid_size}{ask_price}{ask_size}".strip(NUMERAL_CHARS):
            return Quote(
                TOPICS[update.channel].subject,
                unchecked_decimal(bid_price),  # type: ignore[arg-type] - the strip ruled out None
                unchecked_decimal(bid_size),  # type: ignore[arg-type] - the same
                unchecked_decimal(ask_price),  # type: ignore[arg-type] - the same
                unchecked_decimal(ask_size),  # type: ignore[arg-type] - the same
                update.data.timestamp_ms,
                recv_ns,
            )
    except InvalidOperation:
        pass  # the slow way names the field
    return Quote(
        TOPICS[update.channel].subject,
        _optional(bid_price, f"{_TICKER}.b"),
        _optional(bid_size, f"{_TICKER}.B"),
        _optional(ask_price, f"{_TICKER}.a"),
        _optional(ask_size, f"{_TICKER}.A"),
        update.data.timestamp_ms,
        recv_ns,
    )


def _optional(text: str | None, field: str) -> Decimal | None:
    return None if text is None else decimal_from_text(text, field)


def mark_price(update: wire.Update[wire.TickerSlim], recv_ns: int) -> MarkPrice | None:
    """Take the mark price from a ticker; None where the venue gives none.

    Raises:
        InvalidFrame: It is no decimal number.
    """
    text = update.data.instrument_ticker.mark_price
    if text is None:
        return None
    price = decimal_from_text(text, f"{_TICKER}.M")
    return MarkPrice(TOPICS[update.channel].subject, price, update.data.timestamp_ms, recv_ns)


def index_price(update: wire.Update[wire.TickerSlim], recv_ns: int) -> IndexPrice | None:
    """Take the index price from a ticker; None where the venue gives none.

    Raises:
        InvalidFrame: It is no decimal number.
    """
    text = update.data.instrument_ticker.index_price
    if text is None:
        return None
    price = decimal_from_text(text, f"{_TICKER}.I")
    return IndexPrice(TOPICS[update.channel].subject, price, update.data.timestamp_ms, recv_ns)


def funding_rate(update: wire.Update[wire.TickerSlim], recv_ns: int) -> FundingRate | None:
    """Take the funding rate from a ticker; None on options and spot, which have none.

    Raises:
        InvalidFrame: It is no decimal number.
    """
    text = update.data.instrument_ticker.funding_rate
    if text is None:
        return None
    rate = decimal_from_text(text, f"{_TICKER}.f")
    return FundingRate(TOPICS[update.channel].subject, rate, update.data.timestamp_ms, recv_ns)


def option_greeks(update: wire.Update[wire.TickerSlim], recv_ns: int) -> OptionGreeks | None:
    """Take greeks and implied volatilities from an option's ticker; None for any other instrument.

    A single value that is null or absent is None in the result.

    Raises:
        InvalidFrame: A value is no decimal number.
    """
    pricing = update.data.instrument_ticker.option_pricing
    if pricing is None:
        return None
    texts = (
        pricing.delta,
        pricing.gamma,
        pricing.vega,
        pricing.theta,
        pricing.rho,
        pricing.mark_iv,
        pricing.bid_iv,
        pricing.ask_iv,
        pricing.forward,
    )
    symbol, event_ms = TOPICS[update.channel].subject, update.data.timestamp_ms
    try:
        if not "".join(texts).strip(NUMERAL_CHARS):  # type: ignore[arg-type] - a None raises TypeError
            return OptionGreeks(symbol, *map(float, texts), event_ms, recv_ns)  # type: ignore[arg-type] - the same
    except (TypeError, ValueError):
        pass  # the slow way takes None, and names the field of what is no number
    values = [
        None if text is None else float(decimal_from_text(text, f"{_TICKER}.option_pricing.{key}"))
        for key, text in zip(("d", "g", "v", "t", "r", "i", "bi", "ai", "f"), texts, strict=True)
    ]
    return OptionGreeks(symbol, *values, event_ms, recv_ns)  # type: ignore[arg-type] - nine values


def trades(update: wire.Update[list[wire.PublicTrade]], recv_ns: int) -> list[Trade]:
    """Turn a list of public trades into domain trades, in the venue's order.

    Raises:
        InvalidFrame: A price or amount is no decimal number; no trade of the frame is returned then.
    """
    return [trade(record, recv_ns, f"params.data[{row}]") for row, record in enumerate(update.data)]


def trade(record: wire.PublicTrade, recv_ns: int, path: str = "trade") -> Trade:
    """Turn one public trade into a domain trade.

    Args:
        record: The wire record.
        recv_ns: When its frame was received.
        path: Where it stands in its frame, for errors.

    Raises:
        InvalidFrame: Price or amount is no decimal number.
    """
    return Trade(
        record.instrument_name,
        decimal_from_text(record.trade_price, f"{path}.trade_price"),
        decimal_from_text(record.trade_amount, f"{path}.trade_amount"),
        record.direction,
        record.trade_id,
        record.timestamp_ms,
        recv_ns,
    )


def bar(candle: wire.Candle, symbol: str, recv_ns: int) -> Bar:
    """Turn a REST candle into a bar that starts at its bucket.

    Args:
        candle: The wire record, which does not name its instrument.
        symbol: The instrument that was asked for.
        recv_ns: When the response was received.

    Raises:
        InvalidFrame: A price or the volume is no decimal number, or high and low do not enclose the rest.
    """
    prices = [
        decimal_from_text(text, field)
        for text, field in (
            (candle.open_price, "open_price"),
            (candle.high_price, "high_price"),
            (candle.low_price, "low_price"),
            (candle.close_price, "close_price"),
            (candle.volume_contracts, "volume_contracts"),
        )
    ]
    return Bar(symbol, *prices, candle.bucket_sec * 1000, recv_ns)


Parser = Callable[[wire.Update[wire.TickerSlim], int], object]
