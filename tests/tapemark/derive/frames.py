"""Frames for the tests of decoding and parsing, in the venue's usual form unless a test bends them."""

import json
from typing import Any

BOOK: dict[str, Any] = {
    "asks": [["101.5", "2"], ["102", "0.75"]],
    "bids": [["101", "1.25"]],
    "instrument_name": "SOL-PERP",
    "publish_id": 12,
    "timestamp": 1794128400123,
}
PERP: dict[str, Any] = {
    "instrument_ticker": {
        "A": "3.5",
        "B": "4",
        "I": "100.9",
        "M": "101.02",
        "a": "101.5",
        "b": "101",
        "f": "-0.0000125",
        "maxp": "110",
        "minp": "90.5",
        "option_pricing": None,
        "stats": {"c": "12", "h": "104", "l": "97", "n": 5, "oi": "1", "p": "0.01", "pr": "2", "v": "3"},
        "t": 1794128400120,
    },
    "timestamp": 1794128400123,
}
GREEKS = {
    "ai": "0.9",
    "bi": "0",
    "d": "0.55",
    "df": "0.99",
    "f": "101.75",
    "g": "0.0125",
    "i": "0.62",
    "m": "8.5",
    "r": "0.031",
    "t": "-0.27",
    "v": "0.18",
}
TRADE: dict[str, Any] = {
    "direction": "sell",
    "index_price": "100.9",
    "instrument_name": "SOL-PERP",
    "liquidity_role": "taker",
    "mark_price": "101",
    "quote_id": None,
    "realized_pnl": "0",
    "subaccount_id": 9,
    "timestamp": 1794128400100,
    "trade_amount": "0.5",
    "trade_fee": "0.01",
    "trade_id": "t-1",
    "trade_price": "101.25",
    "tx_hash": "0xaa",
    "tx_status": "settled",
    "wallet": "0xbb",
}
ORDER: dict[str, Any] = {
    "amount": "2",
    "average_price": "101.2",
    "cancel_reason": "",
    "creation_timestamp": 1794128400000,
    "direction": "buy",
    "filled_amount": "0.5",
    "instrument_name": "SOL-PERP",
    "is_transfer": False,
    "label": "alpha-7",
    "last_update_timestamp": 1794128400456,
    "limit_price": "101.3",
    "max_fee": "5",
    "mmp": False,
    "nonce": 17941284000001,
    "order_fee": "0.02",
    "order_id": "o-1",
    "order_status": "open",
    "order_type": "limit",
    "quote_id": None,
    "replaced_order_id": None,
    "signature": "0xcc",
    "signature_expiry_sec": 1794129000,
    "signer": "0xdd",
    "subaccount_id": 9,
    "time_in_force": "gtc",
}
OWN_TRADE: dict[str, Any] = TRADE | {
    "is_transfer": False,
    "label": "alpha-7",
    "liquidity_role": "maker",
    "order_id": "o-1",
    "trade_fee": "-0.003",
}

PAYLOADS: dict[str, Any] = {
    "orderbook.SOL-PERP.1.10": BOOK,
    "ticker_slim.SOL-PERP.100": PERP,
    "trades.perp.SOL": [TRADE],
    "9.orders": [ORDER],
    "9.trades": [OWN_TRADE],
}


def frame(channel: str, data: Any, **json_options: Any) -> bytes:
    """Write a subscription frame in the venue's usual key order."""
    tree = {"jsonrpc": "2.0", "method": "subscription", "params": {"channel": channel, "data": data}}
    return json.dumps(tree, **{"separators": (",", ":")} | json_options).encode()
