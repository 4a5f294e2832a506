"""What the venue has signed, encoded by eth_abi: the oracle of the signed rows, and the data they share.

Nothing here is tapemark's. Source of the constants: the venue's "Protocol Constants" reference, mainnet; of
the scheme: EIP-712.
"""

import hashlib
import json
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from eth_abi.abi import encode

from benches.eth.plain import address, keccak256
from benches.inputs import frame

DOMAIN_SEPARATOR = bytes.fromhex("d96e5f90797da7ec8dc4e276260c7f3f87fedf68775fbe1ef116e996fc60441b")
ACTION_TYPEHASH = bytes.fromhex("4d7a9f27c403ff9c0f19bce61d76d82f9aa29f8d6d4b0c5474607d9770d1af17")
TRADE_MODULE = "0xB8D20c2B7a1Ad2EE33Bc50eF10876eD3035b5e7b"

WALLET = "0x" + hashlib.sha256(b"tapemark bench wallet").hexdigest()[:40]
SUBACCOUNT_ID = 58_213
NOW_MS = 1_794_128_400_123
NOW_SEC = NOW_MS // 1_000
EXPIRY_SEC = NOW_SEC + 600
NONCE = NOW_MS * 10

_INSTRUMENT: dict[str, Any] = json.loads(frame("derive/instrument_perp"))
INSTRUMENT_NAME: str = _INSTRUMENT["instrument_name"]
ASSET_ADDRESS: str = _INSTRUMENT["base_asset_address"]
ASSET_SUB_ID = int(_INSTRUMENT["base_asset_sub_id"])


@dataclass(frozen=True)
class Order:
    """What of an order is signed."""

    limit_price: Decimal
    amount: Decimal
    max_fee: Decimal
    is_bid: bool
    nonce: int = NONCE
    expiry_sec: int = EXPIRY_SEC


ORDER = Order(Decimal("2841.37"), Decimal("1.547"), Decimal(25), is_bid=True)


def module_data(order: Order) -> bytes:
    """Encode an order as the trade module reads it: seven words."""
    return encode(
        ["address", "uint256", "int256", "int256", "uint256", "uint256", "bool"],
        [
            ASSET_ADDRESS,
            ASSET_SUB_ID,
            _scaled(order.limit_price),
            _scaled(order.amount),
            _scaled(order.max_fee),
            SUBACCOUNT_ID,
            order.is_bid,
        ],
    )


def action_digest(order: Order) -> bytes:
    """Hash an order as the venue's contract does before it checks the signature."""
    encoded = encode(
        ["bytes32", "uint256", "uint256", "address", "bytes32", "uint256", "address", "address"],
        [
            ACTION_TYPEHASH,
            SUBACCOUNT_ID,
            order.nonce,
            TRADE_MODULE,
            keccak256(module_data(order)),
            order.expiry_sec,
            WALLET,
            address(),
        ],
    )
    return keccak256(b"\x19\x01" + DOMAIN_SEPARATOR + keccak256(encoded))


def _scaled(value: Decimal) -> int:
    scaled = Fraction(value) * 10**18
    if scaled.denominator != 1:
        raise ValueError(f"{value} needs more than 18 decimals")
    return scaled.numerator
