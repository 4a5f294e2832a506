import json

import pytest

from tapemark.derive.actions import ActionSigner
from tapemark.derive.auth import login_frame, rest_headers
from tapemark.derive.network import TESTNET
from tapemark.derive.nonce import NonceManager
from tapemark.derive.requests import check_json_int, check_now_ms, request_bytes
from tapemark.errors import InvalidArgument
from tapemark.eth.signer import Signer

NOW_MS = 1_794_128_400_000
WALLET = "0x" + "22" * 20
SIGNER = Signer(b"\x11" * 32)


def test_a_request_is_a_json_rpc_object() -> None:
    assert json.loads(request_bytes(7, "public/x", {"a": "é"})) == {
        "jsonrpc": "2.0",
        "id": 7,
        "method": "public/x",
        "params": {"a": "é"},
    }


@pytest.mark.parametrize("value", [-1, 2**53, True, 1.0, "1", None])
def test_an_id_is_one_that_every_json_reader_keeps(value: object) -> None:
    with pytest.raises(InvalidArgument) as caught:
        check_json_int(value, "request_id")
    assert caught.value.field == "request_id"


@pytest.mark.parametrize("value", [0, 2**53 - 1])
def test_the_ends_of_the_range_are_in_it(value: int) -> None:
    check_json_int(value, "request_id")


@pytest.mark.parametrize(
    "now_ms", [NOW_MS // 1000, NOW_MS * 1000, 10**12 - 1, 10**14, -NOW_MS, float(NOW_MS), True, None]
)
def test_a_time_in_another_unit_is_refused_wherever_one_is_taken(now_ms: object) -> None:
    for take in (
        lambda: check_now_ms(now_ms),
        lambda: rest_headers(SIGNER, WALLET, now_ms),  # type: ignore[arg-type]  # what the check is for
        lambda: login_frame(SIGNER, WALLET, now_ms, 1),  # type: ignore[arg-type]  # the same
        lambda: NonceManager().next(WALLET, 1, now_ms),  # type: ignore[arg-type]  # the same
    ):
        with pytest.raises(InvalidArgument) as caught:
            take()
        assert caught.value.field == "now_ms"


def test_the_login_request_checks_its_id() -> None:
    with pytest.raises(InvalidArgument) as caught:
        login_frame(SIGNER, WALLET, NOW_MS, 2**53)
    assert caught.value.field == "request_id"


def test_asking_for_the_last_nonce_keeps_nothing() -> None:
    nonces = NonceManager()
    assert [nonces.last(WALLET, n) for n in range(5)] == [None] * 5
    assert not nonces._by_wallet
    assert not nonces._by_text


def test_an_action_signer_shows_addresses_only() -> None:
    assert (
        repr(ActionSigner(TESTNET, WALLET, SIGNER))
        == f"ActionSigner(owner={WALLET}, signer={SIGNER.address})"
    )
