"""Signing one order, and encoding it, beside the libraries that a user of the venue would pick instead.

The floor is coincurve's `sign_recoverable` on a digest that is there already: libsecp256k1 through its usual
Python binding, without scaling, encoding or hashing. Whoever signs an order needs at least that, unless the
costly half of it was computed before.
"""

from collections.abc import Callable

from benches.derive import signed_order as order
from benches.derive.bench_signing import ACTION, presigned
from benches.derive.plain_signing import TRADE_TYPES, action_digest, module_data, trade_values
from benches.eth.key import KEY
from benches.eth.plain import is_signed, signature
from benchgate.comparison import Claim, Comparison, Contender, Staged, Worker
from tapemark.derive.actions import ActionSigner, trade_module_data
from tapemark.derive.network import MAINNET
from tapemark.eth.signer import Signer

Call = Callable[[], object]


def _bare() -> Call:
    from coincurve import PrivateKey  # noqa: PLC0415 - each contender imports what it needs

    key, digest = PrivateKey(KEY), action_digest(order.ORDER)
    assert key.sign_recoverable(digest, hasher=None)[:64] == signature(digest)[:64]
    return lambda: key.sign_recoverable(digest, hasher=None)


def _ours() -> Call:
    signer = ActionSigner(MAINNET, order.WALLET, Signer(KEY))
    assert signer.sign(ACTION, order.NOW_SEC) == signature(action_digest(order.ORDER)) == order.SIGNATURE
    return lambda: signer.sign(ACTION, order.NOW_SEC)


def _ours_presigned() -> Staged:
    pool = presigned()
    signer = ActionSigner(MAINNET, order.WALLET, pool)
    pool.refill(1)
    assert is_signed(action_digest(order.ORDER), signer.sign(ACTION, order.NOW_SEC))

    # A call that finds no point signs at the price of the contender above: a mixture is no figure of either.
    def all_presigned() -> None:
        assert pool.fallback_count == 0, f"{pool.fallback_count} calls found no presigned point"

    return Staged(lambda: signer.sign(ACTION, order.NOW_SEC), pool.refill, all_presigned)


def _ours_encoding() -> Call:
    assert trade_module_data(ACTION) == module_data(order.ORDER)
    return lambda: trade_module_data(ACTION)


def _eth_abi() -> Call:
    from eth_abi.abi import encode  # noqa: PLC0415 - the same

    assert encode(TRADE_TYPES, trade_values(order.ORDER)) == module_data(order.ORDER)
    return lambda: encode(TRADE_TYPES, trade_values(order.ORDER))


_BARE = Contender("coincurve, digest only", _bare)
_OURS = Contender("tapemark", _ours)
_PRESIGNED = Contender("tapemark, presigned", _ours_presigned)
_ETH_ACCOUNT = Worker("eth-account and eth_abi", "benches/derive/worker_eth_account.py")
_SDK = Worker("derive-action-signing", "benches/derive/worker_sdk.py")
_SDK_COINCURVE = Worker("derive-action-signing and coincurve", "benches/derive/worker_sdk_coincurve.py")
_OURS_ENCODING = Contender("tapemark", _ours_encoding)
_ETH_ABI = Contender("eth_abi", _eth_abi)

PEERS = (
    Comparison(
        name="sign_trade_action",
        reference=_BARE.name,
        contenders=(_BARE, _OURS, _PRESIGNED, _ETH_ACCOUNT),
        claims=(Claim(_OURS.name, at_most=1.45), Claim(_PRESIGNED.name, at_most=0.50)),
        note=(
            "All but the floor scale, encode, hash and sign the same order. Presigned: the points were"
            " computed between the rounds, at about the price of a signature each"
            " (derive/signing/presign_refill)."
            " eth-account signs with coincurve here, in an interpreter of its own."
        ),
    ),
    Comparison(
        name="sign_trade_action_sdk",
        reference=_OURS.name,
        contenders=(_OURS, _SDK, _SDK_COINCURVE),
        claims=(Claim(_SDK.name, at_least=15), Claim(_SDK_COINCURVE.name, at_least=15)),
        note=(
            "The venue's own SDK: first with what it requires, where eth-keys signs in pure Python, then with"
            " coincurve, which eth-keys takes where it is installed."
        ),
    ),
    Comparison(
        name="abi_encode_trade",
        reference=_OURS_ENCODING.name,
        contenders=(_OURS_ENCODING, _ETH_ABI),
        claims=(Claim(_ETH_ABI.name, at_least=12),),
        note="Both scale three decimals by 10^18 and encode seven words; tapemark has the asset's two ready.",
    ),
)
