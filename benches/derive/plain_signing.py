"""What the venue has signed, encoded by eth_abi and hashed by pycryptodome: the oracle of the signed rows.

Nothing here is tapemark's. Source of the scheme: EIP-712.
"""

from decimal import Decimal
from fractions import Fraction

from eth_abi.abi import encode

from benches.derive.signed_order import (
    ACTION_TYPEHASH,
    ASSET_ADDRESS,
    ASSET_SUB_ID,
    DOMAIN_SEPARATOR,
    SUBACCOUNT_ID,
    TRADE_MODULE,
    WALLET,
    Order,
)
from benches.eth.plain import address, keccak256

TRADE_TYPES = ("address", "uint256", "int256", "int256", "uint256", "uint256", "bool")
ACTION_TYPES = ("bytes32", "uint256", "uint256", "address", "bytes32", "uint256", "address", "address")


def module_data(order: Order) -> bytes:
    """Encode an order as the trade module reads it: seven words."""
    return encode(
        TRADE_TYPES,
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
        ACTION_TYPES,
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


def trade_values(order: Order) -> tuple[object, ...]:
    """Scale an order as its short decimals allow and a user of eth_abi would; `module_data` is exact."""
    return (
        ASSET_ADDRESS,
        ASSET_SUB_ID,
        int(order.limit_price * 10**18),
        int(order.amount * 10**18),
        int(order.max_fee * 10**18),
        SUBACCOUNT_ID,
        order.is_bid,
    )


def _scaled(value: Decimal) -> int:
    scaled = Fraction(value) * 10**18
    if scaled.denominator != 1:
        raise ValueError(f"{value} needs more than 18 decimals")
    return scaled.numerator
