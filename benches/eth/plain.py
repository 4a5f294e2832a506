"""Ethereum signatures by other hands: pycryptodome's public hash and coincurve's public classes.

It shares nothing with tapemark, so it is the oracle of the signed rows. Source: SEC 1, RFC 6979, EIP-55,
EIP-191.
"""

from coincurve import PrivateKey, PublicKey
from Crypto.Hash import keccak

from benches.eth.key import KEY


def keccak256(data: bytes) -> bytes:
    """Hash with the public object."""
    return keccak.new(digest_bits=256, data=data).digest()


def checksum_address(raw: bytes) -> str:
    """Write an address by EIP-55: a letter is upper case where the hash's digit is 8 or more."""
    digits = raw.hex()
    bits = int.from_bytes(keccak256(digits.encode()))
    return "0x" + "".join(
        digit.upper() if bits >> (255 - 4 * at) & 1 else digit for at, digit in enumerate(digits)
    )


def address() -> str:
    """Give the address of `KEY`, in lower case."""
    return "0x" + keccak256(PrivateKey(KEY).public_key.format(compressed=False)[1:])[12:].hex()


def message_digest(text: str) -> bytes:
    """Hash a message as `personal_sign` does."""
    return keccak256(f"\x19Ethereum Signed Message:\n{len(text)}{text}".encode())


def signature(digest: bytes) -> bytes:
    """Sign with `KEY` and the nonce of RFC 6979: 65 bytes, v in {27, 28}."""
    signed = PrivateKey(KEY).sign_recoverable(digest, hasher=None)
    return signed[:64] + bytes((signed[64] + 27,))


def is_signed(digest: bytes, signed: bytes) -> bool:
    """Tell whether a signature is one of `KEY`, whatever its nonce."""
    compact = signed[:64] + bytes((signed[64] - 27,))
    return PublicKey.from_signature_and_message(compact, digest, hasher=None) == PrivateKey(KEY).public_key
