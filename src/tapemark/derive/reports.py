"""Turn the venue's private and REST records into domain reports and instruments.

The venue's words for an order's status map to `OrderStatus`; a word that is not known maps to `OTHER` and is
kept beside it, since dropping a report would lose an order. `label` is the client order id; an order without
one has an empty id. `recv_ns` is the caller's receive time.
"""

from tapemark.derive import wire
from tapemark.errors import InvalidFrame
from tapemark.model import FillReport, Instrument, InstrumentKind, OrderStatus, OrderStatusReport
from tapemark.numerals import decimal_from_text, unsigned_from_text

_STATUSES = {status.value: status for status in OrderStatus if status is not OrderStatus.OTHER}
_KINDS = {"perp": InstrumentKind.PERP, "option": InstrumentKind.OPTION, "erc20": InstrumentKind.SPOT}


def order_report(record: wire.OrderRecord, recv_ns: int) -> OrderStatusReport:
    """Turn an order record into a status report.

    Raises:
        InvalidFrame: A price or amount is no decimal number.
    """
    average = record.average_price
    return OrderStatusReport(
        record.instrument_name,
        record.order_id,
        record.label or "",
        record.direction,
        record.order_type,
        record.time_in_force,
        _STATUSES.get(record.order_status, OrderStatus.OTHER),
        record.order_status,
        decimal_from_text(record.limit_price, "limit_price"),
        unsigned_from_text(record.amount, "amount"),
        unsigned_from_text(record.filled_amount, "filled_amount"),
        None if average is None else decimal_from_text(average, "average_price"),
        record.cancel_reason or "",
        record.creation_timestamp_ms,
        record.last_update_timestamp_ms,
        recv_ns,
    )


def fill_report(record: wire.OwnTrade, recv_ns: int) -> FillReport:
    """Turn an own trade into a fill report; a negative fee is a rebate.

    Raises:
        InvalidFrame: A price, an amount or the fee is no decimal number.
    """
    return FillReport(
        record.instrument_name,
        record.order_id,
        record.label or "",
        record.trade_id,
        record.direction,
        record.liquidity_role,
        decimal_from_text(record.trade_price, "trade_price"),
        unsigned_from_text(record.trade_amount, "trade_amount"),
        decimal_from_text(record.trade_fee, "trade_fee"),
        record.timestamp_ms,
        recv_ns,
    )


def instrument(record: wire.InstrumentRecord) -> Instrument:
    """Turn an instrument record into the domain's instrument.

    Raises:
        InvalidFrame: A step or limit is no decimal number, or out of the range that `Instrument` states.
    """
    tick_size, size_step, minimum, maximum = (
        unsigned_from_text(text, field)
        for text, field in (
            (record.tick_size, "tick_size"),
            (record.amount_step, "amount_step"),
            (record.minimum_amount, "minimum_amount"),
            (record.maximum_amount, "maximum_amount"),
        )
    )
    for field, step in (("tick_size", tick_size), ("amount_step", size_step)):
        if not step:
            raise InvalidFrame(field, "a positive step", step)
    if maximum < minimum:
        raise InvalidFrame("maximum_amount", f"at least minimum_amount {minimum}", maximum)
    if not record.instrument_name:
        raise InvalidFrame("instrument_name", "a name", record.instrument_name)
    return Instrument(
        symbol=record.instrument_name,
        kind=_KINDS[record.instrument_type],
        tick_size=tick_size,
        size_step=size_step,
        min_size=minimum,
        max_size=maximum,
    )


def sub_id(record: wire.InstrumentRecord) -> int:
    """Read an instrument's asset sub id, which exceeds 64 bits for options.

    Raises:
        InvalidFrame: It is no whole number of zero or more.
    """
    value = unsigned_from_text(record.base_asset_sub_id, "base_asset_sub_id")
    if value != value.to_integral_value():
        raise InvalidFrame("base_asset_sub_id", "a whole number", record.base_asset_sub_id)
    return int(value)
