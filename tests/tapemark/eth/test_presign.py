import copy
import os
import pickle
from typing import Any

import pytest

from tapemark.errors import InvalidArgument
from tapemark.eth import presign, secp256k1
from tapemark.eth.presign import PresignedSigner
from tapemark.eth.signer import recover_address
from tests.tapemark.eth.curve import verifies
from tests.tapemark.eth.pools import KEY, SIGNER, digest_of, filled, nonce_points


def test_2000_signatures_recover_the_address_with_low_s_and_no_point_twice() -> None:
    pool = filled(2_000)
    digests = [digest_of(n) for n in range(2_000)]
    signatures = [pool.sign_digest(digest) for digest in digests]
    for digest, signature in zip(digests, signatures, strict=True):
        assert len(signature) == 65
        assert signature[32:64] <= secp256k1.HALF_ORDER_BYTES
        assert recover_address(digest, signature) == SIGNER.address
    assert {signature[64] for signature in signatures} == {27, 28}
    assert len(set(nonce_points(signatures))) == 2_000
    assert (pool.remaining, pool.presigned_count, pool.fallback_count) == (0, 2_000, 0)


def test_signatures_verify_in_plain_arithmetic() -> None:
    pool = filled(12)
    for n in range(12):
        digest = digest_of(n)
        signature = pool.sign_digest(digest)
        assert verifies(KEY, digest, signature)
        assert not verifies(KEY, digest_of("another"), signature)
        assert not verifies(b"\1" * 32, digest, signature)


def test_a_pool_signs_for_its_signers_address() -> None:
    pool = PresignedSigner(SIGNER)
    assert (pool.address, pool.address_raw) == (SIGNER.address, SIGNER.address_raw)
    assert repr(pool) == f"PresignedSigner({SIGNER.address}, remaining=0)"


def test_an_empty_pool_falls_back_to_rfc_6979() -> None:
    pool = filled(1)
    digest = digest_of("fallback")
    assert pool.sign_digest(digest) != SIGNER.sign_digest(digest)
    assert pool.sign_digest(digest) == SIGNER.sign_digest(digest)
    assert (pool.remaining, pool.presigned_count, pool.fallback_count) == (0, 1, 1)
    assert pool.refill(1) == 1
    assert pool.sign_digest(digest) != SIGNER.sign_digest(digest)
    assert (pool.remaining, pool.presigned_count, pool.fallback_count) == (0, 2, 1)


@pytest.mark.parametrize("z", [0, secp256k1.ORDER, secp256k1.ORDER + 7, 2**256 - 1])
def test_a_digest_that_the_scalar_functions_refuse_falls_back(z: int) -> None:
    pool = filled(1)
    digest = z.to_bytes(32)
    assert pool.sign_digest(digest) == SIGNER.sign_digest(digest)
    assert pool.fallback_count == 1


@pytest.mark.parametrize("z", [1, secp256k1.ORDER - 1])
def test_the_ends_of_the_digest_range_are_presigned(z: int) -> None:
    pool = filled(1)
    digest = z.to_bytes(32)
    assert verifies(KEY, digest, pool.sign_digest(digest))
    assert pool.fallback_count == 0


def test_s_of_zero_falls_back() -> None:
    pool = filled(1)
    point = pool._pool.points[0]
    # s = inverse * z + share is zero for z = -r * d.
    z = -int.from_bytes(point.r) * int.from_bytes(KEY) % secp256k1.ORDER
    assert pool.sign_digest(z.to_bytes(32)) == SIGNER.sign_digest(z.to_bytes(32))
    assert pool.fallback_count == 1


@pytest.mark.parametrize("digest", [b"", bytes(31), bytes(33), bytearray(32), "0" * 32, None])
def test_a_bad_digest_is_refused_before_a_point_is_taken(digest: Any) -> None:
    pool = filled(1)
    with pytest.raises(InvalidArgument, match=r"^digest: expected 32 bytes"):
        pool.sign_digest(digest)
    assert (pool.remaining, pool.presigned_count) == (1, 0)


@pytest.mark.parametrize("count", [-1, True, 1.0, "1", None])
def test_a_bad_count_is_refused(count: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"^count: expected "):
        PresignedSigner(SIGNER).refill(count)


@pytest.mark.parametrize(
    "duplicate",
    [
        copy.copy,
        copy.deepcopy,
        pickle.dumps,
        lambda p: copy.deepcopy([p]),
        lambda p: p.__getstate__(),
        lambda p: p.__reduce__(),
        lambda p: object.__reduce_ex__(p, 4),
    ],
)
def test_a_pool_is_not_duplicated(duplicate: Any) -> None:
    pool = filled(1)
    with pytest.raises(TypeError, match="a point used twice reveals the key"):
        duplicate(pool)
    assert pool.remaining == 1


def test_points_are_never_handed_out_by_attribute() -> None:
    with pytest.raises(TypeError, match="__dict__"):
        vars(filled(1))


def test_a_full_pool_takes_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presign, "CAPACITY", 5)
    pool = PresignedSigner(SIGNER)
    assert [pool.refill(n) for n in (3, 4, 1, 0)] == [3, 2, 0, 0]
    for n in range(3):
        pool.sign_digest(digest_of(n))
    assert pool.refill(9) == 3
    assert (pool.remaining, pool.presigned_count) == (5, 3)
    assert len(pool._pool.seen) == 5


def test_the_precomputed_terms_are_those_of_the_scheme() -> None:
    k, blind = 0xC0FFEE, 0xB11D
    draws = iter([k, blind])
    pool = PresignedSigner(SIGNER, lambda _: next(draws).to_bytes(32))
    pool.refill(1)
    r, _odd, inverse, share = pool._pool.points[0]
    n = secp256k1.ORDER
    assert int.from_bytes(inverse) * k % n == 1
    assert int.from_bytes(share) * k % n == int.from_bytes(r) * int.from_bytes(KEY) % n


def test_a_point_shows_nothing_of_itself() -> None:
    pool = filled(1)
    point = pool._pool.points[0]
    assert repr(point) == "_Point(secret)"
    assert point.share.hex() not in repr(pool)


def test_a_full_pool_draws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presign, "CAPACITY", 3)
    drawn: list[int] = []

    def randbytes(count: int) -> bytes:
        drawn.append(count)
        return os.urandom(count)

    pool = PresignedSigner(SIGNER, randbytes)
    assert pool.refill(10) == 3
    drawn.clear()
    assert pool.refill(10) == 0
    assert drawn == []
