"""Orders against a plain model that keeps every report, and true lives told out of order."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tapemark.errors import IllegalTransition
from tapemark.market.orders import OrderStates
from tapemark.model import OrderStatus, OrderStatusReport, Side
from tests.tapemark.market.reports import CANCELLED, EXPIRED, FILLED, OPEN, OTHER, REJECTED, report

ENDS = {"filled", "cancelled", "expired", "rejected"}
STEPS = {
    "unheard": {"new", "partly filled"} | ENDS,
    "new": {"new", "partly filled"} | ENDS,
    "partly filled": {"partly filled", "filled", "cancelled", "expired"},
    **{end: set[str]() for end in ENDS},
}
IDS, SYMBOLS = ["a", "b", "c"], ["X", "Y"]


def phase_of(said: OrderStatusReport) -> str:
    if said.status is OPEN:
        return "new" if said.filled_size == 0 else "partly filled"
    return said.status.value


class Model:
    """What each order's accepted reports are, and which orders ended, in full."""

    def __init__(self) -> None:
        self.accepted: dict[str, list[OrderStatusReport]] = {}
        self.ended: list[str] = []

    def verdict(self, said: OrderStatusReport) -> str:
        """Return `written`, `nothing` or `refused`."""
        if said.status is OTHER:
            return "nothing"
        phase, size, filled = phase_of(said), said.size, said.filled_size
        is_odd = (
            filled > size or (phase == "filled" and filled < size) or (phase == "rejected" and filled > 0)
        )
        history = self.accepted.get(said.venue_order_id)
        if not history:
            return "refused" if is_odd else "written"
        last = history[-1]
        if (said.symbol.upper(), said.side) != (last.symbol.upper(), last.side):
            return "refused"
        is_late = said.status is OPEN and filled <= last.filled_size and said.event_ms < last.event_ms
        if is_odd and not is_late:
            return "refused"
        facts = [(r.status, r.filled_size, r.event_ms, r.price, r.size) for r in (said, last)]
        is_same_end = phase in ENDS and facts[0][:2] == facts[1][:2]
        if is_late or is_same_end or facts[0] == facts[1]:
            return "nothing"
        may_step = phase in STEPS[phase_of(last)] and filled >= last.filled_size
        return "written" if may_step else "refused"

    def take(self, said: OrderStatusReport, capacity: int) -> str:
        verdict = self.verdict(said)
        if verdict == "written":
            self.accepted.setdefault(said.venue_order_id, []).append(said)
            if phase_of(said) in ENDS:
                self.ended.append(said.venue_order_id)
                if len(self.ended) > capacity:
                    del self.accepted[self.ended.pop(0)]
        return verdict

    def open(self, symbol: str) -> list[OrderStatusReport]:
        """List the open orders; a dict keeps the order in which its keys came."""
        lasts = [history[-1] for history in self.accepted.values()]
        return [last for last in lasts if last.symbol.upper() == symbol and last.status is OPEN]


class Orders(RuleBasedStateMachine):
    @initialize(capacity=st.integers(1, 3))
    def start(self, capacity: int) -> None:
        self.capacity = capacity
        self.orders, self.model = OrderStates(capacity), Model()

    @rule(
        status=st.sampled_from([OPEN, OPEN, OPEN, FILLED, CANCELLED, EXPIRED, REJECTED, OTHER]),
        filled=st.integers(0, 4),
        event_ms=st.integers(1, 5),
        order_id=st.sampled_from(IDS),
        size=st.sampled_from(["2", "3", "3", "3.0"]),
        price=st.sampled_from(["1", "2"]),
        symbol=st.sampled_from(["X", "X", "x", "Y"]),
        side=st.sampled_from([Side.BUY, Side.BUY, Side.BUY, Side.SELL]),
        recv_ns=st.integers(1, 2),
    )
    def hear(  # noqa: PLR0917 - one argument for each thing that may vary
        self,
        status: OrderStatus,
        filled: int,
        event_ms: int,
        order_id: str,
        size: str,
        price: str,
        symbol: str,
        side: Side,
        recv_ns: int,
    ) -> None:
        said = report(
            status,
            str(filled),
            event_ms,
            order_id,
            size=size,
            price=price,
            symbol=symbol,
            side=side,
            recv_ns=recv_ns,
        )
        verdict = self.model.take(said, self.capacity)
        if verdict == "refused":
            with pytest.raises(IllegalTransition):
                self.orders.write(said)
        else:
            assert self.orders.write(said) == (verdict == "written")

    @invariant()
    def all_orders_stand_where_the_model_says(self) -> None:
        known = {order_id: history[-1] for order_id, history in self.model.accepted.items()}
        for order_id in IDS:
            state, last = self.orders.find(order_id), known.get(order_id)
            assert (state and state.report) is last
            assert state is None or state.phase.value == phase_of(state.report)
        assert len(self.orders) == len(known)

    @invariant()
    def the_index_lists_the_open_orders_and_no_other(self) -> None:
        for symbol in SYMBOLS:
            assert [state.report for state in self.orders.open_orders(symbol)] == self.model.open(symbol)
        assert set(self.orders._open) == {s for s in SYMBOLS if self.model.open(s)}, (
            "no symbol is left behind"
        )


TestOrders = Orders.TestCase
TestOrders.settings = settings(max_examples=150, stateful_step_count=40)


@st.composite
def lives(draw: st.DrawFn, order_id: str) -> list[OrderStatusReport]:
    """Draw what a venue truly tells of one order: rising times, fills that grow, amended sizes, one end."""
    event_ms, filled, size = 1, 0, draw(st.integers(1, 9))
    told = [report(OPEN, "0", event_ms, order_id, size=str(size))]
    for step in draw(st.lists(st.sampled_from(["fill", "resize", "price"]), max_size=6)):
        event_ms += draw(st.integers(1, 3))
        if step == "fill" and filled + 1 < size:
            filled = draw(st.integers(filled + 1, size - 1))
        elif step == "resize":
            size = draw(st.integers(filled + 1, 12))
        told.append(
            report(OPEN, str(filled), event_ms, order_id, size=str(size), price=str(draw(st.integers(1, 9))))
        )
    end = draw(st.sampled_from([FILLED, CANCELLED, EXPIRED, *([] if filled else [REJECTED]), None]))
    if end:
        filled = size if end is FILLED else filled
        told.append(report(end, str(filled), event_ms + 1, order_id, size=str(size)))
    return told


@given(st.data())
def test_a_true_life_is_told_right_in_any_order_and_with_any_repeats(data: st.DataObject) -> None:
    true = [data.draw(lives(order_id)) for order_id in IDS]
    everything = [said for life in true for said in life]
    repeats = data.draw(st.lists(st.sampled_from(everything), max_size=8))
    orders = OrderStates()
    for said in data.draw(st.permutations([*everything, *repeats])):
        orders.write(said)
    lasts = [life[-1] for life in true]
    assert [state and state.report for state in map(orders.find, IDS)] == lasts
    still_open = {last.venue_order_id for last in lasts if last.status is OPEN}
    assert {state.report.venue_order_id for state in orders.open_orders("ETH-PERP")} == still_open


@given(st.data())
def test_open_and_filled_sizes_add_up(data: st.DataObject) -> None:
    life = data.draw(lives("a"))
    orders = OrderStates()
    for said in life:
        assert orders.write(said), "each step is news"
        state = orders.find("a")
        assert state is not None
        assert state.filled_size + state.open_size == (said.size if state.is_open else said.filled_size)
        assert state.open_size >= Decimal(0)
