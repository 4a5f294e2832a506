"""keccak256, as Ethereum uses it: Keccak with capacity 512 bits and padding 0x01, not FIPS 202 SHA3-256.

pycryptodome's hash object costs three times the permutation it wraps, so `keccak256` calls the C functions
behind that object directly. They are private to pycryptodome. So the fast path is taken only on the major
versions whose C source was read, only after it has agreed at import with the public object on messages around
the 136-byte block, and a call whose return code is not zero is answered by the public object. `BACKEND` says
which path this process took: `one_shot` (pycryptodome 4: one stateless call), `reused_state` (pycryptodome 3:
three calls on a recycled state) or `public`.

Source: the Keccak reference, version 3.0; pycryptodome's `src/keccak.c`.
"""

import ctypes
from collections.abc import Callable
from importlib import machinery
from pathlib import Path
from typing import Final

import Crypto
from Crypto.Hash import keccak as _keccak

from tapemark.errors import InvalidArgument

BytesLike = bytes | bytearray | memoryview
Hash = Callable[[BytesLike], bytes]

_DIGEST_BYTES: Final = 32
_CAPACITY_BYTES: Final = 64
_ROUNDS: Final = 24
_PADDING: Final = 0x01
_INT_MAX: Final = 2**31 - 1
_KNOWN_MAJORS: Final = (3, 4)
_CHECKED_LENGTHS: Final = (0, 1, 66, 135, 136, 137, 224, 256, 272, 273)


def keccak256_public(data: BytesLike) -> bytes:
    """Hash `data` through pycryptodome's public object.

    Args:
        data: Any bytes-like object.

    Returns:
        The digest, 32 bytes.

    Raises:
        InvalidArgument: `data` is not bytes-like.
    """
    return _keccak.new(digest_bits=256, data=_plain_bytes(data)).digest()


def _plain_bytes(data: BytesLike) -> bytes:
    try:
        return bytes(memoryview(data))
    except TypeError:
        # The type alone: what was to be hashed may be secret.
        raise InvalidArgument("data", "a bytes-like object", type(data)) from None


# Both fast paths call through `ctypes.PyDLL` without `argtypes`, because converting by declared types costs
# more than a permutation. An int then travels as a C int, which libffi sign-extends to a register's width:
# hence the bound on the length, and the exact type `bytes`, since ctypes would take a str for a wide string.


def _one_shot(library: ctypes.PyDLL) -> Hash:
    absorb_and_squeeze = library.keccak_oneshot
    digest_buffer = ctypes.c_char * _DIGEST_BYTES

    def keccak256(data: BytesLike) -> bytes:
        if type(data) is not bytes or (size := len(data)) > _INT_MAX:
            return keccak256_public(data)
        digest = digest_buffer()
        if absorb_and_squeeze(data, size, digest, _DIGEST_BYTES, _CAPACITY_BYTES, _ROUNDS, _PADDING):
            return keccak256_public(data)
        return digest.raw

    return keccak256


def _reused_state(library: ctypes.PyDLL) -> Hash:
    init, reset = library.keccak_init, library.keccak_reset
    absorb, squeeze = library.keccak_absorb, library.keccak_digest
    digest_buffer = ctypes.c_char * _DIGEST_BYTES
    # A state belongs to one call between pop and append, which are atomic with and without a GIL. So another
    # thread, or a signal handler that interrupts between two of the C calls, finds another state or makes
    # one. An exception hands its state back half used, which is fine: each call starts with a reset. A forked
    # child has its own copy of the memory. The list grows to as many states as calls ever overlapped.
    idle: list[tuple[object, object, ctypes.Array[ctypes.c_char]]] = []
    take, hand_back = idle.pop, idle.append

    def new_state() -> tuple[object, object, ctypes.Array[ctypes.c_char]]:
        address, digest = ctypes.c_void_p(), digest_buffer()
        if init(ctypes.byref(address), ctypes.c_size_t(_CAPACITY_BYTES), ctypes.c_uint8(_ROUNDS)):
            raise MemoryError("no keccak state")
        # What byref returns is passed on as it is, where a pointer object would be converted in each call.
        state = ctypes.c_char.from_address(address.value or 0)
        return ctypes.byref(state), ctypes.byref(digest), digest

    def keccak256(data: BytesLike) -> bytes:
        if type(data) is not bytes or (size := len(data)) > _INT_MAX:
            return keccak256_public(data)
        try:
            state = take()
        except IndexError:
            state = new_state()
        pointer, digest_pointer, digest = state
        try:
            failed = reset(pointer) or absorb(pointer, data, size)
            if failed or squeeze(pointer, digest_pointer, _DIGEST_BYTES, _PADDING):
                return keccak256_public(data)
            return digest.raw
        finally:
            hand_back(state)

    return keccak256


def _fast_paths() -> dict[str, Hash]:
    """Build every fast path that the installed pycryptodome has the functions for, fastest first."""
    if Crypto.version_info[0] not in _KNOWN_MAJORS:
        return {}
    folder = Path(_keccak.__file__).parent
    paths = (folder / f"_keccak{suffix}" for suffix in machinery.EXTENSION_SUFFIXES)
    found = {}
    for path in filter(Path.is_file, paths):
        for name, build in (("one_shot", _one_shot), ("reused_state", _reused_state)):
            try:
                found[name] = build(ctypes.PyDLL(str(path)))
            except (OSError, AttributeError):  # not loadable, or this version lacks a function
                continue
    return found


def _agrees(candidate: Hash) -> bool:
    messages = [(bytes(range(256)) * 2)[:length] for length in _CHECKED_LENGTHS]
    try:
        return all(candidate(message) == keccak256_public(message) for message in messages)
    except MemoryError:
        return False


def _fastest(candidates: dict[str, Hash]) -> tuple[str, Hash]:
    for name, candidate in candidates.items():
        if _agrees(candidate):
            return name, candidate
    return "public", keccak256_public


_FASTEST = _fastest(_fast_paths())
BACKEND: Final = _FASTEST[0]
"""Which path this process took: `one_shot`, `reused_state` or `public`."""
keccak256: Final = _FASTEST[1]
keccak256.__name__ = keccak256.__qualname__ = "keccak256"
keccak256.__doc__ = keccak256_public.__doc__
