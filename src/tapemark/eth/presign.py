"""A pool of single-use nonce points: the costly half of a signature, made before there is anything to sign.

ECDSA spends nearly all of its time on R = k*G, which does not depend on the message. `refill` computes that
for random k while nothing is urgent and keeps r, k^-1 and k^-1*r*d. Signing is then s = k^-1*z + k^-1*r*d,
one multiplication and one addition modulo the group order. An empty pool, and the few digests that those two
operations refuse, fall back to the signer's own RFC 6979.

What is given up, and when not to use it:

- Determinism. Signing one digest twice gives two signatures. Both are valid, neither is reproducible.
- The safety of RFC 6979. Two signatures of different digests with one k reveal the private key, and so does
  a k that can be guessed. Everything rests on `randbytes`, and on each point being used once.
- Memory. One point alone reveals the key (d is share / (inverse * r)): the pool is as secret as the key
  itself, and Python cannot wipe it.
- Snapshots. A virtual machine that is snapshotted and restored, or a process that is checkpointed and cloned,
  has its pool twice, and nothing inside can tell. Do not use this class where that happens.

Used once, whatever happens: a point leaves the pool by one atomic `popleft` and is never put back, so that
threads, exceptions, signals and tasks cannot share one. A forked child starts with an empty pool, through the
hook of `os.fork`. After a fork that Python did not see, the process id no longer fits the pool, and what was
signed from an inherited point is dropped before it is returned; that check is blind to a raw fork that ends,
in another pid namespace or as a later grandchild, with the very id of the pool's owner. Copies and pickles
are refused.

Secrets meet Python integers in one place: `pow` inverts k and is not constant time, so what it sees is k
multiplied by a random blind. All other arithmetic on k and on the key runs in libsecp256k1's constant-time
functions, and what is compared with bounds is public.

Source: SEC 1, section 4.1.3, for the scheme; EIP-2 for low s.
"""

import os
import weakref
from collections import deque
from collections.abc import Callable
from threading import RLock
from typing import Final, NamedTuple, NoReturn, final

from tapemark.errors import InvalidArgument
from tapemark.eth import secp256k1
from tapemark.eth.signer import Signer, checked_digest
from tapemark.seen import BoundedMemory

CAPACITY: Final = 65_536
"""Most points that a pool holds, and how many of its latest points it compares a new one with."""

_REDRAWS: Final = 8  # the honest odds of drawing even one unusable scalar are 2^-127


class _Point(NamedTuple):
    r: bytes
    odd: int  # parity of the point's y, which is the recovery id while x < n
    inverse: bytes  # k^-1 mod n
    share: bytes  # k^-1 * r * d mod n

    def __repr__(self) -> str:
        """Show nothing: where a traceback shows its locals, a point's fields would show the key."""
        return "_Point(secret)"


class _Pool:
    """The points of one process.

    A forked child signs from another pool than its parent, and not from a copy. So what the fork left in the
    middle of its work, such as a refill, can add to the old pool only, from which nothing is signed.
    """

    __slots__ = ("__weakref__", "admitted", "fallbacks", "lock", "pid", "points", "seen")

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.points: Final[deque[_Point]] = deque()
        self.seen: Final[BoundedMemory[bytes, None]] = BoundedMemory(CAPACITY)
        self.admitted = 0
        self.fallbacks = 0
        # Guards the counters and `seen`; the points need no guard. Reentrant, since signal handlers may sign.
        self.lock = RLock()
        _pools.add(self)

    def admit(self, point: _Point) -> bool:
        """Add a point; False if the pool is full."""
        with self.lock:
            if point.r in self.seen:
                self.admitted -= len(self.points)
                self.points.clear()
                raise InvalidArgument("randbytes", "random bytes", "bytes that repeat a nonce point")
            if len(self.points) >= CAPACITY:
                return False
            self.seen.remember(point.r, None)
            self.admitted += 1
            self.points.append(point)
            return True

    def abandon(self) -> None:
        """Fit no process any more."""
        self.pid = -1
        self.points.clear()
        self.lock = RLock()  # the old one may be held by a thread that the child does not have


_pools: Final[weakref.WeakSet[_Pool]] = weakref.WeakSet()


def _abandon_all() -> None:
    for pool in list(_pools):
        pool.abandon()


os.register_at_fork(after_in_child=_abandon_all)


@final
class PresignedSigner:
    """Sign as `signer` does, from nonce points computed beforehand while there are any.

    Args:
        signer: Whose key signs.
        randbytes: Returns that many cryptographically random bytes, other ones in every process: after a
            fork, a generator that lives in this process's memory would repeat itself. Only a test or a
            measurement passes another than the operating system's.
    """

    __slots__ = ("_pool", "_randbytes", "_signer")

    def __init__(self, signer: Signer, randbytes: Callable[[int], bytes] = os.urandom) -> None:
        self._signer: Final = signer
        self._randbytes: Final = randbytes
        self._pool = _Pool()

    @property
    def address(self) -> str:
        """The account's address with its EIP-55 checksum."""
        return self._signer.address

    @property
    def address_raw(self) -> bytes:
        """The account's address, 20 bytes."""
        return self._signer.address_raw

    @property
    def remaining(self) -> int:
        """How many points are left in this process."""
        return len(self._own_pool().points)

    @property
    def presigned_count(self) -> int:
        """How many points this process has taken to sign with."""
        pool = self._own_pool()
        with pool.lock:
            return pool.admitted - len(pool.points)

    @property
    def fallback_count(self) -> int:
        """How many signatures this process made by RFC 6979 instead."""
        return self._own_pool().fallbacks

    def refill(self, count: int) -> int:
        """Add `count` points, each of which costs about as much as a signature: call it off the hot path.

        Other threads may sign and refill meanwhile.

        Returns:
            How many were added; fewer than `count` if the pool is then full, or if this process was forked
            off in the meantime.

        Raises:
            InvalidArgument: `count` is not an int of 0 or more; or `randbytes` returned something other than
                32 bytes, numbers out of range time and again, or a number that it had returned before, in
                which case the pool is emptied, since nothing from that source can be trusted.
        """
        if type(count) is not int or count < 0:
            raise InvalidArgument("count", "an int of 0 or more", count)
        # Bound before any k is drawn: should this call be forked in two, both go on with the same k, but the
        # child adds it to a pool that it does not sign from.
        pool = self._own_pool()
        added = 0
        while added < count and len(pool.points) < CAPACITY and pool.admit(self._draw_point()):
            added += 1
        return added if pool is self._own_pool() else 0

    def sign_digest(self, digest: bytes) -> bytes:
        """Sign a digest of 32 bytes: r || s || v, 65 bytes, s low, v in {27, 28}.

        Raises:
            InvalidArgument: `digest` is not 32 bytes; no point is spent on it.
        """
        checked_digest(digest)
        pool = self._pool
        try:
            r, odd, inverse, share = pool.points.popleft()
        except IndexError:
            return self._fall_back(digest)
        # None for a digest that is 0 or not below the order, and for s = 0.
        s = secp256k1.multiply_add(inverse, digest, share)
        # After computing: a fork at any moment before is noticed, and one right here makes two processes
        # return the same signature of the same digest, which reveals nothing.
        if s is None or os.getpid() != pool.pid:
            return self._fall_back(digest)
        if s > secp256k1.HALF_ORDER_BYTES:
            s = (secp256k1.ORDER - int.from_bytes(s)).to_bytes(32)
            odd ^= 1
        return r + s + secp256k1.V_BYTES[odd]

    def __repr__(self) -> str:
        """Show the address and how many points are left."""
        return f"PresignedSigner({self.address}, remaining={self.remaining})"

    def __getstate__(self) -> NoReturn:
        """Refuse: a copy would sign from the same points, and so reveal the key."""
        raise TypeError("a PresignedSigner is neither copied nor pickled: a point used twice reveals the key")

    def __reduce__(self) -> NoReturn:
        """Refuse, as `__getstate__` does."""
        self.__getstate__()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuse, as `__getstate__` does."""
        self.__getstate__()

    def _fall_back(self, digest: bytes) -> bytes:
        pool = self._own_pool()
        with pool.lock:
            pool.fallbacks += 1
        return self._signer.sign_digest(digest)

    def _own_pool(self) -> _Pool:
        if self._pool.pid != os.getpid():
            self._pool = _Pool()
        return self._pool

    def _draw_point(self) -> _Point:
        for _ in range(_REDRAWS):
            point = self._point_of(self._draw_scalar(), self._draw_scalar())
            if point is not None:
                return point
        raise InvalidArgument("randbytes", "random bytes", "numbers out of range time and again")

    def _draw_scalar(self) -> bytes:
        drawn = self._randbytes(32)
        if type(drawn) is not bytes or len(drawn) != 32:
            raise InvalidArgument("randbytes", "32 bytes when asked for 32", type(drawn))
        return drawn

    def _point_of(self, k: bytes, blind: bytes) -> _Point | None:
        """Precompute what k contributes to a signature; None if k, the blind or r is out of range."""
        point = secp256k1.base_point_times(k)
        blinded = secp256k1.multiply(k, blind)
        if point is None or blinded is None:
            return None
        blinded_inverse = pow(int.from_bytes(blinded), -1, secp256k1.ORDER).to_bytes(32)
        inverse = secp256k1.multiply(blinded_inverse, blind)
        r = point[:32]
        # The products are None if r is 0 or not below the order, and for no other reason.
        r_over_k = None if inverse is None else secp256k1.multiply(inverse, r)
        key = self._signer._key  # noqa: SLF001 - the pool is the other half of its signer
        share = None if r_over_k is None else secp256k1.multiply(r_over_k, key)
        if inverse is None or share is None:
            return None
        return _Point(r, point[63] & 1, inverse, share)
