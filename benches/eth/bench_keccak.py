"""keccak256 at the lengths that an order's signature hashes: digest preimage, module data and action."""

import pytest

from benchgate.measure import Measure
from tapemark.eth.keccak import keccak256, keccak256_public

# Of the bytes 0, 1, 2 and so on, by an implementation of the Keccak reference written for these three values.
_DIGESTS = {
    66: "c400a829ee7726c580d7d5fc9d3254d149e371879fa657b4dce50cf98f354a6a",
    224: "302cffaa3a2e06669386bbe93390abe776bac7eebede5f4edc675f7ad9522e50",
    256: "dc924469b334aed2a19fac7252e9961aea41f8d91996366029dbe0884229bf36",
}


@pytest.mark.parametrize("length", _DIGESTS)
def bench_fast_path(measure: Measure, length: int) -> None:
    """Hash so many bytes by `keccak.BACKEND`: pycryptodome 4's one call, or 3's three on a reused state."""
    data = bytes(range(length))
    assert keccak256(data).hex() == _DIGESTS[length]
    measure(keccak256, data)


@pytest.mark.parametrize("length", _DIGESTS)
def bench_public_object(measure: Measure, length: int) -> None:
    """Hash so many bytes through pycryptodome's public object."""
    data = bytes(range(length))
    assert keccak256_public(data).hex() == _DIGESTS[length]
    measure(keccak256_public, data, calls=100)
