import itertools
import sys
import threading
import time
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapemark.derive.nonce import NonceManager
from tapemark.errors import InvalidArgument

CHECKSUM = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
LOWER = CHECKSUM.lower()
UPPER = "0x" + CHECKSUM[2:].upper()
OTHER = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"
NOW_MS = 1_700_000_000_000

clocks = st.integers(NOW_MS - 3, NOW_MS + 3)
calls = st.tuples(
    st.sampled_from(("next", "refresh", "last")),
    st.sampled_from((CHECKSUM, LOWER, UPPER, OTHER)),
    st.integers(0, 1),
    clocks,
)


@given(st.lists(calls, max_size=60))
def test_any_sequence_of_calls_follows_the_rule(script: list[tuple[str, str, int, int]]) -> None:
    nonces, model = NonceManager(), dict[tuple[str, int], int]()
    for call, wallet, subaccount, clock in script:
        key = (wallet.lower(), subaccount)
        if call == "next":
            expected = max(clock * 10, model.get(key, -1) + 1)
            assert nonces.next(wallet, subaccount, clock) == expected
            model[key] = expected
        elif call == "refresh":
            nonces.refresh(wallet, subaccount, clock * 10)
            model[key] = max(model.get(key, -1), clock * 10)
        assert nonces.last(wallet, subaccount) == model.get(key)


def test_nonces_rise_while_the_clock_stands_still_or_steps_back() -> None:
    nonces = NonceManager()
    clock = [NOW_MS] * 12 + [NOW_MS - 60_000] * 5 + [NOW_MS + 1, NOW_MS + 2, 10**12, NOW_MS + 60_000]
    drawn = [nonces.next(CHECKSUM, 1, now_ms) for now_ms in clock]
    assert drawn[:12] == list(range(NOW_MS * 10, NOW_MS * 10 + 12))
    assert all(earlier < later for earlier, later in itertools.pairwise(drawn))
    assert drawn[-1] == (NOW_MS + 60_000) * 10


def test_a_wallet_is_one_key_in_every_spelling() -> None:
    nonces = NonceManager()
    drawn = [nonces.next(wallet, 1, NOW_MS) for wallet in (CHECKSUM, LOWER, UPPER, CHECKSUM)]
    assert drawn == list(range(NOW_MS * 10, NOW_MS * 10 + 4))
    assert nonces.last(LOWER, 1) == drawn[-1]


def test_wallets_and_subaccounts_are_independent() -> None:
    nonces = NonceManager()
    keys = [(CHECKSUM, 1), (CHECKSUM, 2), (OTHER, 1), (OTHER, 2**256 - 1)]
    assert [nonces.next(wallet, subaccount, NOW_MS) for wallet, subaccount in keys] == [NOW_MS * 10] * 4


def test_a_report_of_the_venue_only_moves_forward() -> None:
    nonces = NonceManager()
    assert nonces.last(CHECKSUM, 1) is None
    nonces.refresh(CHECKSUM, 1, 0)
    assert nonces.last(CHECKSUM, 1) == 0
    # Another client's suffix of three digits is ahead of this one's for good.
    nonces.refresh(LOWER, 1, NOW_MS * 1_000 + 999)
    assert nonces.next(CHECKSUM, 1, NOW_MS) == NOW_MS * 1_000 + 1_000
    nonces.refresh(CHECKSUM, 1, 5)
    assert nonces.next(CHECKSUM, 1, NOW_MS) == NOW_MS * 1_000 + 1_001


@pytest.mark.usefixtures("eager_switches")
def test_eight_threads_draw_400000_nonces_without_a_duplicate() -> None:
    nonces = NonceManager()
    wallets = itertools.cycle((CHECKSUM, LOWER, UPPER, CHECKSUM))
    drawn: list[list[int]] = []

    def draw(wallet: str, now_ms: int) -> None:
        mine = [nonces.next(wallet, 1, now_ms - n // 1_000) for n in range(50_000)]
        drawn.append(mine)

    threads = [threading.Thread(target=draw, args=(next(wallets), NOW_MS + n)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(drawn) == 8
    for mine in drawn:
        assert all(earlier < later for earlier, later in itertools.pairwise(mine))
    assert len(set().union(*drawn)) == 400_000
    assert nonces.last(CHECKSUM, 1) == max(map(max, drawn))


@pytest.mark.usefixtures("eager_switches")
def test_threads_that_are_switched_after_every_line_draw_no_duplicate() -> None:
    nonces = NonceManager()
    drawn: list[int] = []

    def after_every_line(frame: FrameType, _event: str, _arg: object) -> Any:
        time.sleep(0)  # lets another thread run
        return after_every_line if frame.f_code.co_name == "next" else None

    def draw() -> None:
        sys.settrace(after_every_line)
        mine = [nonces.next(CHECKSUM, 1, NOW_MS) for _ in range(300)]
        sys.settrace(None)
        drawn.extend(mine)

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(drawn) == list(range(NOW_MS * 10, NOW_MS * 10 + 1_200))


@pytest.mark.parametrize("now_ms", [-1, 10**14, 1.5, True, "1", None])
def test_the_present_is_an_int_of_milliseconds(now_ms: Any) -> None:
    nonces = NonceManager()
    with pytest.raises(InvalidArgument, match=r"^now_ms: "):
        nonces.next(CHECKSUM, 1, now_ms)
    assert nonces.last(CHECKSUM, 1) is None


every_call = pytest.mark.parametrize(
    ("call", "rest"), [("next", (NOW_MS,)), ("refresh", (0,)), ("last", ())], ids=["next", "refresh", "last"]
)


@every_call
@pytest.mark.parametrize("wallet", ["", CHECKSUM.replace("aA", "AA"), None, 7, b"\0" * 20, ["0x"]])
def test_the_wallet_is_an_address(call: str, rest: tuple[int, ...], wallet: Any) -> None:
    nonces = NonceManager()
    nonces.next(CHECKSUM, 1, NOW_MS)
    with pytest.raises(InvalidArgument, match=r"^wallet: "):
        getattr(nonces, call)(wallet, 1, *rest)


@every_call
@pytest.mark.parametrize("subaccount_id", [-1, 2**256, True, 1.0, "1", None, [1]])
def test_the_subaccount_is_an_int(call: str, rest: tuple[int, ...], subaccount_id: Any) -> None:
    nonces = NonceManager()
    nonces.next(CHECKSUM, 1, NOW_MS)
    with pytest.raises(InvalidArgument, match=r"^subaccount_id: "):
        getattr(nonces, call)(CHECKSUM, subaccount_id, *rest)


@pytest.mark.parametrize("venue_nonce", [-1, 2**53 - 1, 2**53, 2**256 - 1, 2**256, True, 1.0, "1", None])
def test_the_venues_nonce_is_an_int_whose_successor_can_be_sent(venue_nonce: Any) -> None:
    nonces = NonceManager()
    with pytest.raises(InvalidArgument, match=r"^venue_nonce: "):
        nonces.refresh(CHECKSUM, 1, venue_nonce)
    assert nonces.next(CHECKSUM, 1, NOW_MS) == NOW_MS * 10


def test_the_largest_of_the_venues_nonces_leaves_one_to_send() -> None:
    nonces = NonceManager()
    nonces.refresh(CHECKSUM, 1, 2**53 - 2)
    assert nonces.next(CHECKSUM, 1, NOW_MS) == 2**53 - 1


def test_what_is_remembered_does_not_grow_with_the_calls() -> None:
    nonces = NonceManager()
    for n in range(100):
        for wallet in (CHECKSUM, LOWER, UPPER):
            nonces.next(wallet, 1, NOW_MS + n)
    assert (len(nonces._by_wallet), len(nonces._by_text)) == (1, 3)
