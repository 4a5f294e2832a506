"""Sources of random bytes that a pool draws from, bad ones among them."""

import os
import random
from typing import Any

import pytest

from tapemark.errors import InvalidArgument
from tapemark.eth import secp256k1
from tapemark.eth.presign import PresignedSigner
from tests.tapemark.eth.curve import verifies
from tests.tapemark.eth.pools import KEY, SIGNER, digest_of, filled


def test_a_stuck_source_is_noticed_and_empties_the_pool() -> None:
    fresh = [os.urandom(32) for _ in range(6)]
    sequence = iter(fresh + fresh)
    pool = PresignedSigner(SIGNER, lambda _: next(sequence))
    with pytest.raises(InvalidArgument, match=r"^randbytes: expected random bytes, got 'bytes that repeat"):
        pool.refill(4)
    assert (pool.remaining, pool.presigned_count) == (0, 0)


def test_a_source_that_repeats_a_used_point_is_noticed() -> None:
    drawn = os.urandom(32)
    pool = filled(1, lambda _: drawn)
    pool.sign_digest(digest_of("used"))
    with pytest.raises(InvalidArgument, match="bytes that repeat a nonce point"):
        pool.refill(1)


def test_a_number_and_its_negative_are_one_point() -> None:
    k = 12_345
    draws = iter([k, 5, secp256k1.ORDER - k, 7])
    pool = PresignedSigner(SIGNER, lambda _: next(draws).to_bytes(32))
    with pytest.raises(InvalidArgument, match="bytes that repeat a nonce point"):
        pool.refill(2)


def test_numbers_out_of_range_are_drawn_again() -> None:
    k, blind = 12_345, 67_890
    draws = iter([0, blind, secp256k1.ORDER, blind, 2**256 - 1, blind, k, 0, k, secp256k1.ORDER, k, blind])
    pool = PresignedSigner(SIGNER, lambda _: next(draws).to_bytes(32))
    assert pool.refill(1) == 1
    assert pool._pool.points[0].r == secp256k1.base_point_times(k.to_bytes(32))[:32]  # type: ignore[index]  # in range
    assert verifies(KEY, digest_of("redrawn"), pool.sign_digest(digest_of("redrawn")))


@pytest.mark.parametrize("value", [0, secp256k1.ORDER, 2**256 - 1])
def test_a_source_that_never_yields_a_number_in_range_is_refused(value: int) -> None:
    with pytest.raises(InvalidArgument, match="numbers out of range time and again"):
        PresignedSigner(SIGNER, lambda _: value.to_bytes(32)).refill(1)


@pytest.mark.parametrize("drawn", [b"", bytes(31), bytes(33), bytearray(32), 7, None])
def test_a_source_that_does_not_return_32_bytes_is_refused_without_showing_them(drawn: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"^randbytes: expected 32 bytes") as refusal:
        PresignedSigner(SIGNER, lambda _: drawn).refill(1)
    assert refusal.value.got == repr(type(drawn))


def test_a_seeded_source_makes_a_pool_reproducible() -> None:
    pools = [filled(10, random.Random(6).randbytes) for _ in range(2)]
    first, second = ([pool.sign_digest(digest_of(n)) for n in range(10)] for pool in pools)
    assert first == second
