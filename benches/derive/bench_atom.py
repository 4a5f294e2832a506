"""The smallest steps that the pipelines consist of: one numeral, one identifier, one look-up.

Three rows run no line of tapemark, as their docstrings say: someone published figures for the same step, and
here it is a library's call. They show what these steps cost on this machine, and no change here moves them.
"""

import operator
import uuid
from decimal import Decimal

import msgspec

from benches.derive import plain
from benches.inputs import frame
from benchgate.measure import Measure
from tapemark.derive.lifecycle import ORDER_CAPACITY, TRADE_CAPACITY, OrderLifecycles
from tapemark.model import OrderAccepted, OrderStatusReport
from tapemark.numerals import decimal_from_text
from tapemark.seen import BoundedMemory

_PRICE, _PRICE_STEP = "2841.5", Decimal("0.01")
_PRICE_AT_STEP = (0, (2, 8, 4, 1, 5, 0), -2)


def at_step(text: str) -> Decimal:
    """Convert a price text and bring it to the instrument's decimals."""
    return decimal_from_text(text, "price").quantize(_PRICE_STEP)


def primed(report: OrderStatusReport, told: list[object]) -> OrderLifecycles:
    """Build a dispatcher's state and let one tracked order be accepted."""
    state = OrderLifecycles(told.append, ORDER_CAPACITY, TRADE_CAPACITY)
    state.track(report.client_order_id)
    state.on_status(report, None)
    return state


def bench_decimal_from_str(measure: Measure) -> None:
    """Check a price text of six characters and convert it to a Decimal."""
    assert decimal_from_text(_PRICE, "price").as_tuple() == Decimal(_PRICE).as_tuple()
    measure(decimal_from_text, _PRICE, "price")


def bench_price_from_decimal_dp(measure: Measure) -> None:
    """Quantize a Decimal to two decimals: no code of ours, a part of price_combined, published too."""
    price = Decimal(_PRICE)
    assert price.quantize(_PRICE_STEP).as_tuple() == _PRICE_AT_STEP
    measure(price.quantize, _PRICE_STEP)


def bench_price_combined(measure: Measure) -> None:
    """Convert a price text to a Decimal with the instrument's two decimals."""
    assert at_step(_PRICE).as_tuple() == _PRICE_AT_STEP
    measure(at_step, _PRICE)


def bench_trade_id_new(measure: Measure) -> None:
    """Read a trade id, a JSON string, by msgspec: no code of ours, beside a published id that was made."""
    expected = plain.trades(frame("derive/trades_1"))[0].trade_id
    read, raw = msgspec.json.Decoder(str).decode, f'"{expected}"'.encode()
    assert read(raw) == expected
    measure(read, raw)


def bench_uuid4_new(measure: Measure) -> None:
    """Make a random UUID by the standard library: no code of ours, beside the published price of one."""
    drawn = uuid.uuid4()
    assert drawn.version == 4
    assert drawn.variant == uuid.RFC_4122
    measure(uuid.uuid4)


def bench_state_construct_primed(measure: Measure) -> None:
    """Build the dispatcher's state, track one order and let it be accepted."""
    (report,) = plain.order_reports(frame("derive/orders"))
    told: list[object] = []
    state = primed(report, told)
    label, venue_order_id, symbol = report.client_order_id, report.venue_order_id, report.symbol
    assert label in state
    assert told == [OrderAccepted(label, venue_order_id, symbol, report.event_ms, report.recv_ns)]
    measure.fresh(primed, lambda: (report, []), calls=100)


def bench_state_drop_primed(measure: Measure) -> None:
    """Drop a dispatcher's state that holds one accepted order, by clearing the list that holds it."""
    (report,) = plain.order_reports(frame("derive/orders"))
    holder = [primed(report, [])]
    list.clear(holder)
    assert not holder
    measure.fresh(list.clear, lambda: ([primed(report, [])],))


def bench_dedup_trade_hit(measure: Measure) -> None:
    """Test whether a trade id was seen, in a full memory of 4,096; it was."""
    memory: BoundedMemory[str, None] = BoundedMemory(TRADE_CAPACITY)
    for at in range(TRADE_CAPACITY):
        memory.remember(str(uuid.UUID(int=at, version=4)), None)
    trade_id = str(uuid.UUID(int=TRADE_CAPACITY // 2, version=4))
    assert operator.contains(memory, trade_id)
    assert not operator.contains(memory, str(uuid.UUID(int=TRADE_CAPACITY, version=4)))
    measure(operator.contains, memory, trade_id)
