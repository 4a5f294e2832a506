import ctypes
import json
import random
import signal
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import Crypto
import pytest
from Crypto.Hash import keccak as pycryptodome

from tapemark.errors import InvalidArgument
from tapemark.eth import keccak
from tapemark.eth.keccak import BACKEND, BytesLike, Hash, keccak256, keccak256_public
from tests.tapemark.eth.forks import FORKS, Fork, start_child

PUBLISHED = json.loads((Path(__file__).parents[2] / "vectors" / "published.json").read_text())["keccak_256"]
HASHES = {"public": keccak256_public, **keccak._fast_paths()}

every_hash = pytest.mark.parametrize("hashed", HASHES.values(), ids=HASHES.keys())


def test_a_fast_path_is_in_use_with_the_pycryptodome_of_this_environment() -> None:
    assert BACKEND in HASHES
    assert BACKEND != "public"
    assert "reused_state" in HASHES


@every_hash
@pytest.mark.parametrize("vector", PUBLISHED["vectors"], ids=lambda v: v["message"][:8] or "empty")
def test_published_vectors(hashed: Hash, vector: dict[str, str]) -> None:
    assert hashed(vector["message"].encode()).hex() == vector["digest"]


@every_hash
def test_every_length_over_three_blocks_agrees_with_the_public_object(hashed: Hash) -> None:
    source = random.Random(1).randbytes(3 * 136 + 2)
    for length in range(len(source) + 1):
        assert hashed(source[:length]) == keccak256_public(source[:length])


@every_hash
def test_any_bytes_like_object_is_hashed_by_its_bytes(hashed: Hash) -> None:
    data = bytes(range(250))
    assert hashed(bytearray(data)) == hashed(data)
    assert hashed(memoryview(data)) == hashed(data)
    assert hashed(memoryview(data)[::2]) == hashed(data[::2])


@every_hash
@pytest.mark.parametrize("data", ["text", 7, None, [1, 2]])
def test_what_is_not_bytes_like_is_refused_and_not_shown(hashed: Hash, data: Any) -> None:
    with pytest.raises(InvalidArgument, match="bytes-like") as refusal:
        hashed(data)
    assert refusal.value.got == repr(type(data))


@pytest.mark.usefixtures("eager_switches")
@every_hash
def test_threads_do_not_mix_their_messages(hashed: Hash) -> None:
    wrong: list[int] = []

    def hammer(thread: int) -> None:
        message = bytes((thread,)) * (100 + 40 * thread)
        expected = keccak256_public(message)
        wrong.extend(thread for _ in range(2_000) if hashed(message) != expected)

    threads = [threading.Thread(target=hammer, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@every_hash
def test_a_signal_handler_that_hashes_disturbs_nothing(hashed: Hash) -> None:
    inner, outer = b"inner" * 60, b"outer" * 60
    expected_inner, expected_outer = keccak256_public(inner), keccak256_public(outer)
    from_handler: list[bytes] = []

    def handler(_number: int, _frame: FrameType | None) -> None:
        from_handler.append(hashed(inner))

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.0001, 0.0001)
    try:
        while len(from_handler) < 300:
            assert hashed(outer) == expected_outer
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert set(from_handler) == {expected_inner}


@pytest.mark.parametrize("fork", FORKS)
@every_hash
def test_a_forked_child_hashes_on(hashed: Hash, fork: Fork) -> None:
    expected = hashed(b"before").hex()
    assert start_child(lambda: [hashed(b"before").hex(), hashed(b"after").hex()], fork).result() == [
        expected,
        keccak256_public(b"after").hex(),
    ]


def test_a_backend_that_disagrees_is_not_chosen() -> None:
    def truncates_blocks(data: BytesLike) -> bytes:
        return keccak256_public(data[:136])

    assert keccak._fastest({"wrong": truncates_blocks}) == ("public", keccak256_public)
    assert keccak._fastest({"wrong": truncates_blocks, "right": keccak256}) == ("right", keccak256)


class FailingLibrary:
    """A `_keccak` whose functions return an error code, apart from those named."""

    def __init__(self, *works: str) -> None:
        self._works = works

    def __getattr__(self, name: str) -> Any:
        library = ctypes.PyDLL(str(next(Path(str(pycryptodome.__file__)).parent.glob("_keccak.*"))))
        return getattr(library, name) if name in self._works else lambda *_: 1


@pytest.mark.parametrize(
    "works",
    [
        ("keccak_init", "keccak_absorb", "keccak_digest"),
        ("keccak_init", "keccak_reset", "keccak_digest"),
        ("keccak_init", "keccak_reset", "keccak_absorb"),
    ],
)
def test_a_return_code_other_than_zero_leaves_the_answer_to_the_public_object(works: tuple[str, ...]) -> None:
    library: Any = FailingLibrary(*works)
    for build in (keccak._one_shot, keccak._reused_state):
        assert build(library)(b"abc") == keccak256_public(b"abc")


def test_a_state_that_cannot_be_made_rules_the_fast_path_out() -> None:
    library: Any = FailingLibrary()
    assert keccak._fastest({"reused_state": keccak._reused_state(library)}) == ("public", keccak256_public)


def test_an_unknown_major_version_is_not_called_into(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Crypto, "version_info", (99, 0, 0))
    assert keccak._fast_paths() == {}
