"""What a signed request costs before it is JSON: encoding, hashing, and one secp256k1 signature.

The presigned rows take the costly half of the signature from a pool, which is filled outside the measurement;
`presign_refill` is the cost of one point of it.
"""

import random
from collections.abc import Callable

import pytest

from benches.derive import signed_order as order
from benches.derive.plain_signing import action_digest, module_data
from benches.eth.key import KEY
from benches.eth.plain import address, is_signed, message_digest, signature
from benchgate.measure import Arguments, Measure
from tapemark.derive.actions import ActionSigner, TradeAction, TradeAsset, trade_module_data
from tapemark.derive.auth import rest_headers
from tapemark.derive.network import MAINNET
from tapemark.derive.nonce import NonceManager
from tapemark.eth.presign import PresignedSigner
from tapemark.eth.signer import Signer

ACTION = TradeAction(
    subaccount_id=order.SUBACCOUNT_ID,
    nonce=order.ORDER.nonce,
    asset=TradeAsset(order.ASSET_ADDRESS, order.ASSET_SUB_ID),
    limit_price=order.ORDER.limit_price,
    amount=order.ORDER.amount,
    max_fee=order.ORDER.max_fee,
    recipient_id=order.SUBACCOUNT_ID,
    is_bid=order.ORDER.is_bid,
    signature_expiry_sec=order.ORDER.expiry_sec,
)
_SIGNED_CALLS = 20
_PRESIGNED_CALLS = 100


def presigned() -> PresignedSigner:
    """Build a signer with an empty pool, whose points are the same in every run."""
    return PresignedSigner(Signer(KEY), random.Random(1).randbytes)


def with_a_point(signer: PresignedSigner, *arguments: object) -> Callable[[], Arguments]:
    """Build the `make` of a presigned row: each call's arguments, and the one point that it spends."""

    def make() -> Arguments:
        signer.refill(1)
        return arguments

    return make


@pytest.mark.components(
    "derive/signing/abi_encode_trade",
    "eth/keccak/fast_path[224]",
    "eth/keccak/fast_path[256]",
    "eth/keccak/fast_path[66]",
    "eth/sign/digest",
)
def bench_sign_trade_action(measure: Measure) -> None:
    """Scale, encode, hash and sign an order with the nonce of RFC 6979."""
    signer = ActionSigner(MAINNET, order.WALLET, Signer(KEY))
    assert signer.sign(ACTION, order.NOW_SEC) == signature(action_digest(order.ORDER))
    measure(signer.sign, ACTION, order.NOW_SEC, calls=_SIGNED_CALLS)


@pytest.mark.components(
    "derive/signing/abi_encode_trade",
    "eth/keccak/fast_path[224]",
    "eth/keccak/fast_path[256]",
    "eth/keccak/fast_path[66]",
    "eth/sign/digest_presigned",
)
def bench_sign_trade_action_presigned(measure: Measure) -> None:
    """Scale, encode, hash and sign an order from a presigned point."""
    pool = presigned()
    signer = ActionSigner(MAINNET, order.WALLET, pool)
    pool.refill(1)
    assert is_signed(action_digest(order.ORDER), signer.sign(ACTION, order.NOW_SEC))
    measure.fresh(signer.sign, with_a_point(pool, ACTION, order.NOW_SEC), calls=_PRESIGNED_CALLS)
    assert pool.fallback_count == 0


@pytest.mark.components("eth/sign/digest")
def bench_rest_auth_headers(measure: Measure) -> None:
    """Sign the time for one REST request and build its three headers."""
    signer = Signer(KEY)
    expected = {
        "X-LYRAWALLET": order.WALLET,
        "X-LYRATIMESTAMP": str(order.NOW_MS),
        "X-LYRASIGNATURE": "0x" + signature(message_digest(str(order.NOW_MS))).hex(),
    }
    assert rest_headers(signer, order.WALLET, order.NOW_MS) == expected
    measure(rest_headers, signer, order.WALLET, order.NOW_MS, calls=_SIGNED_CALLS)


@pytest.mark.components("eth/sign/digest_presigned")
def bench_rest_auth_headers_presigned(measure: Measure) -> None:
    """Sign the time for one REST request from a presigned point, and build its three headers."""
    pool = presigned()
    pool.refill(1)
    signed = rest_headers(pool, order.WALLET, order.NOW_MS)["X-LYRASIGNATURE"]
    assert is_signed(message_digest(str(order.NOW_MS)), bytes.fromhex(signed.removeprefix("0x")))
    measure.fresh(rest_headers, with_a_point(pool, pool, order.WALLET, order.NOW_MS), calls=_PRESIGNED_CALLS)
    assert pool.fallback_count == 0


def bench_signer_from_key(measure: Measure) -> None:
    """Build a signer from its 32 bytes: one point multiplication, the address and its checksum."""
    assert Signer(KEY).address.lower() == address()
    measure(Signer, KEY, calls=_SIGNED_CALLS)


def bench_abi_encode_trade(measure: Measure) -> None:
    """Scale three decimals by 10^18 and encode an order's seven words, 224 bytes."""
    assert trade_module_data(ACTION) == module_data(order.ORDER)
    measure(trade_module_data, ACTION)


def bench_nonce_next(measure: Measure) -> None:
    """Take the next nonce of a known wallet and subaccount under a clock that stands still."""
    nonces = NonceManager()
    arguments = (order.WALLET, order.SUBACCOUNT_ID, order.NOW_MS)
    assert [nonces.next(*arguments) for _ in range(3)] == [order.NOW_MS * 10 + at for at in range(3)]
    measure(nonces.next, *arguments)


def bench_presign_refill(measure: Measure) -> None:
    """Compute one point of a pool: k and its blind drawn, k inverted, k*G multiplied; off the hot path."""
    randbytes = random.Random(2).randbytes
    pool = PresignedSigner(Signer(KEY), randbytes)
    assert pool.refill(1) == 1
    digest = action_digest(order.ORDER)
    assert is_signed(digest, pool.sign_digest(digest))
    assert pool.fallback_count == 0

    def empty_pool() -> tuple[PresignedSigner, int]:
        return PresignedSigner(Signer(KEY), randbytes), 1

    measure.fresh(PresignedSigner.refill, empty_pool, calls=_SIGNED_CALLS)
