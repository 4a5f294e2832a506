"""Order commands for Derive: what to submit, replace or cancel, checked when it is built.

A command that exists can be encoded and signed: each price is a multiple of the tick size, each size one of
the size step and within the instrument's bounds, no number is written with more than 59 decimals, and every
text can be sent. So bad input is refused before a nonce or anything else is taken. The venue offers limit and
market orders only.

Left to the caller: labels that are unique, and the decision that the order is a good idea.

Source: the venue's method references of `private/order`, `private/replace` and `private/cancel`; the lengths
of texts and numbers are this module's own bounds.
"""

from decimal import MAX_EMAX, Clamped, Context, Decimal
from typing import Final

import msgspec

from tapemark.derive.actions import TradeAsset
from tapemark.errors import InvalidArgument
from tapemark.model import Instrument, Side, TimeInForce

MAX_TEXT_CHARS: Final = 64
"""Longest label, order id, symbol or referral code that is sent."""

_VALUE_LIMIT: Final = Decimal(10) ** 40  # scaled by 10^18 it is still far inside int256
_SMALLEST: Final = Decimal("1e-18")
_ZERO: Final = Decimal(0)
_IMMEDIATE: Final = (TimeInForce.IOC, TimeInForce.FOK)
# A remainder has the decimals of the operand with more of them, even if it is zero. With this precision and
# Emin the smallest place is 10^-59, and a zero beyond it is clamped, which raises. Nothing else is trapped: a
# remainder that cannot be computed is NaN, which is as true as one that is not zero. No quotient of two
# values that fit has more than 58 digits.
_MAX_DECIMALS: Final = 59
_remainder: Final = Context(prec=_MAX_DECIMALS + 1, Emin=0, Emax=MAX_EMAX, traps=[Clamped]).remainder


def check_text(value: object, field: str) -> None:
    """Refuse what is not 1 to 64 printable characters; a lone surrogate, which UTF-8 cannot carry, is not."""
    if type(value) is not str or not 0 < len(value) <= MAX_TEXT_CHARS or not value.isprintable():
        raise InvalidArgument(field, f"1 to {MAX_TEXT_CHARS} printable characters", value)


def _refuse_long(values: dict[str, Decimal], owner: str) -> None:
    """Refuse a value of more than 59 decimals, trailing zeros included; 0E-60 has them too."""
    for field, value in values.items():
        exponent = value.as_tuple().exponent
        if type(exponent) is int and exponent < -_MAX_DECIMALS:
            expected = f"at most {_MAX_DECIMALS} decimals, trailing zeros included"
            raise InvalidArgument(f"{owner}.{field}", expected, value)


class Listing(msgspec.Struct, frozen=True, gc=False):
    """An instrument as Derive lists it: in which steps it trades, and the asset that a signature names.

    Raises:
        InvalidArgument: A part is of another type, the symbol is not 1 to 64 printable characters, a step
            needs more than the 18 decimals that can be signed, or a step or size is 10^40 or more or written
            with more than 59 decimals.
    """

    instrument: Instrument
    asset: TradeAsset

    def __post_init__(self) -> None:
        """Check what every order of the instrument relies on."""
        instrument = self.instrument
        if type(instrument) is not Instrument:
            raise InvalidArgument("Listing.instrument", "an Instrument", instrument)
        if type(self.asset) is not TradeAsset:
            raise InvalidArgument("Listing.asset", "a TradeAsset", self.asset)
        check_text(instrument.symbol, "Listing.instrument.symbol")
        numbers = {
            name: getattr(instrument, name) for name in ("tick_size", "size_step", "min_size", "max_size")
        }
        _refuse_long(numbers, "Listing.instrument")
        for field, step in (("tick_size", instrument.tick_size), ("size_step", instrument.size_step)):
            if _remainder(step, _SMALLEST) or step >= _VALUE_LIMIT:
                raise InvalidArgument(f"Listing.instrument.{field}", "at most 18 decimals, below 10^40", step)
        if instrument.max_size >= _VALUE_LIMIT:
            raise InvalidArgument("Listing.instrument.max_size", "below 10^40", instrument.max_size)


class SubmitLimit(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Submit a limit order.

    Attributes:
        listing: What is traded.
        label: Client order id, 1 to 64 printable characters.
        side: Buy or sell.
        limit_price: A positive multiple of the tick size.
        size: A multiple of the size step, from the smallest to the largest size of the instrument.
        max_fee: Highest fee accepted, in quote currency per unit; at most 18 decimals, not negative.
        time_in_force: How long it may rest.
        reduce_only: Never increase the position; for `IOC` and `FOK` only.
        mmp: Count it for market maker protection.

    Raises:
        InvalidArgument: A field does not fit.
    """

    listing: Listing
    label: str
    side: Side
    limit_price: Decimal
    size: Decimal
    max_fee: Decimal
    time_in_force: TimeInForce = TimeInForce.GTC
    reduce_only: bool = False
    mmp: bool = False

    def __post_init__(self) -> None:
        """Check what the docstring states."""
        _check_order(self, "SubmitLimit")
        if type(self.time_in_force) is not TimeInForce:
            raise InvalidArgument("SubmitLimit.time_in_force", "a TimeInForce", self.time_in_force)
        if self.reduce_only and self.time_in_force not in _IMMEDIATE:
            raise InvalidArgument(
                "SubmitLimit.reduce_only", "False on an order that may rest", self.reduce_only
            )


class SubmitMarket(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Submit a market order: as much as trades at once at the limit price or better, and nothing rests.

    Attributes:
        listing: What is traded.
        label: Client order id, 1 to 64 printable characters.
        side: Buy or sell.
        limit_price: The worst price accepted, which is signed; a positive multiple of the tick size.
        size: A multiple of the size step, from the smallest to the largest size of the instrument.
        max_fee: Highest fee accepted, in quote currency per unit; at most 18 decimals, not negative.
        time_in_force: `IOC`, or `FOK` for all of it or nothing.
        reduce_only: Never increase the position.
        mmp: Count it for market maker protection.

    Raises:
        InvalidArgument: A field does not fit.
    """

    listing: Listing
    label: str
    side: Side
    limit_price: Decimal
    size: Decimal
    max_fee: Decimal
    time_in_force: TimeInForce = TimeInForce.IOC
    reduce_only: bool = False
    mmp: bool = False

    def __post_init__(self) -> None:
        """Check what the docstring states."""
        _check_order(self, "SubmitMarket")
        # By type first: `in` asks the value itself whether it is equal.
        if type(self.time_in_force) is not TimeInForce or self.time_in_force not in _IMMEDIATE:
            raise InvalidArgument("SubmitMarket.time_in_force", "IOC or FOK", self.time_in_force)


def _check_order(order: SubmitLimit | SubmitMarket, kind: str) -> None:
    if type(order.listing) is not Listing:
        raise InvalidArgument(f"{kind}.listing", "a Listing", order.listing)
    instrument, price, size, fee = order.listing.instrument, order.limit_price, order.size, order.max_fee
    label = order.label
    if type(label) is not str or not 0 < len(label) <= MAX_TEXT_CHARS or not label.isprintable():
        check_text(label, f"{kind}.label")
    if type(order.side) is not Side:
        raise InvalidArgument(f"{kind}.side", "a Side", order.side)
    try:
        if (
            type(price) is not Decimal
            or _remainder(price, instrument.tick_size)
            or not _ZERO < price < _VALUE_LIMIT
        ):
            expected = f"a positive Decimal below 10^40, a multiple of the tick size {instrument.tick_size}"
            raise InvalidArgument(f"{kind}.limit_price", expected, price)
        if (
            type(size) is not Decimal
            or _remainder(size, instrument.size_step)
            or not instrument.min_size <= size <= instrument.max_size
            or not size
        ):
            expected = (
                f"a positive Decimal of {instrument.min_size} to {instrument.max_size},"
                f" a multiple of the size step {instrument.size_step}"
            )
            raise InvalidArgument(f"{kind}.size", expected, size)
        if type(fee) is not Decimal or _remainder(fee, _SMALLEST) or fee.is_signed() or fee >= _VALUE_LIMIT:
            expected = "a Decimal of zero or more, below 10^40, with at most 18 decimals"
            raise InvalidArgument(f"{kind}.max_fee", expected, fee)
    except Clamped:
        values = {"limit_price": price, "size": size, "max_fee": fee}
        _refuse_long(values, kind)
        raise  # not reached, since only what is written long clamps; but nothing may pass unchecked
    for field, flag in (("reduce_only", order.reduce_only), ("mmp", order.mmp)):
        if type(flag) is not bool:
            raise InvalidArgument(f"{kind}.{field}", "a bool", flag)


class Replace(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Cancel an order and submit another in one request.

    The venue submits nothing if the cancel fails; the cancel stands if the new order fails.

    Attributes:
        order_id_to_cancel: The venue's id of the order that goes.
        order: The order that comes, as a rule with the label of the one that goes.

    Raises:
        InvalidArgument: A field does not fit.
    """

    order_id_to_cancel: str
    order: SubmitLimit

    def __post_init__(self) -> None:
        """Check what the docstring states."""
        check_text(self.order_id_to_cancel, "Replace.order_id_to_cancel")
        if type(self.order) is not SubmitLimit:
            raise InvalidArgument("Replace.order", "a SubmitLimit", self.order)


class Cancel(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Cancel an order.

    Attributes:
        symbol: The venue's name of the instrument.
        order_id: The venue's id of the order.

    Raises:
        InvalidArgument: A field is not 1 to 64 printable characters.
    """

    symbol: str
    order_id: str

    def __post_init__(self) -> None:
        """Check what the docstring states."""
        check_text(self.symbol, "Cancel.symbol")
        check_text(self.order_id, "Cancel.order_id")
