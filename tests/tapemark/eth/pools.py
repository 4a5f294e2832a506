"""Filled pools of presigned nonces, digests to sign, and the points that signatures show."""

import os
from collections.abc import Callable

from tapemark.eth.keccak import keccak256
from tapemark.eth.presign import PresignedSigner
from tapemark.eth.signer import Signer

KEY = bytes(31) + b"\x2a"
SIGNER = Signer(KEY)


def filled(count: int, randbytes: Callable[[int], bytes] = os.urandom) -> PresignedSigner:
    pool = PresignedSigner(SIGNER, randbytes)
    assert pool.refill(count) == count
    return pool


def digest_of(*parts: object) -> bytes:
    return keccak256(repr(parts).encode())


def nonce_points(signatures: list[bytes]) -> list[str]:
    return [signature[:32].hex() for signature in signatures]
