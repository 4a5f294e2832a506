"""A session of every kind of frame, replayed through the routes, leads where a plain model says."""

from benches.market.replay import Replayed
from benches.market.session import DERIVE, load_short
from tapemark.market.views import BookStatus

SESSION = load_short()


def test_the_short_session_has_every_kind_of_frame() -> None:
    assert len(SESSION.frames) == 2_000
    assert min(SESSION.counts.values()) > 0


def test_a_session_leads_to_the_models_state_book_by_book_and_order_by_order() -> None:
    replayed = Replayed(SESSION)
    replayed.play(SESSION.frames)
    replayed.check(SESSION)


def test_no_book_is_crossed_after_any_frame() -> None:
    replayed = Replayed(SESSION)
    venues = {True: replayed.derive, False: replayed.lighter}
    for venue, recv_ns, raw in SESSION.frames:
        replayed.handle[venue](raw, recv_ns)
        for market in venues[venue == DERIVE].markets.values():
            bids, asks = market.book.view().depth(1)
            assert not bids or not asks or bids[0][0] < asks[0][0]
            assert market.book.top.status in {BookStatus.EMPTY, BookStatus.LIVE}


def test_a_session_replayed_again_is_late_or_a_repeat_and_changes_nothing() -> None:
    replayed = Replayed(SESSION)
    replayed.play(SESSION.frames)
    replayed.play(SESSION.frames)
    replayed.check(SESSION)


def test_a_missing_update_is_noticed() -> None:
    of_a_busy_market = [
        at
        for at, (_, _, raw) in enumerate(SESSION.frames)
        if b'"update/order_book","channel":"order_book:0"' in raw
    ]
    missing = of_a_busy_market[3]
    replayed = Replayed(SESSION)
    replayed.play(SESSION.frames[:missing] + SESSION.frames[missing + 1 :])
    assert replayed.asked == [0]
