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

    def sign() -> bytes:
        action = (
            order.ACTION_TYPEHASH,
            order.SUBACCOUNT_ID,
            order.ORDER.nonce,
            order.TRADE_MODULE,
            keccak(encode(plain.TRADE_TYPES, plain.trade_values(order.ORDER))),
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
