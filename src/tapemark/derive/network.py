"""The protocol constants of the Derive venue's two networks, which every signed action depends on.

Source: the venue's "Protocol Constants" reference; the values equal those of its own Python SDK.
"""

from typing import Final

import msgspec

from tapemark.errors import InvalidArgument
from tapemark.eth.abi import address_bytes


class Network(msgspec.Struct, frozen=True, kw_only=True):
    """Where an action is valid.

    Attributes:
        name: What people call the network.
        domain_separator: EIP-712 domain separator of the matching contract, 32 bytes.
        action_typehash: EIP-712 type hash of an action, 32 bytes.
        trade_module: Address of the contract that trades.

    Raises:
        InvalidArgument: A hash is not 32 bytes, or the address is none.
    """

    name: str
    domain_separator: bytes
    action_typehash: bytes
    trade_module: str

    def __post_init__(self) -> None:
        """Check the lengths that the docstring states."""
        for field in ("domain_separator", "action_typehash"):
            value = getattr(self, field)
            if type(value) is not bytes or len(value) != 32:
                raise InvalidArgument(f"Network.{field}", "32 bytes", value)
        address_bytes(self.trade_module, "Network.trade_module")


_ACTION_TYPEHASH: Final = bytes.fromhex("4d7a9f27c403ff9c0f19bce61d76d82f9aa29f8d6d4b0c5474607d9770d1af17")

MAINNET: Final = Network(
    name="mainnet",
    domain_separator=bytes.fromhex("d96e5f90797da7ec8dc4e276260c7f3f87fedf68775fbe1ef116e996fc60441b"),
    action_typehash=_ACTION_TYPEHASH,
    trade_module="0xB8D20c2B7a1Ad2EE33Bc50eF10876eD3035b5e7b",
)
TESTNET: Final = Network(
    name="testnet",
    domain_separator=bytes.fromhex("9bcf4dc06df5d8bf23af818d5716491b995020f377d3b7b64c29ed14e3dd1105"),
    action_typehash=_ACTION_TYPEHASH,
    trade_module="0x87F2863866D85E3192a35A73b388BD625D83f2be",
)
