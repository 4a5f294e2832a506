"""From a strategy's command to the bytes ready to send: nonce, encoding, signature, JSON.

A command is checked when it is built, before these rows begin; `build_limit` is the price of that. The
presigned rows take the costly half of the signature from a pool, which is filled outside the measurement.
"""

import json
from decimal import Decimal
from typing import Any

import pytest

from benches.derive import signed_order as order
from benches.derive.bench_signing import presigned, with_a_point
from benches.derive.plain_signing import action_digest
from benches.eth.key import KEY
from benches.eth.plain import address, is_signed
from benches.inputs import frame
from benchgate.measure import Measure
from tapemark.derive.actions import ActionSigner, TradeAsset
from tapemark.derive.commands import Cancel, Listing, Replace, SubmitLimit, SubmitMarket
from tapemark.derive.network import MAINNET
from tapemark.derive.nonce import NonceManager
from tapemark.derive.orders import OrderEncoder
from tapemark.eth.signer import DigestSigner, Signer
from tapemark.model import Instrument, InstrumentKind, Side, TimeInForce

_LIFETIME_SEC = 600
_REQUEST_ID = 1_001
_LABEL = "tm-000001"
_OLD_ORDER_ID = "ff0144d9-ab2e-42fa-a811-f7bdcae2bca2"
_SIGNED_CALLS = 20
_PRESIGNED_CALLS = 50


def listing() -> Listing:
    """Build the perpetual of the fixtures."""
    record = json.loads(frame("derive/instrument_perp"))
    instrument = Instrument(
        symbol=record["instrument_name"],
        kind=InstrumentKind.PERP,
        tick_size=Decimal(record["tick_size"]),
        size_step=Decimal(record["amount_step"]),
        min_size=Decimal(record["minimum_amount"]),
        max_size=Decimal(record["maximum_amount"]),
    )
    return Listing(instrument, TradeAsset(order.ASSET_ADDRESS, order.ASSET_SUB_ID))


LISTING = listing()


def limit_order() -> SubmitLimit:
    """Build and check a command for a limit order."""
    return SubmitLimit(
        listing=LISTING,
        label=_LABEL,
        side=Side.BUY,
        limit_price=order.ORDER.limit_price,
        size=order.ORDER.amount,
        max_fee=order.ORDER.max_fee,
    )


def market_order() -> SubmitMarket:
    """Build and check a command for a market order."""
    return SubmitMarket(
        listing=LISTING,
        label=_LABEL,
        side=Side.BUY,
        limit_price=order.ORDER.limit_price,
        size=order.ORDER.amount,
        max_fee=order.ORDER.max_fee,
    )


def encoder(signer: DigestSigner) -> OrderEncoder:
    """Build the encoder of the fixtures' subaccount."""
    actions = ActionSigner(MAINNET, order.WALLET, signer)
    return OrderEncoder(actions, NonceManager(), order.SUBACCOUNT_ID, lifetime_sec=_LIFETIME_SEC)


def is_request(raw: bytes, method: str, **expected: Any) -> bool:
    """Tell whether the bytes are that request, validly signed; `expected` are the parameters that differ."""
    request = json.loads(raw)
    params = request["params"]
    signed = bytes.fromhex(params.pop("signature").removeprefix("0x"))
    signer, expiry_sec, nonce = (params.pop(key) for key in ("signer", "signature_expiry_sec", "nonce"))
    digest = action_digest(
        order.Order(
            Decimal(params["limit_price"]),
            Decimal(params["amount"]),
            Decimal(params["max_fee"]),
            is_bid=params["direction"] == "buy",
            nonce=nonce,
            expiry_sec=expiry_sec,
        )
    )
    return (
        is_signed(digest, signed)
        and signer.lower() == address()
        and _LIFETIME_SEC <= expiry_sec - order.NOW_SEC <= _LIFETIME_SEC + 1
        and nonce >= order.NOW_MS * 10
        and params
        == {
            "subaccount_id": order.SUBACCOUNT_ID,
            "instrument_name": order.INSTRUMENT_NAME,
            "direction": "buy",
            "limit_price": "2841.37",
            "amount": "1.547",
            "max_fee": "25",
            "label": _LABEL,
            **expected,
        }
        and request == {"jsonrpc": "2.0", "id": _REQUEST_ID, "method": method, "params": params}
    )


@pytest.mark.components("derive/signing/nonce_next", "derive/signing/sign_trade_action")
def bench_submit_limit(measure: Measure) -> None:
    """Turn a limit order into the bytes of a signed `private/order`."""
    encode, command = encoder(Signer(KEY)).submit_limit, limit_order()
    raw = encode(command, order.NOW_MS, _REQUEST_ID)
    assert is_request(raw, "private/order", order_type="limit", time_in_force="gtc")
    measure(encode, command, order.NOW_MS, _REQUEST_ID, calls=_SIGNED_CALLS)


@pytest.mark.components("derive/signing/nonce_next", "derive/signing/sign_trade_action")
def bench_submit_market(measure: Measure) -> None:
    """Turn a market order, which signs its worst price, into the bytes of a signed `private/order`."""
    encode, command = encoder(Signer(KEY)).submit_market, market_order()
    raw = encode(command, order.NOW_MS, _REQUEST_ID)
    assert is_request(raw, "private/order", order_type="market", time_in_force="ioc")
    measure(encode, command, order.NOW_MS, _REQUEST_ID, calls=_SIGNED_CALLS)


@pytest.mark.components("derive/signing/nonce_next", "derive/signing/sign_trade_action")
def bench_modify(measure: Measure) -> None:
    """Turn a replace into the bytes of a signed `private/replace`."""
    command = Replace(order_id_to_cancel=_OLD_ORDER_ID, order=limit_order())
    encode = encoder(Signer(KEY)).replace
    raw = encode(command, order.NOW_MS, _REQUEST_ID)
    differs = {"order_type": "limit", "time_in_force": "gtc", "order_id_to_cancel": _OLD_ORDER_ID}
    assert is_request(raw, "private/replace", **differs)
    measure(encode, command, order.NOW_MS, _REQUEST_ID, calls=_SIGNED_CALLS)


def bench_cancel(measure: Measure) -> None:
    """Turn a cancel into the bytes of `private/cancel`, which is not signed."""
    command = Cancel(symbol=order.INSTRUMENT_NAME, order_id=_OLD_ORDER_ID)
    encode = encoder(Signer(KEY)).cancel
    assert json.loads(encode(command, _REQUEST_ID)) == {
        "jsonrpc": "2.0",
        "id": _REQUEST_ID,
        "method": "private/cancel",
        "params": {
            "subaccount_id": order.SUBACCOUNT_ID,
            "instrument_name": order.INSTRUMENT_NAME,
            "order_id": _OLD_ORDER_ID,
        },
    }
    measure(encode, command, _REQUEST_ID)


@pytest.mark.components("derive/signing/nonce_next", "derive/signing/sign_trade_action_presigned")
def bench_submit_limit_presigned(measure: Measure) -> None:
    """Turn a limit order into the bytes of a `private/order` signed from a presigned point."""
    pool, command = presigned(), limit_order()
    encode = encoder(pool).submit_limit
    pool.refill(1)
    raw = encode(command, order.NOW_MS, _REQUEST_ID)
    assert is_request(raw, "private/order", order_type="limit", time_in_force="gtc")
    measure.fresh(encode, with_a_point(pool, command, order.NOW_MS, _REQUEST_ID), calls=_PRESIGNED_CALLS)
    assert pool.fallback_count == 0


@pytest.mark.components("derive/signing/nonce_next", "derive/signing/sign_trade_action_presigned")
def bench_submit_market_presigned(measure: Measure) -> None:
    """Turn a market order into the bytes of a `private/order` signed from a presigned point."""
    pool, command = presigned(), market_order()
    encode = encoder(pool).submit_market
    pool.refill(1)
    raw = encode(command, order.NOW_MS, _REQUEST_ID)
    assert is_request(raw, "private/order", order_type="market", time_in_force="ioc")
    measure.fresh(encode, with_a_point(pool, command, order.NOW_MS, _REQUEST_ID), calls=_PRESIGNED_CALLS)
    assert pool.fallback_count == 0


@pytest.mark.components("derive/signing/nonce_next", "derive/signing/sign_trade_action_presigned")
def bench_modify_presigned(measure: Measure) -> None:
    """Turn a replace into the bytes of a `private/replace` signed from a presigned point."""
    pool, command = presigned(), Replace(order_id_to_cancel=_OLD_ORDER_ID, order=limit_order())
    encode = encoder(pool).replace
    pool.refill(1)
    raw = encode(command, order.NOW_MS, _REQUEST_ID)
    differs = {"order_type": "limit", "time_in_force": "gtc", "order_id_to_cancel": _OLD_ORDER_ID}
    assert is_request(raw, "private/replace", **differs)
    measure.fresh(encode, with_a_point(pool, command, order.NOW_MS, _REQUEST_ID), calls=_PRESIGNED_CALLS)
    assert pool.fallback_count == 0


def bench_build_limit(measure: Measure) -> None:
    """Build a limit order command: price and size are checked against the instrument's steps."""
    command = limit_order()
    assert (command.limit_price, command.size) == (order.ORDER.limit_price, order.ORDER.amount)
    assert (command.label, command.side, command.time_in_force) == (_LABEL, Side.BUY, TimeInForce.GTC)
    measure(limit_order)
