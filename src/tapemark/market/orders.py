"""The life of own orders at a venue: where each stands, and which of a symbol are open.

Source: order status reports as `tapemark.derive.reports` gives them. An order's phase follows from the status
and the filled size: open is new or partly filled; filled, cancelled, expired and rejected are its end.

Guarantees:

- An order's life goes one way. A report that ends it, or by which more of it is filled, is written whatever
  its time. An open report that says no more than what is known is written only if it is not older.
- A report that can only have come earlier (open, no more filled, older by the venue's clock) is late: nothing
  is written. The same holds for one that tells nothing new: a repeat, or the same end once more.
- Any other report that does not continue the order's life is refused, and the order stays what it was: a step
  out of an ended phase; a filled size that shrinks, exceeds the size, or is not all of a filled order or none
  of a rejected one; another symbol or side under the same venue order id.
- An order may first be heard of in any phase, as after a restart, and price and size may change while it is
  open. A venue that replaces an order by another, as Derive does, ends the one id and opens the other: they
  are two orders here.
- A symbol's case, which is that of ASCII letters alone, tells no two symbols apart. In canonical upper case a
  symbol costs one look-up; any other case finds the same orders, more slowly.
- The index of open orders holds no ended order. Ended ones can be found, and refuse what is late, while they
  are among the last `ended_capacity` that ended; open ones are never forgotten.
- Readers in other threads see each order and the open orders of each symbol as they stood between two writes,
  and never block the writer. An order that `open_orders` no longer lists has ended for `find` too.

Left to the caller: one thread that writes; an ended capacity that outlasts late reports; to count the reports
of an unknown status (`OrderStatus.OTHER`), which say nothing of the phase and are not written. A write that
is cut short by an asynchronous exception (such as `KeyboardInterrupt`) may leave the order where it was in
the index: its next report mends that, unless it has ended.
"""

import enum
from collections import deque
from decimal import Decimal, InvalidOperation
from typing import NoReturn

import msgspec

from tapemark.errors import IllegalTransition, InvalidArgument
from tapemark.market.scale import EXACT
from tapemark.model import OrderStatus, OrderStatusReport

ENDED_CAPACITY = 4_096
"""How many ended orders are remembered by default."""


class OrderPhase(enum.Enum):
    """Where an order stands in its life; the last four are its end."""

    NEW = "new"
    PARTLY_FILLED = "partly filled"
    FILLED = "filled"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    REJECTED = "rejected"


class OrderState(msgspec.Struct, frozen=True, gc=False):
    """An order as it stands: its phase, and the report that says so."""

    phase: OrderPhase
    report: OrderStatusReport

    @property
    def is_open(self) -> bool:
        """Whether the venue has not ended it."""
        return self.report.status is _OPEN

    @property
    def filled_size(self) -> Decimal:
        """How much of the order is filled."""
        return self.report.filled_size

    @property
    def open_size(self) -> Decimal:
        """How much of the order can still be filled, exactly: zero when it has ended."""
        report = self.report
        return EXACT.subtract(report.size, report.filled_size) if report.status is _OPEN else _ZERO


_ZERO = Decimal(0)  # to compare with an int converts it each time

# Members of an enum are slow to look up in their class, and slow to hash.
_OPEN, _FILLED, _CANCELLED = OrderStatus.OPEN, OrderStatus.FILLED, OrderStatus.CANCELLED
_REJECTED = OrderStatus.REJECTED
_PHASE_NEW, _PHASE_PARTLY_FILLED = OrderPhase.NEW, OrderPhase.PARTLY_FILLED
_PHASE_FILLED, _PHASE_CANCELLED = OrderPhase.FILLED, OrderPhase.CANCELLED
_RARE_ENDS = {OrderStatus.EXPIRED: OrderPhase.EXPIRED, OrderStatus.REJECTED: OrderPhase.REJECTED}


def canonical(symbol: str) -> str:
    """Return a symbol in upper case, or as it is where it is not of ASCII: a look-alike is another symbol."""
    return symbol.upper() if symbol.isascii() else symbol


class OrderStates:
    """The orders of one account at one venue.

    Args:
        ended_capacity: How many ended orders are remembered, at least 1.

    Raises:
        InvalidArgument: The capacity is not a positive integer.
    """

    __slots__ = ("_capacity", "_ended", "_open", "_orders")

    def __init__(self, ended_capacity: int = ENDED_CAPACITY) -> None:
        if type(ended_capacity) is not int or ended_capacity < 1:
            raise InvalidArgument("ended_capacity", "an integer of 1 or more", ended_capacity)
        self._capacity = ended_capacity
        self._orders: dict[str, OrderState] = {}
        self._open: dict[str, dict[str, OrderState]] = {}
        self._ended: deque[str] = deque()

    def __len__(self) -> int:
        """Count the orders that are known, open and ended."""
        return len(self._orders)

    def find(self, venue_order_id: str) -> OrderState | None:
        """Return the order as it stands; None if it was never heard of, or ended too long ago."""
        return self._orders.get(venue_order_id)

    def open_orders(self, symbol: str) -> tuple[OrderState, ...]:
        """Return the open orders of a symbol, in whichever case it is written, first heard of first."""
        orders = self._open.get(symbol)
        if orders is None:
            orders = self._open.get(canonical(symbol))
        # `copy` is one step to other threads, a walk over the values is not.
        return () if orders is None else tuple(orders.copy().values())

    def write(self, report: OrderStatusReport) -> bool:
        """Bring an order to where the report says that it stands.

        Returns:
            True when it was written; False when it is late, tells nothing new, or has an unknown status.

        Raises:
            IllegalTransition: The report does not continue the order's life; nothing has changed.
        """
        phase = _phase(report)
        if phase is None:
            return False
        venue_order_id, symbol = report.venue_order_id, report.symbol
        known = self._orders.get(venue_order_id)
        if known is None:
            if not venue_order_id:
                raise IllegalTransition("venue_order_id", "the id of an order", venue_order_id)
            _check_filled(report)
        elif not _continues(known, report, phase):
            return False

        state = self._orders[venue_order_id] = OrderState(phase, report)
        if report.status is not _OPEN:
            self._end(symbol, venue_order_id)
        elif symbol in self._open:
            self._open[symbol][venue_order_id] = state
        elif symbol.isupper():  # as most are
            self._open[symbol] = {venue_order_id: state}
        else:
            orders = self._open.setdefault(canonical(symbol), {venue_order_id: state})
            orders[venue_order_id] = state
        return True

    def _end(self, symbol: str, venue_order_id: str) -> None:
        """Take an order that has ended from the index, and forget the oldest of too many that have."""
        orders = self._open.get(symbol)
        if orders is None:
            symbol = canonical(symbol)
            orders = self._open.get(symbol)
        if orders is not None and venue_order_id in orders:
            if len(orders) == 1:
                del self._open[symbol]
            else:
                del orders[venue_order_id]
        self._ended.append(venue_order_id)
        if len(self._ended) > self._capacity:
            del self._orders[self._ended.popleft()]


def _phase(report: OrderStatusReport) -> OrderPhase | None:
    """Return the phase that a report speaks of; None for an unknown status."""
    status = report.status
    if status is _OPEN:
        return _PHASE_PARTLY_FILLED if report.filled_size else _PHASE_NEW
    if status is _FILLED:
        return _PHASE_FILLED
    if status is _CANCELLED:
        return _PHASE_CANCELLED
    return _RARE_ENDS.get(status)


def _check_filled(report: OrderStatusReport) -> None:
    """Refuse a filled size that no order of this size and status can have."""
    status, filled, size = report.status, report.filled_size, report.size
    try:
        if status is _FILLED:
            fits = _ZERO <= filled == size
        else:
            fits = _ZERO <= filled <= size and (status is not _REJECTED or not filled)
    except InvalidOperation:  # not a number, which has no order
        fits = False
    if not fits:
        expected = {_FILLED: f"the whole size {size} of a filled order", _REJECTED: "0 of a rejected order"}
        _refuse("filled_size", expected.get(status, f"0 to the size {size}"), report, filled)


def _continues(known: OrderState, report: OrderStatusReport, phase: OrderPhase) -> bool:
    """Say whether the report brings a known order on: False when it is late or tells nothing new."""
    last = known.report
    if report.symbol != last.symbol and canonical(report.symbol) != canonical(last.symbol):
        _refuse("symbol", f"{last.symbol}, as before", report, report.symbol)
    if report.side is not last.side:
        _refuse("side", f"{last.side.value}, as before", report, report.side.value)
    filled, last_filled = report.filled_size, last.filled_size
    if (
        report.event_ms < last.event_ms
        and report.status is _OPEN
        and not filled.is_nan()
        and filled <= last_filled
    ):
        return False
    _check_filled(report)
    if last.status is not _OPEN:
        if phase is not known.phase:
            _refuse("status", f"none after {last.status.value}", report, report.venue_status)
        if filled != last_filled:
            _refuse("filled_size", f"{last_filled}, with which the order ended", report, filled)
        return False
    if filled < last_filled:
        _refuse("filled_size", f"at least {last_filled}, as before", report, filled)
    if filled > last_filled or report.status is not _OPEN:
        return True
    return msgspec.structs.replace(report, symbol=last.symbol, recv_ns=last.recv_ns) != last


def _refuse(field: str, expected: str, report: OrderStatusReport, got: object) -> NoReturn:
    raise IllegalTransition(field, f"{expected} (order {report.venue_order_id})", got)
