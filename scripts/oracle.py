"""Compare what tapemark signs and encodes with the venue's own SDK, eth-account and eth-abi.

Run it where derive-action-signing, eth-account and eth-abi are installed beside tapemark's dependencies:

    PYTHONPATH=src python scripts/oracle.py [--seed N] [--write-vectors]

It prints a table of comparisons and mismatches, and exits with 1 if there is any. `--write-vectors` then
writes a small part of the same cases, with the other side's results, to tests/vectors, for the tests, which
run without these libraries.

All cases come from the seed. Those of the SDK stay where it is exact: it scales decimals in a context of 28
digits, so it rounds what has more significant ones.
"""

import argparse
import json
import os
import random
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

# eth-keys would pick coincurve, which tapemark signs with; its own arithmetic is the second opinion wanted.
os.environ["ECC_BACKEND_CLASS"] = "eth_keys.backends.NativeECCBackend"

from derive_action_signing import (
    SignedAction,
    TradeModuleData,
)
from eth_abi.abi import encode
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_keys.datatypes import PrivateKey, Signature

from tapemark.derive.actions import ActionSigner, TradeAction, TradeAsset, trade_module_data
from tapemark.derive.auth import login_params, rest_headers
from tapemark.derive.network import MAINNET, TESTNET, Network
from tapemark.eth.abi import address_word, bool_word, checksum_address, int256_word, scaled_1e18, uint256_word
from tapemark.eth.presign import PresignedSigner
from tapemark.eth.signer import Signer

SEED = 20_240_601
ACTIONS, WORDS, DECIMALS, PRESIGNED, LOGINS = 2_000, 20_000, 20_000, 2_000, 200
VECTORS = Path(__file__).parent.parent / "tests" / "vectors"
ACTION_VECTORS, LOGIN_VECTORS = 24, 6
NOW_SEC = 1_700_000_000
TRADE_TYPES = ["address", "uint256", "int256", "int256", "uint256", "uint256", "bool"]
RANGE_ENDS = {
    "uint256": (0, 1, 2**256 - 2, 2**256 - 1),
    "int256": (-(2**255), 1 - 2**255, -1, 0, 1, 2**255 - 2, 2**255 - 1),
    "address": ("0x" + "0" * 40, "0x" + "f" * 40),
    "bool": (False, True),
}
ENCODERS: dict[str, Callable[[Any, str], bytes]] = {
    "uint256": uint256_word,
    "int256": int256_word,
    "address": address_word,
    "bool": bool_word,
}


class Tally:
    """Comparisons and mismatches, by what was compared."""

    def __init__(self) -> None:
        self.rows: dict[str, list[int]] = {}

    def compare(self, what: str, ours: object, theirs: object, case: object) -> None:
        """Count one comparison; show its case if the two differ."""
        row = self.rows.setdefault(what, [0, 0])
        row[0] += 1
        if ours != theirs:
            row[1] += 1
            if row[1] <= 3:
                print(
                    f"mismatch: {what}\n  case   {case}\n  ours   {ours!r}\n  theirs {theirs!r}",
                    file=sys.stderr,
                )

    def report(self) -> int:
        """Print the table; return how many comparisons failed."""
        width = max(map(len, self.rows))
        print(f"{'compared':{width}}  {'cases':>7}  mismatches")
        for what, (cases, mismatches) in self.rows.items():
            print(f"{what:{width}}  {cases:7,}  {mismatches:10,}")
        return sum(mismatches for _, mismatches in self.rows.values())


def random_address(rng: random.Random) -> str:
    """Draw an address, in one of the two common spellings."""
    raw = rng.randbytes(20)
    return checksum_address(raw) if rng.random() < 0.5 else "0x" + raw.hex()


def random_decimal(rng: random.Random, *, negative: bool) -> Decimal:
    """Draw a decimal of at most 28 significant digits, at most 18 of them after the point."""
    digits = rng.randrange(1, 29)
    places = rng.randrange(19)
    magnitude = rng.randrange(10**digits)
    return Decimal(-magnitude if negative and rng.random() < 0.3 else magnitude).scaleb(-places)


def random_action(rng: random.Random) -> TradeAction:
    """Draw an action that the SDK signs exactly."""
    now_ms = NOW_SEC * 1_000 + rng.randrange(10**9)
    return TradeAction(
        subaccount_id=rng.choice((rng.randrange(10**6), rng.getrandbits(256))),
        nonce=now_ms * 10 + rng.randrange(10),
        asset=TradeAsset(random_address(rng), rng.choice((0, rng.getrandbits(96), rng.getrandbits(256)))),
        limit_price=random_decimal(rng, negative=True),
        amount=random_decimal(rng, negative=True),
        max_fee=random_decimal(rng, negative=False),
        recipient_id=rng.choice((rng.randrange(10**6), rng.getrandbits(256))),
        is_bid=rng.random() < 0.5,
        signature_expiry_sec=NOW_SEC + 300 + rng.randrange(10**7),
    )


def sdk_action(action: TradeAction, network: Network, owner: str, signer: str) -> SignedAction:
    """Say the same to the venue's SDK."""
    data = TradeModuleData(
        asset_address=action.asset.address,
        sub_id=action.asset.sub_id,
        limit_price=action.limit_price,
        amount=action.amount,
        max_fee=action.max_fee,
        recipient_id=action.recipient_id,
        is_bid=action.is_bid,
    )
    return SignedAction(
        subaccount_id=action.subaccount_id,
        owner=owner,
        signer=signer,
        signature_expiry_sec=action.signature_expiry_sec,
        nonce=action.nonce,
        module_address=network.trade_module,
        module_data=data,
        DOMAIN_SEPARATOR="0x" + network.domain_separator.hex(),
        ACTION_TYPEHASH="0x" + network.action_typehash.hex(),
    )


def bare_hex(text: str) -> str:
    """Strip the prefix that some versions of hexbytes write."""
    return text.removeprefix("0x")


def compare_actions(rng: random.Random, tally: Tally) -> list[dict[str, object]]:
    """Sign actions on both sides; return the first of them as vectors, with the SDK's results."""
    vectors: list[dict[str, object]] = []
    for _ in range(ACTIONS):
        key, owner, network = rng.randbytes(32), random_address(rng), rng.choice((MAINNET, TESTNET))
        action = random_action(rng)
        signer = Signer(key)
        ours = ActionSigner(network, owner, signer)
        theirs = sdk_action(action, network, owner, signer.address)
        data = theirs.module_data.to_abi_encoded()
        # The SDK shows its hashes nowhere else.
        action_hash, digest = bytes(theirs._get_action_hash()), bytes(theirs._to_typed_data_hash())  # noqa: SLF001
        signature = bytes.fromhex(bare_hex(theirs.sign("0x" + key.hex())))
        tally.compare("trade module data, the venue's SDK", trade_module_data(action), data, action)
        tally.compare("action hash, the venue's SDK", ours.action_hash(action), action_hash, action)
        tally.compare("digest, the venue's SDK", ours.digest(action), digest, action)
        tally.compare("action signature, the venue's SDK", ours.sign(action, NOW_SEC), signature, action)
        account = Account.from_key(key)
        tally.compare("signer's address, eth-account", signer.address, account.address, key.hex())
        tally.compare(
            "action signature, eth-account",
            ours.sign(action, NOW_SEC),
            bytes(account.unsafe_sign_hash(ours.digest(action)).signature),
            action,
        )
        if len(vectors) < ACTION_VECTORS:
            vectors.append(
                {
                    "network": network.name,
                    "key": key.hex(),
                    "signer": account.address,
                    "owner": owner,
                    "subaccount_id": str(action.subaccount_id),
                    "nonce": str(action.nonce),
                    "asset": action.asset.address,
                    "sub_id": str(action.asset.sub_id),
                    "limit_price": f"{action.limit_price:f}",
                    "amount": f"{action.amount:f}",
                    "max_fee": f"{action.max_fee:f}",
                    "recipient_id": str(action.recipient_id),
                    "is_bid": action.is_bid,
                    "signature_expiry_sec": action.signature_expiry_sec,
                    "module_data": data.hex(),
                    "digest": digest.hex(),
                    "signature": signature.hex(),
                }
            )
    return vectors


def compare_logins(rng: random.Random, tally: Tally) -> list[dict[str, object]]:
    """Sign timestamps on both sides; return the first of them as vectors, with eth-account's results."""
    vectors: list[dict[str, object]] = []
    for _ in range(LOGINS):
        key, wallet, now_ms = (
            rng.randbytes(32),
            random_address(rng),
            rng.randrange(10**12, 10**14),
        )
        signed = Account.sign_message(encode_defunct(text=str(now_ms)), key)
        signature = "0x" + bare_hex(signed.signature.hex())
        expected = {"wallet": wallet, "timestamp": str(now_ms), "signature": signature}
        headers = {f"X-LYRA{name.upper()}": value for name, value in expected.items()}
        tally.compare(
            "login signature, eth-account", login_params(Signer(key), wallet, now_ms), expected, now_ms
        )
        tally.compare("REST headers, eth-account", rest_headers(Signer(key), wallet, now_ms), headers, now_ms)
        if len(vectors) < LOGIN_VECTORS:
            vectors.append({"key": key.hex(), "wallet": wallet, "now_ms": now_ms, "signature": signature})
    return vectors


def random_words(rng: random.Random) -> Iterator[tuple[str, Any]]:
    """Draw values of all widths, after the ends of each range."""
    for kind, values in RANGE_ENDS.items():
        for value in values:
            yield kind, value
    for _ in range(WORDS):
        kind = rng.choice(tuple(ENCODERS))
        bits = rng.randrange(1, 257)
        signed = rng.getrandbits(bits - 1) * rng.choice((1, -1))
        drawn = {"uint256": rng.getrandbits(bits), "int256": signed, "address": random_address(rng)}
        yield kind, drawn.get(kind, rng.random() < 0.5)


def compare_words(rng: random.Random, tally: Tally) -> None:
    """Encode single words, scale decimals and encode whole trades on both sides."""
    for kind, value in random_words(rng):
        tally.compare(
            "ABI word, eth-abi", ENCODERS[kind](value, kind), encode([kind], [value]), (kind, value)
        )
    for _ in range(DECIMALS):
        # Beyond the SDK's 28 digits, up to all that 256 bits hold: 59 before the point and 18 after it.
        value = Decimal(rng.randrange(-(10 ** rng.randrange(1, 78)), 10 ** rng.randrange(1, 78))).scaleb(-18)
        value = Decimal(f"{value:f}")
        tally.compare(
            "decimal scaled by 10^18, fractions", scaled_1e18(value, "v"), Fraction(value) * 10**18, value
        )
    for _ in range(ACTIONS):
        action = random_action(rng)
        numbers = [int(Fraction(d) * 10**18) for d in (action.limit_price, action.amount, action.max_fee)]
        words = [action.asset.address, action.asset.sub_id, *numbers, action.recipient_id, action.is_bid]
        tally.compare(
            "trade module data, eth-abi", trade_module_data(action), encode(TRADE_TYPES, words), action
        )


def compare_presigned(rng: random.Random, tally: Tally) -> None:
    """Verify and recover presigned signatures with eth-keys' own arithmetic."""
    key = rng.randbytes(32)
    public = PrivateKey(key).public_key
    pool = PresignedSigner(Signer(key), rng.randbytes)
    pool.refill(PRESIGNED)
    points = set()
    for _ in range(PRESIGNED):
        digest = rng.randbytes(32)
        signature = pool.sign_digest(digest)
        points.add(signature[:32])
        theirs = Signature(signature[:64] + bytes((signature[64] - 27,)))
        verified = theirs.verify_msg_hash(digest, public)
        tally.compare("presigned: verified, eth-keys", ours=verified, theirs=True, case=digest.hex())
        recovered = theirs.recover_public_key_from_msg_hash(digest)
        tally.compare(
            "presigned: recovered, eth-keys", pool.address, recovered.to_checksum_address(), digest.hex()
        )
    tally.compare("presigned: points used once", len(points), PRESIGNED, "all")
    tally.compare("presigned: none by RFC 6979", pool.fallback_count, 0, "all")


def write_vectors(name: str, seed: int, source: str, vectors: list[dict[str, object]]) -> None:
    """Write vectors with the account of their making."""
    libraries = ("derive-action-signing", "eth-account", "eth-abi", "eth-keys")
    provenance = {
        "source": source,
        "made_by": "PYTHONPATH=src python scripts/oracle.py --write-vectors",
        "seed": seed,
        "keys": "drawn from the seed, so they are public and own nothing",
        "versions": {library: version(library) for library in libraries},
        "ecc_backend": os.environ["ECC_BACKEND_CLASS"],
    }
    text = json.dumps({"provenance": provenance, "vectors": vectors}, indent=2)
    (VECTORS / name).write_text(text + "\n")
    print(f"wrote {len(vectors)} vectors to tests/vectors/{name}")


def main() -> int:
    """Compare everything; return the exit code."""
    parser = argparse.ArgumentParser(
        description="Compare tapemark's signatures and words with other libraries."
    )
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--write-vectors", action="store_true", help="write tests/vectors if nothing differs")
    options = parser.parse_args()
    rng, tally = random.Random(options.seed), Tally()
    actions = compare_actions(rng, tally)
    logins = compare_logins(rng, tally)
    compare_words(rng, tally)
    compare_presigned(rng, tally)
    failed = tally.report()
    if failed:
        return 1
    if options.write_vectors:
        source = (
            "the venue's Python SDK, derive-action-signing: module data, digest and signature are its own"
        )
        write_vectors("trade_actions.json", options.seed, source, actions)
        source = "eth-account: Account.sign_message over encode_defunct of the decimal timestamp"
        write_vectors("logins.json", options.seed, source, logins)
    return 0


if __name__ == "__main__":
    sys.exit(main())
