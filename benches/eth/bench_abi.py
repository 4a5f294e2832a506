"""The checks and words that an order's encoding consists of."""

from decimal import Decimal
from itertools import cycle

from eth_abi.abi import encode

from benches.eth import plain
from benchgate.measure import Measure
from tapemark.eth.abi import address_bytes, scaled_1e18, uint256_word

# The example of EIP-55 itself, so with a checksum to verify.
_ADDRESS = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"


def bench_uint256_word(measure: Measure) -> None:
    """Encode an option's sub id, which exceeds 64 bits, as one word."""
    value = 2**95 + 2_800 * 10**8 * 2**32 + 1_806_048_000
    assert uint256_word(value, "sub_id") == encode(["uint256"], [value])
    measure(uint256_word, value, "sub_id")


def bench_scaled_1e18(measure: Measure) -> None:
    """Scale a price of six digits by 10^18, exactly."""
    assert scaled_1e18(Decimal("2841.37"), "limit_price") == 284137 * 10**16
    measure(scaled_1e18, Decimal("2841.37"), "limit_price")


def bench_address_bytes(measure: Measure) -> None:
    """Read an address whose EIP-55 checksum was verified before: that verdict comes from a cache."""
    assert address_bytes(_ADDRESS, "asset").hex() == _ADDRESS[2:].lower()
    measure(address_bytes, _ADDRESS, "asset")


def bench_address_bytes_cold(measure: Measure) -> None:
    """Read an address at first sight: its EIP-55 checksum is computed, at the cost of a keccak256."""
    # Twice as many as the cache of verdicts holds, in turn: each has been forgotten when it comes again.
    texts = [plain.checksum_address(plain.keccak256(at.to_bytes(2))[:20]) for at in range(2_050)]
    # The letters of a few happen to be of one case, which reads like no checksum.
    mixed = [text for text in texts if text[2:] not in (text[2:].lower(), text[2:].upper())]
    assert [address_bytes(text, "asset") for text in mixed] == [bytes.fromhex(text[2:]) for text in mixed]
    turn = cycle((text, "asset") for text in mixed)
    measure.fresh(address_bytes, turn.__next__)
