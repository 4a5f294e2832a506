"""A session counts what the published matrix counts, in the venues' form, all legal, always the same."""

import ast
import json
import subprocess
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from benches.market import session
from scripts.fixturegen.catalogue import SEED
from scripts.marketgen import listings
from scripts.marketgen.expected import Model, final_state
from scripts.marketgen.lighter import whole_text
from scripts.marketgen.session import SHORT, WHOLE, Tape, lines

ROOT = Path(__file__).parents[2]
TICKER_KEYS = ["A", "B", "I", "M", "a", "b", "f", "maxp", "minp", "option_pricing", "stats", "t"]
UPDATE_KEYS = {"type", "channel", "offset", "timestamp", "last_updated_at", "order_book"}
BOOK_KEYS = {"code", "asks", "bids", "offset", "nonce", "begin_nonce"}
NEXT = {
    None: {"new", "partly_filled", "filled", "rejected"},
    "new": {"partly_filled", "filled", "cancelled", "expired"},
    "partly_filled": {"partly_filled", "filled", "cancelled", "expired"},
}


class Line(NamedTuple):
    letter: str
    recv_ns: int
    frame: dict[str, Any]

    @property
    def kind(self) -> str:
        if self.letter == "l":
            return {"subscribed/order_book": "first", "update/order_book": "update"}[self.frame["type"]]
        channel = self.frame["params"]["channel"]
        topic = channel.split(".")[1 if channel[0].isdigit() else 0]
        return {"ticker_slim": "ticker", "orderbook": "snapshot", "orders": "order"}[topic]

    @property
    def symbol(self) -> str:
        channel: str = (self.frame if self.letter == "l" else self.frame["params"])["channel"]
        return channel if self.letter == "l" else channel.split(".")[1]

    @property
    def data(self) -> Any:
        return self.frame["order_book"] if self.letter == "l" else self.frame["params"]["data"]


def read(frames: list[session.Frame]) -> Iterator[Line]:
    return (Line(letter, recv_ns, json.loads(raw)) for letter, recv_ns, raw in frames)


@pytest.fixture(scope="module")
def short() -> session.Session:
    return session.load_short()


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path: Path = tmp_path_factory.mktemp("sessions") / "whole.session"
    (path.parent / "older.session").touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "whole_path", lambda: path)
        yield path


@pytest.fixture(scope="module")
def whole(elsewhere: Path) -> session.Session:
    assert not elsewhere.exists()
    return session.load_whole()


def check_form(line: Line) -> None:
    """Compare a frame with what the venue's reference says that it looks like."""
    frame, data, kind = line.frame, line.data, line.kind
    if line.letter == "l":
        assert frame.keys() == UPDATE_KEYS
        assert data.keys() == BOOK_KEYS
        assert data["code"] == 0
        assert frame["offset"] == data["offset"]
        levels = data["asks"] + data["bids"]
        assert all(list(level) == ["price", "size"] for level in levels)
        assert all(type(text) is str for level in levels for text in level.values())
        assert frame["last_updated_at"] < frame["timestamp"] * 1_000 < line.recv_ns // 1_000
        return
    assert list(frame) == ["jsonrpc", "method", "params"]
    assert (frame["jsonrpc"], frame["method"]) == ("2.0", "subscription")
    assert list(frame["params"]) == ["channel", "data"]
    if kind == "ticker":
        ticker = data["instrument_ticker"]
        assert list(ticker) == TICKER_KEYS
        assert all(ticker[key] is None or type(ticker[key]) is str for key in TICKER_KEYS[:9])
        assert (ticker["option_pricing"] is None) == line.symbol.endswith("-PERP")
        assert data["timestamp"] == ticker["t"] < line.recv_ns // 1_000_000
    elif kind == "snapshot":
        assert list(data) == ["instrument_name", "timestamp", "bids", "asks", "publish_id"]
        assert data["instrument_name"] == line.symbol
        for side, sign in (("bids", -1), ("asks", 1)):
            prices = [sign * Decimal(price) for price, _ in data[side]]
            assert prices == sorted(set(prices))
            assert all(Decimal(size) > 0 for _, size in data[side])
    else:
        (record,) = data
        assert list(record) == sorted(record)
        assert type(record["subaccount_id"]) is int
        assert line.symbol == "orders"


def counts(of: session.Session) -> Counter[str]:
    """Count anew, from the frames alone, checking the form of each."""
    found: Counter[str] = Counter()
    for line in read(of.frames):
        check_form(line)
        kind = line.kind
        found["frames"] += 1
        if kind == "ticker":
            found["tickers"] += 1
            found["marks"] += line.data["instrument_ticker"]["M"] is not None
        elif kind == "update":
            found["updates"] += 1
            found["level_changes"] += len(line.data["asks"]) + len(line.data["bids"])
        else:
            found["orders" if kind == "order" else "snapshots"] += 1
    return found


@pytest.mark.slow
def test_the_whole_session_has_as_many_of_each_kind_as_the_published_matrix(whole: session.Session) -> None:
    rows = tomllib.loads((ROOT / "benches/published.toml").read_text())["distribution"]
    published = {name: row["n"] for name, row in rows["market/state"].items()}
    found = counts(whole)
    assert found == whole.counts == WHOLE.counts()
    assert published == {
        "ticker": found["tickers"],
        "ticker_one_key": found["tickers"],
        "mark_price": found["marks"],
        "order_update": found["orders"],
        "book_snapshot": found["snapshots"],
        "book_delta": found["level_changes"],
    }
    assert found["frames"] == rows["market/pipeline"]["parse"]["n"] == len(whole.frames)


@pytest.mark.slow
def test_every_symbol_of_the_whole_session_ends_with_all_that_it_can_have(whole: session.Session) -> None:
    markets = whole.expected["markets"]
    assert {venue: len(symbols) for venue, symbols in markets.items()} == {"derive": 30, "lighter": 20}
    for symbol, market in markets["derive"].items():
        assert market["book"] is not None
        assert market["ticker"] is not None
        assert (market["reference"] is not None) == symbol.endswith("-PERP")
        assert len(market["book"]["asks"]) == WHOLE.derive_depth
    for market in markets["lighter"].values():
        assert min(len(market["book"][side]) for side in ("bids", "asks")) > 80
    assert {order["phase"] for order in whole.expected["orders"].values()} == {
        "new",
        "partly_filled",
        "filled",
        "cancelled",
        "expired",
        "rejected",
    }


@pytest.mark.slow
def test_the_loader_makes_the_whole_session_once(
    whole: session.Session, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sorted(path.name for path in elsewhere.parent.iterdir()) == [
        "whole.session",
        "whole.session.state",
    ]
    monkeypatch.setattr(subprocess, "run", None)
    assert session.load_whole() == whole


@pytest.mark.parametrize("depth", [1, 2])
def test_books_can_be_as_shallow_as_a_level(depth: int) -> None:
    mix = replace(SHORT, lighter_depth=depth, derive_depth=depth)
    made = list(lines(mix, SEED))
    assert len(made) == 1 + mix.counts()["frames"]
    books = final_state(made)["markets"]["lighter"]
    assert all(market["book"]["asks"] or market["book"]["bids"] for market in books.values())


def test_the_short_session_has_all_kinds_in_the_same_mix(short: session.Session) -> None:
    found = counts(short)
    assert found == short.counts == SHORT.counts()
    assert found["frames"] == len(short.frames) == 2_000
    assert found["marks"] >= 5
    share = len(short.frames) / WHOLE.counts()["frames"]
    for kind in ("tickers", "orders", "snapshots", "updates", "level_changes"):
        assert found[kind] == pytest.approx(WHOLE.counts()[kind] * share, abs=1.1)


def test_the_short_session_has_orders_of_every_phase_and_books_without_bids(short: session.Session) -> None:
    phases = {order["phase"] for order in short.expected["orders"].values()}
    assert phases == {"new", "partly_filled", "filled", "cancelled", "expired", "rejected"}
    one_sided = [line for line in read(short.frames) if line.kind == "snapshot" and not line.data["bids"]]
    no_bid = [
        line
        for line in read(short.frames)
        if line.kind == "ticker" and not line.data["instrument_ticker"]["b"]
    ]
    assert one_sided
    assert no_bid


def test_marks_come_with_index_and_funding_and_only_for_perpetuals(short: session.Session) -> None:
    for line in read(short.frames):
        if line.kind == "ticker":
            reference = [line.data["instrument_ticker"][key] for key in "MIf"]
            assert reference == [None] * 3 or (None not in reference and line.symbol.endswith("-PERP"))


def test_receive_times_rise_and_so_do_the_venues_times_of_each_symbol(short: session.Session) -> None:
    assert all(before[1] < after[1] for before, after in pairwise(short.frames))
    last: dict[str, tuple[int, int]] = {}
    for line in read(short.frames):
        if line.letter == "l":
            now = (line.frame["timestamp"], line.frame["last_updated_at"])
            before = last.get(line.symbol, (0, 0))
            assert now[0] >= before[0]
            assert now[1] > before[1]
        elif line.kind != "order":
            now = (line.data["timestamp"], 0)
            assert now > last.get(line.symbol, (0, 0))
        else:
            now = (line.data[0]["last_update_timestamp"], 0)
            assert now >= last.get(line.symbol, (0, 0))
        last[line.symbol] = now


def test_nonces_chain_in_steps_above_one_and_offsets_jump(short: session.Session) -> None:
    nonces: dict[str, int] = {}
    offsets: dict[str, int] = {}
    steps, jumps = [], []
    for line in read(short.frames):
        if line.letter == "d":
            continue
        if line.kind == "update":
            assert line.data["begin_nonce"] == nonces[line.symbol]
            steps.append(line.data["nonce"] - line.data["begin_nonce"])
            jumps.append(line.data["offset"] - offsets[line.symbol])
        else:
            assert line.symbol not in nonces
            assert line.data["begin_nonce"] == 0
        nonces[line.symbol], offsets[line.symbol] = line.data["nonce"], line.data["offset"]
    assert len(nonces) == 20
    assert min(steps) > 0
    assert sum(step > 1 for step in steps) > 0.9 * len(steps)
    assert min(jumps) > 0
    assert max(jumps) > 1_000


def test_updates_resize_add_and_delete_levels_absent_ones_too(short: session.Session) -> None:
    books: dict[str, dict[str, set[str]]] = {}
    found: Counter[str] = Counter()
    for line in read(short.frames):
        if line.letter == "d":
            continue
        if line.kind == "first":
            books[line.symbol] = {
                side: {level["price"] for level in line.data[side]} for side in ("asks", "bids")
            }
            continue
        for side in ("asks", "bids"):
            there = books[line.symbol][side]
            prices = [level["price"] for level in line.data[side]]
            assert len(prices) == len(set(prices))
            for level in line.data[side]:
                is_delete, is_there = not Decimal(level["size"]), level["price"] in there
                found[f"{'delete' if is_delete else 'write'} {'there' if is_there else 'absent'}"] += 1
                (there.discard if is_delete else there.add)(level["price"])
        found["crossed within"] += any(
            bid["price"] == ask["price"] for bid in line.data["bids"] for ask in line.data["asks"]
        )
    assert min(found[kind] for kind in ("write there", "write absent", "delete there")) > 100
    assert found["delete absent"] > 3
    assert found["crossed within"] > 10


def test_prices_and_sizes_are_whole_steps_in_the_venues_own_writing(short: session.Session) -> None:
    steps = {listed.symbol: (listed.tick_size, listed.size_step) for listed in short.listings}
    by_channel = {f"order_book:{one.market_id}": (one.tick_size, one.size_step) for one in short.listings}
    for line in read(short.frames):
        if line.letter == "l":
            for level in line.data["asks"] + line.data["bids"]:
                for text, step in zip(level.values(), by_channel[line.symbol], strict=True):
                    assert Decimal(text).as_tuple().exponent == step.as_tuple().exponent
        elif line.kind == "snapshot":
            for level in line.data["asks"] + line.data["bids"]:
                for text, step in zip(level, steps[line.symbol], strict=True):
                    assert Decimal(text) % step == 0
                    assert "." not in text or not text.endswith("0")
        elif line.kind == "ticker":
            ticker = line.data["instrument_ticker"]
            for keys, step in zip(("ab", "AB"), steps[line.symbol], strict=True):
                assert all(Decimal(ticker[key] or 0) % step == 0 for key in keys)


def test_orders_live_as_the_venue_lets_them(short: session.Session) -> None:
    last: dict[str, tuple[str, Decimal, dict[str, Any]]] = {}
    for line in read(short.frames):
        if line.kind != "order":
            continue
        [record] = line.data
        filled, size = Decimal(record["filled_amount"]), Decimal(record["amount"])
        phase = record["order_status"]
        if phase == "open":
            phase = "partly_filled" if filled else "new"
        before, filled_before, first = last.get(record["order_id"], (None, Decimal(0), record))
        assert phase in NEXT[before]
        assert filled_before <= filled <= size
        assert (filled == size) == (phase == "filled")
        for key in ("instrument_name", "direction", "amount", "limit_price", "label"):
            assert record[key] == first[key]
        last[record["order_id"]] = (phase, filled, first)
    assert len(last) > 15


def test_no_book_is_ever_crossed_and_all_end_where_the_file_says(short: session.Session) -> None:
    heading, *rest = lines(SHORT, SEED)
    model = Model(heading)
    for line in rest:
        model.take(line)
        assert not any(model.is_crossed(*at) for at in model.books)
    assert model.state() == short.expected
    assert final_state([heading, *rest]) == short.expected


def test_the_generators_own_books_end_there_too(short: session.Session) -> None:
    tape = Tape(SHORT, SEED)
    for _ in tape.lines():
        pass
    for market, listing in zip(tape.lighter, listings.lighter(), strict=True):
        expected = short.expected["markets"]["lighter"][listing.name]["book"]
        for ladder, side, sign in ((market.asks, "asks", 1), (market.bids, "bids", -1)):
            assert list(expected[side].items()) == [
                (
                    whole_text(sign * rank, listing.price_decimals),
                    whole_text(ladder.sizes[rank], listing.size_decimals),
                )
                for rank in ladder.ranks
            ]


def test_the_same_seed_gives_the_same_bytes_and_another_one_others() -> None:
    first, again, other = (b"\n".join(lines(SHORT, seed)) for seed in (7, 7, 8))
    assert first == again
    assert first.split(b"\n")[1:] != other.split(b"\n")[1:]


@pytest.mark.parametrize("old", ["x", '"begin_nonce":'], ids=["crossed", "gap"])
def test_the_model_refuses_what_leads_nowhere(old: str) -> None:
    heading = json.dumps({"listings": [{"venue": "lighter", "symbol": "ETH", "market_id": 0}]}).encode()
    model = Model(heading)
    line = (
        b'l 5 {"type":"%s/order_book","channel":"order_book:0","timestamp":1,"last_updated_at":1,'
        b'"order_book":{"asks":[{"price":"%s","size":"1"}],"bids":[{"price":"2.0","size":"1"}],"nonce":%d,"begin_nonce":%d}}'
    )
    model.take(line % (b"subscribed", b"3.0", 10, 0))
    model.take(line % (b"update", b"2.1", 14, 10))
    bad = (b"2.00", 15, 14) if old == "x" else (b"2.2", 15, 13)
    with pytest.raises(ValueError, match="crossed at nonce 15" if old == "x" else "a gap before nonce 13"):
        model.take(line % (b"update", *bad))


def test_generator_and_model_import_nothing_of_what_they_test() -> None:
    files = [path for name in ("marketgen", "fixturegen") for path in (ROOT / "scripts" / name).glob("*.py")]
    assert len(files) > 10
    for path in files:
        nodes = ast.walk(ast.parse(path.read_text()))
        names = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
        assert not any(name and name.startswith("tapemark") for name in names)
        assert "import tapemark" not in path.read_text()
