"""From decoded private records to what a sink is told: parsing, the seen-trade test, and the order's life.

Every measured call has a dispatcher of its own, built outside the measurement, because what a record means
depends on what came before. The sink keeps what it is told in a list. All share one cache of numerals, as the
frames of a connection do, and each row repeats one record: its texts were seen before.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest

from benches.derive import plain
from benches.inputs import frame
from benchgate.measure import Measure
from tapemark.derive import decode
from tapemark.derive.dispatch import Dispatcher
from tapemark.model import FillReport, OrderAccepted, OrderFilled, OrderStatusReport
from tapemark.numerals import SignedNumerals

_CALLS = 100
_SUBACCOUNT_ID = int(json.loads(frame("derive/orders"))["params"]["data"][0]["subaccount_id"])
_NUMERALS = SignedNumerals()
_decoded: Callable[[bytes], Any] = decode.frame


def telling(told: list[object]) -> Dispatcher:
    """Build a dispatcher that tracks nothing."""
    return Dispatcher(told.append, subaccount_id=_SUBACCOUNT_ID, numerals=_NUMERALS)


def tracking(label: str, told: list[object]) -> Dispatcher:
    """Build a dispatcher that tracks one order."""
    dispatcher = telling(told)
    dispatcher.track(label)
    return dispatcher


def accepted(report: OrderStatusReport | FillReport) -> OrderAccepted:
    """Give the event that tells the first news of an order."""
    return OrderAccepted(
        report.client_order_id, report.venue_order_id, report.symbol, report.event_ms, report.recv_ns
    )


@pytest.mark.components("derive/parse_only/order_report")
def bench_orders_untracked(measure: Measure) -> None:
    """Dispatch one order update of an order that is not tracked: a status report."""
    raw, told = frame("derive/orders"), list[object]()
    records = _decoded(raw).data
    telling(told).on_orders(records, plain.RECV_NS)
    assert told == plain.order_reports(raw)
    measure.fresh(Dispatcher.on_orders, lambda: (telling([]), records, plain.RECV_NS), calls=_CALLS)


@pytest.mark.components("derive/parse_only/order_report")
def bench_orders_tracked(measure: Measure) -> None:
    """Dispatch the first update of a tracked order: accepted."""
    raw, told = frame("derive/orders"), list[object]()
    (report,) = plain.order_reports(raw)
    records, label = _decoded(raw).data, report.client_order_id
    tracking(label, told).on_orders(records, plain.RECV_NS)
    assert told == [accepted(report)]
    measure.fresh(Dispatcher.on_orders, lambda: (tracking(label, []), records, plain.RECV_NS), calls=_CALLS)


@pytest.mark.components("derive/parse_only/fill_report")
def bench_trades_fill(measure: Measure) -> None:
    """Dispatch the first fill of a tracked order, seen before its notice: accepted, then filled."""
    raw, told = frame("derive/own_trades"), list[object]()
    (report,) = plain.fill_reports(raw)
    records, label = _decoded(raw).data, report.client_order_id
    tracking(label, told).on_trades(records, plain.RECV_NS)
    assert told == [accepted(report), OrderFilled(label, report)]
    measure.fresh(Dispatcher.on_trades, lambda: (tracking(label, []), records, plain.RECV_NS), calls=_CALLS)


@pytest.mark.components("derive/parse_only/fill_report", "derive/atom/dedup_trade_hit")
def bench_trades_duplicate(measure: Measure) -> None:
    """Dispatch a fill that was seen before, as after a reconnect: nothing is told."""
    raw, told = frame("derive/own_trades"), list[object]()
    (report,) = plain.fill_reports(raw)
    records = _decoded(raw).data
    dispatcher = tracking(report.client_order_id, told)
    for _ in range(2):
        dispatcher.on_trades(records, plain.RECV_NS)
    assert told == [accepted(report), OrderFilled(report.client_order_id, report)]
    measure(dispatcher.on_trades, records, plain.RECV_NS)


@pytest.mark.components("derive/decode_only/own_trades", "derive/dispatch/trades_fill")
def bench_frame_to_fill(measure: Measure) -> None:
    """Decode and dispatch a frame with the first fill of a tracked order: the bytes to two events."""
    raw, told = frame("derive/own_trades"), list[object]()
    (report,) = plain.fill_reports(raw)
    label = report.client_order_id
    tracking(label, told).handle(raw, plain.RECV_NS)
    assert told == [accepted(report), OrderFilled(label, report)]
    measure.fresh(Dispatcher.handle, lambda: (tracking(label, []), raw, plain.RECV_NS), calls=_CALLS)
