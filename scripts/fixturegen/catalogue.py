"""Every fixture of the Derive venue: its name, its content and one sentence on its shape."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from scripts.fixturegen import session, shapes
from scripts.fixturegen.draw import Draw, decimal_text
from scripts.fixturegen.market import ETH_PERP, EXPIRY_SEC, Book, Option, Perp
from scripts.fixturegen.orders import OwnOrders
from scripts.fixturegen.recurrence import QUOTE, TICKER

SEED = 20_261_101
LEVELS = (1, 10, 100, 1_000)
TRADES = (1, 10, 100)
STREAM_DEPTHS = (10, 100)
STREAM_FRAMES = 200
SESSION_FRAMES = 10_000
_CANDLES = 3
_STRIKE = 2_800
_BUCKET_SEC = 900
_CALL_BIT = 1 << 95


@dataclass(frozen=True)
class Fixture:
    """One file: frames of bytes; several frames are stored one a line and compressed."""

    name: str
    frames: tuple[bytes, ...]
    shape: str
    ticker_keys: tuple[str, ...] = ()
    """Which numerals of a stream's tickers a client reads: see `recurrence`."""

    @property
    def content(self) -> bytes:
        """The bytes that the checksum covers: the frame itself, or all frames, each with a newline."""
        return self.frames[0] if len(self.frames) == 1 else b"".join(frame + b"\n" for frame in self.frames)


def fixtures() -> Iterator[Fixture]:
    """Give every fixture; each has a draw of its own, so that adding one leaves the others as they are."""
    yield _single("ticker_perp", _ticker_perp, "Slim ticker of a perpetual: no option block, a funding rate.")
    yield _single("ticker_option", _ticker_option, "Slim ticker of an option with greeks; no funding rate.")
    yield _single("candles", _candles, f"REST response with {_CANDLES} candles of 15 minutes.")
    yield _single("orders", _orders, "Private notice of one open limit order, nothing filled yet.")
    yield _single(
        "own_trades",
        lambda _: _own_trades(_draw("orders")),
        "Private notice of one fill of that order.",
    )
    yield _single("instrument_perp", _instrument_perp, "Record of a perpetual; its sub id is 0.")
    yield _single("instrument_option", _instrument_option, "Record of an option; its sub id exceeds 2^64.")
    yield _single("instrument_spot", _instrument_spot, "Record of a spot pair; its sub id is 0.")
    yield _single("response", _response, "Answer to private/order: the order as the venue has it, no trades.")
    yield _single("response_error", _response_error, "Refusal of private/order: a JSON-RPC error with data.")
    yield _single("subscription_status", _subscription_status, "Two channels accepted, one refused.")
    for levels in LEVELS:
        yield _single(f"book_{levels}", _book(levels), f"Order book snapshot, levels a side: {levels}.")
    for count in TRADES:
        yield _single(f"trades_{count}", _trades(count), f"Public trades in one frame: {count}.")
    for depth in STREAM_DEPTHS:
        name = f"book_stream_{depth}"
        frames = tuple(session.book_stream(_draw(name), depth, STREAM_FRAMES))
        yield Fixture(
            name, frames, f"Consecutive snapshots of one book, levels a side: {depth}; most levels persist."
        )
    yield Fixture(
        "ticker_stream",
        tuple(session.ticker_stream(_draw("ticker_stream"), STREAM_FRAMES)),
        "Consecutive slim tickers of one perpetual, a second apart.",
        QUOTE,
    )
    yield Fixture(
        "trade_stream",
        tuple(session.trade_stream(_draw("trade_stream"), STREAM_FRAMES)),
        "Consecutive frames of public trades of one perpetual, one to three trades each.",
    )
    yield Fixture(
        "session_mixed",
        tuple(session.mixed(_draw("session_mixed"), SESSION_FRAMES)),
        "A client's session: books, tickers of perps and options, trades, own orders and fills, responses.",
        TICKER,
    )


def _draw(name: str) -> Draw:
    return Draw(int.from_bytes(f"{SEED}/{name}".encode()))


def _single(name: str, make: Callable[[Draw], bytes], shape: str) -> Fixture:
    return Fixture(name, (make(_draw(name)),), shape)


def _ticker_perp(draw: Draw) -> bytes:
    return Perp(draw, ETH_PERP, 1).ticker_frame(session.START_MS)


def _ticker_option(draw: Draw) -> bytes:
    return Option(draw, _STRIKE, "C").ticker_frame(session.START_MS, ETH_PERP.start_ticks)


def _book(levels: int) -> Callable[[Draw], bytes]:
    return lambda draw: Book(draw, ETH_PERP, levels).frame(session.START_MS)


def _trades(count: int) -> Callable[[Draw], bytes]:
    return lambda draw: session.trades_frame(draw, Perp(draw, ETH_PERP, 20), count, session.START_MS)


def _candles(draw: Draw) -> bytes:
    price, records, open_ticks = ETH_PERP.price, [], ETH_PERP.start_ticks
    for at in range(_CANDLES):
        bucket_sec = session.START_MS // 1_000 + at * _BUCKET_SEC
        close_ticks = open_ticks + draw.between(-900, 900)
        high_ticks = max(open_ticks, close_ticks) + draw.below(300)
        low_ticks = min(open_ticks, close_ticks) - draw.below(300)
        steps = draw.between(2_000, 90_000)
        prices = (price(open_ticks), price(high_ticks), price(low_ticks), price(close_ticks))
        volumes = (decimal_text(steps * (high_ticks + low_ticks) // 2, 5), ETH_PERP.size(steps))
        records.append(shapes.candle(prices, volumes, bucket_sec + 11, bucket_sec))
        open_ticks = close_ticks
    return shapes.response(draw.uuid4(), records)


def _orders(draw: Draw) -> bytes:
    _, _, notice = OwnOrders(draw, [Perp(draw, ETH_PERP, 1)]).place(session.START_MS)
    return notice


def _own_trades(draw: Draw) -> bytes:
    own = OwnOrders(draw, [Perp(draw, ETH_PERP, 1)])
    order, _, _ = own.place(session.START_MS)
    fill, _, _ = own.fill(order, session.START_MS + 240, to_the_end=False)
    return fill


def _response(draw: Draw) -> bytes:
    _, response, _ = OwnOrders(draw, [Perp(draw, ETH_PERP, 1)]).place(session.START_MS)
    return response


def _response_error(draw: Draw) -> bytes:
    return OwnOrders(draw, [Perp(draw, ETH_PERP, 1)]).refusal()


def _subscription_status(_: Draw) -> bytes:
    channels = ["orderbook.ETH-PERP.1.10", "ticker_slim.ETH-PERP.1000"]
    return session.subscribed(7, channels, {"orderbook.NONE-PERP.1.10": "unknown instrument: NONE-PERP"})


def _instrument_perp(draw: Draw) -> bytes:
    return _instrument(
        draw,
        name=ETH_PERP.name,
        kind="perp",
        steps={
            "tick_size": "0.01",
            "amount_step": "0.001",
            "minimum_amount": "0.01",
            "maximum_amount": "2500",
        },
        details={
            "aggregate_funding": "213.407718",
            "funding_rate": "0.000011925",
            "index": "ETH-USD",
            "max_rate_per_hour": "0.004",
            "min_rate_per_hour": "-0.004",
            "static_interest_rate": "0.0000125",
        },
    )


def _instrument_option(draw: Draw) -> bytes:
    return _instrument(
        draw,
        name=Option(draw, _STRIKE, "C").name,
        kind="option",
        sub_id=_CALL_BIT | _STRIKE * 10**8 << 32 | EXPIRY_SEC,
        steps={
            "tick_size": "0.1",
            "amount_step": "0.01",
            "minimum_amount": "0.1",
            "maximum_amount": "800",
            "fee_cap": "0.125",
        },
        details={
            "expiry": EXPIRY_SEC,
            "index": "ETH-USD",
            "option_type": "C",
            "settlement_price": None,
            "strike": str(_STRIKE),
        },
    )


def _instrument_spot(draw: Draw) -> bytes:
    return _instrument(
        draw,
        name="ETH-USDC",
        kind="erc20",
        steps={
            "tick_size": "0.1",
            "amount_step": "0.0001",
            "minimum_amount": "0.001",
            "maximum_amount": "900",
        },
        details={
            "borrow_index": "1.00371",
            "decimals": 18,
            "supply_index": "1.00142",
            "underlying_erc20_address": draw.address(),
        },
    )


def _instrument(
    draw: Draw, *, name: str, kind: str, steps: shapes.Tree, details: shapes.Tree, sub_id: int = 0
) -> bytes:
    asset = draw.address()
    record = shapes.instrument(
        name=name, kind=kind, asset=asset, sub_id=sub_id, steps=steps, details={kind: details}
    )
    return shapes.compact(record)
