"""eth-account and eth_abi, signing the order of `signed_order`; they need an older pycryptodome than ours."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from benchgate.worker import serve


def load() -> Callable[[], object]:
    """Import the libraries, check the signature, and give the call: encode, hash and sign."""
    os.environ["ECC_BACKEND_CLASS"] = "eth_keys.backends.CoinCurveECCBackend"
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from eth_abi.abi import encode  # noqa: PLC0415 - installed there
    from eth_account import Account  # noqa: PLC0415 - installed there only
    from eth_utils.crypto import keccak  # noqa: PLC0415 - the same

    from benches.derive import plain_signing as plain  # noqa: PLC0415 - needs the path above
    from benches.derive import signed_order as order  # noqa: PLC0415 - the same
    from benches.eth.key import KEY  # noqa: PLC0415 - the same

    account = Account.from_key(KEY)
    scale = 10**18

    def trade_values() -> tuple[object, ...]:
        # As cheaply as it can be said; the order's decimals are short enough for it to be exact.
        return (
            order.ASSET_ADDRESS,
            order.ASSET_SUB_ID,
            int(order.ORDER.limit_price * scale),
            int(order.ORDER.amount * scale),
            int(order.ORDER.max_fee * scale),
            order.SUBACCOUNT_ID,
            order.ORDER.is_bid,
        )

    def sign() -> bytes:
        action = (
            order.ACTION_TYPEHASH,
            order.SUBACCOUNT_ID,
            order.ORDER.nonce,
            order.TRADE_MODULE,
            keccak(encode(plain.TRADE_TYPES, trade_values())),
            order.ORDER.expiry_sec,
            order.WALLET,
            account.address,
        )
        digest = keccak(b"\x19\x01" + order.DOMAIN_SEPARATOR + keccak(encode(plain.ACTION_TYPES, action)))
        return bytes(account.unsafe_sign_hash(digest).signature)

    if sign() != order.SIGNATURE:
        raise ValueError("eth-account's signature is not the one that coincurve gives")
    return sign


if __name__ == "__main__":
    serve(load)
