"""The fixtures on disk are what the generator makes, and a client could really have received them."""

import gzip
import hashlib
import itertools
import json
import tomllib
from collections import defaultdict
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benches import inputs
from benches.fix import plain
from scripts import make_fixtures
from scripts.fixturegen import store
from scripts.fixturegen.catalogue import Fixture
from scripts.fixturegen.draw import Draw, decimal_text
from tests.benches.catalogue import find_benches

SIDECARS = sorted(make_fixtures.FOLDER.glob("*/*.toml"))
JSON_SIDECARS = [path for path in SIDECARS if path.parent.name == "derive"]
SAMPLES = (
    Fixture("one", (b'{"a":"1.5"}',), "One frame."),
    Fixture("many", (b'{"a":1}', b'{"b":2}'), "Two frames."),
    Fixture("message", (b"8=FIX.4.4\x019=5\x01",), "One message.", is_fix=True),
    Fixture("messages", (b"8=FIX\n\x01", b"8=FIX\x01"), "Two messages.", is_fix=True),
    Fixture("recorded", (b"d 1 {}", b"l 2 {}"), "Two lines and a heading.", heading=b"{}"),
)


def messages(name: str) -> list[dict[str, Any]]:
    return [json.loads(raw) for raw in inputs.frames(f"derive/{name}")]


def session_records(kind: str) -> list[dict[str, Any]]:
    channels = (message["params"] for message in messages("session_mixed") if "params" in message)
    return [record for params in channels if params["channel"].endswith(kind) for record in params["data"]]


def stored(path: Path) -> bytes:
    (content,) = (other for other in path.parent.glob(f"{path.stem}.*") if other != path)
    return gzip.decompress(content.read_bytes()) if content.suffix == ".gz" else content.read_bytes()


def test_what_is_on_disk_is_what_the_generator_makes(capsys: pytest.CaptureFixture[str]) -> None:
    assert make_fixtures.main(["--check"]) == 0, capsys.readouterr().out


def test_there_are_sidecars() -> None:
    assert len(SIDECARS) > 20


@pytest.mark.parametrize("path", SIDECARS, ids=lambda path: path.stem)
def test_a_sidecar_describes_its_content(path: Path) -> None:
    about, content = tomllib.loads(path.read_text()), stored(path)
    assert about["sha256"] == hashlib.sha256(content).hexdigest()
    assert about["bytes"] == len(content)
    assert about["shape"].endswith(".")
    assert {"origin", "command", "seed"} <= about.keys()


@pytest.mark.parametrize("path", JSON_SIDECARS, ids=lambda path: path.stem)
def test_frames_are_compact_json(path: Path) -> None:
    about, frames = tomllib.loads(path.read_text()), stored(path).splitlines()
    assert about["frames"] == len(frames)
    for frame in frames:
        assert json.dumps(json.loads(frame), separators=(",", ":"), ensure_ascii=False).encode() == frame


class Remembered(dict[str, Decimal]):
    """Stands in for a parser's cache: counts what is looked up, and what was there."""

    looked_up = found = 0

    def __getitem__(self, text: str) -> Decimal:
        Remembered.looked_up += 1
        Remembered.found += text in self
        return self.setdefault(text, Decimal(text))


@pytest.mark.parametrize(
    ("name", "pipeline"),
    [
        ("book_stream_10", "book_deltas"),
        ("book_stream_100", "book_deltas"),
        ("ticker_stream", "quotes"),
        ("trade_stream", "trades"),
        ("session_mixed", "session"),
    ],
)
def test_a_stream_says_how_often_the_parsers_meet_a_text_again(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch, name: str, pipeline: str
) -> None:
    find_benches(pytestconfig)  # which makes their markers known
    from benches.derive import bench_inbound_pipeline, bench_session  # noqa: PLC0415 - not before

    monkeypatch.setattr(Remembered, "looked_up", 0)
    monkeypatch.setattr(Remembered, "found", 0)
    monkeypatch.setattr(bench_session, "UnsignedNumerals", Remembered)
    monkeypatch.setattr(bench_session, "SignedNumerals", Remembered)
    raws = inputs.frames(f"derive/{name}")
    if pipeline == "session":
        bench_session.session(raws, lambda _: None)
    else:
        parse, cache = getattr(bench_inbound_pipeline, pipeline), Remembered()
        for raw in raws:
            parse(raw, cache)
    about = tomllib.loads((make_fixtures.FOLDER / "derive" / f"{name}.toml").read_text())
    assert Remembered.looked_up > 500
    assert about["texts_seen_before"] == round(Remembered.found / Remembered.looked_up, 2)


def test_only_streams_say_how_their_texts_recur() -> None:
    saying = {path.stem for path in SIDECARS if "texts_seen_before" in path.read_text()}
    assert saying == {path.stem for path in JSON_SIDECARS if path.with_suffix(".ndjson.gz").exists()}


def test_writing_is_idempotent_and_leaves_nothing_to_find(tmp_path: Path) -> None:
    assert store.write(tmp_path, SAMPLES) == 10
    assert store.write(tmp_path, SAMPLES) == 0
    assert store.faults(tmp_path, SAMPLES) == []


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("one.json", b'{"a":"1.6"}', "one.json: content differs from what the generator makes"),
        (
            "many.ndjson.gz",
            gzip.compress(b'{"a":1}\n{"b":3}\n', mtime=0),
            "many.ndjson.gz: content differs",
        ),
        ("many.ndjson.gz", b"not gzip", "many.ndjson.gz: missing or unreadable"),
        ("message.fix", b"8=FIX.4.2", "message.fix: content differs from what the generator makes"),
        ("messages.fix.gz", b"8=FIX", "messages.fix.gz: missing or unreadable"),
        ("recorded.session", b"d 1 {}\nl 2 {}\n", "recorded.session: content differs from what"),
        ("one.toml", b"seed = 3\n", "one.toml: differs from what the generator makes"),
        ("three.json", b"{}", "three.json: no generator makes it"),
        ("one.json", None, "one.json: missing or unreadable"),
        ("many.toml", None, "many.toml: missing"),
    ],
)
def test_each_drift_is_named(tmp_path: Path, name: str, content: bytes | None, fault: str) -> None:
    store.write(tmp_path, SAMPLES)
    if content is None:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_bytes(content)
    (found,) = store.faults(tmp_path, SAMPLES)
    assert found.startswith(fault)


def test_the_command_fails_and_names_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert make_fixtures.main([], folder=tmp_path) == 0
    (tmp_path / "derive" / "book_1.json").write_bytes(b"{}")
    capsys.readouterr()
    assert make_fixtures.main(["--check"], folder=tmp_path) == 1
    assert "derive/book_1.json" in capsys.readouterr().out


def test_an_input_that_its_sidecar_does_not_vouch_for_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write(tmp_path, SAMPLES)
    monkeypatch.setattr(inputs, "_FIXTURES", tmp_path)
    assert inputs.frame("one") == SAMPLES[0].frames[0]
    (tmp_path / "one.json").write_bytes(b'{"a":"1.6"}')
    with pytest.raises(ValueError, match="fixture one: sha256"):
        inputs.frame("one")
    assert inputs.lines("recorded") == [b"{}", b"d 1 {}", b"l 2 {}"]
    (tmp_path / "recorded.session").write_bytes(b"{}\n")
    inputs.lines.cache_clear()
    with pytest.raises(ValueError, match="fixture recorded: sha256"):
        inputs.lines("recorded")


@given(units=st.integers(), decimals=st.integers(0, 30))
def test_decimal_text_is_exact_and_trimmed(units: int, decimals: int) -> None:
    text = decimal_text(units, decimals)
    assert Decimal(text).as_integer_ratio() == Decimal(f"{units}E-{decimals}").as_integer_ratio()
    assert "E" not in text
    assert "." not in text or not text.endswith(("0", "."))


@given(seed=st.integers(0), low=st.integers(-1_000, 1_000), width=st.integers(0, 1_000))
def test_draws_stay_in_their_range(seed: int, low: int, width: int) -> None:
    draw = Draw(seed)
    assert low <= draw.between(low, low + width) <= low + width
    assert 0 <= draw.near_zero(width + 1) <= width


@pytest.mark.parametrize("depth", [10, 100])
def test_a_stream_is_a_book_that_moves_a_little(depth: int) -> None:
    snapshots = [message["params"]["data"] for message in messages(f"book_stream_{depth}")]
    levels = []
    for data in snapshots:
        bids, asks = ([(Decimal(p), Decimal(s)) for p, s in data[side]] for side in ("bids", "asks"))
        assert len(bids) == len(asks) == depth
        assert [price for price, _ in bids] == sorted({price for price, _ in bids}, reverse=True)
        assert [price for price, _ in asks] == sorted({price for price, _ in asks})
        assert bids[0][0] < asks[0][0]
        assert all(size > 0 for _, size in bids + asks)
        levels.append({*bids, *asks})
    kept = [len(before & after) / len(after) for before, after in itertools.pairwise(levels)]
    assert min(kept) < 1
    assert sum(kept) / len(kept) > 0.85
    assert len({bids[0] for data in snapshots for bids in (data["bids"][0],)}) > 20
    times = [data["timestamp"] for data in snapshots]
    assert times == sorted(set(times))


def test_session_holds_every_kind_of_frame_and_time_never_steps_back() -> None:
    session = messages("session_mixed")
    assert len(session) == 10_000
    kinds: dict[str, int] = defaultdict(int)
    last_ms = 0
    for message in session:
        channel = message.get("params", {}).get("channel", "response")
        is_option = channel.startswith("ticker_slim") and channel.count("-") == 3
        kinds["option" if is_option else channel.split(".")[-1 if channel[0].isdigit() else 0]] += 1
        if "params" in message:
            data = message["params"]["data"]
            record = data[0] if isinstance(data, list) else data
            event_ms = record.get("last_update_timestamp") or record["timestamp"]
            assert event_ms >= last_ms
            last_ms = event_ms
    assert 4_500 < kinds["orderbook"] < 6_000
    assert min(kinds[kind] for kind in ("ticker_slim", "option", "trades", "orders", "response")) > 100


def test_own_fills_sum_to_what_their_order_says() -> None:
    filled: dict[str, Decimal] = defaultdict(Decimal)
    notional: dict[str, Decimal] = defaultdict(Decimal)
    for fill in session_records(".trades"):
        filled[fill["order_id"]] += Decimal(fill["trade_amount"])
        notional[fill["order_id"]] += Decimal(fill["trade_amount"]) * Decimal(fill["trade_price"])
    last = {order["order_id"]: order for order in session_records(".orders")}
    assert len(filled) > 50
    for order_id, order in last.items():
        assert Decimal(order["filled_amount"]) == filled[order_id] <= Decimal(order["amount"])
        assert (order["order_status"] == "filled") == (filled[order_id] == Decimal(order["amount"]))
        if filled[order_id]:
            error = Decimal(order["average_price"]) - notional[order_id] / filled[order_id]
            assert abs(error) <= Decimal("0.0000005")


def test_own_orders_keep_their_identity() -> None:
    records = session_records(".orders")
    by_id: dict[str, dict[str, Any]] = {}
    replaced = 0
    for record in records:
        first = by_id.setdefault(record["order_id"], record)
        for field in ("label", "direction", "amount", "limit_price", "creation_timestamp", "signature"):
            assert record[field] == first[field]
        old_id = record["replaced_order_id"]
        if old_id is not None:
            replaced += 1
            assert by_id[old_id]["label"] == record["label"]
            assert by_id[old_id]["order_status"] in {"open", "cancelled"}
    assert replaced > 10
    labels = {record["order_id"]: record["label"] for record in records}
    for fill in session_records(".trades"):
        assert fill["label"] == labels[fill["order_id"]]


def test_some_fills_overtake_the_notice_of_their_order() -> None:
    seen, early = set(), 0
    for message in messages("session_mixed"):
        channel = message.get("params", {}).get("channel", "")
        for record in message["params"]["data"] if channel.endswith((".orders", ".trades")) else ():
            early += channel.endswith(".trades") and record["order_id"] not in seen
            seen.add(record["order_id"])
    assert early >= 3


def test_the_own_trade_belongs_to_the_order() -> None:
    (order,) = json.loads(inputs.frame("derive/orders"))["params"]["data"]
    (fill,) = json.loads(inputs.frame("derive/own_trades"))["params"]["data"]
    for field in ("order_id", "label", "instrument_name", "direction", "subaccount_id"):
        assert order[field] == fill[field]
    assert Decimal(0) < Decimal(fill["trade_amount"]) < Decimal(order["amount"])


def test_the_option_sub_id_exceeds_64_bits() -> None:
    assert int(json.loads(inputs.frame("derive/instrument_option"))["base_asset_sub_id"]) > 2**64


def test_the_published_fix_messages_are_as_they_were_timed_with_the_right_length_and_sum() -> None:
    report, order = (inputs.message(f"fix/{name}") for name in ("execution_report", "new_order_single"))
    assert (report[:16], report[-7:]) == (b"8=FIX.4.4\x019=146\x01", b"10=216\x01")
    assert (order[:16], order[-7:]) == (b"8=FIX.4.4\x019=135\x01", b"10=193\x01")
    assert plain.is_whole(report)
    assert plain.is_whole(order)


@pytest.mark.parametrize("entries", [2, 20, 200])
def test_market_data_has_as_many_entries_as_its_name_says(entries: int) -> None:
    found = plain.entries(inputs.message(f"fix/market_data_{entries}"), 268, 269)
    assert len(found) == entries
    sides = [dict(fields)[269] for fields in found]
    assert sides == sorted(sides)
    prices = [Decimal(dict(fields)[270].decode()) for fields in found]
    assert prices[: entries // 2] == sorted(prices[: entries // 2], reverse=True)
    assert prices[entries // 2 :] == sorted(prices[entries // 2 :])


@pytest.mark.parametrize(("name", "count"), [("execution_reports", 1_000), ("session_mixed", 10_000)])
def test_a_fix_session_counts_its_messages_up(name: str, count: int) -> None:
    about = tomllib.loads((make_fixtures.FOLDER / "fix" / f"{name}.toml").read_text())
    found = plain.messages(inputs.stream(f"fix/{name}"))
    assert len(found) == about["frames"] == count
    numbers = [int(message.split(b"\x0134=")[1].partition(b"\x01")[0]) for message in found]
    assert numbers == sorted(numbers)


def test_a_mixed_session_holds_data_fields_groups_and_types_of_two_letters() -> None:
    found = plain.messages(inputs.stream("fix/session_mixed"))
    kinds: dict[bytes, int] = defaultdict(int)
    for message in found:
        kinds[message.split(b"\x0135=")[1].partition(b"\x01")[0]] += 1
    assert min(kinds[kind] for kind in (b"8", b"D", b"F", b"G", b"W", b"0", b"1", b"B", b"n", b"AE")) >= 50
    assert sum(message.count(b"8=FIX.4.4\x01") == 2 for message in found) == kinds[b"n"]


def test_a_garbled_session_is_mostly_whole() -> None:
    stream = inputs.stream("fix/session_garbled")
    whole = plain.survivors(stream)
    assert 850 < len(whole) < 950
    assert 0.02 < 1 - sum(map(len, whole)) / len(stream) < 0.15
