"""How writes cost with the number of symbols: 5,000 of them, dealt out evenly to 1, 50 or 5,000 symbols.

Their order is random, and of 5,000 symbols each is written once: a state of many symbols lies in more memory
than a processor's caches hold. The work is the same.
"""

import random
from collections.abc import Sequence
from decimal import Decimal

import pytest

from benches.market.ladders import BEST_ASK, BEST_BID, TIMES
from benchgate.measure import Measure
from tapemark.market.state import Ticker, Venue, VenueState

SYMBOLS = (1, 50, 5_000)
WRITES = 5_000
_TICK_SIZE, _SIZE_STEP = Decimal("0.01"), Decimal("0.001")

Tickers = Sequence[tuple[str, Ticker]]
Sizes = Sequence[tuple[str, int]]


def write_tickers(state: VenueState, tickers: Tickers) -> None:
    """Write every ticker."""
    for symbol, ticker in tickers:
        state.write_ticker(symbol, ticker)


def write_deltas(state: VenueState, sizes: Sizes) -> None:
    """Set the size of the best bid of a symbol's book, and read its top, for each size."""
    markets = state.markets
    for symbol, steps in sizes:
        book = markets[symbol].book
        book.apply([(BEST_BID, steps)], (), *TIMES)
        book.best_bid  # noqa: B018 - the read is measured


@pytest.mark.items(WRITES, "writes")
@pytest.mark.parametrize("symbols", SYMBOLS)
def bench_ticker(measure: Measure, symbols: int) -> None:
    """Write 5,000 tickers, as many of each of so many symbols."""
    state = _state(symbols)
    tickers = [
        (symbol, Ticker(BEST_BID, steps, BEST_ASK, 1 + steps, 10**12, at))
        for at, (symbol, steps) in enumerate(_sizes(symbols))
    ]
    write_tickers(state, tickers)
    last = dict(tickers)
    assert {symbol: market.ticker for symbol, market in state.markets.items()} == last
    measure(write_tickers, state, tickers, calls=1)


@pytest.mark.items(WRITES, "writes")
@pytest.mark.parametrize("symbols", SYMBOLS)
def bench_delta(measure: Measure, symbols: int) -> None:
    """Apply 5,000 deltas, as many to the book of each of so many symbols, reading its best bid."""
    state, sizes = _state(symbols), _sizes(symbols)
    write_deltas(state, sizes)
    found = {symbol: market.book.best_bid for symbol, market in state.markets.items()}
    assert found == {symbol: (BEST_BID, steps) for symbol, steps in sizes}
    measure(write_deltas, state, sizes, calls=1)


def _state(symbols: int) -> VenueState:
    state = VenueState(Venue.DERIVE)
    for number in range(symbols):
        state.add(f"S{number}-PERP", _TICK_SIZE, _SIZE_STEP)
    return state


def _sizes(symbols: int) -> list[tuple[str, int]]:
    draw = random.Random(symbols)
    dealt = sorted((draw.random(), number % symbols) for number in range(WRITES))
    return [(f"S{number}-PERP", 1 + int(5_000 * draw.random())) for _, number in dealt]
