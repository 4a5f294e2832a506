"""The bytes that carry order commands to Derive: `private/order`, `private/replace` and `private/cancel`.

Format: one JSON-RPC 2.0 request a command, prices and sizes as strings; the first two are signed
(`tapemark.derive.actions`), a market order with its worst price. Source: the venue's method references and
its "Signing" guide.

Guarantees: the text sent is exactly the value signed. Arguments are checked before anything is taken, so bad
input costs neither a nonce nor a presigned point. If signing itself raises, its nonce is spent and never
handed out again; the venue accepts any higher one, so the gap is harmless.

Left to the caller: to register the order with the dispatcher, then to send the bytes at once and in the order
in which they were encoded, since the venue refuses a nonce at or below the last accepted.
"""

from typing import Final, final

import msgspec

from tapemark.derive.actions import (
    MAX_EXPIRY_AHEAD_SEC,
    MIN_EXPIRY_AHEAD_SEC,
    ActionSigner,
    TradeAction,
)
from tapemark.derive.commands import Cancel, Replace, SubmitLimit, SubmitMarket, check_text
from tapemark.derive.nonce import NonceManager
from tapemark.derive.requests import MAX_JSON_INT, check_json_int, request_bytes
from tapemark.errors import InvalidArgument
from tapemark.model import Side, TimeInForce
from tapemark.numerals import plain_text


class _OrderParams(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The parameters of `private/order`, and with the last one those of `private/replace`."""

    subaccount_id: int
    nonce: int
    signer: str
    signature_expiry_sec: int
    signature: str
    instrument_name: str
    direction: str
    order_type: str
    time_in_force: TimeInForce
    limit_price: str
    amount: str
    max_fee: str
    label: str
    referral_code: str = ""
    reduce_only: bool = False
    mmp: bool = False
    order_id_to_cancel: str = ""


class _CancelParams(msgspec.Struct, frozen=True, gc=False):
    """The parameters of `private/cancel`."""

    subaccount_id: int
    instrument_name: str
    order_id: str


class _CheckedAction(TradeAction, frozen=True, gc=False, kw_only=True):
    """A trade action made from a command, which is checked: to check again costs a tenth of a signature."""

    def __post_init__(self) -> None:
        """Trust the command."""


@final
class OrderEncoder:
    """Encode and sign the commands of one subaccount.

    Args:
        actions: Signs for the subaccount's owner, whose address is the wallet of its nonces.
        nonces: Where nonces come from, shared by all who sign for the wallet.
        subaccount_id: The subaccount that trades and receives.
        lifetime_sec: How long a signature is valid. The venue refuses one that expires less than 300 seconds
            ahead when it arrives, so 300 itself leaves nothing for the way; it cancels an order whose
            signature expires.
        referral_code: Sent with each order, unless it is empty.

    Raises:
        InvalidArgument: An argument is of another type or out of its range.
    """

    __slots__ = (
        "_lifetime_sec",
        "_next_nonce",
        "_referral_code",
        "_sign",
        "_signer_address",
        "_subaccount_id",
        "_wallet",
    )

    def __init__(
        self,
        actions: ActionSigner,
        nonces: NonceManager,
        subaccount_id: int,
        *,
        lifetime_sec: int,
        referral_code: str = "",
    ) -> None:
        if type(actions) is not ActionSigner:
            raise InvalidArgument("actions", "an ActionSigner", actions)
        if type(nonces) is not NonceManager:
            raise InvalidArgument("nonces", "a NonceManager", nonces)
        check_json_int(subaccount_id, "subaccount_id")
        if type(lifetime_sec) is not int or not MIN_EXPIRY_AHEAD_SEC <= lifetime_sec <= MAX_EXPIRY_AHEAD_SEC:
            expected = f"an int of {MIN_EXPIRY_AHEAD_SEC} to {MAX_EXPIRY_AHEAD_SEC}"
            raise InvalidArgument("lifetime_sec", expected, lifetime_sec)
        if referral_code != "":
            check_text(referral_code, "referral_code")
        self._sign: Final = actions.sign
        self._next_nonce: Final = nonces.next
        self._wallet: Final = actions.owner
        self._signer_address: Final = actions.signer_address
        self._subaccount_id: Final = subaccount_id
        self._lifetime_sec: Final = lifetime_sec
        self._referral_code: Final = referral_code

    def submit_limit(self, command: SubmitLimit, now_ms: int, request_id: int) -> bytes:
        """Encode `private/order` for a limit order.

        Args:
            command: The order.
            now_ms: The present time, UTC milliseconds.
            request_id: Comes back in the response; 0 to 2^53 - 1.

        Returns:
            The request, UTF-8 JSON.

        Raises:
            InvalidArgument: An argument is of another type or out of its range, and nothing was taken; or the
                nonces have run past 2^53 - 1, and one more of them is spent.
        """
        if type(command) is not SubmitLimit:
            raise InvalidArgument("command", "a SubmitLimit", command)
        return self._signed(command, now_ms, request_id, method="private/order", order_type="limit")

    def submit_market(self, command: SubmitMarket, now_ms: int, request_id: int) -> bytes:
        """Encode `private/order` for a market order; arguments and errors as for `submit_limit`."""
        if type(command) is not SubmitMarket:
            raise InvalidArgument("command", "a SubmitMarket", command)
        return self._signed(command, now_ms, request_id, method="private/order", order_type="market")

    def replace(self, command: Replace, now_ms: int, request_id: int) -> bytes:
        """Encode `private/replace`; arguments and errors as for `submit_limit`."""
        if type(command) is not Replace:
            raise InvalidArgument("command", "a Replace", command)
        return self._signed(
            command.order,
            now_ms,
            request_id,
            method="private/replace",
            order_type="limit",
            order_id_to_cancel=command.order_id_to_cancel,
        )

    def cancel(self, command: Cancel, request_id: int) -> bytes:
        """Encode `private/cancel`, which is not signed.

        Args:
            command: What to cancel.
            request_id: Comes back in the response; 0 to 2^53 - 1.

        Returns:
            The request, UTF-8 JSON.

        Raises:
            InvalidArgument: An argument is of another type or out of its range.
        """
        if type(command) is not Cancel:
            raise InvalidArgument("command", "a Cancel", command)
        check_json_int(request_id, "request_id")
        params = _CancelParams(self._subaccount_id, command.symbol, command.order_id)
        return request_bytes(request_id, "private/cancel", params)

    def _signed(
        self,
        order: SubmitLimit | SubmitMarket,
        now_ms: int,
        request_id: int,
        *,
        method: str,
        order_type: str,
        order_id_to_cancel: str = "",
    ) -> bytes:
        check_json_int(request_id, "request_id")
        subaccount_id, listing, is_bid = self._subaccount_id, order.listing, order.side is Side.BUY
        price, size, fee = plain_text(order.limit_price), plain_text(order.size), plain_text(order.max_fee)
        nonce = self._next_nonce(self._wallet, subaccount_id, now_ms)
        if nonce > MAX_JSON_INT:
            raise InvalidArgument("nonces", "nonces of at most 2^53 - 1", nonce)
        # Rounded up, so that the venue's clock is not ahead of this second at the time of encoding.
        now_sec = (now_ms + 999) // 1000
        expiry_sec = now_sec + self._lifetime_sec
        action = _CheckedAction(
            subaccount_id=subaccount_id,
            nonce=nonce,
            asset=listing.asset,
            limit_price=order.limit_price,
            amount=order.size,
            max_fee=order.max_fee,
            recipient_id=subaccount_id,
            is_bid=is_bid,
            signature_expiry_sec=expiry_sec,
        )
        params = _OrderParams(
            subaccount_id,
            nonce,
            self._signer_address,
            expiry_sec,
            "0x" + self._sign(action, now_sec).hex(),
            listing.instrument.symbol,
            "buy" if is_bid else "sell",
            order_type,
            order.time_in_force,
            price,
            size,
            fee,
            order.label,
            self._referral_code,
            order.reduce_only,
            order.mmp,
            order_id_to_cancel,
        )
        return request_bytes(request_id, method, params)
