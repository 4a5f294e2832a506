import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from tapemark.derive import decode, wire
from tapemark.derive.dispatch import Dispatcher
from tapemark.derive.lifecycle import Told
from tapemark.errors import InvalidArgument, InvalidFrame
from tapemark.model import (
    FillReport,
    LiquidityRole,
    OrderAccepted,
    OrderCancelled,
    OrderFilled,
    OrderReplaced,
    OrderStatus,
    OrderStatusReport,
    OrderType,
    Side,
    TimeInForce,
)

SUBACCOUNT_ID = 58_213
RECV_NS = 1_794_128_400_000_000_123


def order(status: str = "open", order_id: str = "v1", label: str = "a", **changed: Any) -> dict[str, Any]:
    return {
        "order_id": order_id,
        "label": label,
        "instrument_name": "ETH-PERP",
        "direction": "buy",
        "order_type": "limit",
        "order_status": status,
        "time_in_force": "post_only",
        "amount": "1.5",
        "filled_amount": "0.5",
        "average_price": "2841.37",
        "limit_price": "2841.37",
        "max_fee": "25",
        "order_fee": "0",
        "creation_timestamp": 1_794_128_400_000,
        "last_update_timestamp": 1_794_128_400_001,
        "cancel_reason": "user_request" if status == "cancelled" else "",
        "subaccount_id": SUBACCOUNT_ID,
    } | changed


def trade(trade_id: str = "t1", order_id: str = "v1", label: str = "a", **changed: Any) -> dict[str, Any]:
    return {
        "order_id": order_id,
        "label": label,
        "trade_id": trade_id,
        "instrument_name": "ETH-PERP",
        "direction": "buy",
        "liquidity_role": "maker",
        "trade_price": "2841.37",
        "trade_amount": "0.5",
        "trade_fee": "0.25",
        "timestamp": 1_794_128_400_002,
        "subaccount_id": SUBACCOUNT_ID,
    } | changed


def frame(channel: str, *records: dict[str, Any]) -> bytes:
    params = {"channel": f"58213.{channel}", "data": records}
    return json.dumps({"jsonrpc": "2.0", "method": "subscription", "params": params}).encode()


FILL = FillReport(
    "ETH-PERP",
    "v1",
    "a",
    "t1",
    Side.BUY,
    LiquidityRole.MAKER,
    Decimal("2841.37"),
    Decimal("0.5"),
    Decimal("0.25"),
    1_794_128_400_002,
    RECV_NS,
)
ACCEPTED = OrderAccepted("a", "v1", "ETH-PERP", 1_794_128_400_001, RECV_NS)
CANCELLED = OrderCancelled("a", "v1", "ETH-PERP", "user_request", 1_794_128_400_001, RECV_NS)


class Sink(list[Told]):
    """Takes events, and raises while `fault` is set; `then` is called behind each event that it took."""

    fault: BaseException | None = None
    then: Callable[[Told], None] = staticmethod(lambda _: None)

    def __call__(self, told: Told) -> None:
        if self.fault is not None:
            raise self.fault
        self.append(told)
        self.then(told)


@pytest.fixture
def sink() -> Sink:
    return Sink()


@pytest.fixture
def dispatcher(sink: Sink) -> Dispatcher:
    dispatcher = Dispatcher(sink, subaccount_id=SUBACCOUNT_ID)
    dispatcher.track("a")
    return dispatcher


def test_private_frames_of_a_tracked_order_become_events(dispatcher: Dispatcher, sink: Sink) -> None:
    assert dispatcher.is_tracked("a")
    assert dispatcher.handle(frame("orders", order()), RECV_NS) is None
    assert dispatcher.handle(frame("trades", trade()), RECV_NS) is None
    assert dispatcher.handle(frame("orders", order("cancelled")), RECV_NS) is None
    assert sink == [ACCEPTED, OrderFilled("a", FILL), CANCELLED]
    assert not dispatcher.is_tracked("a")


def test_private_frames_of_any_other_order_become_reports(dispatcher: Dispatcher, sink: Sink) -> None:
    dispatcher.handle(frame("orders", order(label="b")), RECV_NS)
    dispatcher.handle(frame("trades", trade(label="b")), RECV_NS)
    report, fill = sink
    assert report == OrderStatusReport(
        symbol="ETH-PERP",
        venue_order_id="v1",
        client_order_id="b",
        side=Side.BUY,
        order_type=OrderType.LIMIT,
        time_in_force=TimeInForce.POST_ONLY,
        status=OrderStatus.OPEN,
        venue_status="open",
        price=Decimal("2841.37"),
        size=Decimal("1.5"),
        filled_size=Decimal("0.5"),
        average_price=Decimal("2841.37"),
        cancel_reason="",
        created_ms=1_794_128_400_000,
        event_ms=1_794_128_400_001,
        recv_ns=RECV_NS,
    )
    assert isinstance(fill, FillReport)
    assert fill.client_order_id == "b"


@pytest.mark.parametrize("label", [None, ""])
def test_an_order_without_a_label_is_forwarded(dispatcher: Dispatcher, sink: Sink, label: str | None) -> None:
    dispatcher.handle(frame("orders", order(label=label)), RECV_NS)  # type: ignore[arg-type]  # null in the frame
    (report,) = sink
    assert isinstance(report, OrderStatusReport)
    assert report.client_order_id == ""


def test_any_other_frame_is_given_back_decoded(dispatcher: Dispatcher, sink: Sink) -> None:
    response = dispatcher.handle(b'{"jsonrpc":"2.0","id":7,"result":{"order":{}}}', RECV_NS)
    assert isinstance(response, wire.Response)
    assert response.id == 7
    unknown = dispatcher.handle(frame("balances", {}), RECV_NS)
    assert isinstance(unknown, wire.UnknownChannel)
    public = dispatcher.handle(frame("orders").replace(b"58213.orders", b"trades.perp.ETH"), RECV_NS)
    assert public == wire.TradesUpdate("trades.perp.ETH", [])
    assert sink == []


def test_the_order_in_a_response_is_dispatched_as_its_notice_is(dispatcher: Dispatcher, sink: Sink) -> None:
    dispatcher.handle(frame("orders", order()), RECV_NS)
    dispatcher.track_replace("a", "v1", Decimal(3000), Decimal(1))
    raw = json.dumps(order(order_id="v2", limit_price="3000", amount="1")).encode()
    dispatcher.on_orders([decode.payload(raw, wire.OrderRecord)], RECV_NS)
    dispatcher.handle(frame("orders", order("cancelled"), order(order_id="v2")), RECV_NS)
    replaced = OrderReplaced(
        "a", "v1", "v2", "ETH-PERP", Decimal(3000), Decimal(1), 1_794_128_400_001, RECV_NS
    )
    assert sink == [ACCEPTED, replaced]
    dispatcher.track_replace("a", "v2", Decimal(3001), Decimal(1))


@pytest.mark.parametrize(
    ("channel", "field", "bad"),
    [
        ("orders", "limit_price", "1_0"),
        ("orders", "amount", "NaN"),
        ("orders", "order_status", None),
        ("orders", "time_in_force", "soon"),
        ("trades", "trade_price", ""),
        ("trades", "trade_fee", "0x1"),
        ("trades", "liquidity_role", "both"),
        ("trades", "trade_id", None),
    ],
)
def test_a_frame_with_one_bad_record_changes_nothing(
    dispatcher: Dispatcher, sink: Sink, channel: str, field: str, bad: str | None
) -> None:
    good = order if channel == "orders" else trade
    with pytest.raises(InvalidFrame, match=field):
        dispatcher.handle(frame(channel, good(), good(label="b"), good() | {field: bad}), RECV_NS)
    assert sink == []
    assert dispatcher.undelivered == 0
    dispatcher.handle(frame(channel, good()), RECV_NS)
    event = ACCEPTED if channel == "orders" else OrderFilled("a", FILL)
    assert sink[-1] == event, "the good record is as new as if the bad frame had never come"


@pytest.mark.parametrize("fault", [RuntimeError("full"), KeyboardInterrupt()])
def test_what_the_sink_did_not_take_goes_out_first_next_time(
    dispatcher: Dispatcher, sink: Sink, fault: BaseException
) -> None:
    sink.fault = fault
    for raw in (frame("trades", trade()), frame("orders", order("cancelled"))):
        with pytest.raises(type(fault)) as raised:
            dispatcher.handle(raw, RECV_NS)
        assert raised.value is fault
    assert dispatcher.undelivered == 3
    sink.fault = None
    dispatcher.handle(frame("orders", order("open", "v7", "b")), RECV_NS)
    fill_first = OrderAccepted("a", "v1", "ETH-PERP", 1_794_128_400_002, RECV_NS)
    assert sink[:3] == [fill_first, OrderFilled("a", FILL), CANCELLED]
    assert isinstance(sink[3], OrderStatusReport)
    assert dispatcher.undelivered == 0


def test_flush_delivers_what_is_pending(dispatcher: Dispatcher, sink: Sink) -> None:
    sink.fault = RuntimeError()
    with pytest.raises(RuntimeError):
        dispatcher.handle(frame("trades", trade()), RECV_NS)
    with pytest.raises(RuntimeError):
        dispatcher.flush()
    sink.fault = None
    dispatcher.flush()
    dispatcher.flush()
    assert len(sink) == 2


def test_a_sink_that_fails_halfway_is_offered_the_rest(dispatcher: Dispatcher, sink: Sink) -> None:
    def fail_next(_: Told) -> None:
        sink.fault = RuntimeError()

    sink.then = fail_next
    with pytest.raises(RuntimeError):
        dispatcher.handle(frame("orders", order("cancelled")), RECV_NS)
    assert sink == [ACCEPTED]
    sink.fault = None
    dispatcher.flush()
    assert sink == [ACCEPTED, CANCELLED]


def test_a_sink_may_feed_the_dispatcher(dispatcher: Dispatcher, sink: Sink) -> None:
    def feed(told: Told) -> None:
        if told == ACCEPTED:
            dispatcher.handle(frame("trades", trade("t2", "v9", "b"), trade()), RECV_NS)
            dispatcher.flush()
            assert dispatcher.undelivered == 4, "this event, the cancellation, and the two fills"
            assert sink == [ACCEPTED]

    sink.then = feed
    dispatcher.handle(frame("orders", order("cancelled")), RECV_NS)
    other = msgspec.structs.replace(FILL, trade_id="t2", venue_order_id="v9", client_order_id="b")
    assert sink == [ACCEPTED, CANCELLED, other, FILL]


def test_what_a_failing_sink_fed_is_not_lost(dispatcher: Dispatcher, sink: Sink) -> None:
    def feed_and_fail(_: Told) -> None:
        dispatcher.handle(frame("trades", trade()), RECV_NS)
        sink.then = lambda _: None
        sink.fault = RuntimeError()

    sink.then = feed_and_fail
    with pytest.raises(RuntimeError):
        dispatcher.handle(frame("orders", order()), RECV_NS)
    assert sink == [ACCEPTED]
    sink.fault = None
    dispatcher.flush()
    assert sink == [ACCEPTED, OrderFilled("a", FILL)]


def test_a_sink_may_track_the_next_order(dispatcher: Dispatcher, sink: Sink) -> None:
    def resubmit(told: Told) -> None:
        if isinstance(told, OrderCancelled):
            dispatcher.track("a")

    sink.then = resubmit
    dispatcher.handle(frame("orders", order("cancelled")), RECV_NS)
    dispatcher.handle(frame("orders", order(order_id="v2")), RECV_NS)
    assert sink[2:] == [OrderAccepted("a", "v2", "ETH-PERP", 1_794_128_400_001, RECV_NS)]


def test_a_failed_replace_delivers_what_was_held_back(dispatcher: Dispatcher, sink: Sink) -> None:
    dispatcher.track_replace("a", "v1", Decimal(3000), Decimal(1))
    dispatcher.handle(frame("orders", order("cancelled")), RECV_NS)
    assert sink == []
    sink.fault = RuntimeError()
    with pytest.raises(RuntimeError):
        dispatcher.replace_failed("a")
    sink.fault = None
    assert not dispatcher.replace_failed("a"), "it was restored, and only the delivery failed"
    assert sink == [ACCEPTED, CANCELLED]


def test_forgetting_delivers_what_was_held_back(dispatcher: Dispatcher, sink: Sink) -> None:
    dispatcher.track_replace("a", "v1", Decimal(3000), Decimal(1))
    dispatcher.handle(frame("orders", order("cancelled")), RECV_NS)
    assert dispatcher.forget("a")
    (report,) = sink
    assert isinstance(report, OrderStatusReport)


@pytest.mark.parametrize("name", ["order_capacity", "trade_capacity"])
def test_capacities_are_positive(name: str) -> None:
    with pytest.raises(InvalidArgument, match="capacity"):
        Dispatcher(lambda _: None, **{"subaccount_id": SUBACCOUNT_ID, name: 0})  # type: ignore[arg-type]  # a test may


def test_the_capacities_are_those_of_the_docstring() -> None:
    told: list[Told] = []
    dispatcher = Dispatcher(told.append, subaccount_id=SUBACCOUNT_ID)
    fills = [
        decode.payload(json.dumps(trade(f"t{n}", label="b")).encode(), wire.OwnTrade) for n in range(4097)
    ]
    dispatcher.on_trades(fills, RECV_NS)
    assert len(told) == 4097
    dispatcher.on_trades(fills[1:], RECV_NS)
    assert len(told) == 4097, "the last 4,096 are remembered"
    dispatcher.on_trades(fills[:1], RECV_NS)
    assert len(told) == 4098
    for n in range(1024):
        dispatcher.track(f"label-{n}")
    with pytest.raises(InvalidArgument, match="1024 live orders"):
        dispatcher.track("one more")


def test_frames_of_another_subaccount_are_handed_back() -> None:
    told: list[object] = []
    dispatcher = Dispatcher(told.append, subaccount_id=SUBACCOUNT_ID + 1)
    for channel in ("orders", "trades"):
        raw = json.dumps(
            {
                "jsonrpc": "2.0",
                "method": "subscription",
                "params": {"channel": f"{SUBACCOUNT_ID}.{channel}", "data": []},
            }
        ).encode()
        message = dispatcher.handle(raw, 1)
        assert isinstance(message, wire.Update)
        assert message.channel == f"{SUBACCOUNT_ID}.{channel}"
    assert told == []
