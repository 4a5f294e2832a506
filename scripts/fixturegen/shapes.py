"""The frames of the Derive venue as JSON trees: which keys there are and what type each value has.

Source of the shapes: the venue's WebSocket and REST reference (docs.derive.xyz). Numerals are texts, times
are integers, and what does not apply is null. What a value is, the caller says; constants that no reader of
these fixtures uses are written here.
"""

import json
from typing import Any

Tree = dict[str, Any]

_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


def compact(tree: Any) -> bytes:
    """Serialize as a venue sends: no spaces, one line, UTF-8."""
    return _encode(tree).encode()


def subscription(channel: str, data: Any) -> bytes:
    """Wrap `data` as the notification of a channel."""
    params = {"channel": channel, "data": data}
    return compact({"jsonrpc": "2.0", "method": "subscription", "params": params})


def response(request_id: int | str, result: Any) -> bytes:
    """Wrap `result` as the answer to a request."""
    return compact({"jsonrpc": "2.0", "id": request_id, "result": result})


def error_response(request_id: int | str, code: int, message: str, data: str) -> bytes:
    """Wrap a refusal as the answer to a request."""
    return compact(
        {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message, "data": data}}
    )


def orderbook(
    instrument: str,
    timestamp_ms: int,
    bids: list[tuple[str, str]],
    asks: list[tuple[str, str]],
    publish_id: int | None = None,
) -> Tree:
    """Build a full-depth snapshot; levels are price and amount, best first."""
    tree: Tree = {"instrument_name": instrument, "timestamp": timestamp_ms, "bids": bids, "asks": asks}
    if publish_id is not None:
        tree["publish_id"] = publish_id
    return tree


def ticker_slim(timestamp_ms: int, prices: Tree, stats: Tree, option_pricing: Tree | None) -> Tree:
    """Build a slim ticker from `prices` (keys `a A b B I M f maxp minp`); its instrument is the channel's."""
    keys = ("A", "B", "I", "M", "a", "b", "f", "maxp", "minp")
    inner: Tree = {key: prices[key] for key in keys}
    inner |= {"option_pricing": option_pricing, "stats": stats, "t": timestamp_ms}
    return {"instrument_ticker": inner, "timestamp": timestamp_ms}


def public_trade(
    *,
    instrument: str,
    direction: str,
    role: str,
    price: str,
    amount: str,
    mark: str,
    index: str,
    fee: str,
    trade_id: str,
    timestamp_ms: int,
    subaccount_id: int,
    wallet: str,
    tx_hash: str,
) -> Tree:
    """Build one public trade as its taker or maker saw it."""
    return {
        "direction": direction,
        "index_price": index,
        "instrument_name": instrument,
        "liquidity_role": role,
        "mark_price": mark,
        "quote_id": None,
        "realized_pnl": "0",
        "subaccount_id": subaccount_id,
        "timestamp": timestamp_ms,
        "trade_amount": amount,
        "trade_fee": fee,
        "trade_id": trade_id,
        "trade_price": price,
        "tx_hash": tx_hash,
        "tx_status": "settled",
        "wallet": wallet,
    }


def own_trade(trade: Tree, order_id: str, label: str) -> Tree:
    """Extend a trade by what only the owner of the order is told."""
    return {**trade, "is_transfer": False, "label": label, "order_id": order_id}


def order(
    *,
    order_id: str,
    label: str,
    instrument: str,
    direction: str,
    order_type: str,
    time_in_force: str,
    status: str,
    amount: str,
    filled_amount: str,
    average_price: str,
    limit_price: str,
    order_fee: str,
    cancel_reason: str,
    created_ms: int,
    updated_ms: int,
    nonce: int,
    signer: str,
    signature: str,
    expiry_sec: int,
    subaccount_id: int,
    replaced_order_id: str | None,
) -> Tree:
    """Build one record of an own order."""
    return {
        "amount": amount,
        "average_price": average_price,
        "cancel_reason": cancel_reason,
        "creation_timestamp": created_ms,
        "direction": direction,
        "filled_amount": filled_amount,
        "instrument_name": instrument,
        "is_transfer": False,
        "label": label,
        "last_update_timestamp": updated_ms,
        "limit_price": limit_price,
        "max_fee": "25",
        "mmp": False,
        "nonce": nonce,
        "order_fee": order_fee,
        "order_id": order_id,
        "order_status": status,
        "order_type": order_type,
        "quote_id": None,
        "replaced_order_id": replaced_order_id,
        "signature": signature,
        "signature_expiry_sec": expiry_sec,
        "signer": signer,
        "subaccount_id": subaccount_id,
        "time_in_force": time_in_force,
    }


def candle(prices: tuple[str, str, str, str], volumes: tuple[str, str], at_sec: int, bucket_sec: int) -> Tree:
    """Build one REST candle from open, high, low, close and the volumes in USD and contracts."""
    keys = ("open_price", "high_price", "low_price", "close_price", "volume_usd", "volume_contracts")
    record: Tree = dict(zip(keys, prices + volumes, strict=True))
    return record | {"timestamp": at_sec, "timestamp_bucket": bucket_sec}


def instrument(*, name: str, kind: str, asset: str, sub_id: int, steps: Tree, details: Tree) -> Tree:
    """Build an instrument record; `steps` has tick and amounts, `details` the block of its kind."""
    return {
        "amount_step": steps["amount_step"],
        "base_asset_address": asset,
        "base_asset_sub_id": str(sub_id),
        "base_currency": "ETH",
        "base_fee": "0.3",
        "erc20_details": details.get("erc20"),
        "instrument_name": name,
        "instrument_type": kind,
        "is_active": True,
        "maker_fee_rate": "0.00015",
        "mark_price_fee_rate_cap": steps.get("fee_cap"),
        "maximum_amount": steps["maximum_amount"],
        "minimum_amount": steps["minimum_amount"],
        "option_details": details.get("option"),
        "perp_details": details.get("perp"),
        "quote_currency": "USDC",
        "scheduled_activation": 1793000000,
        "scheduled_deactivation": 9223372036854775807,
        "taker_fee_rate": "0.00045",
        "tick_size": steps["tick_size"],
    }
