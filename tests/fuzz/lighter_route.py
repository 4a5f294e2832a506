"""What a frame of Lighter may do to a state: every way out of the route, held against the state before.

A route of two live markets gets one frame. A frame that cannot be decoded has changed nothing; any other may
change the book of its market, or drop it and ask for a new subscription, and never touches the other. What
the levels of an applied frame make of a book, `lighter_model` checks.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from tapemark.errors import InvalidFrame
from tapemark.lighter import decode, wire
from tapemark.lighter.route import LighterRoute
from tapemark.lighter.sync import Outcome
from tapemark.market.state import Venue, VenueState
from tapemark.market.views import BookStatus
from tests.fuzz.campaign import EscapeError

_SYMBOLS = {0: "ETH", 1: "BTC"}
_TICK, _STEP = Decimal("0.01"), Decimal("0.0001")
_DROPPED = {Outcome.GAP: BookStatus.GAP, Outcome.CROSSED: BookStatus.CROSSED}


def check_route(raw: bytes, begin: Sequence[bytes]) -> str:
    """Give a frame to a route whose books are live after other frames, and say what became of it.

    Returns:
        The outcome's name, `skipped`, `refused` (not decoded), or `bad level`.

    Raises:
        EscapeError: Another exception came out, or the state is not what it must be.
    """
    state = VenueState(Venue.LIGHTER)
    for symbol in _SYMBOLS.values():
        state.add(symbol, _TICK, _STEP)
    asked: list[int] = []
    route = LighterRoute(state, _SYMBOLS, asked.append)
    for frame in begin:
        assert route.handle(frame, 1) is Outcome.APPLIED
    before, known = _books(state), _known(raw)
    try:
        try:
            outcome = route.handle(raw, 7)
        except InvalidFrame:
            return _check_refused(before, _books(state), known, asked)
        after = _books(state)
        if outcome is None:
            assert (after, known) == (before, None)
            assert sum(route.skipped.values()) == 1
            return "skipped"
        assert known is not None
        assert _others(after, known) == _others(before, known)
        if outcome in _DROPPED:
            _check_dropped(after[known], _DROPPED[outcome])
            assert asked == [known]
        elif outcome is Outcome.LATE:
            assert after == before
            assert asked == []
        else:
            assert outcome is Outcome.APPLIED
            assert after[known][0].status is BookStatus.LIVE
            assert after[known][0].recv_ns == 7
            assert asked == []
    except Exception as error:
        raise EscapeError(f"{error!r} for {raw!r}") from error
    return outcome.name


def _known(raw: bytes) -> int | None:
    """Tell which of the two markets a frame is of; None where it is of no such market, or not decoded."""
    try:
        message = decode.frame(raw)
    except InvalidFrame:
        return None
    if isinstance(message, wire.UnknownFrame) or message.market_id not in _SYMBOLS:
        return None
    return message.market_id


def _check_refused(before: Any, after: Any, known: int | None, asked: list[int]) -> str:
    """Check that a refused frame changed nothing, or if it was an update of a book, dropped that."""
    if known is None:
        assert after == before
        assert asked == []
        return "refused"
    assert _others(after, known) == _others(before, known)
    if after != before:
        _check_dropped(after[known], BookStatus.GAP)
    assert asked == ([known] if after != before else [])
    return "bad level"


def _check_dropped(book: Any, status: BookStatus) -> None:
    top, (bids, asks) = book
    assert top.status is status
    assert not bids
    assert not asks


def _books(state: VenueState) -> dict[int, Any]:
    books = {market_id: state.market(symbol).book for market_id, symbol in _SYMBOLS.items()}
    return {market_id: (book.top, book.depth(10**6)) for market_id, book in books.items()}


def _others(books: dict[int, Any], market_id: int) -> dict[int, Any]:
    return {other: book for other, book in books.items() if other != market_id}
