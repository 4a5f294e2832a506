"""Domain types shared by all systems: what a strategy sees, whichever venue it came from.

Every type is a frozen `msgspec.Struct` without reference cycles (hence `gc=False`: the collector need not
visit it). Prices, sizes and money are exact `decimal.Decimal`s, whose precision is the instrument's and never
the text's; greeks and implied volatilities are floats. Times are UTC: `event_ms` is the venue's clock in
milliseconds, `recv_ns` the receiver's in nanoseconds, handed in by the caller.

Records of market data are built by a parser that has checked each field, a thousand at a time, so they check
nothing again. Types that a user builds (`Instrument`, the commands of a venue) validate on construction.
"""

import enum
from decimal import Decimal

import msgspec

from tapemark.errors import InvalidArgument


class Side(enum.Enum):
    """The side of an order, a book level or an aggressor."""

    BUY = "buy"
    SELL = "sell"


class BookAction(enum.Enum):
    """What one record does to an order book."""

    CLEAR = "clear"
    ADD = "add"


class RecordFlag(enum.IntFlag):
    """Where a record stands in the update that carried it."""

    NONE = 0
    SNAPSHOT = 1
    LAST = 2


class InstrumentKind(enum.Enum):
    """The kinds of instrument."""

    PERP = "perp"
    OPTION = "option"
    SPOT = "spot"


class OrderType(enum.Enum):
    """How an order meets the book."""

    LIMIT = "limit"
    MARKET = "market"


class TimeInForce(enum.Enum):
    """How long an order may rest."""

    GTC = "gtc"
    POST_ONLY = "post_only"
    IOC = "ioc"
    FOK = "fok"


class OrderStatus(enum.Enum):
    """Where an order stands at the venue; `OTHER` is a status that no event follows from."""

    OPEN = "open"
    FILLED = "filled"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    REJECTED = "rejected"
    OTHER = "other"


class LiquidityRole(enum.Enum):
    """Whether a fill took liquidity or made it."""

    MAKER = "maker"
    TAKER = "taker"


class Instrument(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What can be traded, and in which steps.

    Attributes:
        symbol: The venue's name of the instrument, not empty.
        kind: Perpetual, option or spot.
        tick_size: Smallest price step, positive; its decimals are the precision of prices.
        size_step: Smallest size step, positive; its decimals are the precision of sizes.
        min_size: Smallest order size, not negative.
        max_size: Largest order size, at least `min_size`.

    Raises:
        InvalidArgument: A field is out of its range.
    """

    symbol: str
    kind: InstrumentKind
    tick_size: Decimal
    size_step: Decimal
    min_size: Decimal
    max_size: Decimal

    def __post_init__(self) -> None:
        """Check the ranges that the docstring states."""
        if type(self.symbol) is not str or not self.symbol:
            raise InvalidArgument("Instrument.symbol", "a name", self.symbol)
        if type(self.kind) is not InstrumentKind:
            raise InvalidArgument("Instrument.kind", "an InstrumentKind", self.kind)
        for field in ("tick_size", "size_step", "min_size", "max_size"):
            value: object = getattr(self, field)
            if type(value) is not Decimal or not value.is_finite() or value < 0:
                raise InvalidArgument(f"Instrument.{field}", "a finite Decimal of zero or more", value)
            if not value and field.endswith(("tick_size", "size_step")):
                raise InvalidArgument(f"Instrument.{field}", "a positive step", value)
        if self.max_size < self.min_size:
            raise InvalidArgument("Instrument.max_size", f"at least min_size {self.min_size}", self.max_size)


class BookDelta(msgspec.Struct, frozen=True, gc=False):
    """One change of an order book; a `CLEAR` has no side and zero price and size."""

    action: BookAction
    side: Side | None
    price: Decimal
    size: Decimal
    flags: RecordFlag


class BookDeltas(msgspec.Struct, frozen=True, gc=False):
    """The changes of one book update, to be applied together and in order.

    `sequence` rises from update to update of one instrument; where a venue numbers nothing, it is the time.
    """

    symbol: str
    deltas: tuple[BookDelta, ...]
    sequence: int
    event_ms: int
    recv_ns: int


class Quote(msgspec.Struct, frozen=True, gc=False):
    """Best bid and ask; a side the venue left out is None in price and size."""

    symbol: str
    bid_price: Decimal | None
    bid_size: Decimal | None
    ask_price: Decimal | None
    ask_size: Decimal | None
    event_ms: int
    recv_ns: int


class Trade(msgspec.Struct, frozen=True, gc=False):
    """A public trade; `aggressor` is the side that took liquidity."""

    symbol: str
    price: Decimal
    size: Decimal
    aggressor: Side
    trade_id: str
    event_ms: int
    recv_ns: int


class MarkPrice(msgspec.Struct, frozen=True, gc=False):
    """The venue's fair price, which margin is computed from."""

    symbol: str
    price: Decimal
    event_ms: int
    recv_ns: int


class IndexPrice(msgspec.Struct, frozen=True, gc=False):
    """The price of the underlying index."""

    symbol: str
    price: Decimal
    event_ms: int
    recv_ns: int


class FundingRate(msgspec.Struct, frozen=True, gc=False):
    """The current funding rate of a perpetual, as a fraction of notional for the venue's interval."""

    symbol: str
    rate: Decimal
    event_ms: int
    recv_ns: int


class Bar(msgspec.Struct, frozen=True, gc=False):
    """Open, high, low, close and volume from `start_ms` for one interval."""

    symbol: str
    open: Decimal
    high: Decimal
    low: Decimal
    close: Decimal
    volume: Decimal
    start_ms: int
    recv_ns: int


class Greeks(msgspec.Struct, frozen=True, gc=False):
    """Sensitivities and implied volatilities of an option by the venue's model, and the forward they rest on.

    All are finite; None where the venue says nothing. Volatilities are fractions a year (0.67 is 67 %), the
    forward is in the quote currency; theta, vega and rho are in the venue's own units.
    """

    ask_iv: float | None = None
    bid_iv: float | None = None
    delta: float | None = None
    forward_price: float | None = None
    gamma: float | None = None
    mark_iv: float | None = None
    rho: float | None = None
    theta: float | None = None
    vega: float | None = None


class OptionGreeks(msgspec.Struct, frozen=True, gc=False):
    """The greeks of one option at one time."""

    symbol: str
    greeks: Greeks
    event_ms: int
    recv_ns: int


class OrderStatusReport(msgspec.Struct, frozen=True, gc=False):
    """Where an order stands, as the venue says; an empty `client_order_id` means it had none.

    `venue_status` is the venue's own word, which matters when `status` is `OTHER`.
    """

    symbol: str
    venue_order_id: str
    client_order_id: str
    side: Side
    order_type: OrderType
    time_in_force: TimeInForce
    status: OrderStatus
    venue_status: str
    price: Decimal
    size: Decimal
    filled_size: Decimal
    average_price: Decimal | None
    cancel_reason: str
    created_ms: int
    event_ms: int
    recv_ns: int


class FillReport(msgspec.Struct, frozen=True, gc=False):
    """One fill of an own order; `fee` is in the quote currency, and negative when it is a rebate."""

    symbol: str
    venue_order_id: str
    client_order_id: str
    trade_id: str
    side: Side
    role: LiquidityRole
    price: Decimal
    size: Decimal
    fee: Decimal
    event_ms: int
    recv_ns: int


class OrderAccepted(msgspec.Struct, frozen=True, gc=False):
    """The venue has the order; emitted once, before any other event of it."""

    client_order_id: str
    venue_order_id: str
    symbol: str
    event_ms: int
    recv_ns: int


class OrderReplaced(msgspec.Struct, frozen=True, gc=False):
    """The order lives on under a new venue order id, with the new price and size."""

    client_order_id: str
    old_venue_order_id: str
    venue_order_id: str
    symbol: str
    price: Decimal
    size: Decimal
    event_ms: int
    recv_ns: int


class OrderFilled(msgspec.Struct, frozen=True, gc=False):
    """A part of the order, or all of it, was filled."""

    client_order_id: str
    fill: FillReport


class OrderCancelled(msgspec.Struct, frozen=True, gc=False):
    """The order ended before it was wholly filled, for the venue's stated reason."""

    client_order_id: str
    venue_order_id: str
    symbol: str
    reason: str
    event_ms: int
    recv_ns: int


class OrderExpired(msgspec.Struct, frozen=True, gc=False):
    """The order's time ran out."""

    client_order_id: str
    venue_order_id: str
    symbol: str
    event_ms: int
    recv_ns: int


class OrderRejected(msgspec.Struct, frozen=True, gc=False):
    """The venue refused the order, for its stated reason."""

    client_order_id: str
    venue_order_id: str
    symbol: str
    reason: str
    event_ms: int
    recv_ns: int


OrderEvent = OrderAccepted | OrderReplaced | OrderFilled | OrderCancelled | OrderExpired | OrderRejected
