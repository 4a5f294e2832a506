import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tapemark.derive.auth import login_frame, login_params, rest_headers
from tapemark.errors import InvalidArgument
from tapemark.eth.presign import PresignedSigner
from tapemark.eth.signer import Signer, personal_message_digest, recover_address

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "logins.json").read_text())["vectors"]
WALLET = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
SIGNER = Signer(b"\1" * 32)

every_form = pytest.mark.parametrize("form", [rest_headers, login_params, partial(login_frame, request_id=1)])


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: str(v["now_ms"]))
def test_the_signature_of_the_time_is_that_of_eth_account(vector: dict[str, Any]) -> None:
    signer = Signer.from_hex(vector["key"])
    wallet, now_ms, signature = vector["wallet"], vector["now_ms"], vector["signature"]
    assert rest_headers(signer, wallet, now_ms) == {
        "X-LYRAWALLET": wallet,
        "X-LYRATIMESTAMP": str(now_ms),
        "X-LYRASIGNATURE": signature,
    }
    params = {"wallet": wallet, "timestamp": str(now_ms), "signature": signature}
    assert login_params(signer, wallet, now_ms) == params
    assert json.loads(login_frame(signer, wallet, now_ms, 17)) == {
        "jsonrpc": "2.0",
        "id": 17,
        "method": "public/login",
        "params": params,
    }


def test_a_presigned_login_recovers_the_same_signer() -> None:
    pool = PresignedSigner(SIGNER)
    pool.refill(1)
    signature = bytes.fromhex(login_params(pool, WALLET, 1_700_000_000_000)["signature"][2:])
    assert recover_address(personal_message_digest(b"1700000000000"), signature) == SIGNER.address
    assert pool.presigned_count == 1


@every_form
@pytest.mark.parametrize("wallet", ["", WALLET.replace("aA", "AA"), WALLET + "\r\nX-Other: 1", None])
def test_the_wallet_is_an_address(form: Any, wallet: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"^wallet: "):
        form(SIGNER, wallet, 1)


@every_form
@pytest.mark.parametrize("now_ms", [-1, 1.5, True, "1", None])
def test_the_present_is_an_int_of_milliseconds(form: Any, now_ms: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"^now_ms: "):
        form(SIGNER, WALLET, now_ms)


@pytest.mark.parametrize("request_id", [True, 1.0, "1", None])
def test_the_request_id_is_an_int(request_id: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"^request_id: "):
        login_frame(SIGNER, WALLET, 1, request_id)
