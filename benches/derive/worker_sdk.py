"""The venue's own SDK, signing the order of `signed_order`; runs in the interpreter that has it installed."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from benchgate.worker import serve


def load() -> Callable[[], object]:
    """Import the SDK, check its signature, and give the call: build the action and sign it.

    It signs in pure Python, as with nothing but its requirements, unless the environment says otherwise.
    """
    os.environ.setdefault("ECC_BACKEND_CLASS", "eth_keys.backends.NativeECCBackend")
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from derive_action_signing import (  # noqa: PLC0415 - installed there only
        SignedAction,
        TradeModuleData,
    )

    from benches.derive import signed_order as order  # noqa: PLC0415 - needs the path above
    from benches.eth.key import KEY  # noqa: PLC0415 - the same

    ours = order.ORDER
    key = f"0x{KEY.hex()}"
    signer = order.SIGNER

    def sign() -> str:
        action = SignedAction(
            subaccount_id=order.SUBACCOUNT_ID,
            owner=order.WALLET,
            signer=signer,
            signature_expiry_sec=ours.expiry_sec,
            nonce=ours.nonce,
            module_address=order.TRADE_MODULE,
            module_data=TradeModuleData(
                asset_address=order.ASSET_ADDRESS,
                sub_id=order.ASSET_SUB_ID,
                limit_price=ours.limit_price,
                amount=ours.amount,
                max_fee=ours.max_fee,
                recipient_id=order.SUBACCOUNT_ID,
                is_bid=ours.is_bid,
            ),
            DOMAIN_SEPARATOR=f"0x{order.DOMAIN_SEPARATOR.hex()}",
            ACTION_TYPEHASH=f"0x{order.ACTION_TYPEHASH.hex()}",
        )
        return str(action.sign(key))

    if bytes.fromhex(sign().removeprefix("0x")) != order.SIGNATURE:
        raise ValueError("the SDK's signature is not the one that coincurve gives")
    return sign


if __name__ == "__main__":
    serve(load)
