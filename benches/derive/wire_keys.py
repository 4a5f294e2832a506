"""Which key of the venue each attribute of a wire message must come from, written out by hand.

It is the oracle of the decode rows: taken from the types themselves, the keys would agree with any type.
Source: the venue's public API reference.
"""

from enum import Enum
from typing import Any

Keys = dict[str, "str | tuple[str, Keys]"]
"""The key of each attribute, and of an attribute that is a message, or a list of them, also its own keys."""


def _same(names: str) -> dict[str, str]:
    return {name: name for name in names.split()}


def _update(data: Keys) -> Keys:
    return {"channel": "channel", "data": ("data", data)}


BOOK = _update({**_same("instrument_name bids asks"), "timestamp_ms": "timestamp"})
_PRICES: Keys = {
    "ask_amount": "A",
    "bid_amount": "B",
    "index_price": "I",
    "mark_price": "M",
    "ask_price": "a",
    "bid_price": "b",
    "funding_rate": "f",
}
_PRICING: Keys = {
    "ask_iv": "ai",
    "bid_iv": "bi",
    "delta": "d",
    "forward_price": "f",
    "gamma": "g",
    "mark_iv": "i",
    "rho": "r",
    "theta": "t",
    "vega": "v",
}
TICKER = _update(
    {
        "instrument_ticker": ("instrument_ticker", {**_PRICES, "option_pricing": "option_pricing"}),
        "timestamp_ms": "timestamp",
    }
)
OPTION_TICKER = _update(
    {
        "instrument_ticker": (
            "instrument_ticker",
            {**_PRICES, "option_pricing": ("option_pricing", _PRICING)},
        ),
        "timestamp_ms": "timestamp",
    }
)
TRADES = _update(
    {
        **_same("direction instrument_name trade_amount trade_id trade_price"),
        "timestamp_ms": "timestamp",
    }
)
CANDLES: Keys = {
    **_same("open_price high_price low_price close_price volume_contracts"),
    "bucket_sec": "timestamp_bucket",
}
ORDERS = _update(
    {
        **_same("""
        amount direction filled_amount instrument_name limit_price order_id order_status order_type
        subaccount_id time_in_force average_price cancel_reason is_transfer label max_fee mmp nonce order_fee
        quote_id replaced_order_id signature signature_expiry_sec signer
    """),
        "creation_timestamp_ms": "creation_timestamp",
        "last_update_timestamp_ms": "last_update_timestamp",
    }
)
OWN_TRADES = _update(
    {
        **_same("""
        direction instrument_name liquidity_role order_id subaccount_id trade_amount trade_fee trade_id
        trade_price index_price is_transfer label mark_price quote_id realized_pnl tx_hash tx_status wallet
    """),
        "timestamp_ms": "timestamp",
    }
)


def agrees(decoded: object, tree: Any, keys: Keys) -> bool:
    """Tell whether a wire message, or each of a list, has all of `keys`, and under each what the tree has."""
    if isinstance(decoded, list):
        return len(decoded) == len(tree) and all(
            agrees(item, branch, keys) for item, branch in zip(decoded, tree, strict=True)
        )
    for attribute, where in keys.items():
        key, deeper = where if isinstance(where, tuple) else (where, None)
        if key not in tree or not hasattr(decoded, attribute):
            return False
        value = getattr(decoded, attribute)
        if not (_is_value(value, tree[key]) if deeper is None else agrees(value, tree[key], deeper)):
            return False
    return True


def _is_value(value: object, expected: Any) -> bool:
    """Compare what is no message: floats may have been texts, the pairs of a list are tuples."""
    if isinstance(value, list | tuple):
        return len(value) == len(expected) and all(map(_is_value, value, expected))
    if isinstance(value, float):
        return value == float(expected)
    plain = value.value if isinstance(value, Enum) else value
    return bool(plain == expected) and type(plain) is type(expected)
