"""A signature over a digest: by RFC 6979, and from a point that was computed beforehand."""

import random

from benches.eth import plain
from benches.eth.key import KEY
from benchgate.measure import Measure
from tapemark.eth.presign import PresignedSigner
from tapemark.eth.signer import Signer

_DIGEST = plain.keccak256(b"a digest to sign")
_CALLS = 20


def bench_digest(measure: Measure) -> None:
    """Sign a digest with the nonce of RFC 6979."""
    signer = Signer(KEY)
    assert signer.sign_digest(_DIGEST) == plain.signature(_DIGEST)
    measure(signer.sign_digest, _DIGEST, calls=_CALLS)


def bench_digest_presigned(measure: Measure) -> None:
    """Sign a digest from a presigned point; the pool is filled outside the measurement."""
    signer = PresignedSigner(Signer(KEY), random.Random(1).randbytes)
    signer.refill(1)
    assert plain.is_signed(_DIGEST, signer.sign_digest(_DIGEST))

    def one_point() -> tuple[bytes]:
        signer.refill(1)
        return (_DIGEST,)

    measure.fresh(signer.sign_digest, one_point, calls=100)
    assert signer.fallback_count == 0
