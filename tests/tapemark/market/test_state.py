import threading
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapemark.errors import InvalidArgument
from tapemark.market.state import MarketState, Reference, Ticker, Venue, VenueState
from tapemark.market.views import BookStatus
from tapemark.model import Quote
from tests.tapemark.market.reports import CANCELLED, report

TICK, STEP = Decimal("0.01"), Decimal("0.001")
SYMBOL = "ETH-PERP"


def venue(*symbols: str) -> VenueState:
    state = VenueState(Venue.DERIVE)
    for symbol in symbols or (SYMBOL,):
        state.add(symbol, TICK, STEP)
    return state


def ticker(event_ms: int, bid_ticks: int | None = 1, recv_ns: int = 9) -> Ticker:
    return Ticker(bid_ticks, 2, 3, 4, event_ms, recv_ns)


def test_nothing_is_known_of_a_market_at_first() -> None:
    state = venue()
    market = state.market(SYMBOL)
    assert (market.symbol, market.ticker, market.reference, len(market.book)) == (SYMBOL, None, None, 0)
    assert state.quote(SYMBOL) is None
    assert state.best_of_book(SYMBOL) is None
    assert len(state.orders) == 0


@pytest.mark.parametrize("name", ["derive", "DERIVE", None])
def test_a_venue_that_is_none_is_refused(name: Any) -> None:
    with pytest.raises(InvalidArgument, match=rf"^venue: expected a Venue, got {name!r}$"):
        VenueState(name)


@pytest.mark.parametrize("written", ["eth-perp", "Eth-Perp", "ETH-PERP"])
def test_a_symbol_is_kept_in_upper_case_and_found_in_any(written: str) -> None:
    state = VenueState(Venue.LIGHTER)
    market = state.add(written, TICK, STEP)
    assert list(state.markets) == [market.symbol] == ["ETH-PERP"]
    assert state.market("ETH-PERP") is state.market("eth-perp") is market
    assert state.write_ticker("eth-PERP", ticker(1))
    assert state.write_reference("eth-PERP", Reference(None, None, None, 1, 1))
    assert market.ticker == ticker(1)
    quote = state.quote("eth-perp")
    assert quote is not None
    assert quote.symbol == "ETH-PERP"


@pytest.mark.parametrize("symbol", ["", " ", None, 7, "ETH-PERP", "eth-perp", "\u017fOL", "\u00c9T\u00c9"])
def test_a_symbol_that_is_empty_not_of_ascii_or_known_is_not_added(symbol: str) -> None:
    state = venue()
    with pytest.raises(InvalidArgument, match=r"^symbol: "):
        state.add(symbol, TICK, STEP)
    assert list(state.markets) == [SYMBOL]


@pytest.mark.parametrize(
    ("tick_size", "size_step", "depth", "field"),
    [
        (Decimal(0), STEP, None, "tick_size"),
        (TICK, Decimal("NaN"), None, "size_step"),
        (TICK, STEP, 0, "depth"),
    ],
)
def test_a_market_with_impossible_steps_is_not_added(
    tick_size: Decimal, size_step: Decimal, depth: int | None, field: str
) -> None:
    state = venue()
    with pytest.raises(InvalidArgument, match=f"^{field}: "):
        state.add("BTC-PERP", tick_size, size_step, depth)
    assert list(state.markets) == [SYMBOL]


def test_a_look_alike_of_another_script_finds_no_market() -> None:
    state = venue("SOL-PERP")
    for write in (state.market, state.quote, lambda symbol: state.write_ticker(symbol, ticker(1))):
        with pytest.raises(InvalidArgument, match=r"^symbol: expected one that was added"):
            write("\u017fol-perp")
    assert state.market("sol-perp").ticker is None


def test_a_symbol_that_was_not_added_is_named() -> None:
    state = venue()
    message = "^symbol: expected one that was added to derive, got 'BTC-PERP'$"
    with pytest.raises(InvalidArgument, match=message):
        state.market("BTC-PERP")
    with pytest.raises(InvalidArgument, match="got None"):
        state.market(None)  # type: ignore[arg-type]  # what a user without mypy may pass
    with pytest.raises(InvalidArgument, match=message):
        state.write_ticker("BTC-PERP", ticker(1))
    with pytest.raises(InvalidArgument, match=message):
        state.write_reference("BTC-PERP", Reference(None, None, None, 1, 1))
    with pytest.raises(InvalidArgument, match=message):
        state.quote("BTC-PERP")
    with pytest.raises(InvalidArgument, match=message):
        state.best_of_book("BTC-PERP")


@given(st.lists(st.tuples(st.sampled_from(["A", "B"]), st.integers(0, 5), st.integers(0, 99))))
def test_the_last_written_of_the_newest_tickers_stays(writes: list[tuple[str, int, int]]) -> None:
    state = venue("A", "B")
    newest: dict[str, Ticker] = {}
    for symbol, event_ms, bid_ticks in writes:
        new = ticker(event_ms, bid_ticks)
        is_newest = symbol not in newest or event_ms >= newest[symbol].event_ms
        assert state.write_ticker(symbol, new) == is_newest
        if is_newest:
            newest[symbol] = new
    assert {s: state.market(s).ticker for s in ("A", "B")} == {s: newest.get(s) for s in ("A", "B")}


PRICES = st.none() | st.decimals(0, 9, places=1)


@given(st.lists(st.tuples(PRICES, PRICES, PRICES, st.integers(0, 5))))
def test_a_reference_keeps_what_a_newer_one_says_nothing_of(
    writes: list[tuple[Decimal | None, Decimal | None, Decimal | None, int]],
) -> None:
    state = venue()
    known: dict[str, Decimal] = {}
    newest_ms, recv_ns = -1, 0
    for number, (mark, index, funding, event_ms) in enumerate(writes):
        is_newest = event_ms >= newest_ms
        assert state.write_reference(SYMBOL, Reference(mark, index, funding, event_ms, number)) == is_newest
        if is_newest:
            newest_ms, recv_ns = event_ms, number
            said = {"mark": mark, "index": index, "funding": funding}
            known.update({name: value for name, value in said.items() if value is not None})
    expected = Reference(known.get("mark"), known.get("index"), known.get("funding"), newest_ms, recv_ns)
    assert state.market(SYMBOL).reference == (expected if writes else None)


def test_a_quote_is_exact_and_leaves_a_missing_side_out() -> None:
    state = venue()
    state.write_ticker(SYMBOL, Ticker(200_050, 1_500, None, None, 7, 8))
    quote = state.quote(SYMBOL)
    assert quote == Quote(SYMBOL, Decimal("2000.50"), Decimal("1.500"), None, None, 7, 8)
    assert str(quote.bid_price) == "2000.50"


def test_the_best_of_a_book_is_exact_while_the_book_is_live() -> None:
    state = venue()
    book = state.market(SYMBOL).book
    book.replace([(199_900, 10), (199_800, 5)], [(200_100, 20)], 1, 7_999_999, 8_000, 9)
    best = state.best_of_book(SYMBOL)
    assert best == Quote(
        SYMBOL, Decimal("1999.00"), Decimal("0.010"), Decimal("2001.00"), Decimal("0.020"), 7_999, 9
    )
    assert state.quote(SYMBOL) is None, "the ticker is another source"
    book.clear(BookStatus.GAP)
    assert state.best_of_book(SYMBOL) is None


def test_the_depth_of_a_book_is_the_market_s() -> None:
    market = VenueState(Venue.DERIVE).add(SYMBOL, TICK, STEP, depth=1)
    market.book.replace([(2, 1), (1, 1)], [(3, 1), (4, 1)], 1, 1, 1, 1)
    assert market.book.depth(9) == (((2, 1),), ((3, 1),))


def test_venues_share_nothing() -> None:
    states = MarketState()
    derive, lighter = states.add_venue(Venue.DERIVE), states.add_venue(Venue.LIGHTER)
    assert states.of(Venue.DERIVE) is derive
    assert states.of(Venue.LIGHTER) is lighter
    derive.add("ETH", TICK, STEP)
    lighter.add("ETH", STEP, TICK)
    derive.write_ticker("ETH", ticker(1))
    derive.orders.write(report(symbol="ETH"))
    assert lighter.market("ETH").ticker is None
    assert lighter.orders.open_orders("ETH") == ()


def test_a_venue_remembers_as_many_ended_orders_as_is_asked_for() -> None:
    orders = MarketState().add_venue(Venue.DERIVE, ended_capacity=2).orders
    for number in range(5):
        orders.write(report(CANCELLED, order_id=str(number)))
    assert len(orders) == 2


def test_a_venue_is_added_once_before_it_is_asked_for() -> None:
    states = MarketState()
    with pytest.raises(InvalidArgument, match=r"^venue: expected one that was added"):
        states.of(Venue.DERIVE)
    states.add_venue(Venue.DERIVE)
    with pytest.raises(InvalidArgument, match=r"^venue: expected one that was not added yet"):
        states.add_venue(Venue.DERIVE)
    with pytest.raises(InvalidArgument, match=r"^venue: expected a Venue"):
        states.add_venue("derive")  # type: ignore[arg-type]  # what a user without mypy may pass


@pytest.mark.usefixtures("eager_switches")
def test_readers_in_other_threads_see_whole_records_that_never_grow_older() -> None:
    state = venue()
    market = state.market(SYMBOL)
    wrong: list[object] = []
    done = threading.Event()

    def read() -> None:
        last_ms = 0
        while not done.is_set():
            now, reference = market.ticker, market.reference
            if now is not None:
                facts = (now.bid_steps, now.ask_ticks, now.ask_steps, now.recv_ns)
                if set(facts) != {now.bid_ticks} or now.event_ms < last_ms:
                    wrong.append(now)
                last_ms = now.event_ms
            if reference is not None and reference.mark != reference.index:
                wrong.append(reference)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    try:
        for n in range(20_000):
            event_ms = n - n % 3 * 2
            state.write_ticker(SYMBOL, Ticker(n, n, n, n, event_ms, n))
            state.write_reference(SYMBOL, Reference(Decimal(n), Decimal(n), None, event_ms, n))
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert wrong == []
