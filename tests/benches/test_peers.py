"""Contenders: what only the end of a measurement shows is checked there."""

import pytest

from benchgate.comparison import Contender, Staged
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
