"""Bench bodies: each measures one call that works, and its oracle notices when the result is wrong."""

import importlib
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import combinations
from types import FrameType
from typing import Any

import pytest
from msgspec import Struct, defstruct
from msgspec.structs import replace

from benchgate import ids
from tapemark.derive import decode
from tapemark.eth import abi
from tapemark.eth.abi import checksum_address
from tapemark.fix import scan
from tapemark.fix.message import Message
from tests.benches.catalogue import ROOT, Benches, find_benches, marks

TAPEMARK = str(ROOT / "src" / "tapemark")
# They measure what our objects cost where only the interpreter touches them.
LIBRARY_CALLS_ON_OURS = {"derive/atom/dedup_trade_hit", "derive/atom/state_drop_primed"}
DECODED = [id_ for id_ in ids.listed(ROOT / ids.LIST_PATH) if id_.startswith("derive/decode_only/")]
ABSENT = ("Orderbook", "publish_id")  # which no channel of the fixtures carries
MARKED = type(pytest.param())  # a parameter that has marks of its own
# What is made to give a wrong result, and a bench that must notice.
TAMPERED = {
    "derive/inbound_pipeline/book_deltas": "tapemark.derive.parse.book_deltas",
    "derive/inbound_pipeline/quotes": "tapemark.derive.parse.quote",
    "derive/inbound_pipeline/trades": "tapemark.derive.parse.trades",
    "derive/inbound_pipeline/mark_price": "tapemark.derive.parse.mark_price",
    "derive/inbound_pipeline/index_price": "tapemark.derive.parse.index_price",
    "derive/inbound_pipeline/funding_rate": "tapemark.derive.parse.funding_rate",
    "derive/inbound_pipeline/bars": "tapemark.derive.parse.bar",
    "derive/inbound_pipeline/option_greeks": "tapemark.derive.parse.option_greeks",
    "derive/parse_only/order_report": "tapemark.derive.reports.order_report",
    "derive/parse_only/fill_report": "tapemark.derive.reports.fill_report",
    "derive/decode_only/ticker": "tapemark.derive.decode.frame",
    "derive/decode_only/candles": "tapemark.derive.decode.candles",
    "derive/dispatch/orders_tracked": "tapemark.derive.reports.order_report",
    "derive/dispatch/trades_fill": "tapemark.derive.reports.fill_report",
    "derive/session/mixed": "tapemark.derive.reports.fill_report",
    "derive/sizes/ticker_stream": "tapemark.derive.parse.quote",
    "derive/atom/decimal_from_str": "benches.derive.bench_atom.decimal_from_text",
    "derive/signing/abi_encode_trade": "benches.derive.bench_signing.trade_module_data",
    "derive/signing/sign_trade_action": "tapemark.derive.actions.trade_module_data",
    "derive/signing/sign_trade_action_presigned": "tapemark.derive.actions.trade_module_data",
    "derive/exec_pipeline/submit_limit": "tapemark.derive.actions.trade_module_data",
    "derive/exec_pipeline/modify_presigned": "tapemark.derive.actions.trade_module_data",
    "eth/abi/address_bytes": "benches.eth.bench_abi.address_bytes",
    "eth/abi/address_bytes_cold": "benches.eth.bench_abi.address_bytes",
    "eth/abi/scaled_1e18": "benches.eth.bench_abi.scaled_1e18",
    "eth/keccak/fast_path": "benches.eth.bench_keccak.keccak256",
    "eth/sign/digest": "tapemark.eth.signer.sign",
    "fix/access/four_fields": "benches.fix.four_fields.raw",
    "fix/encode/execution_report": "benches.fix.bench_encode.encode",
    "fix/encode/new_order_single": "benches.fix.bench_encode.encode",
    "fix/group/entries": "benches.fix.bench_group.levels",
    "fix/journey/0_string_copies": "tapemark.fix.journey.CopiedMessage",
    "fix/journey/1_zero_copy_views": "tapemark.fix.journey.ViewedMessage",
    "fix/journey/2_indexed_lookup": "tapemark.fix.journey.indexed",
    "fix/journey/3_c_speed_scan": "tapemark.fix.scan.read",
    "fix/journey/4_precomputed_layout": "tapemark.fix.reader.LaidOutMessage",
    "fix/parse/execution_report": "tapemark.fix.reader.LaidOutMessage",
    "fix/parse/new_order_single": "tapemark.fix.reader.LaidOutMessage",
    "fix/parse/four_typed_fields": "benches.fix.four_fields.typed",
    "fix/parse/unlearned": "tapemark.fix.scan.read",
    "fix/stream/garbled": "benches.fix.bench_stream.in_pieces",
    "fix/stream/mixed": "benches.fix.bench_stream.in_pieces",
    "fix/throughput_msgs_per_s/parse": "tapemark.fix.reader.LaidOutMessage",
    "fix/typed/execution_report": "benches.fix.bench_typed.decode",
    "fix/typed/new_order_single": "benches.fix.bench_typed.decode",
    "lighter/feed/decode_snapshot": "tapemark.lighter.decode.frame",
    "lighter/feed/decode_update": "tapemark.lighter.decode.frame",
    "market/pipeline/end_to_end": "tapemark.derive.route.Ticker",
    "market/pipeline/parse": "tapemark.derive.route.Ticker",
    "market/reads/best": "benches.market.bench_reads.bests",
    "market/reads/depth": "benches.market.bench_reads.depths",
    "market/reads/text_best": "benches.market.bench_reads.text_bests",
    "market/state/ticker": "tapemark.market.state.Quote",
}


@pytest.fixture(scope="module")
def benches(pytestconfig: pytest.Config) -> Benches:
    return find_benches(pytestconfig)


class Tried:
    """Stands in for the `measure` fixture: makes the measured call twice and counts."""

    def __init__(self) -> None:
        self.measured = 0

    def __call__(self, fn: Callable[..., object], *args: object, calls: int = 1) -> None:
        self.fresh(fn, lambda: args, calls=calls)

    def fresh(self, fn: Callable[..., object], make: Callable[[], Any], *, calls: int = 1) -> None:
        assert calls >= 1
        self.measured += 1
        batch = [make(), make()]
        for arguments in batch:
            fn(*arguments)


class Watched(Tried):
    """Makes the measured call twice and notes whether a Python function of tapemark ran in it."""

    def __init__(self) -> None:
        super().__init__()
        self.ours = False

    def fresh(self, fn: Callable[..., object], make: Callable[[], Any], *, calls: int = 1) -> None:
        def watched(*args: object) -> None:
            sys.setprofile(self._note)
            try:
                fn(*args)
            finally:
                sys.setprofile(None)

        super().fresh(watched, make, calls=calls)

    def _note(self, frame: FrameType, _event: str, _detail: object) -> None:
        self.ours |= frame.f_code.co_filename.startswith(TAPEMARK)


class Answering:
    """A function that returns one answer to everything."""

    def __init__(self, answer: object) -> None:
        self._answer = answer

    def __call__(self, *_: object) -> object:
        return self._answer


def runs(bench: Callable[..., None]) -> list[dict[str, object]]:
    """Return the keyword arguments of each run of a bench."""
    for mark in marks(bench, "parametrize"):
        name, values = mark.args
        return [{name: value.values[0] if isinstance(value, MARKED) else value} for value in values]
    return [{}]


def wrong(result: Any) -> Any:
    """Return a result that is of the same kind and not the same."""
    match result:
        case bytes():
            return result[:-1] + bytes((result[-1] ^ 1,))
        case Decimal() | int():
            return result + 1
        case str():
            return f"{result}1"
        case [first, *rest]:
            return type(result)([wrong(first), *rest])
        case Message():  # of the same length and sum
            return scan.walked(result.frame.replace(b"=AAPL", b"=PALA"))
        case Struct():
            names = ("recv_ns", "channel", "open_price", "symbol")
            field = next(name for name in names if hasattr(result, name))
            value = getattr(result, field)
            return replace(result, **{field: f"{value}1" if isinstance(value, str) else value + 1})
    raise AssertionError(f"no wrong form of {result!r}")


def test_every_bench_measures_one_call_that_works(benches: Benches) -> None:
    for identity, bench in benches.items():
        for arguments in runs(bench):
            tried = Tried()
            bench(tried, **arguments)
            assert tried.measured == 1, identity


def test_a_bench_that_runs_no_line_of_tapemark_says_so(benches: Benches) -> None:
    silent = set()
    for identity, bench in benches.items():
        tried = Watched()
        bench(tried, **runs(bench)[0])
        if not tried.ours:
            silent.add(identity)
    assert silent - LIBRARY_CALLS_ON_OURS == {
        identity for identity, bench in benches.items() if "no code of ours" in (bench.__doc__ or "")
    } | {"harness/floor/empty_call"}


@pytest.mark.parametrize(("identity", "target"), TAMPERED.items())
def test_an_oracle_notices_a_wrong_result(
    benches: Benches, monkeypatch: pytest.MonkeyPatch, identity: str, target: str
) -> None:
    module, _, name = target.rpartition(".")
    right = getattr(importlib.import_module(module), name)
    monkeypatch.setattr(target, lambda *args: None if right(*args) is None else wrong(right(*args)))
    bench = benches[identity]
    with pytest.raises((AssertionError, ValueError)):
        bench(Tried(), **runs(bench)[0])


def structs_in(message: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Struct]]:
    """Give each struct of a message, of a list the first alone, and the names that lead to it."""
    part = message[0] if isinstance(message, list) and message else message
    if isinstance(part, Struct):
        yield path, part
        for name in part.__struct_fields__:
            yield from structs_in(getattr(part, name), (*path, name))


def placed(message: Any, path: tuple[str, ...], new: Struct) -> Any:
    """Copy a message with another struct at the end of `path`."""
    if isinstance(message, list):
        return [placed(message[0], path, new), *message[1:]]
    if not path:
        return new
    return replace(message, **{path[0]: placed(getattr(message, path[0]), path[1:], new)})


def without(part: Struct, name: str) -> Struct:
    """Copy a struct without one of its fields."""
    kept = {field: getattr(part, field) for field in part.__struct_fields__ if field != name}
    return defstruct(type(part).__name__, list(kept))(**kept)


@pytest.mark.parametrize(("identity", "computes"), [("address_bytes", False), ("address_bytes_cold", True)])
def test_a_cold_address_is_hashed_in_each_call(
    benches: Benches,
    monkeypatch: pytest.MonkeyPatch,
    identity: str,
    computes: bool,  # noqa: FBT001 - a case
) -> None:
    written: list[str] = []

    def write(raw: bytes) -> str:
        written.append(checksum_address(raw))
        return written[-1]

    class Often(Tried):
        def fresh(self, fn: Callable[..., object], make: Callable[[], Any], *, calls: int = 1) -> None:
            assert calls >= 1
            monkeypatch.setattr(abi, "checksum_address", write)
            for _ in range(3_000):
                fn(*make())

    benches[f"eth/abi/{identity}"](Often())
    assert len(written) == (3_000 if computes else 0)


@pytest.mark.parametrize("identity", DECODED)
def test_a_decoded_field_that_is_missing_or_anothers_is_noticed(
    benches: Benches, monkeypatch: pytest.MonkeyPatch, identity: str
) -> None:
    name = "candles" if identity.endswith("candles") else "frame"
    seen: list[Any] = []
    decoder = getattr(decode, name)

    def recorded(raw: bytes) -> object:
        seen.append(decoder(raw))
        return seen[-1]

    monkeypatch.setattr(decode, name, recorded)
    benches[identity](Tried())
    dropped = swapped = 0
    for path, part in structs_in(seen[0]):
        fields = [field for field in part.__struct_fields__ if (type(part).__name__, field) != ABSENT]
        others = [without(part, field) for field in fields]
        dropped += len(fields)
        for one, other in combinations(fields, 2):
            first, second = getattr(part, one), getattr(part, other)
            if first != second:
                others.append(replace(part, **{one: second, other: first}))
                swapped += 1
        for changed in others:
            answer = placed(seen[0], path, changed)
            monkeypatch.setattr(decode, name, Answering(answer))
            with pytest.raises(AssertionError):
                benches[identity](Tried())
    assert dropped >= 6
    assert swapped >= 6
