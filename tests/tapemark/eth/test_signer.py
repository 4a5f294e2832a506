import copy
import hashlib
import json
import pickle
import random
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tapemark.errors import InvalidArgument
from tapemark.eth import signer as signer_module
from tapemark.eth.secp256k1 import HALF_ORDER_BYTES, ORDER, sign
from tapemark.eth.signer import Signer, personal_message_digest, recover_address

PUBLISHED = json.loads((Path(__file__).parents[2] / "vectors" / "published.json").read_text())
KEY = bytes.fromhex(PUBLISHED["eip_191"][0]["key"])


class NotQuiteBytes(bytes):
    """May say anything of its own length, while C reads 32 bytes."""


@pytest.mark.parametrize("vector", PUBLISHED["rfc_6979_secp256k1"]["vectors"], ids=lambda v: v["message"][:8])
def test_published_signatures_of_rfc_6979(vector: dict[str, str]) -> None:
    signer = Signer.from_hex(vector["key"])
    digest = hashlib.sha256(vector["message"].encode()).digest()
    signature = signer.sign_digest(digest)
    assert signature[:64].hex() == vector["r_s"]
    assert recover_address(digest, signature) == signer.address


@pytest.mark.parametrize("vector", PUBLISHED["eip_191"], ids=lambda v: v["message"])
def test_published_signed_messages_of_eip_191(vector: dict[str, str]) -> None:
    signer = Signer.from_hex("0x" + vector["key"])
    message = vector["message"].encode()
    assert signer.address == vector["address"]
    assert signer.address_raw.hex() == vector["address"][2:].lower()
    assert personal_message_digest(message).hex() == vector["digest"]
    assert signer.sign_message(message).hex() == vector["signature"]


def test_signatures_are_repeatable_low_and_recoverable() -> None:
    rng = random.Random(3)
    seen_v = set()
    for _ in range(300):
        signer, digest = Signer(rng.randbytes(32)), rng.randbytes(32)
        signature = signer.sign_digest(digest)
        assert signature == signer.sign_digest(digest)
        assert len(signature) == 65
        assert signature[32:64] <= HALF_ORDER_BYTES
        assert recover_address(digest, signature) == signer.address
        seen_v.add(signature[64])
    assert seen_v == {27, 28}


def test_threads_do_not_mix_their_signatures() -> None:
    signer = Signer(KEY)
    digests = [bytes((n,)) * 32 for n in range(8)]
    expected = [signer.sign_digest(digest) for digest in digests]
    wrong: list[int] = []

    def hammer(thread: int) -> None:
        digest = digests[thread]
        wrong.extend(thread for _ in range(300) if signer.sign_digest(digest) != expected[thread])

    threads = [threading.Thread(target=hammer, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("digest", [bytes(32), ORDER.to_bytes(32), b"\xff" * 32])
def test_any_32_bytes_are_a_digest(digest: bytes) -> None:
    signer = Signer(KEY)
    assert recover_address(digest, signer.sign_digest(digest)) == signer.address


@pytest.mark.parametrize(
    "digest", [b"", bytes(31), bytes(33), bytearray(32), "0" * 32, None, NotQuiteBytes(32)]
)
def test_other_digests_are_refused(digest: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"^digest: expected 32 bytes"):
        Signer(KEY).sign_digest(digest)
    with pytest.raises(InvalidArgument, match=r"^digest: expected 32 bytes"):
        recover_address(digest, bytes(65))


def test_a_message_is_bytes() -> None:
    text: Any = "text"
    with pytest.raises(InvalidArgument, match=r"^message: expected bytes, got 'str of length 4'"):
        Signer(KEY).sign_message(text)


@pytest.mark.parametrize(
    "key",
    [bytes(32), ORDER.to_bytes(32), b"\xff" * 32, KEY[:-1], KEY + b"\0", bytearray(KEY), NotQuiteBytes(KEY)],
)
def test_a_bad_key_is_refused_without_showing_it(key: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"^key: expected ") as refusal:
        Signer(key)
    shown = f"{refusal.value!r} {refusal.value} {refusal.value.__cause__} {refusal.value.__context__}"
    assert bytes(key).hex() not in shown
    assert repr(bytes(key)) not in shown
    assert f"of length {len(key)}" in shown


def test_the_ends_of_the_key_range_are_keys() -> None:
    assert Signer((1).to_bytes(32)).address == "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"
    assert Signer((ORDER - 1).to_bytes(32)).address == "0x80C0dbf239224071c59dD8970ab9d542E3414aB2"


@pytest.mark.parametrize(
    "text", [KEY.hex()[1:], KEY.hex() + "0", "0y" + KEY.hex(), " " + KEY.hex(), KEY, None, ""]
)
def test_a_bad_key_text_is_refused_without_showing_it(text: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"^text: expected 64 hex digits") as refusal:
        Signer.from_hex(text)
    shown = f"{refusal.value!r} {refusal.value.__cause__} {refusal.value.__context__}"
    assert KEY.hex()[8:40] not in shown
    assert repr(KEY) not in shown


def test_a_signer_shows_its_address_and_hides_its_key() -> None:
    signer = Signer(KEY)
    assert repr(signer) == str(signer) == f"Signer({signer.address})"
    with pytest.raises(TypeError, match="__dict__"):
        vars(signer)


ZEROS, BEYOND = bytes(32), b"\xff" * 32


@pytest.mark.parametrize(
    ("build", "secret"),
    [
        (Signer, KEY[:-1]),
        (Signer, KEY + b"\n"),
        (Signer, bytearray(KEY)),
        (Signer, KEY.hex()),
        (Signer, int.from_bytes(KEY)),
        (Signer, BEYOND),
        (Signer, ZEROS),
        (Signer.from_hex, KEY.hex() + "\n"),
        (Signer.from_hex, KEY),
        (Signer.from_hex, BEYOND.hex()),
        (Signer.from_hex, "0x" + ZEROS.hex()),
    ],
    ids=[*(f"bytes {n}" for n in range(7)), *(f"hex {n}" for n in range(4))],
)
def test_no_frame_of_the_package_keeps_what_was_refused_as_a_key(
    build: Callable[[Any], Signer], secret: Any
) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        build(secret)
    report = traceback.TracebackException.from_exception(refusal.value, capture_locals=True)
    frames = [frame for frame in report.stack if frame.filename == signer_module.__file__]
    shown = "".join(f"{name}={value}" for frame in frames for name, value in (frame.locals or {}).items())
    assert frames
    assert "self=" in shown or "cls=" in shown, "the locals are there"
    bare = secret.removeprefix("0x") if isinstance(secret, str) else secret
    for form in (bare, bytes(bare) if isinstance(bare, bytearray) else bare, ZEROS, BEYOND):
        assert repr(form).strip("'") not in shown
    assert KEY.hex()[8:40] not in shown


@pytest.mark.parametrize(
    "duplicate",
    [
        copy.copy,
        copy.deepcopy,
        pickle.dumps,
        lambda s: copy.deepcopy([s]),
        lambda s: s.__getstate__(),
        lambda s: s.__reduce__(),
        lambda s: object.__reduce_ex__(s, 4),
        lambda s: object.__reduce_ex__(s, 2),
        lambda s: pickle._dumps(s, 0),  # type: ignore[attr-defined]  # the one written in Python
    ],
)
def test_a_signer_is_not_duplicated(duplicate: Any) -> None:
    with pytest.raises(TypeError, match="holds a private key"):
        duplicate(Signer(KEY))


def test_the_curve_refuses_what_is_no_key() -> None:
    with pytest.raises(ValueError, match="not a key"):
        sign(bytes(32), bytes(32))


def test_recovery_tells_another_address_for_another_digest() -> None:
    signer = Signer(KEY)
    digest = bytes(range(32))
    signature = signer.sign_digest(digest)
    assert recover_address(digest[::-1], signature) != signer.address
    flipped = signature[:64] + bytes((55 - signature[64],))
    assert recover_address(digest, flipped) != signer.address


@pytest.mark.parametrize("v", [0, 1, 26, 29, 30, 31, 255])
def test_a_good_signature_under_another_v_is_refused_by_its_form(v: int) -> None:
    digest = bytes(range(32))
    signature = Signer(KEY).sign_digest(digest)
    with pytest.raises(InvalidArgument, match=r"^signature: expected 65 bytes that end in 27 or 28"):
        recover_address(digest, signature[:64] + bytes((v,)))


@pytest.mark.parametrize(
    "signature",
    [
        b"",
        bytes(64) + b"\x1b",
        bytes(65),
        b"\xff" * 64 + b"\x1c",
        b"\1" * 64 + b"\x1d",
        b"\1" * 66,
        bytearray(65),
        None,
    ],
)
def test_what_is_no_signature_is_refused(signature: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"^signature: expected "):
        recover_address(bytes(32), signature)
