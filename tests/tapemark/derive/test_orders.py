"""The bytes are read with the standard library, and what was signed is computed again by other libraries."""

import itertools
import json
import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import coincurve
import pytest
from Crypto.Hash import keccak
from eth_abi.abi import encode

from tapemark.derive.actions import ActionSigner, TradeAsset
from tapemark.derive.commands import Cancel, Listing, Replace, SubmitLimit, SubmitMarket
from tapemark.derive.network import TESTNET
from tapemark.derive.nonce import NonceManager
from tapemark.derive.orders import OrderEncoder
from tapemark.errors import InvalidArgument
from tapemark.eth.presign import PresignedSigner
from tapemark.eth.signer import Signer
from tapemark.model import Instrument, InstrumentKind, Side, TimeInForce

NOW_MS = 1_794_128_400_001
NOW_SEC_UP = 1_794_128_401
OWNER = "0x52E84Cb9fbBA4f104CC6D0f9B958CA9bEE93Bf55".lower()
SUBACCOUNT = 58_213
SIGNER = Signer(bytes(31) + b"\x2a")
# An option's sub id exceeds 64 bits.
ASSET = TradeAsset("0x" + "bc" * 20, 39_614_082_287_924_319_838_483_674_368)
LISTING = Listing(
    Instrument(
        symbol="ETH-PERP",
        kind=InstrumentKind.PERP,
        tick_size=Decimal("0.01"),
        size_step=Decimal("0.001"),
        min_size=Decimal("0.001"),
        max_size=Decimal(1000),
    ),
    ASSET,
)
FIELDS: dict[str, Any] = {
    "listing": LISTING,
    "label": "tm-000001",
    "side": Side.BUY,
    "limit_price": Decimal("2841.37"),
    "size": Decimal("1.547"),
    "max_fee": Decimal(25),
}
LIMIT = SubmitLimit(**FIELDS)
MARKET = SubmitMarket(**FIELDS | {"side": Side.SELL, "reduce_only": True})
REPLACE = Replace(order_id_to_cancel="ff0144d9-ab2e-42fa-a811-f7bdcae2bca2", order=LIMIT)


def encoder(
    signer: Signer | PresignedSigner = SIGNER, nonces: NonceManager | None = None, **changed: Any
) -> OrderEncoder:
    actions = ActionSigner(TESTNET, OWNER, signer)
    return OrderEncoder(actions, nonces or NonceManager(), SUBACCOUNT, **{"lifetime_sec": 600} | changed)


def keccak256(data: bytes) -> bytes:
    digest: bytes = keccak.new(digest_bits=256, data=data).digest()
    return digest


def scaled(text: str) -> int:
    value = Fraction(text) * 10**18
    assert value.denominator == 1
    return value.numerator


def signer_of(params: dict[str, Any], asset: TradeAsset = ASSET) -> str:
    """Recover who signed what the request says, by eth_abi, pycryptodome and coincurve."""
    module_data = encode(
        ["address", "uint256", "int256", "int256", "uint256", "uint256", "bool"],
        [
            asset.address,
            asset.sub_id,
            scaled(params["limit_price"]),
            scaled(params["amount"]),
            scaled(params["max_fee"]),
            params["subaccount_id"],
            {"buy": True, "sell": False}[params["direction"]],
        ],
    )
    action = encode(
        ["bytes32", "uint256", "uint256", "address", "bytes32", "uint256", "address", "address"],
        [
            bytes.fromhex("4d7a9f27c403ff9c0f19bce61d76d82f9aa29f8d6d4b0c5474607d9770d1af17"),
            params["subaccount_id"],
            params["nonce"],
            "0x87F2863866D85E3192a35A73b388BD625D83f2be",
            keccak256(module_data),
            params["signature_expiry_sec"],
            OWNER,
            params["signer"],
        ],
    )
    domain = bytes.fromhex("9bcf4dc06df5d8bf23af818d5716491b995020f377d3b7b64c29ed14e3dd1105")
    digest = keccak256(b"\x19\x01" + domain + keccak256(action))
    signature = bytes.fromhex(params["signature"].removeprefix("0x"))
    assert len(signature) == 65
    compact = signature[:64] + bytes((signature[64] - 27,))
    public = coincurve.PublicKey.from_signature_and_message(compact, digest, hasher=None)
    return "0x" + keccak256(public.format(compressed=False)[1:])[-20:].hex()


def params_of(raw: bytes, method: str, request_id: int) -> dict[str, Any]:
    request = json.loads(raw)
    params: dict[str, Any] = request.pop("params")
    assert request == {"jsonrpc": "2.0", "method": method, "id": request_id}
    return params


def test_a_limit_order() -> None:
    params = params_of(encoder().submit_limit(LIMIT, NOW_MS, 7), "private/order", 7)
    assert signer_of(params) == SIGNER.address.lower()
    assert params.pop("signature")[:2] == "0x"
    assert params == {
        "subaccount_id": SUBACCOUNT,
        "nonce": NOW_MS * 10,
        "signer": SIGNER.address,
        "signature_expiry_sec": NOW_SEC_UP + 600,
        "instrument_name": "ETH-PERP",
        "direction": "buy",
        "order_type": "limit",
        "time_in_force": "gtc",
        "limit_price": "2841.37",
        "amount": "1.547",
        "max_fee": "25",
        "label": "tm-000001",
    }


def test_a_market_order_signs_its_worst_price() -> None:
    params = params_of(encoder().submit_market(MARKET, NOW_MS, 0), "private/order", 0)
    assert signer_of(params) == SIGNER.address.lower()
    assert params["order_type"] == "market"
    assert params["time_in_force"] == "ioc"
    assert params["direction"] == "sell"
    assert params["limit_price"] == "2841.37"
    assert params["reduce_only"] is True
    assert "mmp" not in params


def test_a_replace_names_the_order_that_goes() -> None:
    params = params_of(encoder().replace(REPLACE, NOW_MS, 2**53 - 1), "private/replace", 2**53 - 1)
    assert signer_of(params) == SIGNER.address.lower()
    assert params.pop("order_id_to_cancel") == "ff0144d9-ab2e-42fa-a811-f7bdcae2bca2"
    assert set(params) == set(params_of(encoder().submit_limit(LIMIT, NOW_MS, 7), "private/order", 7))


def test_a_cancel_is_not_signed() -> None:
    nonces = NonceManager()
    raw = encoder(nonces=nonces).cancel(Cancel(symbol="ETH-PERP", order_id="v1"), 7)
    assert params_of(raw, "private/cancel", 7) == {
        "subaccount_id": SUBACCOUNT,
        "instrument_name": "ETH-PERP",
        "order_id": "v1",
    }
    assert nonces.last(OWNER, SUBACCOUNT) is None


@pytest.mark.parametrize("time_in_force", TimeInForce)
def test_every_time_in_force_is_the_venue_s_word(time_in_force: TimeInForce) -> None:
    order = SubmitLimit(**FIELDS | {"time_in_force": time_in_force, "mmp": True})
    params = params_of(encoder().submit_limit(order, NOW_MS, 7), "private/order", 7)
    assert params["time_in_force"] == time_in_force.name.lower()
    assert params["mmp"] is True


@pytest.mark.parametrize("label", ['a"b', "a\\b", "</script>", "\u00fc\u4e16\U0001f600", "x" * 64])
def test_texts_survive_json(label: str) -> None:
    order = SubmitLimit(**FIELDS | {"label": label})
    params = params_of(encoder(referral_code=label).submit_limit(order, NOW_MS, 7), "private/order", 7)
    assert params["label"] == label
    assert params["referral_code"] == label
    raw = encoder().cancel(Cancel(symbol=label, order_id=label), 7)
    assert params_of(raw, "private/cancel", 7)["order_id"] == label


@pytest.mark.parametrize(
    ("price", "text"),
    [("1E+3", "1000"), ("2841.3700", "2841.3700"), ("0.01", "0.01"), ("1E+39", "1" + "0" * 39)],
)
def test_what_is_sent_has_no_exponent(price: str, text: str) -> None:
    order = SubmitLimit(**FIELDS | {"limit_price": Decimal(price), "max_fee": Decimal("1E-18")})
    params = params_of(encoder().submit_limit(order, NOW_MS, 7), "private/order", 7)
    assert params["limit_price"] == text
    assert params["max_fee"] == "0.000000000000000001"
    assert signer_of(params) == SIGNER.address.lower()


def test_the_text_sent_is_the_value_signed() -> None:
    rng = random.Random(11)
    orders = encoder()
    for _ in range(150):
        tick, step = Decimal(1).scaleb(-rng.randrange(19)), Decimal(1).scaleb(-rng.randrange(19))
        instrument = Instrument(
            symbol="X",
            kind=InstrumentKind.SPOT,
            tick_size=tick * rng.choice([1, 2, 5]),
            size_step=step * rng.choice([1, 2, 5]),
            min_size=Decimal(0),
            max_size=Decimal("9E+39"),
        )
        listing = Listing(instrument, ASSET)
        price = instrument.tick_size * rng.randrange(1, 10 ** rng.randrange(1, 22))
        size = instrument.size_step * rng.randrange(1, 10 ** rng.randrange(1, 22))
        fee = Decimal(rng.randrange(10 ** rng.randrange(1, 22))).scaleb(-rng.randrange(19))
        order = SubmitLimit(
            listing=listing,
            label="x",
            side=rng.choice(list(Side)),
            limit_price=price.normalize() if rng.random() < 0.5 else price,
            size=size.normalize() if rng.random() < 0.5 else size,
            max_fee=fee,
        )
        params = params_of(orders.submit_limit(order, NOW_MS, 7), "private/order", 7)
        assert signer_of(params) == SIGNER.address.lower()
        sent = [Decimal(params[field]) for field in ("limit_price", "amount", "max_fee")]
        assert sent == [price, size, fee]


def test_nonces_rise_whatever_is_encoded_and_whatever_the_clock_does() -> None:
    orders = encoder()
    nonces = []
    for now_ms in (NOW_MS, NOW_MS, NOW_MS - 5_000, NOW_MS + 1):
        for raw in (
            orders.submit_limit(LIMIT, now_ms, 7),
            orders.submit_market(MARKET, now_ms, 8),
            orders.replace(REPLACE, now_ms, 9),
        ):
            params = json.loads(raw)["params"]
            nonces.append(params["nonce"])
            assert signer_of(params) == SIGNER.address.lower()
    assert all(earlier < later for earlier, later in itertools.pairwise(nonces))


def test_the_signature_lives_as_long_as_stated() -> None:
    for now_ms, now_sec in ((1_794_128_400_000, 1_794_128_400), (1_794_128_400_001, 1_794_128_401)):
        params = json.loads(encoder(lifetime_sec=300).submit_limit(LIMIT, now_ms, 7))["params"]
        assert params["signature_expiry_sec"] == now_sec + 300
        assert params["signature_expiry_sec"] * 1000 - now_ms >= 300_000


def test_presigned_points_serve_as_well() -> None:
    signer = PresignedSigner(SIGNER)
    signer.refill(2)
    orders = encoder(signer)
    for _ in range(3):
        params = json.loads(orders.submit_limit(LIMIT, NOW_MS, 7))["params"]
        assert signer_of(params) == SIGNER.address.lower()
    assert (signer.presigned_count, signer.fallback_count) == (2, 1)


@pytest.mark.parametrize(
    ("field", "method", "arguments"),
    [
        ("command", "submit_limit", (MARKET, NOW_MS, 7)),
        ("command", "submit_limit", (None, NOW_MS, 7)),
        ("command", "submit_market", (LIMIT, NOW_MS, 7)),
        ("command", "replace", (LIMIT, NOW_MS, 7)),
        ("command", "cancel", (REPLACE, 7)),
        ("request_id", "submit_limit", (LIMIT, NOW_MS, -1)),
        ("request_id", "submit_limit", (LIMIT, NOW_MS, 2**53)),
        ("request_id", "submit_market", (MARKET, NOW_MS, True)),
        ("request_id", "replace", (REPLACE, NOW_MS, "7")),
        ("request_id", "cancel", (Cancel(symbol="ETH-PERP", order_id="v1"), None)),
        ("now_ms", "submit_limit", (LIMIT, NOW_MS / 1, 7)),
        ("now_ms", "submit_limit", (LIMIT, NOW_MS * 1000, 7)),
        ("now_ms", "submit_market", (MARKET, -1, 7)),
        ("now_ms", "replace", (REPLACE, True, 7)),
    ],
)
def test_bad_input_takes_neither_a_nonce_nor_a_point(
    field: str, method: str, arguments: tuple[Any, ...]
) -> None:
    signer, nonces = PresignedSigner(SIGNER), NonceManager()
    signer.refill(1)
    nonces.refresh(OWNER, SUBACCOUNT, 5)
    with pytest.raises(InvalidArgument) as raised:
        getattr(encoder(signer, nonces), method)(*arguments)
    assert raised.value.field == field
    assert nonces.last(OWNER, SUBACCOUNT) == 5
    assert (signer.remaining, signer.presigned_count, signer.fallback_count) == (1, 0, 0)


def test_a_nonce_beyond_json_is_refused_before_a_point_is_taken() -> None:
    signer, nonces = PresignedSigner(SIGNER), NonceManager()
    signer.refill(1)
    nonces.refresh(OWNER, SUBACCOUNT, 2**53 - 2)
    orders = encoder(signer, nonces)
    assert json.loads(orders.submit_limit(LIMIT, NOW_MS, 7))["params"]["nonce"] == 2**53 - 1
    signer.refill(1)
    with pytest.raises(InvalidArgument, match=r"^nonces: "):
        orders.submit_limit(LIMIT, NOW_MS, 7)
    assert signer.remaining == 1


class FailingSigner:
    """Fails to sign as often as told."""

    address, address_raw = SIGNER.address, SIGNER.address_raw

    def __init__(self, failures: int) -> None:
        self.failures = failures

    def sign_digest(self, digest: bytes) -> bytes:
        if self.failures:
            self.failures -= 1
            raise OSError
        return SIGNER.sign_digest(digest)


def test_a_nonce_is_not_used_again_when_signing_fails() -> None:
    nonces = NonceManager()
    orders = OrderEncoder(
        ActionSigner(TESTNET, OWNER, FailingSigner(2)), nonces, SUBACCOUNT, lifetime_sec=600
    )
    for _ in range(2):
        with pytest.raises(OSError, match=r"^$"):
            orders.submit_limit(LIMIT, NOW_MS, 7)
    spent = nonces.last(OWNER, SUBACCOUNT)
    assert spent == NOW_MS * 10 + 1
    assert json.loads(orders.submit_limit(LIMIT, NOW_MS, 7))["params"]["nonce"] == spent + 1


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("actions", {"actions": SIGNER}),
        ("nonces", {"nonces": itertools.count()}),
        ("subaccount_id", {"subaccount_id": -1}),
        ("subaccount_id", {"subaccount_id": "58213"}),
        ("subaccount_id", {"subaccount_id": True}),
        ("lifetime_sec", {"lifetime_sec": 299}),
        ("lifetime_sec", {"lifetime_sec": 600.0}),
        ("lifetime_sec", {"lifetime_sec": 10**9 + 1}),
        ("referral_code", {"referral_code": "x" * 65}),
        ("referral_code", {"referral_code": None}),
    ],
)
def test_the_encoder_names_the_bad_argument(field: str, change: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {
        "actions": ActionSigner(TESTNET, OWNER, SIGNER),
        "nonces": NonceManager(),
        "subaccount_id": SUBACCOUNT,
        "lifetime_sec": 300,
    }
    OrderEncoder(**arguments)
    with pytest.raises(InvalidArgument) as raised:
        OrderEncoder(**arguments | change)
    assert raised.value.field == field
