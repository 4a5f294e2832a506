"""What the Derive venue sends, as typed messages: the venue's fields, its numerals still text.

A decoder reads straight into these types. Keys that no type names are skipped at the decoder's speed, which
is the point: a ticker's day statistics cost nothing on the path of a quote and are read by
`decode.ticker_day` when wanted; of a public trade only what identifies and prices it is read. Own orders and
own trades keep every documented field.

Attribute names are readable; where they differ, the venue's key stands beside them. `Numeral` is a decimal
number as the venue wrote it (a JSON number's text where it came as one); `tapemark.derive.parse` turns it
into an exact decimal. A field that may be null or absent defaults to None. Field order follows the venue's
usual key order, which msgspec matches fastest; any order is accepted.

Source: the venue's public API reference (JSON-RPC 2.0 over WebSocket, and its REST candles).
"""

import sys
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, field

from tapemark.model import Greeks, LiquidityRole, OrderType, Side, TimeInForce

Numeral = Annotated[str, Meta(extra={"numeral": True})]
Finite = Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max)]
"""A float that is neither infinite nor NaN; the bounds refuse both."""
Millis = Annotated[int, Meta(ge=10**12, lt=10**14)]
"""UTC milliseconds. The bounds (years 2001 to 5138) refuse seconds and microseconds sent in their place."""
Seconds = Annotated[int, Meta(ge=10**9, lt=10**11)]
"""UTC seconds, bounded alike."""
Id = Annotated[str, Meta(min_length=1)]
"""What the venue knows an order or a trade by; never empty."""
Level = tuple[Numeral, Numeral]
"""Price and amount of a book level."""


class Orderbook(Struct, frozen=True, gc=False):
    """A full-depth snapshot; `timestamp_ms` serves as sequence, since the venue gives no change id."""

    instrument_name: str
    timestamp_ms: Millis = field(name="timestamp")
    bids: list[Level]
    asks: list[Level]
    publish_id: int | None = None


class OptionPricing(Greeks, frozen=True, gc=False):
    """The venue's option model: the domain's greeks under the venue's keys, so that nothing is copied.

    The one payload whose numerals are read as floats. Discount factor and mark (which the ticker carries
    itself) are skipped.
    """

    ask_iv: Finite | None = field(name="ai", default=None)
    bid_iv: Finite | None = field(name="bi", default=None)
    delta: Finite | None = field(name="d", default=None)
    forward_price: Finite | None = field(name="f", default=None)
    gamma: Finite | None = field(name="g", default=None)
    mark_iv: Finite | None = field(name="i", default=None)
    rho: Finite | None = field(name="r", default=None)
    theta: Finite | None = field(name="t", default=None)
    vega: Finite | None = field(name="v", default=None)


class InstrumentTicker(Struct, frozen=True, gc=False):
    """Best bid and ask, index, mark and funding; `option_pricing` is null unless it is an option."""

    ask_amount: Numeral | None = field(name="A", default=None)
    bid_amount: Numeral | None = field(name="B", default=None)
    index_price: Numeral | None = field(name="I", default=None)
    mark_price: Numeral | None = field(name="M", default=None)
    ask_price: Numeral | None = field(name="a", default=None)
    bid_price: Numeral | None = field(name="b", default=None)
    funding_rate: Numeral | None = field(name="f", default=None)
    option_pricing: OptionPricing | None = None


class TickerSlim(Struct, frozen=True, gc=False):
    """A ticker; the channel alone names the instrument."""

    instrument_ticker: InstrumentTicker
    timestamp_ms: Millis = field(name="timestamp")


class TickerStats(Struct, frozen=True, gc=False):
    """Statistics of the last 24 hours."""

    contracts: Numeral | None = field(name="c", default=None)
    high: Numeral | None = field(name="h", default=None)
    low: Numeral | None = field(name="l", default=None)
    trade_count: int | None = field(name="n", default=None)
    open_interest: Numeral | None = field(name="oi", default=None)
    price_change: Numeral | None = field(name="p", default=None)
    premium_volume: Numeral | None = field(name="pr", default=None)
    volume: Numeral | None = field(name="v", default=None)


class InstrumentDay(Struct, frozen=True, gc=False):
    """The price band and the day of an instrument: what `InstrumentTicker` leaves out."""

    max_price: Numeral | None = field(name="maxp", default=None)
    min_price: Numeral | None = field(name="minp", default=None)
    stats: TickerStats | None = None
    ticker_ms: Millis | None = field(name="t", default=None)


class TickerDay(Struct, frozen=True, gc=False):
    """The rest of a ticker frame, read on demand."""

    instrument_ticker: InstrumentDay
    timestamp_ms: Millis = field(name="timestamp")


class PublicTrade(Struct, frozen=True, gc=False):
    """A public trade; `direction` is the aggressor's side."""

    direction: Side
    instrument_name: str
    timestamp_ms: Millis = field(name="timestamp")
    trade_amount: Numeral
    trade_id: Id
    trade_price: Numeral


class OrderRecord(Struct, frozen=True, gc=False):
    """An own order as the venue holds it; `label` is the client order id, `amount` the whole size."""

    amount: Numeral
    creation_timestamp_ms: Millis = field(name="creation_timestamp")
    direction: Side
    filled_amount: Numeral
    instrument_name: str
    last_update_timestamp_ms: Millis = field(name="last_update_timestamp")
    limit_price: Numeral
    order_id: Id
    order_status: str
    order_type: OrderType
    subaccount_id: int
    time_in_force: TimeInForce
    average_price: Numeral | None = None
    cancel_reason: str | None = None
    is_transfer: bool | None = None
    label: str | None = None
    max_fee: Numeral | None = None
    mmp: bool | None = None
    nonce: int | None = None
    order_fee: Numeral | None = None
    quote_id: str | None = None
    replaced_order_id: str | None = None
    signature: str | None = None
    signature_expiry_sec: int | None = None
    signer: str | None = None


class OwnTrade(Struct, frozen=True, gc=False):
    """A fill of an own order."""

    direction: Side
    instrument_name: str
    liquidity_role: LiquidityRole
    order_id: Id
    subaccount_id: int
    timestamp_ms: Millis = field(name="timestamp")
    trade_amount: Numeral
    trade_fee: Numeral
    trade_id: Id
    trade_price: Numeral
    index_price: Numeral | None = None
    is_transfer: bool | None = None
    label: str | None = None
    mark_price: Numeral | None = None
    quote_id: str | None = None
    realized_pnl: Numeral | None = None
    tx_hash: str | None = None
    tx_status: str | None = None
    wallet: str | None = None


class Candle(Struct, frozen=True, gc=False):
    """A REST candle; `bucket_sec` is the bar's start in UNIX seconds."""

    open_price: Numeral
    high_price: Numeral
    low_price: Numeral
    close_price: Numeral
    volume_contracts: Numeral
    bucket_sec: Seconds = field(name="timestamp_bucket")


class InstrumentRecord(Struct, frozen=True, gc=False):
    """What the venue says of an instrument; asset address and sub id are what an order's signature names."""

    amount_step: Numeral
    base_asset_address: str
    base_asset_sub_id: Numeral
    instrument_name: str
    instrument_type: Literal["perp", "option", "erc20"]
    is_active: bool
    maximum_amount: Numeral
    minimum_amount: Numeral
    tick_size: Numeral


class Update(Struct, frozen=True, gc=False):
    """A subscription frame of a known channel; the classes below fix its payload's type."""

    channel: str


class BookUpdate(Update, frozen=True, gc=False):
    """A frame of `orderbook.{instrument}.{group}.{depth}`."""

    data: Orderbook


class TickerUpdate(Update, frozen=True, gc=False):
    """A frame of `ticker_slim.{instrument}.{interval}`."""

    data: TickerSlim


class TickerDayUpdate(Update, frozen=True, gc=False):
    """The same frame, read for what `TickerUpdate` leaves out."""

    data: TickerDay


class TradesUpdate(Update, frozen=True, gc=False):
    """A frame of `trades.{type}.{currency}`."""

    data: list[PublicTrade]


class OrdersUpdate(Update, frozen=True, gc=False):
    """A frame of `{subaccount}.orders`."""

    data: list[OrderRecord]


class OwnTradesUpdate(Update, frozen=True, gc=False):
    """A frame of `{subaccount}.trades`."""

    data: list[OwnTrade]


class UnknownChannel(Struct, frozen=True, gc=False):
    """A subscription frame of a channel that this module has no type for, its payload as sent."""

    channel: str
    payload: bytes


class Response(Struct, frozen=True, gc=False):
    """The answer to a request, its result as sent; `decode.subscription_status` reads one kind of it."""

    id: int | str | None
    result: msgspec.Raw


class ErrorResponse(Struct, frozen=True, gc=False):
    """The venue refused a request; `data` is its further explanation as sent, empty when there was none."""

    id: int | str | None
    code: int
    message: str
    data: bytes


KnownUpdate = BookUpdate | TickerUpdate | TradesUpdate | OrdersUpdate | OwnTradesUpdate
Message = KnownUpdate | UnknownChannel | Response | ErrorResponse
"""Everything that `decode.frame` can return."""
