from collections import Counter
from decimal import Decimal
from typing import Any

import pytest

from tapemark.derive import route as route_module
from tapemark.derive.route import BookWrite, DeriveRoute, OrdersWrite, TickerWrite
from tapemark.errors import CrossedBook, IllegalTransition, InvalidArgument, InvalidFrame
from tapemark.market.orders import OrderPhase
from tapemark.market.route import Skip
from tapemark.market.state import Market, Reference, Ticker, Venue, VenueState
from tapemark.market.views import BookStatus
from tests.tapemark.derive.frames import BOOK, ORDER, OWN_TRADE, PERP, TRADE, frame

RECV_NS = 1_794_128_400_456_000_789
EVENT_MS: int = PERP["timestamp"]


@pytest.fixture
def state() -> VenueState:
    state = VenueState(Venue.DERIVE)
    state.add("SOL-PERP", Decimal("0.5"), Decimal("0.25"))
    return state


def test_a_state_that_is_not_derives_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"^state: expected that of Venue\.DERIVE, got <Venue\.LIGHTER"):
        DeriveRoute(VenueState(Venue.LIGHTER))
    none: Any = None
    with pytest.raises(InvalidArgument, match=r"^state: expected that of Venue\.DERIVE, got None$"):
        DeriveRoute(none)


@pytest.fixture
def market(state: VenueState) -> Market:
    return state.market("SOL-PERP")


@pytest.fixture
def route(state: VenueState) -> DeriveRoute:
    return DeriveRoute(state)


def ticker(after_ms: int = 0, **changed: Any) -> bytes:
    instrument = PERP["instrument_ticker"] | changed
    data = {"instrument_ticker": instrument, "timestamp": EVENT_MS + after_ms}
    return frame("ticker_slim.SOL-PERP.100", data)


def book(after_ms: int = 0, **changed: Any) -> bytes:
    return frame("orderbook.SOL-PERP.1.10", BOOK | {"timestamp": EVENT_MS + after_ms} | changed)


def orders(*changed: dict[str, Any]) -> bytes:
    return frame("9.orders", [ORDER | {"order_status": "open"} | change for change in changed])


def test_a_ticker_is_written_in_ticks_and_steps_and_its_reference_in_decimals(
    route: DeriveRoute, market: Market
) -> None:
    assert route.handle(ticker(), RECV_NS)
    assert market.ticker == Ticker(202, 16, 203, 14, EVENT_MS, RECV_NS)
    expected = (Decimal("101.02"), Decimal("100.9"), Decimal("-0.0000125"))
    assert market.reference == Reference(*expected, EVENT_MS, RECV_NS)
    assert route.skipped == Counter()


def test_a_side_and_a_reference_that_a_ticker_leaves_out_are_none_and_not_zero(
    route: DeriveRoute, market: Market
) -> None:
    assert route.handle(ticker(b=None, B=None, M=None, I=None, f=None), RECV_NS)
    assert market.ticker == Ticker(None, None, 203, 14, EVENT_MS, RECV_NS)
    assert market.reference is None


@pytest.mark.parametrize("zero", ["0", "0.00", "0e3"])
def test_a_price_of_zero_stands_for_a_side_that_a_ticker_leaves_out(
    route: DeriveRoute, market: Market, zero: str
) -> None:
    assert route.handle(ticker(b=zero, B=zero), RECV_NS)
    assert market.ticker == Ticker(None, None, 203, 14, EVENT_MS, RECV_NS)
    assert route.handle(ticker(a=zero), RECV_NS)
    assert market.ticker == Ticker(202, 16, None, None, EVENT_MS, RECV_NS)


def test_a_size_of_zero_is_a_size(route: DeriveRoute, market: Market) -> None:
    assert route.handle(ticker(B="0"), RECV_NS)
    assert market.ticker == Ticker(202, 0, 203, 14, EVENT_MS, RECV_NS)


@pytest.mark.parametrize("name", ["weSOL-PERP", "WESOL-PERP", "wesol-perp"])
def test_a_symbol_is_found_in_the_venues_spelling(state: VenueState, route: DeriveRoute, name: str) -> None:
    market = state.add("weSOL-PERP", Decimal("0.5"), Decimal("0.25"))
    for after_ms in (0, 1):
        times = {"timestamp": EVENT_MS + after_ms}
        assert route.handle(frame(f"ticker_slim.{name}.100", PERP | times), RECV_NS)
        assert route.handle(
            frame(f"orderbook.{name}.1.10", BOOK | {"instrument_name": name} | times), RECV_NS
        )
        assert market.ticker == Ticker(202, 16, 203, 14, EVENT_MS + after_ms, RECV_NS)
        assert market.book.best_bid == (202, 5)
    assert route.skipped == Counter()


def test_a_symbol_is_found_once_it_was_added_and_its_channels_are_forgotten_when_there_are_too_many(
    state: VenueState, route: DeriveRoute, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(route_module, "_MAX_CHANNELS", 3)
    late = frame("ticker_slim.ADA-PERP.100", PERP)
    assert not route.handle(late, RECV_NS)
    state.add("ADA-PERP", Decimal("0.5"), Decimal("0.25"))
    assert route.handle(late, RECV_NS)
    for interval in range(9):
        assert route.handle(frame(f"ticker_slim.SOL-PERP.{interval}", PERP), RECV_NS)
        assert len(route._by_channel) <= 3
    assert route.skipped == {Skip.UNKNOWN_SYMBOL: 1}


def test_an_index_alone_leaves_the_mark_that_was_known(route: DeriveRoute, market: Market) -> None:
    route.handle(ticker(), RECV_NS)
    assert route.handle(ticker(1, M=None, I="99.75", f=None), RECV_NS)
    expected = (Decimal("101.02"), Decimal("99.75"), Decimal("-0.0000125"))
    assert market.reference == Reference(*expected, EVENT_MS + 1, RECV_NS)


def test_a_late_ticker_changes_nothing(route: DeriveRoute, market: Market) -> None:
    route.handle(ticker(), RECV_NS)
    before = (market.ticker, market.reference)
    assert not route.handle(ticker(-1, b="90"), RECV_NS + 1)
    assert (market.ticker, market.reference) == before
    assert route.skipped == {Skip.LATE: 1}


def test_a_book_replaces_the_whole_ladder(route: DeriveRoute, market: Market) -> None:
    assert route.handle(book(), RECV_NS)
    assert market.book.depth(9) == (((202, 5),), ((203, 8), (204, 3)))
    assert route.handle(book(5, bids=[["100", "1"], ["99.5", "2"]], asks=[]), RECV_NS + 1)
    assert market.book.depth(9) == (((200, 4), (199, 8)), ())
    top = market.book.top
    assert (top.sequence, top.event_us, top.sent_ms, top.recv_ns) == (
        EVENT_MS + 5,
        (EVENT_MS + 5) * 1_000,
        EVENT_MS + 5,
        RECV_NS + 1,
    )


def test_a_late_book_changes_nothing_and_one_of_the_same_time_does(
    route: DeriveRoute, market: Market
) -> None:
    route.handle(book(), RECV_NS)
    before = market.book.top
    assert not route.handle(book(-1, asks=[]), RECV_NS)
    assert market.book.top is before
    assert route.skipped == {Skip.LATE: 1}
    assert route.handle(book(0, asks=[]), RECV_NS)
    assert market.book.best_ask is None


def test_a_crossed_book_is_dropped_and_the_next_one_is_live_again(route: DeriveRoute, market: Market) -> None:
    route.handle(book(), RECV_NS)
    with pytest.raises(CrossedBook, match=r"^book: expected .* for SOL-PERP, got"):
        route.handle(book(1, bids=[["101.5", "1"]]), RECV_NS)
    assert market.book.top.status is BookStatus.CROSSED
    assert len(market.book) == 0
    assert route.handle(book(2), RECV_NS)
    assert market.book.best_ask == (203, 8)


def test_a_book_that_is_not_live_takes_one_of_any_time(route: DeriveRoute, market: Market) -> None:
    route.handle(book(), RECV_NS)
    market.book.clear(BookStatus.GAP)
    assert route.handle(book(-1), RECV_NS)
    with pytest.raises(CrossedBook):
        route.handle(book(1, bids=[["101.5", "1"]]), RECV_NS)
    assert route.handle(book(-1), RECV_NS)
    assert market.book.best_ask == (203, 8)
    assert route.skipped == Counter()


def test_a_late_ticker_is_counted_even_where_its_reference_is_new(route: DeriveRoute, market: Market) -> None:
    route.handle(ticker(M=None, I=None, f=None), RECV_NS)
    assert route.handle(ticker(-1), RECV_NS)
    assert market.reference is not None
    assert route.skipped == {Skip.LATE: 1}


def test_a_new_connection_makes_all_but_own_orders_unknown_and_forgets_every_time(
    route: DeriveRoute, state: VenueState, market: Market
) -> None:
    state.add("ADA-PERP", Decimal("0.5"), Decimal("0.25"))
    far_ms = 10**14 - 1 - EVENT_MS
    for raw in (ticker(far_ms), book(far_ms), orders({})):
        assert route.handle(raw, RECV_NS)
    assert not route.handle(ticker(), RECV_NS)
    assert not route.handle(book(), RECV_NS)
    assert route.skipped == {Skip.LATE: 2}
    route.reconnected()
    assert (market.ticker, market.reference) == (None, None)
    assert (market.book.top.status, len(market.book)) == (BookStatus.GAP, 0)
    assert state.market("ADA-PERP").book.top.status is BookStatus.EMPTY
    assert state.orders.find("o-1") is not None
    assert route.handle(ticker(), RECV_NS)
    assert route.handle(book(), RECV_NS)
    assert state.quote("SOL-PERP") is not None
    assert market.book.top.status is BookStatus.LIVE


def test_an_order_is_followed_from_new_to_filled(route: DeriveRoute, state: VenueState) -> None:
    phases = []
    for after_ms, (status, filled) in enumerate([("open", "0"), ("open", "0.5"), ("filled", "2")]):
        step = {"order_status": status, "filled_amount": filled, "last_update_timestamp": EVENT_MS + after_ms}
        assert route.handle(orders(step), RECV_NS)
        found = state.orders.find("o-1")
        assert found is not None
        phases.append(found.phase)
        assert not route.handle(orders(step), RECV_NS + 1), "the same once more"
    assert phases == [OrderPhase.NEW, OrderPhase.PARTLY_FILLED, OrderPhase.FILLED]


def test_an_order_of_an_unknown_symbol_is_kept(route: DeriveRoute, state: VenueState) -> None:
    assert route.handle(orders({"instrument_name": "ADA-PERP"}), RECV_NS)
    assert [found.report.venue_order_id for found in state.orders.open_orders("ADA-PERP")] == ["o-1"]
    assert route.skipped == Counter()


def test_an_illegal_step_is_named_by_its_row_and_holds_no_other_order_back(
    route: DeriveRoute, state: VenueState
) -> None:
    ended = {"order_status": "cancelled", "filled_amount": "0"}
    route.handle(orders({"order_id": "a"} | ended), RECV_NS)
    later = {"last_update_timestamp": EVENT_MS + 9_000, "filled_amount": "1"}
    with pytest.raises(IllegalTransition, match=r"^params\.data\[1\]\.status: "):
        route.handle(orders({"order_id": "b"}, {"order_id": "a"} | later, {"order_id": "c"}), RECV_NS)
    assert [found.report.venue_order_id for found in state.orders.open_orders("SOL-PERP")] == ["b", "c"]
    found = state.orders.find("a")
    assert found is not None
    assert found.phase is OrderPhase.CANCELLED


def test_an_unknown_status_is_counted_and_the_order_stays(route: DeriveRoute, state: VenueState) -> None:
    route.handle(orders({}), RECV_NS)
    before = state.orders.find("o-1")
    later = {"last_update_timestamp": EVENT_MS + 9_000}
    assert not route.handle(orders(later | {"order_status": "untriggered"}), RECV_NS)
    assert state.orders.find("o-1") == before
    assert route.skipped == {Skip.UNKNOWN_STATUS: 1}


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (frame("ticker_slim.ADA-PERP.100", PERP), Skip.UNKNOWN_SYMBOL),
        (frame("orderbook.ADA-PERP.1.10", BOOK | {"instrument_name": "ADA-PERP"}), Skip.UNKNOWN_SYMBOL),
        (frame("auctions.watch", {"anything": 1}), Skip.UNKNOWN_MESSAGE),
        (frame("trades.perp.SOL", [TRADE]), Skip.NO_STATE),
        (frame("9.trades", [OWN_TRADE]), Skip.NO_STATE),
        (b'{"id":7,"result":{"status":{"ticker_slim.SOL-PERP.100":"ok"}}}', Skip.NO_STATE),
        (b'{"id":7,"error":{"code":-32000,"message":"no"}}', Skip.NO_STATE),
    ],
)
def test_what_says_nothing_of_the_state_is_counted(
    route: DeriveRoute, market: Market, raw: bytes, reason: Skip
) -> None:
    assert route.parse(raw, RECV_NS) is None
    assert not route.handle(raw, RECV_NS)
    assert route.skipped == {reason: 2}
    assert (market.ticker, market.reference, market.book.top.status) == (None, None, BookStatus.EMPTY)


TICKER_PATH = "params.data.instrument_ticker"
# Texts that are no price: negative, no number, out of the step, beyond 63 bits, nothing.
BAD = ["-101", "NaN", "Infinity", "101.3", "1e40", "18446744073709551616", "", " 101", "\u0661"]
BAD_SIZES = ["-1", "nan", "0.1", "4611686018427387904", "1e20", ""]


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        *((ticker(b=text), f"{TICKER_PATH}.b") for text in BAD),
        *((ticker(A=text), f"{TICKER_PATH}.A") for text in BAD_SIZES),
        (ticker(M="-1"), f"{TICKER_PATH}.M"),
        (ticker(M="NaN"), f"{TICKER_PATH}.M"),
        (ticker(I="1_0"), f"{TICKER_PATH}.I"),
        (ticker(f="inf"), f"{TICKER_PATH}.f"),
        *((book(asks=[["102", "1"], [text, "1"]]), "params.data.asks[1][0]") for text in BAD),
        *((book(bids=[["100", text]]), "params.data.bids[0][1]") for text in BAD_SIZES),
        (orders({}, {"order_id": "b", "amount": "-1"}), "params.data[1].amount"),
        (orders({"limit_price": "NaN"}), "params.data[0].limit_price"),
    ],
)
def test_a_text_that_does_not_fit_is_named_and_nothing_is_written(
    route: DeriveRoute, state: VenueState, market: Market, raw: bytes, field: str
) -> None:
    with pytest.raises(InvalidFrame) as caught:
        route.handle(raw, RECV_NS)
    assert caught.value.field == field
    assert caught.value.expected.endswith(" for SOL-PERP") != field.startswith("params.data[")
    assert (market.ticker, market.reference, market.book.top.status) == (None, None, BookStatus.EMPTY)
    assert len(state.orders) == 0


def test_an_exponent_is_read_as_the_number_that_it_writes(route: DeriveRoute, market: Market) -> None:
    route.handle(ticker(b="1.01e2", B="4E0"), RECV_NS)
    assert market.ticker == Ticker(202, 16, 203, 14, EVENT_MS, RECV_NS)


@pytest.mark.parametrize(
    ("sides", "field"),
    [
        ({"bids": [["0", "1"]]}, "params.data.bids[0][0]"),
        ({"asks": [["102", "1"], ["0.00", "0"]]}, "params.data.asks[1][0]"),
    ],
)
def test_a_price_of_zero_is_refused_by_its_path_and_the_book_stays(
    route: DeriveRoute, market: Market, sides: dict[str, Any], field: str
) -> None:
    route.handle(book(), RECV_NS)
    before = (market.book.depth(9), market.book.top)
    with pytest.raises(InvalidFrame) as caught:
        route.handle(book(1, **sides), RECV_NS)
    assert caught.value.field == field
    assert caught.value.expected.endswith(" for SOL-PERP")
    assert (market.book.depth(9), market.book.top) == before


def test_parsing_writes_nothing_and_the_write_can_come_later(
    route: DeriveRoute, state: VenueState, market: Market
) -> None:
    parsed = [route.parse(raw, RECV_NS) for raw in (ticker(), book(), orders({}))]
    assert [type(write) for write in parsed] == [TickerWrite, BookWrite, OrdersWrite]
    assert (market.ticker, market.book.top.status, len(state.orders)) == (None, BookStatus.EMPTY, 0)
    assert all(write is not None and write.write() for write in parsed)
    assert market.ticker is not None
    assert (market.book.top.status, len(state.orders)) == (BookStatus.LIVE, 1)
