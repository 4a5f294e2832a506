"""Consecutive frames: one book as it moves, and all that a busy client receives, in realistic order."""

from collections.abc import Iterator

from scripts.fixturegen import shapes
from scripts.fixturegen.draw import Draw, decimal_text
from scripts.fixturegen.market import BTC_PERP, ETH_PERP, Book, Option, Perp
from scripts.fixturegen.orders import OwnOrders

START_MS = 1_794_128_400_000
_BOOK_DEPTH = 10
_LONGEST_STORY = 4
_TAKER_RATE_E5 = 45
_STRIKES = (2_400, 2_600, 2_800, 3_000, 3_200, 3_400)


def book_stream(draw: Draw, depth: int, count: int) -> Iterator[bytes]:
    """Give `count` consecutive snapshots of one book, about a tenth of a second apart."""
    book = Book(draw, ETH_PERP, depth)
    now_ms = START_MS
    for publish_id in range(count):
        yield book.frame(now_ms, publish_id)
        book.step()
        now_ms += draw.between(80, 120)


def ticker_stream(draw: Draw, count: int) -> Iterator[bytes]:
    """Give `count` consecutive tickers of one perpetual, a second apart; its book moves ten times between."""
    perp = Perp(draw, ETH_PERP, _BOOK_DEPTH)
    for at in range(count):
        yield perp.ticker_frame(START_MS + at * 1_000)
        for _ in range(10):
            perp.book.step()


def trade_stream(draw: Draw, count: int) -> Iterator[bytes]:
    """Give `count` consecutive frames of one to three public trades; the book moves twice between."""
    perp = Perp(draw, ETH_PERP, _BOOK_DEPTH)
    now_ms = START_MS
    for _ in range(count):
        yield trades_frame(draw, perp, 1 + draw.near_zero(3), now_ms)
        perp.book.step()
        perp.book.step()
        now_ms += draw.between(40, 900)


def mixed(draw: Draw, count: int) -> Iterator[bytes]:
    """Give `count` frames: books, tickers of perps and options, trades, own orders and fills, responses.

    Of a hundred frames about 53 are books, 30 tickers (half of them options'), 9 trades of others, and 8 come
    of the client's own orders. An order's story is never cut off in the middle.
    """
    perps = [Perp(draw, ETH_PERP, _BOOK_DEPTH), Perp(draw, BTC_PERP, _BOOK_DEPTH)]
    options = [Option(draw, strike, kind) for strike in _STRIKES for kind in "CP"]
    own = OwnOrders(draw, perps)
    now_ms, publish_id, given = START_MS, 7_000_000, 0
    channels = [f"orderbook.{perp.listing.name}.1.{_BOOK_DEPTH}" for perp in perps]
    opening = [subscribed(1, channels)]
    while given < count:
        now_ms += 1 + draw.near_zero(60)
        happens = draw.below(1_000)
        if opening:
            frames = [opening.pop()]
        elif happens < 35 and given + _LONGEST_STORY <= count:
            frames = own.act(now_ms)
        elif happens < 130:
            frames = [trades_frame(draw, draw.pick(perps), 1 + draw.near_zero(4), now_ms)]
        elif happens < 290:
            frames = [draw.pick(perps).ticker_frame(now_ms)]
        elif happens < 450:
            index_cents = perps[0].book.bids[0][0]
            frames = [draw.pick(options).ticker_frame(now_ms, index_cents)]
        else:
            book = draw.pick(perps).book
            book.step()
            publish_id += draw.between(1, 9)
            frames = [book.frame(now_ms, publish_id)]
        given += len(frames)
        yield from frames


def subscribed(request_id: int, channels: list[str], refused: dict[str, str] | None = None) -> bytes:
    """Answer a subscription: every channel with `ok`, or with the reason why it was refused."""
    status = dict.fromkeys(channels, "ok") | (refused or {})
    return shapes.response(request_id, {"status": status, "current_subscriptions": channels})


def trades_frame(draw: Draw, perp: Perp, count: int, now_ms: int) -> bytes:
    """Give one frame of `count` public trades, as one aggressor that walks the book causes them."""
    is_buy = draw.chance(0.5)
    levels = perp.book.asks if is_buy else perp.book.bids
    mark, index = perp.marks()
    wallet, subaccount_id, tx_hash = draw.address(), draw.between(1_000, 90_000), draw.hexadecimal(64)
    trades = []
    for at in range(count):
        ticks, size_steps = levels[min(at // 10, len(levels) - 1)]
        steps = 1 + draw.below(size_steps)
        perp.trade(steps)
        trades.append(
            shapes.public_trade(
                instrument=perp.listing.name,
                direction="buy" if is_buy else "sell",
                role="taker",
                price=perp.listing.price(ticks),
                amount=perp.listing.size(steps),
                mark=perp.listing.price(mark),
                index=perp.listing.price(index),
                fee=decimal_text(perp.listing.fee_micros(ticks, steps, _TAKER_RATE_E5), 6),
                trade_id=draw.uuid4(),
                timestamp_ms=now_ms,
                subaccount_id=subaccount_id,
                wallet=wallet,
                tx_hash=f"0x{tx_hash}",
            )
        )
    return shapes.subscription(f"trades.perp.{perp.listing.currency}", trades)
