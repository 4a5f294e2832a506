"""Order status reports in few words."""

from decimal import Decimal

from tapemark.model import OrderStatus, OrderStatusReport, OrderType, Side, TimeInForce

OPEN, FILLED, CANCELLED = OrderStatus.OPEN, OrderStatus.FILLED, OrderStatus.CANCELLED
EXPIRED, REJECTED, OTHER = OrderStatus.EXPIRED, OrderStatus.REJECTED, OrderStatus.OTHER


def report(
    status: OrderStatus = OPEN,
    filled: str = "0",
    event_ms: int = 1,
    order_id: str = "v1",
    *,
    size: str = "3",
    price: str = "2000.5",
    symbol: str = "ETH-PERP",
    side: Side = Side.BUY,
    recv_ns: int = 9,
) -> OrderStatusReport:
    return OrderStatusReport(
        symbol,
        order_id,
        "label",
        side,
        OrderType.LIMIT,
        TimeInForce.GTC,
        status,
        "untriggered" if status is OTHER else status.value,
        Decimal(price),
        Decimal(size),
        Decimal(filled),
        None,
        "",
        1,
        event_ms,
        recv_ns,
    )
