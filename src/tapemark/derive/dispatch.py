"""Dispatch of Derive's private frames to one sink, each frame whole, each event once and in order.

Format: the subscription channels `{subaccount}.orders` and `{subaccount}.trades` of the venue's channel
reference. What a status or a fill amounts to is the subject of `tapemark.derive.lifecycle`.

Guarantees:

- A frame with one bad record raises before it changes anything.
- A frame's events are computed and its state committed as a whole before the first of them is delivered.
- An event is delivered when the sink returns. When the sink raises, its exception propagates; that event and
  those behind it stay pending and go out first on the next call, or by `flush`. So nothing is lost, and a
  sink that acts before it raises is offered the same event again.
- A sink may call the dispatcher. What that causes goes out behind what is pending, by the delivery that is
  under way already: order is kept, and nothing is delivered twice.

Pending events have no bound, since none may be lost: a caller whose sink keeps raising reads `undelivered`.

Left to the caller: one dispatcher for each subaccount, and one thread at a time, for nothing here is locked.
An asynchronous exception (such as `KeyboardInterrupt`) inside a call may cut that frame short; the venue's
REST order and trade history is then the truth.
"""

from collections import deque
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TypeVar

from tapemark.derive import decode, reports, wire
from tapemark.derive.channels import TOPICS
from tapemark.derive.lifecycle import ORDER_CAPACITY, TRADE_CAPACITY, OrderLifecycles, Told
from tapemark.derive.requests import check_json_int
from tapemark.errors import InvalidFrame
from tapemark.numerals import SignedNumerals

Record = TypeVar("Record", wire.OrderRecord, wire.OwnTrade)
Report = TypeVar("Report")


class Dispatcher:
    """Turn private frames into events.

    Args:
        sink: Takes one event or report at a time.
        subaccount_id: Whose frames `handle` takes; those of other subaccounts are handed back.
        numerals: The connection's cache; one of the dispatcher's own when it is None.
        order_capacity: How many live orders, filled orders, ended and forgotten venue order ids are held, of
            each.
        trade_capacity: How many trade ids are remembered.

    Raises:
        InvalidArgument: A capacity is not a positive integer, or `subaccount_id` not an int of 0 to 2^53 - 1.
    """

    __slots__ = ("_delivering", "_numerals", "_orders", "_pending", "_sink", "_subaccount")

    def __init__(
        self,
        sink: Callable[[Told], object],
        *,
        subaccount_id: int,
        numerals: SignedNumerals | None = None,
        order_capacity: int = ORDER_CAPACITY,
        trade_capacity: int = TRADE_CAPACITY,
    ) -> None:
        check_json_int(subaccount_id, "subaccount_id")
        self._sink = sink
        self._subaccount = str(subaccount_id)
        self._numerals = SignedNumerals() if numerals is None else numerals
        self._pending: deque[Told] = deque()
        self._orders = OrderLifecycles(self._pending.append, order_capacity, trade_capacity)
        self._delivering = False

    @property
    def undelivered(self) -> int:
        """How many events the sink has not taken yet."""
        return len(self._pending)

    def is_tracked(self, label: str) -> bool:
        """Say whether updates of `label` become order events."""
        return label in self._orders

    def track(self, label: str) -> None:
        """Register an order before it is submitted; `label` is its client order id.

        A label may be used again once its order is filled or has ended. Whatever still arrives for the
        earlier order is a report then.

        Raises:
            InvalidArgument: The label is empty or that of a live order, or `order_capacity` orders are live.
        """
        self._orders.track(label)

    def forget(self, label: str) -> bool:
        """Stop tracking an order, for instance when the venue refused the request that submitted it.

        Whatever still arrives for it is a report then, also if its label is tracked again, and so is a status
        that a replace held back. Return whether it was tracked.
        """
        was_tracked = self._orders.forget(label)
        self.flush()
        return was_tracked

    def track_replace(self, label: str, old_venue_order_id: str, price: Decimal, size: Decimal) -> None:
        """Register a replace before it is sent.

        It is complete when the first record of another venue order id arrives under the label. The response
        to `private/replace` carries the new order: `on_orders` with that completes it at once, and allows the
        next.

        Args:
            label: The order's client order id, which it keeps.
            old_venue_order_id: The venue order id that is to be cancelled.
            price: Limit price of the new order, for `OrderReplaced` in case a fill is what arrives first.
            size: Its size, for the same.

        Raises:
            InvalidArgument: The label is not that of a live tracked order, a replace of it is in flight, the
                venue order id is not its current one, or price or size is not positive.
        """
        self._orders.track_replace(label, old_venue_order_id, price, size)

    def replace_failed(self, label: str) -> bool:
        """Restore the order that a failed replace was to supersede, and tell its status that was held back.

        Both failures end well. If nothing was cancelled, the order lives on. If it was cancelled and only the
        new order failed, the cancellation is told, now or when its notice arrives. Return whether a replace
        was in flight; if not (it is complete by now), nothing is done.
        """
        restored = self._orders.replace_failed(label)
        self.flush()
        return restored

    def handle(self, raw: bytes, recv_ns: int) -> wire.Message | None:
        """Decode a frame, and dispatch it if it is of the subaccount's private channels.

        Returns:
            None when it was dispatched; any other message, decoded, for the caller to route.

        Raises:
            InvalidFrame: The frame or one of its records is not well-formed; nothing has changed.
        """
        message = decode.frame(raw)
        if type(message) is wire.OrdersUpdate and self._is_own(message):
            self.on_orders(message.data, recv_ns)
            return None
        if type(message) is wire.OwnTradesUpdate and self._is_own(message):
            self.on_trades(message.data, recv_ns)
            return None
        return message

    def _is_own(self, update: wire.Update) -> bool:
        return TOPICS[update.channel].subject == self._subaccount

    def on_orders(self, records: Sequence[wire.OrderRecord], recv_ns: int) -> None:
        """Dispatch order updates, in their order.

        Raises:
            InvalidFrame: A record is not well-formed; nothing has changed.
        """
        parsed = self._parsed(reports.order_report, records, recv_ns)
        on_status = self._orders.on_status
        for report, record in zip(parsed, records, strict=True):
            on_status(report, record.replaced_order_id)
        self.flush()

    def on_trades(self, records: Sequence[wire.OwnTrade], recv_ns: int) -> None:
        """Dispatch own fills, in their order.

        Raises:
            InvalidFrame: A record is not well-formed; nothing has changed.
        """
        fills = self._parsed(reports.fill_report, records, recv_ns)
        on_fill = self._orders.on_fill
        for fill in fills:
            on_fill(fill)
        self.flush()

    def _parsed(
        self,
        report: Callable[[Record, SignedNumerals, int], Report],
        records: Sequence[Record],
        recv_ns: int,
    ) -> list[Report]:
        """Parse all records before any is acted on; a bad one is named by its row."""
        parsed: list[Report] = []
        try:
            for record in records:
                parsed.append(report(record, self._numerals, recv_ns))  # noqa: PERF401 - the length is the row
        except InvalidFrame as fault:
            raise fault.at(f"params.data[{len(parsed)}].{fault.field}") from None
        return parsed

    def flush(self) -> None:
        """Deliver what is pending; a no-op inside a sink, where the delivery under way goes on to it."""
        if self._delivering:
            return
        pending, sink = self._pending, self._sink
        self._delivering = True
        try:
            while pending:
                sink(pending[0])
                pending.popleft()
        finally:
            self._delivering = False
