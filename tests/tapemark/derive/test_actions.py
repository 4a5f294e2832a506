import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
from eth_abi.abi import encode
from hypothesis import given
from hypothesis import strategies as st

from tapemark.derive.actions import ActionSigner, TradeAction, TradeAsset, trade_module_data
from tapemark.derive.network import MAINNET, TESTNET, Network
from tapemark.errors import InvalidArgument
from tapemark.eth.presign import PresignedSigner
from tapemark.eth.signer import Signer, recover_address

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "trade_actions.json").read_text())["vectors"]
NETWORKS = {"mainnet": MAINNET, "testnet": TESTNET}
OWNER = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
ASSET = TradeAsset("0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", 2**90 + 1)
EXPIRY_SEC = 1_700_000_300
UINT256_MAX = 2**256 - 1


def action_with(**changes: Any) -> TradeAction:
    fields: dict[str, Any] = {
        "subaccount_id": 30_769,
        "nonce": 17_000_000_000_001,
        "asset": ASSET,
        "limit_price": Decimal("3500.25"),
        "amount": Decimal("-1.5"),
        "max_fee": Decimal("0.01"),
        "recipient_id": 30_769,
        "is_bid": True,
        "signature_expiry_sec": EXPIRY_SEC,
    }
    return TradeAction(**fields | changes)


def action_of(vector: dict[str, Any]) -> TradeAction:
    return TradeAction(
        subaccount_id=int(vector["subaccount_id"]),
        nonce=int(vector["nonce"]),
        asset=TradeAsset(vector["asset"], int(vector["sub_id"])),
        limit_price=Decimal(vector["limit_price"]),
        amount=Decimal(vector["amount"]),
        max_fee=Decimal(vector["max_fee"]),
        recipient_id=int(vector["recipient_id"]),
        is_bid=vector["is_bid"],
        signature_expiry_sec=vector["signature_expiry_sec"],
    )


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: f"nonce {v['nonce']}")
def test_data_digest_and_signature_are_those_of_the_venues_sdk(vector: dict[str, Any]) -> None:
    action = action_of(vector)
    signer = ActionSigner(NETWORKS[vector["network"]], vector["owner"], Signer.from_hex(vector["key"]))
    assert signer.signer_address == vector["signer"]
    assert signer.owner.lower() == vector["owner"].lower()
    assert trade_module_data(action).hex() == vector["module_data"]
    assert signer.digest(action).hex() == vector["digest"]
    assert signer.sign(action, action.signature_expiry_sec - 300).hex() == vector["signature"]


def test_the_vectors_cover_both_networks_sides_and_signs() -> None:
    assert {v["network"] for v in VECTORS} == set(NETWORKS)
    assert {v["is_bid"] for v in VECTORS} == {True, False}
    assert {v["amount"][0] == "-" for v in VECTORS} == {True, False}
    assert any(int(v["sub_id"]) > 2**64 for v in VECTORS)


uint256 = st.integers(0, UINT256_MAX)
scaled = st.integers(-(2**255), 2**255 - 1)


@given(
    address=st.binary(min_size=20, max_size=20),
    sub_id=uint256,
    price=scaled,
    amount=scaled,
    fee=uint256,
    recipient=uint256,
    is_bid=st.booleans(),
)
def test_module_data_equals_eth_abi_over_the_whole_range(
    *, address: bytes, sub_id: int, price: int, amount: int, fee: int, recipient: int, is_bid: bool
) -> None:
    def decimal(number: int) -> Decimal:
        # By text, so that no context rounds it.
        digits = f"{abs(number):019d}"
        return Decimal(f"{'-' if number < 0 else ''}{digits[:-18]}.{digits[-18:]}")

    action = action_with(
        asset=TradeAsset("0x" + address.hex(), sub_id),
        limit_price=decimal(price),
        amount=decimal(amount),
        max_fee=decimal(fee),
        recipient_id=recipient,
        is_bid=is_bid,
    )
    assert Fraction(action.limit_price) * 10**18 == price
    types = ["address", "uint256", "int256", "int256", "uint256", "uint256", "bool"]
    assert trade_module_data(action) == encode(
        types, [address, sub_id, price, amount, fee, recipient, is_bid]
    )


LARGEST_INT = Decimal(f"{2**255 - 1}E-18")
SMALLEST_INT = Decimal(f"-{2**255}E-18")
ONE = Decimal("1E-18")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("subaccount_id", value) for value in (-1, 2**256, True, 1.0, "1", None, Decimal(1))),
        *(("nonce", value) for value in (-1, 2**256, False, 1.0, "1", None)),
        *(("recipient_id", value) for value in (-1, 2**256, True, 1.0, "1", None)),
        *(("signature_expiry_sec", value) for value in (-1, 2**256, True, 1.0, "1", None)),
        *(("asset", value) for value in (None, OWNER, (OWNER, 1))),
        *(("is_bid", value) for value in (0, 1, "true", None)),
        *(
            (field, value)
            for field in ("limit_price", "amount", "max_fee")
            for value in (1, 1.5, True, "1", None)
        ),
        *((field, Decimal("NaN")) for field in ("limit_price", "amount", "max_fee")),
        *((field, Decimal("1E-19")) for field in ("limit_price", "amount", "max_fee")),
        *((field, Decimal(f"{2**255}E-18")) for field in ("limit_price", "amount")),
        *((field, Decimal(f"-{2**255 + 1}E-18")) for field in ("limit_price", "amount")),
        ("max_fee", Decimal(f"{2**256}E-18")),
        ("max_fee", Decimal("-0.01")),
    ],
)
def test_a_field_out_of_range_is_refused_at_construction_by_name(field: str, value: Any) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        action_with(**{field: value})
    assert refusal.value.field == f"TradeAction.{field}"


@pytest.mark.parametrize("value", [LARGEST_INT, SMALLEST_INT, Decimal(0), Decimal("-0"), ONE, -ONE])
def test_the_ends_of_the_decimal_range_are_signed(value: Decimal) -> None:
    action = action_with(limit_price=value, amount=value, max_fee=Decimal(f"{UINT256_MAX}E-18"))
    number = int(Fraction(value) * 10**18)
    data = trade_module_data(action)
    assert data[64:128] == encode(["int256", "int256"], [number, number])
    assert data[128:160] == b"\xff" * 32


@pytest.mark.parametrize("address", ["", "0x00", OWNER.replace("aA", "AA"), None, b"\0" * 19])
def test_an_asset_needs_an_address(address: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"^TradeAsset\.address: "):
        TradeAsset(address, 0)


@pytest.mark.parametrize("sub_id", [-1, 2**256, True, 1.0, None])
def test_an_asset_needs_a_sub_id(sub_id: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"^TradeAsset\.sub_id: "):
        TradeAsset(OWNER, sub_id)


def test_values_are_frozen_and_compare_by_content() -> None:
    assert action_with() == action_with()
    assert action_with() != action_with(nonce=1)
    assert TradeAsset(OWNER, 1) == TradeAsset(OWNER, 1) != TradeAsset(OWNER, 2)
    with pytest.raises(AttributeError):
        action_with().nonce = 1  # type: ignore[misc]  # the point
    with pytest.raises(AttributeError):
        ASSET.words = bytes(64)  # type: ignore[misc]  # the same


def test_each_field_changes_the_digest() -> None:
    signer = ActionSigner(MAINNET, OWNER, Signer(b"\1" * 32))
    changes: list[dict[str, Any]] = [
        {},
        {"subaccount_id": 1},
        {"nonce": 1},
        {"asset": TradeAsset(OWNER, 2**90 + 1)},
        {"asset": TradeAsset(ASSET.address, 1)},
        {"limit_price": Decimal("3500.26")},
        {"amount": Decimal("1.5")},
        {"max_fee": Decimal("0.02")},
        {"recipient_id": 1},
        {"is_bid": False},
        {"signature_expiry_sec": EXPIRY_SEC + 1},
    ]
    digests = [signer.digest(action_with(**change)) for change in changes]
    others = [
        ActionSigner(TESTNET, OWNER, Signer(b"\1" * 32)),
        ActionSigner(MAINNET, ASSET.address, Signer(b"\1" * 32)),
        ActionSigner(MAINNET, OWNER, Signer(b"\2" * 32)),
    ]
    digests += [other.digest(action_with()) for other in others]
    assert len(set(digests)) == len(digests)


@pytest.mark.parametrize("text", ["0E-999999999999", "0E+999999999999", "0." + "0" * 1_000_000])
def test_a_zero_of_any_exponent_is_zero(text: str) -> None:
    spelled = action_with(amount=Decimal(text), max_fee=Decimal(text))
    plain = action_with(amount=Decimal(0), max_fee=Decimal(0))
    assert trade_module_data(spelled) == trade_module_data(plain)


def test_trailing_zeros_change_nothing_that_is_signed() -> None:
    spelled = action_with(limit_price=Decimal("3500.250000000000000000000000"))
    assert trade_module_data(spelled) == trade_module_data(action_with())


@pytest.mark.parametrize(
    ("expiry_sec", "now_sec"),
    [
        (EXPIRY_SEC, EXPIRY_SEC - 299),
        (EXPIRY_SEC, EXPIRY_SEC),
        (EXPIRY_SEC, EXPIRY_SEC + 1),
        (EXPIRY_SEC, 10**11),
        (EXPIRY_SEC, EXPIRY_SEC * 1_000),
        (EXPIRY_SEC, 10**11 + 1),
        (EXPIRY_SEC, 10**9 - 1),
        (EXPIRY_SEC, EXPIRY_SEC // 1_000),
        (EXPIRY_SEC, 0),
        (EXPIRY_SEC, -1),
        (EXPIRY_SEC + 10**9 + 1, EXPIRY_SEC),
        (EXPIRY_SEC * 1_000, EXPIRY_SEC - 300),
        (UINT256_MAX, EXPIRY_SEC - 300),
    ],
)
def test_a_time_that_does_not_fit_is_refused_before_anything_is_spent(expiry_sec: int, now_sec: int) -> None:
    pool = PresignedSigner(Signer(b"\1" * 32))
    pool.refill(1)
    signer = ActionSigner(MAINNET, OWNER, pool)
    field = r"TradeAction\.signature_expiry_sec" if 10**9 <= now_sec <= 10**11 else "now_sec"
    with pytest.raises(InvalidArgument, match=rf"^{field}: expected "):
        signer.sign(action_with(signature_expiry_sec=expiry_sec), now_sec)
    assert (pool.remaining, pool.fallback_count) == (1, 0)
    assert len(signer.sign(action_with(), EXPIRY_SEC - 300)) == 65
    assert pool.remaining == 0


@pytest.mark.parametrize(("ahead_sec", "now_sec"), [(300, 10**9), (10**9, 10**9), (10**9, 10**11)])
def test_the_ends_of_the_times_are_signed(ahead_sec: int, now_sec: int) -> None:
    signer = ActionSigner(MAINNET, OWNER, Signer(b"\1" * 32))
    assert len(signer.sign(action_with(signature_expiry_sec=now_sec + ahead_sec), now_sec)) == 65


@pytest.mark.parametrize("now_sec", [1.5, EXPIRY_SEC - 300.0, True, "1", None])
def test_the_present_is_an_int_of_seconds(now_sec: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"^now_sec: "):
        ActionSigner(MAINNET, OWNER, Signer(b"\1" * 32)).sign(action_with(), now_sec)


def test_a_presigned_action_recovers_the_same_signer() -> None:
    key = Signer(b"\7" * 32)
    pool = PresignedSigner(key)
    pool.refill(5)
    signer = ActionSigner(MAINNET, OWNER, pool)
    assert signer.signer_address == key.address
    for nonce in range(5):
        action = action_with(nonce=nonce)
        signature = signer.sign(action, EXPIRY_SEC - 300)
        assert recover_address(ActionSigner(MAINNET, OWNER, key).digest(action), signature) == key.address
    assert pool.presigned_count == 5


def test_an_action_signer_shows_addresses_only() -> None:
    key = Signer(b"\1" * 32)
    signer = ActionSigner(MAINNET, OWNER.lower(), key)
    assert repr(signer) == f"ActionSigner(owner={OWNER}, signer={key.address})"
    with pytest.raises(InvalidArgument, match=r"^owner: "):
        ActionSigner(MAINNET, OWNER.replace("aA", "AA"), key)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("domain_separator", b"\0" * 31),
        ("domain_separator", "0" * 32),
        ("action_typehash", b"\0" * 33),
        ("trade_module", "0x"),
    ],
)
def test_a_network_is_checked(field: str, value: Any) -> None:
    fields = msgspec.structs.asdict(MAINNET)
    with pytest.raises(InvalidArgument, match=rf"^Network\.{field}: "):
        Network(**fields | {field: value})
