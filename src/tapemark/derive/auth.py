"""Session authentication at the Derive venue: proof of a key by signing the present time.

The signature is EIP-191 `personal_sign` over the decimal digits of the UTC time in milliseconds. A REST
request carries it in headers, a WebSocket connection in one `public/login` call. The caller sends the result
before the venue's tolerance for old timestamps runs out.

Source: the venue's "Authentication" guide.
"""

from typing import TypedDict

from tapemark.derive.requests import check_json_int, check_now_ms, request_bytes
from tapemark.eth.abi import address_bytes
from tapemark.eth.signer import DigestSigner, personal_message_digest


class LoginParams(TypedDict):
    """Parameters of `public/login`; the signature is hex after `0x`."""

    wallet: str
    timestamp: str
    signature: str


def rest_headers(signer: DigestSigner, wallet: str, now_ms: int) -> dict[str, str]:
    """Sign the time for one REST request.

    Args:
        signer: The wallet owner's key, or a session key registered for it.
        wallet: Address of the account at the venue; sent as given.
        now_ms: The present time, UTC milliseconds.

    Returns:
        The three headers, by name.

    Raises:
        InvalidArgument: `wallet` is no address, or `now_ms` is no Unix time in milliseconds.
    """
    params = login_params(signer, wallet, now_ms)
    return {
        "X-LYRAWALLET": params["wallet"],
        "X-LYRATIMESTAMP": params["timestamp"],
        "X-LYRASIGNATURE": params["signature"],
    }


def login_params(signer: DigestSigner, wallet: str, now_ms: int) -> LoginParams:
    """Sign the time for one WebSocket login; arguments and errors are those of `rest_headers`."""
    address_bytes(wallet, "wallet")
    check_now_ms(now_ms)
    timestamp = str(now_ms)
    signature = signer.sign_digest(personal_message_digest(timestamp.encode()))
    return {"wallet": wallet, "timestamp": timestamp, "signature": f"0x{signature.hex()}"}


def login_frame(signer: DigestSigner, wallet: str, now_ms: int, request_id: int) -> bytes:
    """Encode a `public/login` request of JSON-RPC 2.0, ready to send.

    Args:
        signer: As for `rest_headers`.
        wallet: The same.
        now_ms: The same.
        request_id: What the response will carry as its `id`.

    Raises:
        InvalidArgument: As for `rest_headers`, or `request_id` is not an int of 0 to 2^53 - 1.
    """
    check_json_int(request_id, "request_id")
    params = login_params(signer, wallet, now_ms)
    return request_bytes(request_id, "public/login", params)
