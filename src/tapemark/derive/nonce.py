"""Nonces of signed actions: strictly increasing for each wallet and subaccount.

The venue refuses a nonce at or below the last one that it accepted. A nonce is UTC milliseconds with a suffix
appended in decimal; `max(now_ms * 10, last + 1)` leaves room for ten in a millisecond before it runs ahead of
the clock, and keeps rising under a clock that stands still or steps back.

State lives in this process alone: two processes that trade one subaccount need a source of nonces in common.

Source: the venue's "Signing" guide; `tapemark.derive.requests` for the largest number that is sent.
"""

from threading import Lock
from typing import Final

from tapemark.derive.requests import MAX_JSON_INT, check_now_ms
from tapemark.errors import InvalidArgument
from tapemark.eth.abi import address_bytes, uint256_word


class _Sequence:
    """The last nonce of one wallet and subaccount."""

    __slots__ = ("last",)

    def __init__(self) -> None:
        self.last = -1


class NonceManager:
    """Hand out nonces, from any thread.

    A wallet is the same with and without checksum case. Its calls hold a lock, so none of them may be made
    from a signal handler.
    """

    __slots__ = ("_by_text", "_by_wallet", "_lock")

    def __init__(self) -> None:
        self._lock: Final = Lock()
        self._by_wallet: Final[dict[tuple[bytes, int], _Sequence]] = {}
        # The hot path's index, by the wallet as written. It has at most three entries for each sequence:
        # `address_bytes` admits a wallet in lower case, in upper case and with its one checksum.
        self._by_text: Final[dict[tuple[str, int], _Sequence]] = {}

    def next(self, wallet: str, subaccount_id: int, now_ms: int) -> int:
        """Take the next nonce.

        Args:
            wallet: Address of the owner's account at the venue.
            subaccount_id: The subaccount that trades.
            now_ms: The present time, UTC milliseconds.

        Raises:
            InvalidArgument: `wallet` is no address, `subaccount_id` not an int of uint256, or `now_ms` not
                Unix time in milliseconds.
        """
        check_now_ms(now_ms)
        # The types are checked before the lookup, because True and 1.0 are the key 1 to a dict.
        known = None
        if type(subaccount_id) is int and type(wallet) is str:
            known = self._by_text.get((wallet, subaccount_id))
        sequence = known or self._sequence(wallet, subaccount_id)
        with self._lock:
            nonce = now_ms * 10
            if nonce <= sequence.last:
                nonce = sequence.last + 1
            sequence.last = nonce
            return nonce

    def refresh(self, wallet: str, subaccount_id: int, venue_nonce: int) -> None:
        """Take note of a nonce that the venue reports as used; an older one changes nothing.

        Raises:
            InvalidArgument: `wallet` is no address, `subaccount_id` not an int of uint256, or `venue_nonce`
                not an int of 0 to 2^53 - 2: the one after it could not be sent.
        """
        if type(venue_nonce) is not int or not 0 <= venue_nonce < MAX_JSON_INT:
            raise InvalidArgument("venue_nonce", "an int of 0 to 2^53 - 2", venue_nonce)
        sequence = self._sequence(wallet, subaccount_id)
        with self._lock:
            sequence.last = max(sequence.last, venue_nonce)

    def last(self, wallet: str, subaccount_id: int) -> int | None:
        """Tell the last nonce handed out or reported; None if there is none.

        Raises:
            InvalidArgument: `wallet` is no address, or `subaccount_id` not an int of uint256.
        """
        uint256_word(subaccount_id, "subaccount_id")
        with self._lock:
            sequence = self._by_wallet.get((address_bytes(wallet, "wallet"), subaccount_id))
        return None if sequence is None or sequence.last < 0 else sequence.last

    def _sequence(self, wallet: str, subaccount_id: int) -> _Sequence:
        uint256_word(subaccount_id, "subaccount_id")
        raw = address_bytes(wallet, "wallet")
        with self._lock:
            sequence = self._by_wallet.setdefault((raw, subaccount_id), _Sequence())
            self._by_text[wallet, subaccount_id] = sequence
            return sequence
