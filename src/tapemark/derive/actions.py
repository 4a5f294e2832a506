"""Trade actions of the Derive venue: the words that are signed, their hashes and the signature.

An order is valid at the venue because its owner's key, or a session key, signed an EIP-712 digest of it:

    module_data = asset, sub_id, limit_price, amount, max_fee, recipient_id, is_bid       seven static words
    action_hash = keccak256(typehash, subaccount_id, nonce, module, keccak256(module_data),
                            signature_expiry_sec, owner, signer)                          eight words
    digest      = keccak256(0x1901 || domain_separator || action_hash)

A `TradeAction` keeps what the caller gave, checked: decimals stay decimals. Scaling and encoding them is part
of signing and is paid there, each time. Only what does not belong to one order is encoded beforehand: the two
words of the asset, and those of module, owner and signer. The caller sees to it that the numbers sent are the
numbers signed, that nonces rise, and that the owner has registered the signer.

Source: the venue's "Signing" guide and its `ActionVerifier` and `TradeModule` contracts; EIP-712.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, final

import msgspec

from tapemark.derive.network import Network
from tapemark.errors import InvalidArgument
from tapemark.eth.abi import (
    EXACT,
    FALSE_WORD,
    PLACES,
    TRUE_WORD,
    WORD_BYTES,
    address_bytes,
    address_word,
    bool_word,
    checksum_address,
    int256_word,
    scaled_1e18,
    uint256_word,
)
from tapemark.eth.keccak import keccak256
from tapemark.eth.signer import DigestSigner

MIN_EXPIRY_AHEAD_SEC: Final = 300
MAX_EXPIRY_AHEAD_SEC: Final = 10**9
"""Most seconds, 31 years, that a signature is made for: an expiry in milliseconds is far beyond."""

_NOW_SEC_MIN: Final = 10**9  # 2001
_NOW_SEC_MAX: Final = 10**11  # 5138; a clock read in milliseconds is beyond

_scale: Final = EXACT.scaleb


# A dataclass, unlike the other value types, because msgspec has no field that the constructor leaves out.
@dataclass(frozen=True, slots=True)
class TradeAsset:
    """What is traded, as the venue's contracts name it.

    Attributes:
        address: The instrument's `base_asset_address`.
        sub_id: The instrument's `base_asset_sub_id`, of uint256; an option's exceeds 64 bits.
        words: Both, encoded, 64 bytes.

    Raises:
        InvalidArgument: The address is none, or `sub_id` is not an int of uint256.
    """

    address: str
    sub_id: int
    words: bytes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check and encode."""
        words = address_word(self.address, "TradeAsset.address") + uint256_word(
            self.sub_id, "TradeAsset.sub_id"
        )
        object.__setattr__(self, "words", words)


class TradeAction(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One order, as it is signed.

    Attributes:
        subaccount_id: The subaccount that trades.
        nonce: See `tapemark.derive.nonce`.
        asset: What is traded.
        limit_price: Limit price, or a market order's worst price; at most 18 decimals, in the range of int256
            once scaled by 10^18.
        amount: Size of the order, with the same bounds; negative ones are legal.
        max_fee: Highest fee accepted, per unit; at most 18 decimals, not negative.
        recipient_id: The subaccount that receives what is bought.
        is_bid: True to buy.
        signature_expiry_sec: When the signature stops being valid, UTC seconds.

    Raises:
        InvalidArgument: A field is out of its range or of another type; no float or bool passes for a number.
    """

    subaccount_id: int
    nonce: int
    asset: TradeAsset
    limit_price: Decimal
    amount: Decimal
    max_fee: Decimal
    recipient_id: int
    is_bid: bool
    signature_expiry_sec: int

    def __post_init__(self) -> None:
        """Check by encoding each field once, so that signing can encode without checks."""
        uint256_word(self.subaccount_id, "TradeAction.subaccount_id")
        uint256_word(self.nonce, "TradeAction.nonce")
        if type(self.asset) is not TradeAsset:
            raise InvalidArgument("TradeAction.asset", "a TradeAsset", self.asset)
        int256_word(scaled_1e18(self.limit_price, "TradeAction.limit_price"), "TradeAction.limit_price")
        int256_word(scaled_1e18(self.amount, "TradeAction.amount"), "TradeAction.amount")
        uint256_word(scaled_1e18(self.max_fee, "TradeAction.max_fee"), "TradeAction.max_fee")
        uint256_word(self.recipient_id, "TradeAction.recipient_id")
        bool_word(self.is_bid, "TradeAction.is_bid")
        uint256_word(self.signature_expiry_sec, "TradeAction.signature_expiry_sec")


def trade_module_data(action: TradeAction) -> bytes:
    """Scale and encode the seven words that the trade module reads, 224 bytes.

    It checks nothing: that each word fits was checked when the action was built.
    """
    return b"".join(
        (
            action.asset.words,
            int(_scale(action.limit_price, PLACES)).to_bytes(WORD_BYTES, signed=True),
            int(_scale(action.amount, PLACES)).to_bytes(WORD_BYTES, signed=True),
            int(_scale(action.max_fee, PLACES)).to_bytes(WORD_BYTES),
            action.recipient_id.to_bytes(WORD_BYTES),
            TRUE_WORD if action.is_bid else FALSE_WORD,
        )
    )


@final
class ActionSigner:
    """Sign actions of one owner with one key, for one network.

    Args:
        network: Where the actions are valid.
        owner: Address of the account at the venue, which is not the session key's.
        signer: The owner's key or a session key registered for it.

    Raises:
        InvalidArgument: `owner` is no address.
    """

    __slots__ = ("_domain", "_module_word", "_owner", "_parties", "_signer", "_typehash")

    def __init__(self, network: Network, owner: str, signer: DigestSigner) -> None:
        owner_raw = address_bytes(owner, "owner")
        self._signer: Final = signer
        self._owner: Final = checksum_address(owner_raw)
        self._domain: Final = b"\x19\x01" + network.domain_separator
        self._typehash: Final = network.action_typehash
        self._module_word: Final = address_word(network.trade_module, "network.trade_module")
        self._parties: Final = address_word(owner_raw, "owner") + address_word(signer.address_raw, "signer")

    @property
    def owner(self) -> str:
        """The owner's address with its EIP-55 checksum."""
        return self._owner

    @property
    def signer_address(self) -> str:
        """The signer's address with its EIP-55 checksum, as an order names it."""
        return self._signer.address

    def action_hash(self, action: TradeAction) -> bytes:
        """Hash an action, 32 bytes."""
        return keccak256(
            b"".join(
                (
                    self._typehash,
                    action.subaccount_id.to_bytes(WORD_BYTES),
                    action.nonce.to_bytes(WORD_BYTES),
                    self._module_word,
                    keccak256(trade_module_data(action)),
                    action.signature_expiry_sec.to_bytes(WORD_BYTES),
                    self._parties,
                )
            )
        )

    def digest(self, action: TradeAction) -> bytes:
        """Hash an action together with the network's domain: what is signed, 32 bytes."""
        return keccak256(self._domain + self.action_hash(action))

    def sign(self, action: TradeAction, now_sec: int) -> bytes:
        """Scale, encode, hash and sign an action: r || s || v, 65 bytes.

        Args:
            action: What to sign.
            now_sec: The present time, UTC seconds.

        Raises:
            InvalidArgument: The signature would expire within 300 seconds, which the venue refuses, or more
                than 10^9 seconds ahead, as one given in milliseconds would; nothing is spent on it. Or
                `now_sec` is not an int between the years 2001 and 5138 in seconds.
        """
        if type(now_sec) is not int or not _NOW_SEC_MIN <= now_sec <= _NOW_SEC_MAX:
            raise InvalidArgument("now_sec", "an int of Unix time in seconds", now_sec)
        if not MIN_EXPIRY_AHEAD_SEC <= action.signature_expiry_sec - now_sec <= MAX_EXPIRY_AHEAD_SEC:
            raise InvalidArgument(
                "TradeAction.signature_expiry_sec",
                f"{now_sec + MIN_EXPIRY_AHEAD_SEC} to {now_sec + MAX_EXPIRY_AHEAD_SEC}",
                action.signature_expiry_sec,
            )
        return self._signer.sign_digest(self.digest(action))

    def __repr__(self) -> str:
        """Show whose actions are signed, and by which address."""
        return f"ActionSigner(owner={self._owner}, signer={self._signer.address})"
