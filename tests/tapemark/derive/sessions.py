"""Reports and events of orders, and a session that keeps what `OrderLifecycles` tells."""

from decimal import Decimal

from tapemark.derive.lifecycle import OrderLifecycles, Told
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

PRICE, SIZE = Decimal("2841.37"), Decimal("1.5")
OPEN, FILLED, CANCELLED = OrderStatus.OPEN, OrderStatus.FILLED, OrderStatus.CANCELLED
EXPIRED, REJECTED, OTHER = OrderStatus.EXPIRED, OrderStatus.REJECTED, OrderStatus.OTHER


def status(
    state: OrderStatus, venue_id: str = "v1", label: str = "a", *, price: Decimal = PRICE, event_ms: int = 7
) -> OrderStatusReport:
    return OrderStatusReport(
        symbol="ETH-PERP",
        venue_order_id=venue_id,
        client_order_id=label,
        side=Side.BUY,
        order_type=OrderType.LIMIT,
        time_in_force=TimeInForce.GTC,
        status=state,
        venue_status=state.value,
        price=price,
        size=SIZE,
        filled_size=Decimal(0),
        average_price=None,
        cancel_reason="user_request" if state is CANCELLED else "",
        created_ms=5,
        event_ms=event_ms,
        recv_ns=9,
    )


def fill(trade_id: str, venue_id: str = "v1", label: str = "a") -> FillReport:
    return FillReport(
        "ETH-PERP",
        venue_id,
        label,
        trade_id,
        Side.BUY,
        LiquidityRole.MAKER,
        PRICE,
        Decimal(1),
        Decimal(0),
        8,
        9,
    )


def accepted(venue_id: str = "v1", label: str = "a", event_ms: int = 7) -> OrderAccepted:
    return OrderAccepted(label, venue_id, "ETH-PERP", event_ms, 9)


def filled(report: FillReport) -> OrderFilled:
    return OrderFilled(report.client_order_id, report)


def cancelled(venue_id: str = "v1", label: str = "a") -> OrderCancelled:
    return OrderCancelled(label, venue_id, "ETH-PERP", "user_request", 7, 9)


def replaced(
    old: str, new: str, *, price: Decimal = PRICE, size: Decimal = SIZE, event_ms: int = 7
) -> OrderReplaced:
    return OrderReplaced("a", old, new, "ETH-PERP", price, size, event_ms, 9)


class Session:
    """`OrderLifecycles` with its labels tracked, and what they tell."""

    def __init__(self, *labels: str, orders: int = 8, trades: int = 8) -> None:
        self._told: list[Told] = []
        self.orders = OrderLifecycles(self._told.append, orders, trades)
        for label in labels or ("a",):
            self.orders.track(label)

    def told(self) -> list[Told]:
        told = self._told[:]
        self._told.clear()
        return told

    def after(self, *records: OrderStatusReport | FillReport, replaces: str | None = None) -> list[Told]:
        """Feed the records and give what they made it tell."""
        for record in records:
            if isinstance(record, FillReport):
                self.orders.on_fill(record)
            else:
                self.orders.on_status(record, replaces)
        return self.told()
