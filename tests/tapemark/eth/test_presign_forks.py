"""No point is used twice, whatever exceptions, signals, threads and forks come between."""

import os
import random
import signal
import threading
from types import FrameType

import pytest

from tapemark.eth import secp256k1
from tapemark.eth.presign import PresignedSigner
from tests.tapemark.eth.forks import FORKS, Child, Fork, leave_child, seen_fork, start_child
from tests.tapemark.eth.pools import SIGNER, digest_of, filled, nonce_points

every_fork = pytest.mark.parametrize("fork", FORKS)


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, MemoryError])
def test_a_point_in_use_when_an_exception_strikes_is_lost(
    monkeypatch: pytest.MonkeyPatch, interruption: type[BaseException]
) -> None:
    pool = filled(2)
    lost, kept = (point.r for point in pool._pool.points)

    def interrupted(*_: bytes) -> None:
        raise interruption

    with monkeypatch.context() as patch:
        patch.setattr(secp256k1, "multiply_add", interrupted)
        with pytest.raises(interruption):
            pool.sign_digest(digest_of(1))
    assert pool.remaining == 1
    signatures = [pool.sign_digest(digest_of(n)) for n in range(2)]
    assert signatures[0][:32] == kept
    assert lost not in {signature[:32] for signature in signatures}


def test_real_interrupts_never_bring_a_point_back() -> None:
    pool = filled(4_000)
    signatures: list[bytes] = []
    interrupts = 0
    armed = False

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        if armed:
            raise KeyboardInterrupt

    def drain() -> None:
        nonlocal armed
        armed = True
        # Each interval is longer than the last, so that a slow machine gets on, too.
        signal.setitimer(signal.ITIMER_REAL, 0.0002 * 1.3**interrupts)
        while pool.remaining:
            signatures.append(pool.sign_digest(digest_of(len(signatures))))
        armed = False

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        while pool.remaining:
            try:
                drain()
            except KeyboardInterrupt:
                armed = False
                interrupts += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert interrupts > 3
    points = nonce_points(signatures)
    assert len(set(points)) == len(points)
    assert pool.presigned_count == 4_000


@pytest.mark.usefixtures("eager_switches")
def test_threads_and_forked_children_drain_one_pool_without_sharing_a_point() -> None:
    pool = filled(4_000)
    signatures: list[list[bytes]] = [[] for _ in range(8)]
    go = threading.Barrier(9)

    def drain(thread: int) -> None:
        go.wait()
        while pool.remaining:
            signatures[thread].append(pool.sign_digest(digest_of(thread, len(signatures[thread]))))

    def in_child(child: int) -> list[str]:
        inherited = [pool.sign_digest(digest_of("child", child, n)) for n in range(100)]
        assert (pool.presigned_count, pool.fallback_count) == (0, 100)
        assert pool.refill(100) == 100
        own = [pool.sign_digest(digest_of("own", child, n)) for n in range(100)]
        assert (pool.presigned_count, pool.fallback_count) == (100, 100)
        return nonce_points(inherited + own)

    threads = [threading.Thread(target=drain, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    go.wait()
    children = [start_child(lambda n=n: in_child(n)) for n in range(4)]  # type: ignore[misc]  # bound as a default
    for thread in threads:
        thread.join()
    reported = [point for child in children for point in child.result()]
    points = [point for each in signatures for point in nonce_points(each)]
    assert len(points) >= 4_000
    assert len(set(points + reported)) == len(points) + 4 * 200
    assert pool.presigned_count == 4_000


@every_fork
def test_a_child_forked_with_a_full_pool_signs_by_rfc_6979(fork: Fork) -> None:
    pool = filled(50)

    def in_child() -> list[str]:
        digests = [digest_of("child", n) for n in range(60)]
        signatures = [pool.sign_digest(digest) for digest in digests]
        assert signatures == [SIGNER.sign_digest(digest) for digest in digests]
        assert (pool.remaining, pool.presigned_count, pool.fallback_count) == (0, 0, 60)
        assert pool.refill(5) == 5
        return nonce_points([pool.sign_digest(digest) for digest in digests[:5]])

    child = start_child(in_child, fork)
    mine = nonce_points([pool.sign_digest(digest_of("parent", n)) for n in range(50)])
    assert not set(mine) & set(child.result())
    assert pool.presigned_count == 50


def test_the_hook_of_os_fork_wipes_what_the_child_inherits() -> None:
    pool = filled(3)

    def in_child() -> list[int]:
        return [len(pool._pool.points), pool._pool.pid]

    # No id at all, since the child of another pid namespace may have the parent's.
    assert start_child(in_child).result() == [0, -1]


@every_fork
def test_a_grandchild_signs_by_rfc_6979_too(fork: Fork) -> None:
    pool = filled(3)
    digest = digest_of("generations")
    expected = SIGNER.sign_digest(digest).hex()

    def in_child() -> list[str]:
        return [
            start_child(lambda: pool.sign_digest(digest).hex(), fork).result(),
            pool.sign_digest(digest).hex(),
        ]

    assert start_child(in_child, fork).result() == [expected, expected]
    assert pool.sign_digest(digest).hex() != expected


@every_fork
def test_a_fork_while_a_point_is_in_use_leaves_it_to_the_parent(
    monkeypatch: pytest.MonkeyPatch, fork: Fork
) -> None:
    pool = filled(1)
    digest = digest_of("in use")
    genuine = secp256k1.multiply_add
    forked: list[int] = []

    def forks_first(left: bytes, right: bytes, addend: bytes) -> bytes | None:
        forked.append(fork())
        return genuine(left, right, addend)

    receive, send = os.pipe()
    monkeypatch.setattr(secp256k1, "multiply_add", forks_first)
    signature = pool.sign_digest(digest)
    if forked == [0]:
        leave_child(lambda: [signature.hex(), pool.fallback_count], send)
    os.close(send)
    assert Child(forked[0], receive).result() == [SIGNER.sign_digest(digest).hex(), 1]
    assert signature != SIGNER.sign_digest(digest)
    assert pool.fallback_count == 0


@every_fork
def test_a_signal_handler_that_forks_never_doubles_a_point(fork: Fork) -> None:
    pool = filled(3_000)
    children: list[Child] = []
    reports: list[int] = []
    signatures: list[str] = []

    def sign_next() -> None:
        digest = digest_of(os.getpid(), len(signatures))
        signatures.append(pool.sign_digest(digest).hex())

    def forks(_number: int, _frame: FrameType | None) -> None:
        receive, send = os.pipe()
        pid = fork()
        if pid == 0:
            signatures.clear()
            reports.append(send)
            return
        os.close(send)
        children.append(Child(pid, receive))
        if len(children) < 12:
            signal.setitimer(signal.ITIMER_REAL, 0.001)

    def in_child() -> list[str]:
        while len(signatures) < 20:
            sign_next()
        return signatures

    before = signal.signal(signal.SIGALRM, forks)
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    try:
        while pool.remaining and not reports:
            sign_next()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if reports:
            leave_child(in_child, reports[0])
    assert children
    assert len(signatures) == 3_000
    everyone = signatures + [signature for child in children for signature in child.result()]
    # A fork after the last check makes both return the same signature of the same digest, which reveals
    # nothing: what must not be is one point in two signatures.
    assert len({signature[:64] for signature in everyone}) == len(set(everyone))


@every_fork
@pytest.mark.parametrize("at", [1, 2, 5, 6], ids=lambda n: f"draw {n}")
def test_a_fork_during_a_refill_does_not_give_the_child_the_parents_points(fork: Fork, at: int) -> None:
    draws = 0
    forked: list[int] = []

    def forks(count: int) -> bytes:
        nonlocal draws
        draws += 1
        drawn = rng.randbytes(count)  # the same in parent and child, as if the fork had come right after it
        if draws == at:
            forked.append(fork())
            str(pool)  # counts what remains, and so gives the child its own pool before it goes on
        return drawn

    rng = random.Random(4)
    pool = PresignedSigner(SIGNER, forks)
    receive, send = os.pipe()
    added = pool.refill(4)
    if forked == [0]:

        def in_child() -> list[object]:
            left = pool.remaining
            return [added, left, *nonce_points([pool.sign_digest(digest_of("child", n)) for n in range(8)])]

        leave_child(in_child, send)
    os.close(send)
    child_added, child_left, *child_points = Child(forked[0], receive).result()
    assert (added, child_added, child_left) == (4, 0, 0)
    points = nonce_points([pool.sign_digest(digest_of("parent", n)) for n in range(4)])
    assert pool.presigned_count == 4
    assert len(set(points + child_points)) == 4 + 8


def test_a_fork_while_another_thread_holds_the_lock_leaves_the_child_able_to_sign() -> None:
    held, forked = threading.Event(), threading.Event()
    pids: list[int] = []

    def hold() -> None:
        with pool._pool.lock:
            held.set()
            forked.wait(10)

    def forks(count: int) -> bytes:
        if not pids:
            pids.append(seen_fork())
            if pids == [0]:  # where a lock that nobody releases must not hang
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.alarm(10)
            else:
                forked.set()
        return os.urandom(count)

    pool = PresignedSigner(SIGNER, forks)
    digest = digest_of("held")
    receive, send = os.pipe()
    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(10)
    added = pool.refill(2)
    if pids == [0]:

        def in_child() -> list[object]:
            fallen_back = pool.sign_digest(digest).hex()
            return [added, fallen_back, pool.refill(2), *nonce_points([pool.sign_digest(digest)])]

        leave_child(in_child, send)
    os.close(send)
    holder.join()
    child_added, fallen_back, refilled, point = Child(pids[0], receive).result()
    assert (added, child_added, refilled) == (2, 0, 2)
    assert fallen_back == SIGNER.sign_digest(digest).hex()
    assert point not in nonce_points([pool.sign_digest(digest) for _ in range(2)])


def test_a_signal_handler_may_sign_and_refill_while_the_pool_is_locked() -> None:
    pool = PresignedSigner(SIGNER)
    digest = digest_of("handler")
    done: list[object] = []

    def use(_number: int, _frame: FrameType | None) -> None:
        done.extend((pool.sign_digest(digest), pool.refill(1), pool.presigned_count))

    def give_up(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGUSR1, use), signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, 10)
    try:
        with pool._pool.lock:
            signal.raise_signal(signal.SIGUSR1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGUSR1, before[0])
        signal.signal(signal.SIGALRM, before[1])
    assert done == [SIGNER.sign_digest(digest), 1, 0]


@pytest.mark.usefixtures("eager_switches")
def test_forks_during_another_threads_refill_leave_the_child_able_to_refill() -> None:
    pool = PresignedSigner(SIGNER)
    stop = threading.Event()

    def refill() -> None:
        while not stop.is_set():
            pool.refill(20)

    def in_child(child: int) -> list[str]:
        inherited = [pool.sign_digest(digest_of("child", child, n)) for n in range(20)]
        assert pool.refill(20) == 20
        return nonce_points(inherited + [pool.sign_digest(digest_of("own", child, n)) for n in range(20)])

    thread = threading.Thread(target=refill)
    thread.start()
    try:
        signatures = []
        children = []
        for child in range(12):
            children.append(start_child(lambda n=child: in_child(n)))  # type: ignore[misc]  # bound as a default
            signatures += [pool.sign_digest(digest_of("parent", child, n)) for n in range(30)]
    finally:
        stop.set()
        thread.join()
    points = nonce_points(signatures) + [point for child in children for point in child.result()]
    assert len(set(points)) == 12 * 30 + 12 * 40
