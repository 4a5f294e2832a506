"""Signatures of an Ethereum account: secp256k1 over a digest, 65 bytes r || s || v.

A signature is deterministic (the nonce of RFC 6979), has its s in the lower half of the group order (EIP-2)
and v in {27, 28}. A key never appears in an error, a repr, a copy or a pickle, and what was refused as a key
is no local of this module where a traceback could show it. It does stay in this process's memory, as any
`bytes` does: Python cannot wipe it. What a digest means is for the caller to know.

Source: SEC 1 for the scheme, RFC 6979, EIP-2 for low s, EIP-191 for the message digest.
"""

import re
from typing import Final, NoReturn, Protocol, final

from coincurve import PublicKey

from tapemark.errors import InvalidArgument
from tapemark.eth.abi import checksum_address
from tapemark.eth.keccak import keccak256
from tapemark.eth.secp256k1 import base_point_times, sign

_KEY_TEXT: Final = re.compile(r"(?:0x)?[0-9a-fA-F]{64}")


class DigestSigner(Protocol):
    """What signs a digest for one address: a `Signer`, or a `PresignedSigner` around one."""

    @property
    def address(self) -> str:
        """The account's address with its EIP-55 checksum."""

    @property
    def address_raw(self) -> bytes:
        """The account's address, 20 bytes."""

    def sign_digest(self, digest: bytes) -> bytes:
        """Sign a digest of 32 bytes: r || s || v, 65 bytes."""


@final
class Signer:
    """Sign with one private key.

    Args:
        key: The private key, 32 bytes, from 1 to the group order less 1.

    Raises:
        InvalidArgument: `key` is not that; the error tells its length alone.
    """

    __slots__ = ("_address", "_address_raw", "_key")

    def __init__(self, key: bytes) -> None:
        if type(key) is not bytes or len(key) != 32:
            shape = _shape(key)
            del key  # tracebacks keep their frames, and some tools show the locals
            raise InvalidArgument("key", "32 bytes", shape)
        point = base_point_times(key)
        if point is None:
            shape = _shape(key)
            del key
            raise InvalidArgument("key", "a number from 1 to the group order less 1", shape)
        self._key: Final = key
        self._address_raw: Final = _address_of(point)
        self._address: Final = checksum_address(self._address_raw)

    @classmethod
    def from_hex(cls, text: str) -> "Signer":
        """Build a signer from the key's 64 hex digits, with or without `0x`.

        Raises:
            InvalidArgument: `text` is not that, or not a key; the error tells its length alone.
        """
        if type(text) is not str or _KEY_TEXT.fullmatch(text) is None:
            shape = _shape(text)
            del text
            raise InvalidArgument("text", "64 hex digits, with or without 0x", shape)
        try:
            return cls(bytes.fromhex(text[-64:]))
        except InvalidArgument:
            del text
            raise

    @property
    def address(self) -> str:
        """The account's address with its EIP-55 checksum."""
        return self._address

    @property
    def address_raw(self) -> bytes:
        """The account's address, 20 bytes."""
        return self._address_raw

    def sign_digest(self, digest: bytes) -> bytes:
        """Sign a digest of 32 bytes: r || s || v, 65 bytes.

        Raises:
            InvalidArgument: `digest` is not 32 bytes.
        """
        checked_digest(digest)
        return sign(self._key, digest)

    def sign_message(self, text: bytes) -> bytes:
        """Sign a message as a wallet's `personal_sign` does (EIP-191): r || s || v, 65 bytes.

        Raises:
            InvalidArgument: `text` is not bytes.
        """
        return sign(self._key, personal_message_digest(text))

    def __repr__(self) -> str:
        """Show the address only; a tool that shows locals may ask a signer whose key was refused."""
        return f"Signer({getattr(self, '_address', 'no key')})"

    def __getstate__(self) -> NoReturn:
        """Refuse: a copy or a pickle would carry the key to where nobody looks for it."""
        raise TypeError("a Signer is neither copied nor pickled, because it holds a private key")

    def __reduce__(self) -> NoReturn:
        """Refuse, as `__getstate__` does."""
        self.__getstate__()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuse, as `__getstate__` does."""
        self.__getstate__()


def recover_address(digest: bytes, signature: bytes) -> str:
    """Tell which address signed a digest.

    Args:
        digest: 32 bytes.
        signature: r || s || v, 65 bytes, v in {27, 28}. A high s is accepted: see EIP-2 where that matters.

    Returns:
        The address with its EIP-55 checksum.

    Raises:
        InvalidArgument: An argument has another form, or the signature is none of any key.
    """
    checked_digest(digest)
    if type(signature) is not bytes or len(signature) != 65 or signature[64] not in {27, 28}:
        raise InvalidArgument("signature", "65 bytes that end in 27 or 28", signature)
    compact = signature[:64] + bytes((signature[64] - 27,))
    try:
        key = PublicKey.from_signature_and_message(compact, digest, hasher=None)
    except ValueError:
        raise InvalidArgument("signature", "a signature that some key made", signature) from None
    return checksum_address(_address_of(key.format(compressed=False)[1:]))


def personal_message_digest(message: bytes) -> bytes:
    r"""Hash a message after the prefix of EIP-191, `\x19Ethereum Signed Message:\n` and its decimal length.

    Raises:
        InvalidArgument: `message` is not bytes.
    """
    if type(message) is not bytes:
        raise InvalidArgument("message", "bytes", _shape(message))
    return keccak256(b"\x19Ethereum Signed Message:\n%d%b" % (len(message), message))


def checked_digest(digest: bytes) -> None:
    """Refuse what is not a digest of 32 bytes, before anything is spent on it.

    Raises:
        InvalidArgument: `digest` is not 32 bytes; the error tells its length alone.
    """
    if type(digest) is not bytes or len(digest) != 32:
        raise InvalidArgument("digest", "32 bytes", _shape(digest))


def _address_of(point: bytes) -> bytes:
    return keccak256(point)[12:]


def _shape(value: object) -> str:
    """Describe an argument that may be a secret put in the wrong place."""
    size = f" of length {len(value)}" if isinstance(value, (bytes, bytearray, str)) else ""
    return f"{type(value).__name__}{size}"
