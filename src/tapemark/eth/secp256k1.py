"""The few curve and scalar operations of signing, straight on libsecp256k1.

The only module that touches `coincurve._libsecp256k1`, coincurve's private binding, for two reasons. Its
public classes offer products and sums of scalars only together with a public key, which costs as much as a
signature; and their `sign_recoverable` adds Python frames that the signing path would notice. The binding may
change in any release of coincurve, which is why the dependency is bounded above.

Every operation on a secret runs in constant time inside the library, in a buffer of its own: the binding
releases the GIL, so a shared buffer could be overwritten by another thread. Callers check lengths: a scalar,
a key and a digest are exactly 32 bytes of type `bytes`, and C reads that many whatever it is given.

Source: SEC 2 for the curve, `secp256k1.h` of libsecp256k1 for the return codes.
"""

from typing import Any, Final

from coincurve import GLOBAL_CONTEXT
from coincurve._libsecp256k1 import ffi, lib  # type: ignore[import-not-found]  # compiled, without stubs

ORDER: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
HALF_ORDER_BYTES: Final = (ORDER // 2).to_bytes(32)
V_BYTES: Final = (b"\x1b", b"\x1c")

_CONTEXT: Final = GLOBAL_CONTEXT.ctx
_NULL: Final = ffi.NULL
_SCALAR: Final = ffi.typeof("unsigned char[32]")
_new: Final = ffi.new
_buffer: Final = ffi.buffer
_sign: Final = lib.secp256k1_ecdsa_sign_recoverable
_serialize: Final = lib.secp256k1_ecdsa_recoverable_signature_serialize_compact
_multiply: Final = lib.secp256k1_ec_seckey_tweak_mul
_add: Final = lib.secp256k1_ec_seckey_tweak_add

# Buffers of signatures, public data, that no call is using: one takes its own out and hands them back.
_idle: Final[list[Any]] = []
_take: Final = _idle.pop
_hand_back: Final = _idle.append


def sign(key: bytes, digest: bytes) -> bytes:
    """Sign a digest with the nonce of RFC 6979, in the low-s form.

    Returns:
        r || s || v, 65 bytes, v in {27, 28}.

    Raises:
        ValueError: The key is zero or not below the group order.
    """
    try:
        buffers = _take()
    except IndexError:
        compact = _new("unsigned char[64]")
        buffers = (_new("secp256k1_ecdsa_recoverable_signature *"), compact, _buffer(compact), _new("int *"))
    signature, compact, compact_bytes, recovery_id = buffers
    try:
        if not _sign(_CONTEXT, signature, digest, key, _NULL, _NULL):
            raise ValueError("not a key")
        _serialize(_CONTEXT, compact, recovery_id, signature)
        # Ids 2 and 3 need a nonce point whose x is not below the order: once in 2^127, and refused here.
        signed: bytes = compact_bytes[:] + V_BYTES[recovery_id[0]]
        return signed
    finally:
        _hand_back(buffers)


def multiply(left: bytes, right: bytes) -> bytes | None:
    """Multiply two scalars modulo the group order; None if either is zero or not below the order."""
    product = _new(_SCALAR, left)
    if not _multiply(_CONTEXT, product, right):
        return None
    as_bytes: bytes = _buffer(product)[:]
    return as_bytes


def multiply_add(left: bytes, right: bytes, addend: bytes) -> bytes | None:
    """Compute left * right + addend modulo the group order; None if an operand or the sum is out of range."""
    total = _new(_SCALAR, left)
    if not (_multiply(_CONTEXT, total, right) and _add(_CONTEXT, total, addend)):
        return None
    as_bytes: bytes = _buffer(total)[:]
    return as_bytes


def base_point_times(scalar: bytes) -> bytes | None:
    """Multiply the curve's base point: x || y, 64 bytes; None if the scalar is out of range."""
    point = _new("secp256k1_pubkey *")
    if not lib.secp256k1_ec_pubkey_create(_CONTEXT, point, scalar):
        return None
    uncompressed, length = _new("unsigned char[65]"), _new("size_t *", 65)
    lib.secp256k1_ec_pubkey_serialize(_CONTEXT, uncompressed, length, point, lib.SECP256K1_EC_UNCOMPRESSED)
    as_bytes: bytes = _buffer(uncompressed)[1:]
    return as_bytes
