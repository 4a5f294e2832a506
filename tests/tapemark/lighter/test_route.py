from collections import Counter
from decimal import Decimal
from typing import Any

import pytest

from tapemark.errors import InvalidArgument, InvalidFrame
from tapemark.lighter.route import LighterRoute
from tapemark.lighter.sync import Outcome
from tapemark.market.route import Skip
from tapemark.market.state import Venue, VenueState
from tapemark.market.views import BookStatus
from tests.tapemark.lighter.frames import EVENT_US, SENT_MS, Pairs, encoded, tree

RECV_NS = 1_774_884_082_400_000_000


class Feed:
    """A state of two markets, its route, and the markets for which it asked a new subscription."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.state = VenueState(Venue.LIGHTER)
        self.eth = self.state.add("ETH", Decimal("0.01"), Decimal("0.0001"))
        self.btc = self.state.add("BTC", Decimal("0.1"), Decimal("0.00001"))
        self.route = LighterRoute(self.state, {0: "ETH", 1: "btc"}, self.asked.append, retry_ns=100)

    def handle(self, raw: bytes, recv_ns: int = RECV_NS) -> Outcome | None:
        return self.route.handle(raw, recv_ns)


@pytest.fixture
def feed() -> Feed:
    return Feed()


def snapshot(market_id: int, nonce: int, bids: Pairs = (), asks: Pairs = ()) -> bytes:
    return encoded(tree("subscribed", 0, nonce, bids, asks) | {"channel": f"order_book:{market_id}"})


def update(market_id: int, begin_nonce: int, nonce: int, bids: Pairs = (), asks: Pairs = ()) -> bytes:
    return encoded(tree("update", begin_nonce, nonce, bids, asks) | {"channel": f"order_book:{market_id}"})


ETH = snapshot(0, 100, (("2064.50", "1"),), (("2064.54", "0.3285"), ("2065", "2")))
BTC = snapshot(1, 900, (("64000.1", "0.00001"),), (("64000.2", "3"),))


def test_frames_reach_the_book_of_their_market_in_ticks_and_steps(feed: Feed) -> None:
    assert [feed.handle(raw) for raw in (ETH, BTC)] == [Outcome.APPLIED] * 2
    change = update(0, 100, 122, asks=(("2064.54", "0.0000"), ("2064.6", "0.5")))
    assert feed.handle(change) is Outcome.APPLIED
    assert feed.eth.book.depth(9) == (((206_450, 10_000),), ((206_460, 5_000), (206_500, 20_000)))
    assert feed.btc.book.depth(9) == (((640_001, 1),), ((640_002, 300_000),))
    top = feed.eth.book.top
    assert (top.sequence, top.event_us, top.sent_ms, top.recv_ns) == (
        122,
        EVENT_US + 122,
        SENT_MS + 122,
        RECV_NS,
    )
    assert feed.asked == []


def test_a_gap_drops_the_book_of_its_market_alone(feed: Feed) -> None:
    feed.handle(ETH)
    feed.handle(BTC)
    assert feed.handle(update(0, 101, 122)) is Outcome.GAP
    assert (feed.eth.book.top.status, feed.btc.book.top.status) == (BookStatus.GAP, BookStatus.LIVE)
    assert feed.asked == [0]


@pytest.mark.parametrize("text", ["0", "0.00", "-1", "NaN", "2064.541", "1e30", "18446744073709551616", ""])
def test_a_bad_price_in_an_update_is_named_and_drops_the_book(feed: Feed, text: str) -> None:
    feed.handle(ETH)
    feed.handle(BTC)
    with pytest.raises(InvalidFrame, match=" for ETH, got ") as caught:
        feed.handle(update(0, 100, 122, (("2064.4", "1"), (text, "1"))))
    assert caught.value.field == "order_book.bids[1].price"
    assert (feed.eth.book.top.status, len(feed.eth.book)) == (BookStatus.GAP, 0)
    assert feed.btc.book.top.status is BookStatus.LIVE
    assert feed.asked == [0]


def test_a_frame_that_cannot_be_decoded_changes_nothing(feed: Feed) -> None:
    feed.handle(ETH)
    before = feed.eth.book.top
    for raw in (b"", b"{", ETH[:-1], b'{"type":7}'):
        with pytest.raises(InvalidFrame):
            feed.handle(raw)
    assert feed.eth.book.top is before
    assert feed.asked == []


def test_an_unknown_market_and_an_unknown_type_are_counted(feed: Feed) -> None:
    for raw in (snapshot(7, 1), update(7, 1, 2), b'{"type":"ping"}', b'{"type":"connected","session":"a"}'):
        assert feed.handle(raw) is None
        assert feed.route.parse(raw, RECV_NS) is None
    assert feed.route.skipped == {Skip.UNKNOWN_SYMBOL: 4, Skip.UNKNOWN_MESSAGE: 4}
    assert {feed.eth.book.top.status, feed.btc.book.top.status} == {BookStatus.EMPTY}


def test_a_channel_may_be_written_as_it_was_asked_for(feed: Feed) -> None:
    assert feed.handle(ETH.replace(b"order_book:0", b"order_book/0")) is Outcome.APPLIED
    assert feed.handle(update(0, 100, 122)) is Outcome.APPLIED


def test_parsing_writes_nothing_and_the_write_can_come_later(feed: Feed) -> None:
    first = feed.route.parse(ETH, RECV_NS)
    second = feed.route.parse(update(0, 100, 122, bids=(("2064.51", "1"),)), RECV_NS)
    assert feed.eth.book.top.status is BookStatus.EMPTY
    assert first is not None
    assert second is not None
    assert [first.write(), second.write()] == [Outcome.APPLIED] * 2
    assert feed.eth.book.best_bid == (206_451, 10_000)
    assert feed.route.skipped == Counter()


def test_a_new_connection_starts_every_book_again(feed: Feed) -> None:
    feed.handle(ETH)
    feed.handle(BTC)
    feed.route.reconnected()
    assert {feed.eth.book.top.status, feed.btc.book.top.status} == {BookStatus.GAP}
    assert feed.handle(update(0, 100, 122)) is Outcome.WAITING
    assert feed.handle(snapshot(0, 130)) is Outcome.APPLIED


def test_a_snapshot_that_does_not_come_is_asked_for_again_after_the_callers_time(feed: Feed) -> None:
    feed.handle(ETH)
    feed.handle(update(0, 101, 122))
    asked = []
    for after_ns in (99, 100, 199, 200):
        assert feed.handle(update(0, 122, 123), RECV_NS + after_ns) is Outcome.WAITING
        asked.append(len(feed.asked))
    assert asked == [1, 2, 2, 3]


def test_symbols_must_be_in_the_state_and_each_of_one_market(feed: Feed) -> None:
    with pytest.raises(InvalidArgument, match=r"^symbol: "):
        LighterRoute(feed.state, {0: "SOL"}, feed.asked.append)
    with pytest.raises(InvalidArgument, match=r"^symbols: "):
        LighterRoute(feed.state, {0: "ETH", 5: "eth"}, feed.asked.append)
    with pytest.raises(InvalidArgument, match=r"^retry_ns: "):
        LighterRoute(feed.state, {0: "ETH"}, feed.asked.append, retry_ns=0)


@pytest.mark.parametrize("state", [VenueState(Venue.DERIVE), Venue.LIGHTER, None])
def test_a_state_that_is_not_lighters_is_refused(state: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"^state: expected that of Venue\.LIGHTER, got "):
        LighterRoute(state, {}, list[int]().append)


@pytest.mark.parametrize("market_id", [-1, 10**9, True, "0", 0.0, None])
def test_a_market_number_that_is_none_is_refused(feed: Feed, market_id: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"^symbols: .*0 to 999999999"):
        LighterRoute(feed.state, {market_id: "ETH"}, feed.asked.append)


def test_a_book_of_fixed_depth_is_refused_and_no_other_is_dropped(feed: Feed) -> None:
    feed.handle(ETH)
    feed.state.add("SOL", Decimal("0.01"), Decimal("0.1"), depth=5)
    with pytest.raises(InvalidArgument, match=r"^depth: "):
        LighterRoute(feed.state, {0: "ETH", 2: "SOL"}, feed.asked.append)
    assert feed.eth.book.top.status is BookStatus.LIVE


def test_a_second_route_drops_what_the_first_has_left_of_its_markets(feed: Feed) -> None:
    feed.handle(ETH)
    feed.handle(BTC)
    LighterRoute(feed.state, {0: "ETH"}, feed.asked.append)
    assert (feed.eth.book.top.status, feed.btc.book.top.status) == (BookStatus.GAP, BookStatus.LIVE)
    assert feed.state.best_of_book("ETH") is None
