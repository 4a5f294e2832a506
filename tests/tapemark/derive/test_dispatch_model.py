"""Whole sessions against a simulated venue, which knows what truly happened to each order.

The venue writes its two channels; a network merges, repeats and (in half of the sessions) reorders their
frames; a sink raises and calls back at random. What was told is then compared with the truth.
"""

import contextlib
import json
import random
from collections import Counter, defaultdict, deque
from decimal import Decimal
from typing import Any

import pytest

from tapemark.derive.dispatch import Dispatcher
from tapemark.derive.lifecycle import Told
from tapemark.errors import InvalidArgument, InvalidFrame
from tapemark.model import (
    FillReport,
    OrderAccepted,
    OrderCancelled,
    OrderExpired,
    OrderFilled,
    OrderRejected,
    OrderReplaced,
    OrderStatusReport,
)

Fact = tuple[str, ...]
Record = dict[str, Any]
ENDS = ("cancelled", "expired", "rejected")
NAMES: dict[type, str] = {
    OrderAccepted: "accepted",
    OrderCancelled: "cancelled",
    OrderExpired: "expired",
    OrderRejected: "rejected",
}


class SinkError(Exception):
    """What the sink raises."""


class TrueOrder:
    """The truth about one client order: its venue order ids, and the facts that are to be told of it."""

    def __init__(self, label: str, venue_id: str, *, tracked: bool) -> None:
        self.label, self.ids, self.tracked = label, [venue_id], tracked
        self.state = "open"
        self.facts: list[Fact] = []
        self.outcome = ""
        """How the venue answered the replace whose answer the client has not read yet."""


class Session:
    """A venue, a network, a client and the dispatcher between them."""

    def __init__(self, seed: int, *, reorder: bool) -> None:
        self.rng = random.Random(seed)
        self.reorder = reorder
        self.orders: list[TrueOrder] = []
        self.by_venue_id: dict[str, TrueOrder] = {}
        self.queue: deque[bytes] = deque()
        self.sent: list[bytes] = []
        self.batch: tuple[str, list[Record]] = ("orders", [])
        self.status_records: Counter[str] = Counter()
        self.told: list[Told] = []
        self.depth = 0
        self.serial = 0
        self.faults = 0.2
        self.names_old = seed % 2 == 0
        """Whether the venue says which order a new one replaced."""
        self.dispatcher = Dispatcher(self.sink, subaccount_id=58_213)

    # The client.

    def sink(self, told: Told) -> None:
        if self.rng.random() < self.faults:
            raise SinkError
        self.told.append(told)
        if self.depth < 2 and self.rng.random() < self.faults:
            self.depth += 1
            try:
                self.deliver()
                self.dispatcher.flush()
            finally:
                self.depth -= 1

    def call(self, method: Any, *arguments: Any) -> None:
        with contextlib.suppress(SinkError):
            method(*arguments)

    def is_over(self, order: TrueOrder) -> bool:
        return any(fact[0] in ENDS for fact in self.facts_told(order))

    def facts_told(self, order: TrueOrder) -> list[Fact]:
        facts = (fact_of(told) for told in self.told if not isinstance(told, OrderStatusReport))
        return [fact for venue_id, fact in facts if venue_id in order.ids]

    def submit(self) -> None:
        self.serial += 1
        label = f"label-{self.serial}"
        tracked = self.rng.random() < 0.8
        over = [order for order in self.orders if order.tracked and order.state != "open"]
        if tracked and over and self.rng.random() < 0.2:
            label = self.rng.choice(over).label
        if tracked:
            try:
                self.dispatcher.track(label)
            except InvalidArgument:
                return  # the client has not heard of the earlier order's end yet
        order = TrueOrder(label, f"v{self.serial}", tracked=tracked)
        self.orders.append(order)
        self.by_venue_id[order.ids[0]] = order
        if self.rng.random() < 0.1:
            self.end(order, "rejected")
            return
        order.facts.append(("accepted", order.ids[0]))
        if self.rng.random() < 0.1:
            self.end(order, "cancelled")
        elif self.rng.random() < 0.2:
            self.fill(order, whole=True)
        else:
            self.write_status(order, "open")

    def replace(self, order: TrueOrder) -> None:
        told_id = next((f[2] for f in reversed(self.facts_told(order)) if f[0] == "replaced"), order.ids[0])
        if not order.tracked or order.outcome or self.is_over(order) or told_id != order.ids[-1]:
            return
        try:
            self.dispatcher.track_replace(order.label, told_id, Decimal("2841.4"), Decimal(5))
        except InvalidArgument:
            assert order.state != "open", "only what is filled or over is refused"
            return
        if order.state == "open" and self.rng.random() < 0.3:
            self.fill(order, whole=self.rng.random() < 0.3)
        if order.state != "open":
            order.outcome = "refused"
            return
        order.outcome = self.rng.choice(["replaced", "replaced", "refused", "lost"])
        if order.outcome == "lost":  # the old order was cancelled, and the new one was not opened
            self.end(order, "cancelled")
        elif order.outcome == "replaced":
            self.serial += 1
            old, new = order.ids[-1], f"w{self.serial}"
            self.write_status(order, "cancelled")
            order.ids.append(new)
            self.by_venue_id[new] = order
            order.facts.append(("replaced", old, new))
            self.write_status(order, "open")

    def read_answer(self, order: TrueOrder) -> None:
        outcome, order.outcome = order.outcome, ""
        if outcome and self.rng.random() < 0.5:  # repeats of earlier frames while the replace is in flight
            for raw in [raw for raw in self.sent if order.ids[0].encode() in raw][:3]:
                self.receive(raw)
        if outcome in {"refused", "lost"}:
            self.call(self.dispatcher.replace_failed, order.label)

    # The venue.

    def fill(self, order: TrueOrder, *, whole: bool) -> None:
        if order.state != "open":
            return
        for _ in range(self.rng.randrange(1, 4)):
            self.serial += 1
            trade_id = f"t{self.serial}"
            order.facts.append(("fill", trade_id))
            self.write("trades", own_trade(order, trade_id))
        if whole:
            order.state = "filled"
        self.write_status(order, order.state)

    def end(self, order: TrueOrder, state: str) -> None:
        if order.state == "open":
            order.state = state
            order.facts.append((state, order.ids[-1]))
            self.write_status(order, state)

    def write_status(self, order: TrueOrder, state: str) -> None:
        names_old = self.names_old and len(order.ids) > 1
        self.write(
            "orders", own_order(order, state) | {"replaced_order_id": order.ids[-2] if names_old else None}
        )

    def write(self, channel: str, record: Record) -> None:
        if self.batch[0] != channel or len(self.batch[1]) >= 3 or self.rng.random() < 0.4:
            self.close_batch(channel)
        self.batch[1].append(record)

    def close_batch(self, channel: str = "orders") -> None:
        if self.batch[1]:
            self.queue.append(frame(*self.batch))
        self.batch = (channel, [])

    # The network.

    def deliver(self) -> None:
        if self.sent and self.rng.random() < 0.2:
            self.receive(self.rng.choice(self.sent))
        elif self.queue:
            if self.reorder:
                self.queue.rotate(-self.rng.randrange(min(4, len(self.queue))))
            raw = self.queue.popleft()
            self.sent.append(raw)
            if self.rng.random() < 0.1:
                self.receive_spoiled(raw)
            self.receive(raw)

    def receive(self, raw: bytes) -> None:
        params = json.loads(raw)["params"]
        if params["channel"].endswith("orders"):
            self.status_records.update(record["order_id"] for record in params["data"])
        self.call(self.dispatcher.handle, raw, 1)

    def receive_spoiled(self, raw: bytes) -> None:
        """A frame whose last record is bad changes nothing, as the rest of the session shows."""
        tree = json.loads(raw)
        record = tree["params"]["data"][-1]
        record["limit_price" if "limit_price" in record else "trade_price"] = "1_0"
        before = self.dispatcher.undelivered, len(self.told)
        with pytest.raises(InvalidFrame):
            self.dispatcher.handle(json.dumps(tree).encode(), 1)
        assert (self.dispatcher.undelivered, len(self.told)) == before

    # The whole.

    def live_labels(self) -> set[str]:
        return {order.label for order in self.orders if order.state == "open"}

    def run(self, steps: int) -> None:
        for _ in range(steps):
            live = [order for order in self.orders if order.state == "open"]
            chance = self.rng.random()
            if chance < 0.2 or not live:
                self.submit()
            elif chance < 0.35:
                self.fill(self.rng.choice(live), whole=self.rng.random() < 0.3)
            elif chance < 0.45:
                self.end(self.rng.choice(live), self.rng.choice(["cancelled", "cancelled", "expired"]))
            elif chance < 0.6:
                self.replace(self.rng.choice(self.orders[-8:]))
            elif chance < 0.7:
                waiting = [order for order in self.orders if order.outcome]
                if waiting:
                    self.read_answer(self.rng.choice(waiting))
            else:
                self.deliver()
        self.close_batch()
        while self.queue:
            self.deliver()
        for order in self.orders:
            self.read_answer(order)
        self.faults = 0.0
        self.dispatcher.flush()
        assert self.dispatcher.undelivered == 0


def frame(channel: str, records: list[Record]) -> bytes:
    params = {"channel": f"58213.{channel}", "data": records}
    return json.dumps({"jsonrpc": "2.0", "method": "subscription", "params": params}).encode()


def own_order(order: TrueOrder, state: str) -> Record:
    return {
        "order_id": order.ids[-1],
        "label": order.label,
        "instrument_name": "ETH-PERP",
        "direction": "sell",
        "order_type": "limit",
        "order_status": state,
        "time_in_force": "gtc",
        "amount": "5",
        "filled_amount": "0",
        "average_price": "0",
        "limit_price": "2841.4",
        "max_fee": "25",
        "order_fee": "0",
        "creation_timestamp": 1_794_128_400_000,
        "last_update_timestamp": 1_794_128_400_001,
        "cancel_reason": "",
        "subaccount_id": 58_213,
    }


def own_trade(order: TrueOrder, trade_id: str) -> Record:
    return {
        "order_id": order.ids[-1],
        "label": order.label,
        "trade_id": trade_id,
        "instrument_name": "ETH-PERP",
        "direction": "sell",
        "liquidity_role": "maker",
        "trade_price": "2841.4",
        "trade_amount": "1",
        "trade_fee": "0.5",
        "timestamp": 1_794_128_400_002,
        "subaccount_id": 58_213,
        "is_transfer": False,
    }


def fact_of(told: Told) -> tuple[str, Fact]:
    """Give the venue order id that an event names and the fact that it tells."""
    if isinstance(told, OrderFilled):
        told = told.fill
    if isinstance(told, FillReport):
        return told.venue_order_id, ("fill", told.trade_id)
    own = told.venue_order_id
    if isinstance(told, OrderReplaced):
        return own, ("replaced", told.old_venue_order_id, own)
    return own, (NAMES[type(told)], own)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("reorder", [False, True])
def test_what_is_told_is_what_happened(seed: int, reorder: bool) -> None:  # noqa: FBT001 - a parameter's values
    session = Session(seed, reorder=reorder)
    session.run(400)

    reports = Counter(told.venue_order_id for told in session.told if isinstance(told, OrderStatusReport))
    told_by_order: dict[TrueOrder, list[Told]] = defaultdict(list)
    for told in session.told:
        if not isinstance(told, OrderStatusReport):
            told_by_order[session.by_venue_id[fact_of(told)[0]]].append(told)

    for order in session.orders:
        if order.tracked and order.state != "open" and order.label not in session.live_labels():
            session.dispatcher.track(order.label)
            session.dispatcher.forget(order.label)

    assert sum(order.tracked for order in session.orders) > 20, "the session is worth its name"
    for order in session.orders:
        told_of_it = told_by_order[order]
        facts = [fact_of(told)[1] for told in told_of_it]
        if not order.tracked:
            assert all(isinstance(told, FillReport) for told in told_of_it)
            assert sorted(facts) == sorted(fact for fact in order.facts if fact[0] == "fill")
            assert reports[order.ids[0]] == session.status_records[order.ids[0]]
            continue
        assert not any(reports[venue_id] for venue_id in order.ids)
        assert sorted(facts) == sorted(order.facts)
        events = [fact_of(told)[1][0] for told in told_of_it if not isinstance(told, FillReport)]
        assert events[0] in {"accepted", "rejected"}
        assert not set(events[:-1]) & set(ENDS), "nothing but a late fill's report comes behind the end"
        labels = [other.label for other in session.orders]
        for position, told in enumerate(told_of_it):
            if isinstance(told, FillReport) and not {fact[0] for fact in facts[:position]} & set(ENDS):
                assert order.state == "filled", "a fill of a live order is an event"
                assert labels.count(order.label) > 1, "and of a filled one too, until its label is used again"
        if not reorder:
            assert facts == order.facts
            assert not any(isinstance(told, FillReport) for told in told_of_it)
