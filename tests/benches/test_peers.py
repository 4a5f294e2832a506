"""Contenders: what only the end of a measurement shows is checked there."""

from typing import Any

import pytest

from benches.market import peers_book
from benches.market.book_feed import feed
from benches.market.other_books import OTHERS
from benches.market.text_books import NAME
from benchgate.comparison import Comparison, Contender, Staged
from benchgate.declared import MARKERS
from benchgate.peers import declared
from tests.benches.catalogue import ROOT

OTHERS_FIX = {"quickfix", "refix", "simplefix"}


def test_presigned_contender_spends_a_point_for_each_call_and_notices_when_there_was_none(
    pytestconfig: pytest.Config,
) -> None:
    for marker in MARKERS:
        pytestconfig.addinivalue_line("markers", marker)
    contenders = declared(ROOT)["derive/signing/sign_trade_action"].contenders
    (contender,) = (contender for contender in contenders if contender.name == "tapemark, presigned")
    assert isinstance(contender, Contender)
    staged = contender.load()
    assert isinstance(staged, Staged)
    staged.prepare(3)
    for _ in range(3):
        staged.call()
    staged.check()
    staged.call()
    with pytest.raises(AssertionError, match="1 calls found no presigned point"):
        staged.check()


def test_the_contenders_for_fix_give_what_the_plain_reading_gives(pytestconfig: pytest.Config) -> None:
    for marker in MARKERS:
        pytestconfig.addinivalue_line("markers", marker)
    comparisons = [entry for identity, entry in declared(ROOT).items() if identity.startswith("fix/")]
    for contender in (contender for comparison in comparisons for contender in comparison.contenders):
        assert isinstance(contender, Contender)
        try:
            call = contender.load()  # checks what it gives
        except ImportError:
            assert contender.name in OTHERS_FIX
        else:
            assert callable(call)
            call()


@pytest.mark.parametrize("comparison", peers_book.PEERS, ids=lambda comparison: comparison.name)
def test_the_books_give_the_best_levels_that_a_plain_model_gives(comparison: Comparison) -> None:
    for contender in comparison.contenders:
        assert isinstance(contender, Contender)
        try:
            staged = contender.load()  # checks the best after each update
        except ImportError:
            assert contender.name in OTHERS
        else:
            assert isinstance(staged, Staged)
            staged.prepare(2)
            staged.call()
            staged.call()
            staged.check()


@pytest.mark.parametrize("name", ["delta_10", "snapshot_25"])
def test_a_book_with_another_best_level_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = peers_book.BOOKS[NAME]

    class Stuck:
        """Keeps the best of its first snapshot."""

        def __init__(self) -> None:
            self._book = ours()
            self.decoder, self.apply, self.exact = self._book.decoder, self._book.apply, self._book.exact
            self._first: tuple[Any, ...] = ()

        def replace(self, bids: Any, asks: Any) -> None:
            self._book.replace(bids, asks)
            self._first = self._first or self._book.best()

        def best(self) -> tuple[Any, ...]:
            return self._first

    (comparison,) = (comparison for comparison in peers_book.PEERS if comparison.name == name)
    load = comparison.contenders[0].load  # type: ignore[union-attr]  # none is a worker
    load()
    monkeypatch.setitem(peers_book.BOOKS, NAME, Stuck)
    with pytest.raises(AssertionError):
        load()


@pytest.mark.parametrize("levels", [10, 1_000])
def test_the_updates_of_a_book_change_its_best_and_end_where_they_began(levels: int) -> None:
    source = feed(levels)
    assert [len(side) for side in source.snapshot] == [levels, levels]
    assert source.bests[0] == source.bests[-1]
    assert len(set(source.bests)) > 5
