"""The order that every signing row and every peer signs: data alone, which any interpreter can import."""

import hashlib
import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from benches.inputs import frame

DOMAIN_SEPARATOR = bytes.fromhex("d96e5f90797da7ec8dc4e276260c7f3f87fedf68775fbe1ef116e996fc60441b")
ACTION_TYPEHASH = bytes.fromhex("4d7a9f27c403ff9c0f19bce61d76d82f9aa29f8d6d4b0c5474607d9770d1af17")
TRADE_MODULE = "0xB8D20c2B7a1Ad2EE33Bc50eF10876eD3035b5e7b"
"""The venue's "Protocol Constants", mainnet."""

WALLET = "0x" + hashlib.sha256(b"tapemark bench wallet").hexdigest()[:40]
SUBACCOUNT_ID = 58_213
NOW_MS = 1_794_128_400_123
NOW_SEC = NOW_MS // 1_000

_INSTRUMENT: dict[str, Any] = json.loads(frame("derive/instrument_perp"))
INSTRUMENT_NAME: str = _INSTRUMENT["instrument_name"]
ASSET_ADDRESS: str = _INSTRUMENT["base_asset_address"]
ASSET_SUB_ID = int(_INSTRUMENT["base_asset_sub_id"])


@dataclass(frozen=True)
class Order:
    """What of an order is signed, beside what is the same for all of them."""

    limit_price: Decimal
    amount: Decimal
    max_fee: Decimal
    is_bid: bool
    nonce: int = NOW_MS * 10
    expiry_sec: int = NOW_SEC + 600


ORDER = Order(Decimal("2841.37"), Decimal("1.547"), Decimal(25), is_bid=True)

SIGNER = "0x10f2C1b3Ad1d79996FfEc7D7B76adBFcc88627ae"
"""The address of `benches.eth.key.KEY`."""

SIGNATURE = bytes.fromhex(
    "650c471b1ce71a1c07c55ffce400ab493758f7b7df644568c14ce5af9f0ecf1d"
    "4eb69d31c4ae126207761d20cc77bc130f2583ef2538da5a58db0088ede7b4621b"
)
"""What `benches.eth.key.KEY` signs it with, as coincurve says; for interpreters that have no coincurve."""
