"""The life of own orders on Derive: which event each status and each fill amounts to.

Source: the venue's channel references of `{subaccount}.orders` and `{subaccount}.trades`, and the method
reference of `private/replace` ("if the cancel fails, the new order will not be created; if the cancel
succeeds but the new order fails, the old order will still be cancelled").

An order whose label was registered with `track` becomes order events; any other is forwarded as the report it
came as. Guarantees, whatever the order in which the two channels arrive, and across repeats:

- Accepted is told once for each order and before any other event of it, even if a fill arrives first. The one
  exception is an order that was refused at once: it is rejected without having been accepted.
- A trade id is told once, tracked or not, while it is among the last 4,096.
- A fill is never dropped otherwise: fills are money. One that arrives after its order's end was told is
  forwarded as a `FillReport`.
- The end of an order is told once, and no status of it after that, while its venue order id is among the last
  1,024 that ended. A status report of an order that is not tracked is forwarded each time it arrives: it is a
  picture of a state, which a repeat does not change.
- Replace cancels the old venue order and opens a new one under the same label. The status of the old one is
  suppressed, while the replace is in flight and after it. Its fills are not: they stay events of the label,
  and name the venue order id that they belong to.
- What arrives under the label of a tracked order, but with a venue order id that cannot be its own, is
  forwarded as a report, and so is a status that this suite has no event for. The ids of the last 1,024 orders
  that `forget` was called for cannot be its own; nor can an empty one, which is never taken for one seen.

Memory: a filled order keeps its identity, since its fill can arrive after the filled notice; cancelled,
expired and rejected forget it. The last 1,024 filled orders are kept. Live ones are never forgotten to make
room; instead `track` refuses more than 1,024.

Left to the caller: one instance for each subaccount, one thread at a time; `track` and `track_replace` before
the request is sent, `forget` or `replace_failed` when its response is an error; and no second use of a label
that was forgotten while its order might live, but had not been heard of: nothing tells the two orders apart.
"""

from collections.abc import Callable
from decimal import Decimal

from tapemark.errors import InvalidArgument
from tapemark.model import (
    FillReport,
    OrderAccepted,
    OrderCancelled,
    OrderEvent,
    OrderExpired,
    OrderFilled,
    OrderRejected,
    OrderReplaced,
    OrderStatus,
    OrderStatusReport,
)
from tapemark.seen import BoundedMemory

Told = OrderEvent | OrderStatusReport | FillReport
"""What a sink is given: events of tracked orders, reports of the others."""

ORDER_CAPACITY = 1_024
TRADE_CAPACITY = 4_096

_ENDED = frozenset((OrderStatus.CANCELLED, OrderStatus.EXPIRED, OrderStatus.REJECTED))


class _Order:
    """What is known of one tracked order.

    `replacement` holds price and size of the replace in flight; `held` is the last status of the old venue
    order since it was sent, to be told if the replace fails.
    """

    __slots__ = ("accepted", "held", "label", "replacement", "venue_order_id")

    def __init__(self, label: str) -> None:
        self.label = label
        self.venue_order_id = ""
        self.accepted = False
        self.replacement: tuple[Decimal, Decimal] | None = None
        self.held: OrderStatusReport | None = None


class OrderLifecycles:
    """The tracked orders of one subaccount.

    Args:
        tell: Takes each event or report; must not raise and must not call back.
        order_capacity: How many live orders, filled orders, ended and forgotten venue order ids are held, of
            each.
        trade_capacity: How many trade ids are remembered.

    Raises:
        InvalidArgument: A capacity is not a positive integer.
    """

    __slots__ = ("_closed", "_filled", "_forgotten", "_orders", "_tell", "_trades")

    def __init__(self, tell: Callable[[Told], None], order_capacity: int, trade_capacity: int) -> None:
        self._tell = tell
        self._orders: dict[str, _Order] = {}
        self._filled: BoundedMemory[str, _Order] = BoundedMemory(order_capacity)
        self._closed: BoundedMemory[str, _Order] = BoundedMemory(order_capacity)
        self._forgotten: BoundedMemory[str, None] = BoundedMemory(order_capacity)
        self._trades: BoundedMemory[str, None] = BoundedMemory(trade_capacity)

    def __contains__(self, label: str) -> bool:
        """Say whether the label's order is tracked."""
        return label in self._orders

    def track(self, label: str) -> None:
        """Register an order; see `Dispatcher.track`."""
        if type(label) is not str or not label:
            raise InvalidArgument("label", "a client order id", label)
        earlier = self._orders.get(label)
        if earlier is not None and label not in self._filled:
            raise InvalidArgument("label", "one that no live order has", label)
        if len(self._orders) - len(self._filled) >= self._filled.capacity:
            raise InvalidArgument("label", f"no more than {self._filled.capacity} live orders", label)
        if earlier is not None:
            self._end(earlier)
        self._orders[label] = _Order(label)

    def forget(self, label: str) -> bool:
        """Stop tracking an order; see `Dispatcher.forget`."""
        self._filled.pop(label, None)
        order = self._orders.pop(label, None)
        if order is None:
            return False
        if order.venue_order_id:
            self._forgotten.remember(order.venue_order_id, None)
        if order.held is not None:
            self._tell(order.held)
        return True

    def track_replace(self, label: str, old_venue_order_id: str, price: Decimal, size: Decimal) -> None:
        """Register a replace; see `Dispatcher.track_replace`."""
        order = self._orders.get(label)
        if order is None or label in self._filled:
            raise InvalidArgument("label", "that of a live tracked order", label)
        if order.replacement is not None:
            raise InvalidArgument("label", "an order without a replace in flight", label)
        if type(old_venue_order_id) is not str or not old_venue_order_id:
            raise InvalidArgument("old_venue_order_id", "a venue order id", old_venue_order_id)
        if (
            order.venue_order_id not in {"", old_venue_order_id}
            or old_venue_order_id in self._closed
            or old_venue_order_id in self._forgotten
        ):
            expected = f"the current one of the order, {order.venue_order_id or 'not told yet'}"
            raise InvalidArgument("old_venue_order_id", expected, old_venue_order_id)
        for field, value in (("price", price), ("size", size)):
            if type(value) is not Decimal or not (value.is_finite() and value > 0):
                raise InvalidArgument(field, "a positive Decimal", value)
        order.venue_order_id = old_venue_order_id
        order.replacement = (price, size)

    def replace_failed(self, label: str) -> bool:
        """Restore the order that was to be replaced; see `Dispatcher.replace_failed`."""
        order = self._orders.get(label)
        if order is None or order.replacement is None:
            return False
        held, order.held, order.replacement = order.held, None, None
        if held is not None:
            self._tell_status(order, held)
        return True

    def on_status(self, report: OrderStatusReport, replaced_order_id: str | None) -> None:
        """Take a status; `replaced_order_id` is the venue order that the venue says this one replaced."""
        venue_order_id = report.venue_order_id
        if venue_order_id in self._closed:
            return
        order = self._orders.get(report.client_order_id)
        if order is None or report.status is OrderStatus.OTHER or not venue_order_id:
            self._tell(report)
            return
        current = order.venue_order_id
        if venue_order_id == current:
            if order.replacement is not None:
                self._hold(order, report)
                return
        elif venue_order_id in self._forgotten:
            self._tell(report)
            return
        elif not current:
            order.venue_order_id = venue_order_id
        elif order.replacement is not None or replaced_order_id == current:
            self._supersede(order, report, report.price, report.size)
        else:
            self._tell(report)
            return
        self._tell_status(order, report)

    def _hold(self, order: _Order, report: OrderStatusReport) -> None:
        """Keep the status that is furthest in the order's life: a repeat of an earlier one hides none."""
        held = order.held
        if (
            held is None
            or held.status is OrderStatus.OPEN
            or (held.status is OrderStatus.FILLED and report.status in _ENDED)
        ):
            order.held = report

    def on_fill(self, fill: FillReport) -> None:
        """Take a fill."""
        trade_id = fill.trade_id
        if trade_id:
            if trade_id in self._trades:
                return
            self._trades.remember(trade_id, None)
        order = self._orders.get(fill.client_order_id)
        if order is None or not fill.venue_order_id or not self._adopt_fill(order, fill):
            self._tell(fill)
            return
        if not order.accepted:
            self._tell_accepted(order, order.venue_order_id, fill)
        self._tell(OrderFilled(order.label, fill))

    def _adopt_fill(self, order: _Order, fill: FillReport) -> bool:
        """Say whether the fill belongs to the order, whose venue order id it may be the first to name."""
        venue_order_id, current = fill.venue_order_id, order.venue_order_id
        if venue_order_id == current:
            return True
        owner = self._closed.get(venue_order_id)
        if owner is not None:
            return owner is order
        if venue_order_id in self._forgotten:
            return False
        if not current:
            order.venue_order_id = venue_order_id
        elif order.replacement is not None:
            self._supersede(order, fill, *order.replacement)
        else:
            return False
        return True

    def _supersede(
        self, order: _Order, first: OrderStatusReport | FillReport, price: Decimal, size: Decimal
    ) -> None:
        """Complete a replace with the first record of the new venue order."""
        old, new = order.venue_order_id, first.venue_order_id
        if not order.accepted:
            # What was cancelled in favour of the new order had been accepted.
            self._tell_accepted(order, old, first)
        # Only a live order is replaced; one that the venue replaces after all must not age among the filled.
        self._filled.pop(order.label, None)
        self._closed.remember(old, order)
        order.venue_order_id, order.replacement, order.held = new, None, None
        if isinstance(first, FillReport) or first.status is not OrderStatus.REJECTED:
            self._tell(
                OrderReplaced(order.label, old, new, first.symbol, price, size, first.event_ms, first.recv_ns)
            )

    def _tell_accepted(
        self, order: _Order, venue_order_id: str, first: OrderStatusReport | FillReport
    ) -> None:
        order.accepted = True
        self._tell(OrderAccepted(order.label, venue_order_id, first.symbol, first.event_ms, first.recv_ns))

    def _tell_status(self, order: _Order, report: OrderStatusReport) -> None:
        status = report.status
        if not order.accepted and status is not OrderStatus.REJECTED:
            self._tell_accepted(order, report.venue_order_id, report)
        if status is OrderStatus.OPEN:
            return
        if status is OrderStatus.FILLED:
            oldest = self._filled.remember(order.label, order)
            if oldest is not None:
                self._end(oldest)
            return
        self._end(order)
        label, venue_order_id, symbol = order.label, report.venue_order_id, report.symbol
        event_ms, recv_ns = report.event_ms, report.recv_ns
        if status is OrderStatus.CANCELLED:
            self._tell(OrderCancelled(label, venue_order_id, symbol, report.cancel_reason, event_ms, recv_ns))
        elif status is OrderStatus.EXPIRED:
            self._tell(OrderExpired(label, venue_order_id, symbol, event_ms, recv_ns))
        else:
            self._tell(OrderRejected(label, venue_order_id, symbol, report.cancel_reason, event_ms, recv_ns))

    def _end(self, order: _Order) -> None:
        """Forget an order, and remember that its venue order id tells nothing new."""
        del self._orders[order.label]
        self._filled.pop(order.label, None)
        self._closed.remember(order.venue_order_id, order)
