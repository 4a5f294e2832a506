"""Turn the venue's private and REST records into domain reports and instruments.

The venue's words for an order's status map to `OrderStatus`; a word that is not known maps to `OTHER` and is
kept beside it, since dropping a report would lose an order. `label` is the client order id; an order without
one has an empty id. The average price of an order that has no fill yet is None, whatever the venue writes.

As for market data, the caller keeps a cache of numerals for each connection and passes it in: an order's
price and size come back with each of its updates. `recv_ns` is the caller's receive time.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import NoReturn

from tapemark.derive import wire
from tapemark.derive.actions import TradeAsset
from tapemark.derive.commands import Listing
from tapemark.errors import InvalidArgument, InvalidFrame
from tapemark.model import FillReport, Instrument, InstrumentKind, OrderStatus, OrderStatusReport
from tapemark.numerals import SignedNumerals, decimal_from_text, unsigned_from_text

_STATUSES = {status.value: status for status in OrderStatus if status is not OrderStatus.OTHER}
_KINDS = {"perp": InstrumentKind.PERP, "option": InstrumentKind.OPTION, "erc20": InstrumentKind.SPOT}

_Checks = Mapping[str, Callable[[str, str], Decimal]]
_ORDER_CHECKS: _Checks = {
    "limit_price": decimal_from_text,
    "amount": unsigned_from_text,
    "filled_amount": unsigned_from_text,
    "average_price": decimal_from_text,
}
_FILL_CHECKS: _Checks = {
    "trade_price": decimal_from_text,
    "trade_amount": unsigned_from_text,
    "trade_fee": decimal_from_text,
}


def order_report(record: wire.OrderRecord, numerals: SignedNumerals, recv_ns: int) -> OrderStatusReport:
    """Turn an order record into a status report.

    Raises:
        InvalidFrame: A price is no decimal number, or an amount none of zero or more.
    """
    try:
        price, size = numerals[record.limit_price], numerals[record.amount]
        filled = numerals[record.filled_amount]
        average = None if record.average_price is None else numerals[record.average_price]
    except InvalidFrame:
        _refuse(record, _ORDER_CHECKS)
    if size.is_signed() or filled.is_signed():
        _refuse(record, _ORDER_CHECKS)
    return OrderStatusReport(
        record.instrument_name,
        record.order_id,
        record.label or "",
        record.direction,
        record.order_type,
        record.time_in_force,
        _STATUSES.get(record.order_status, OrderStatus.OTHER),
        record.order_status,
        price,
        size,
        filled,
        average if filled else None,
        record.cancel_reason or "",
        record.creation_timestamp_ms,
        record.last_update_timestamp_ms,
        recv_ns,
    )


def fill_report(record: wire.OwnTrade, numerals: SignedNumerals, recv_ns: int) -> FillReport:
    """Turn an own trade into a fill report; a negative fee is a rebate.

    Raises:
        InvalidFrame: Price or fee is no decimal number, or the amount none of zero or more.
    """
    try:
        price, size = numerals[record.trade_price], numerals[record.trade_amount]
        fee = numerals[record.trade_fee]
    except InvalidFrame:
        _refuse(record, _FILL_CHECKS)
    if size.is_signed():
        _refuse(record, _FILL_CHECKS)
    return FillReport(
        record.instrument_name,
        record.order_id,
        record.label or "",
        record.trade_id,
        record.direction,
        record.liquidity_role,
        price,
        size,
        fee,
        record.timestamp_ms,
        recv_ns,
    )


def _refuse(record: wire.OrderRecord | wire.OwnTrade, checks: _Checks) -> NoReturn:
    """Name the first field that does not fit, where the fast way only knows that one does not."""
    for field, check in checks.items():
        text = getattr(record, field)
        if text is not None:
            check(text, field)
    raise AssertionError("one of the fields was refused before")


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


def listing(record: wire.InstrumentRecord) -> Listing:
    """Turn an instrument record into what order commands need: its steps, and the asset that is signed.

    Raises:
        InvalidFrame: As for `instrument`; or the asset's address or sub id is none.
    """
    value = unsigned_from_text(record.base_asset_sub_id, "base_asset_sub_id")
    if value != value.to_integral_value():
        raise InvalidFrame("base_asset_sub_id", "a whole number", record.base_asset_sub_id)
    parsed = instrument(record)
    try:
        return Listing(parsed, TradeAsset(record.base_asset_address, int(value)))
    except InvalidArgument as fault:
        raise InvalidFrame(fault.field, fault.expected, record) from None
