"""The README keeps its word: its code runs, and its example of a failure is what the command prints."""

import json
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from benches.market.session import DERIVE, Session, load_short
from tapemark.derive.route import DeriveRoute
from tapemark.errors import InvalidArgument
from tapemark.eth.signer import recover_address
from tapemark.lighter.route import LighterRoute
from tapemark.market.state import Venue, VenueState
from tapemark.model import Quote

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
NAMES: dict[str, Any] = {
    "raw": (ROOT / "fixtures/derive/ticker_perp.json").read_bytes(),
    "recv_ns": 1,
    "now_ms": 1_794_128_400_000,
    "request_id": 9,
    "session_key": "0x" + "11" * 32,
    "wallet": "0x" + "22" * 20,
    "subaccount_id": 7,
    "instrument_json": (ROOT / "fixtures/derive/instrument_perp.json").read_bytes(),
    "received": b"8=FIX.4.4\x01noise"
    + (ROOT / "fixtures/fix/execution_report.fix").read_bytes()
    + (ROOT / "fixtures/fix/new_order_single.fix").read_bytes(),
}


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """Run all Python blocks in one namespace; return it."""
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(blocks) == 4
    namespace = dict(NAMES)
    for block in blocks:
        exec(block, namespace)  # noqa: S102 - the README's own code is what is tested
    namespace["subscribe_anew"] = mock.Mock()
    return namespace


def test_the_readmes_frame_becomes_a_quote(names: dict[str, Any]) -> None:
    ticker = json.loads(NAMES["raw"])["params"]["data"]["instrument_ticker"]
    quote = names["quote"]
    assert isinstance(quote, Quote)
    assert (quote.bid_price, quote.ask_size) == (Decimal(ticker["b"]), Decimal(ticker["A"]))


def test_the_readmes_order_is_signed_by_the_session_key(names: dict[str, Any]) -> None:
    params = json.loads(names["request"])["params"]
    assert (params["limit_price"], params["amount"], params["label"]) == ("101.5", "0.5", "alpha-1")
    assert params["signer"] == names["signer"].address
    assert names["signer"].presigned_count == 1
    assert len(bytes.fromhex(params["signature"][2:])) == 65
    assert recover_address(bytes(32), names["signer"].sign_digest(bytes(32))) == names["signer"].address


def test_the_readmes_fix_messages_are_read(names: dict[str, Any]) -> None:
    (report,) = names["reports"]
    assert (report.order_id, report.price, report.header.msg_seq_num) == (
        "ORD123456",
        Decimal("150.50"),
        12345,
    )
    assert names["seq_nums"] == [12345, 100]


def test_the_readmes_state_follows_a_session_and_recovers(names: dict[str, Any]) -> None:
    session = load_short()
    expected = session.expected["markets"]
    names["lighter_connected"]()
    assert names["best_prices"]() is None
    play(names, session)
    book = expected["lighter"]["ETH"]["book"]
    assert names["best_prices"]() == tuple(Decimal(next(iter(book[side]))) for side in ("bids", "asks"))
    assert names["derive"].quote("ETH-PERP").bid_price == Decimal(
        expected["derive"]["ETH-PERP"]["ticker"]["bid_price"]
    )
    last = session.expected["orders"]
    for symbol in {order["symbol"] for order in last.values()}:
        found = {state.report.venue_order_id for state in names["derive"].orders.open_orders(symbol)}
        of_symbol = {key: order["phase"] for key, order in last.items() if order["symbol"] == symbol}
        assert found == {key for key, phase in of_symbol.items() if phase in {"new", "partly_filled"}}
    names["derive_received"](NAMES["raw"], 1)  # of an earlier time, but the first with a mark price
    assert names["derive"].market("ETH-PERP").reference.mark == Decimal("2841.42")
    assert not names["faults"]
    names["subscribe_anew"].assert_not_called()

    names["lighter_received"](
        b'{"type":"update/order_book","channel":"order_book:0","offset":1,"timestamp":1794128500000,'
        b'"last_updated_at":1794128500000000,"order_book":{"code":0,"asks":[{"price":"2841.355","size":"1"}],'
        b'"bids":[],"offset":1,"nonce":9999999999,"begin_nonce":9999999998}}',
        1,
    )
    (fault,) = names["faults"]
    expected = "a multiple of the tick size 0.01 below 2**63 steps for ETH"
    assert str(fault) == f"order_book.asks[0].price: expected {expected}, got '2841.355'"
    names["subscribe_anew"].assert_called_once_with(0)
    assert names["best_prices"]() is None


def test_what_the_readme_says_of_the_unknown_and_the_skipped_is_so(
    names: dict[str, Any],
) -> None:
    derive, lighter = VenueState(Venue.DERIVE), VenueState(Venue.LIGHTER)
    for state in (derive, lighter):
        market = state.add("ETH", tick_size=Decimal("0.01"), size_step=Decimal("0.1"))
        assert (state.quote("ETH"), state.best_of_book("ETH"), market.reference) == (None, None, None)
        book = market.book
        assert {book.best_bid, book.best_ask, book.spread_ticks, book.mid_half_ticks} == {None}
        assert state.orders.open_orders("NOPE") == ()
        with pytest.raises(InvalidArgument):
            state.quote("NOPE")
    route = DeriveRoute(derive)
    assert [route.handle(names["raw"], 1) for _ in range(2)] == [False, False]
    assert f">>> from_derive.skipped\n{route.skipped}\n" in README
    assert LighterRoute(lighter, {0: "ETH"}, names["lost"].append).handle(b'{"type":"ping"}', 1) is None


def play(names: dict[str, Any], session: Session) -> None:
    for venue, recv_ns, raw in session.frames:
        names["derive_received" if venue == DERIVE else "lighter_received"](raw, recv_ns)


def test_the_readmes_failure_is_what_the_command_prints() -> None:
    shown = re.search(r"bench -- derive/singing\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    done = subprocess.run(
        [sys.executable, "-m", "benchgate", "bench", "derive/singing"],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.strip() == shown[1].strip()
