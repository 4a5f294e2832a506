"""Own orders that live and die as at the venue: each frame agrees with the ones before it.

An order's fills sum to its filled amount, its average price is that of its fills, a replaced order goes on
under the same label with a new venue order id, and a fill may overtake the notice of its order.
"""

from dataclasses import dataclass, field

from scripts.fixturegen import shapes
from scripts.fixturegen.draw import Draw, decimal_text
from scripts.fixturegen.market import Perp

SUBACCOUNT_ID = 58_213
_AVERAGE_DECIMALS = 6
_FEE_DECIMALS = 6
_MAKER_RATE_E5 = 15
_SIGNATURE_LIFE_SEC = 3_600
_EXPIRED = "Signed order expired"


@dataclass
class Order:
    """One order at the venue, under one venue order id."""

    perp: Perp
    order_id: str
    label: str
    is_buy: bool
    price_ticks: int
    amount_steps: int
    nonce: int
    signature: str
    created_ms: int
    replaces: str | None = None
    fills: list[tuple[int, int]] = field(default_factory=list)

    @property
    def filled_steps(self) -> int:
        """The part that is filled, in size steps."""
        return sum(steps for _, steps in self.fills)

    @property
    def fee_micros(self) -> int:
        """What the fills have cost, in millionths of a dollar."""
        return sum(self.perp.listing.fee_micros(ticks, steps, _MAKER_RATE_E5) for ticks, steps in self.fills)

    @property
    def average_text(self) -> str:
        """The mean price of the fills, rounded half up to six decimals."""
        if not self.fills:
            return "0"
        notional = sum(ticks * steps for ticks, steps in self.fills)
        scale: int = 10 ** (_AVERAGE_DECIMALS - self.perp.listing.price_decimals)
        return decimal_text(
            (2 * notional * scale + self.filled_steps) // (2 * self.filled_steps), _AVERAGE_DECIMALS
        )


class OwnOrders:
    """The orders of one subaccount, driven by one draw; every method gives the frames it causes, in order."""

    def __init__(self, draw: Draw, perps: list[Perp]) -> None:
        self._draw, self._perps = draw, perps
        self._signer, self._wallet = draw.address(), draw.address()
        self._open: list[Order] = []
        self._labels = 0
        self.request_id = 1_000

    def act(self, now_ms: int) -> list[bytes]:
        """Let one thing happen to one order: submitted, filled, replaced, cancelled or expired."""
        draw = self._draw
        if len(self._open) < 3 or (len(self._open) < 8 and draw.chance(0.4)):
            return self._submit(now_ms)
        order = draw.pick(self._open)
        happens = draw.below(100)
        if happens < 62:
            own, notice, public = self.fill(order, now_ms, to_the_end=draw.chance(0.4))
            return [own, notice, public] if draw.chance(0.5) else [notice, own, public]
        if happens < 80:
            return self._replace(order, now_ms)
        if happens < 97:
            return self._cancel(order, now_ms)
        return self._end(order, "expired", _EXPIRED, now_ms)

    def place(self, now_ms: int) -> tuple[Order, bytes, bytes]:
        """Place an order at the best price of its own side; give it, the response and the notice."""
        perp, is_buy = self._draw.pick(self._perps), self._draw.chance(0.5)
        best_ticks = (perp.book.bids if is_buy else perp.book.asks)[0][0]
        order = self._new(perp, best_ticks, 200 + self._draw.below(3_000), is_buy=is_buy, now_ms=now_ms)
        self._open.append(order)
        return order, self._response(order, now_ms), self._notice(order, "open", now_ms)

    def fill(self, order: Order, now_ms: int, *, to_the_end: bool) -> tuple[bytes, bytes, bytes]:
        """Fill a part or all that is left; give the own fill, the order's notice and the public trade."""
        draw = self._draw
        left = order.amount_steps - order.filled_steps
        steps = left if to_the_end else 1 + draw.below(left)
        order.fills.append((order.price_ticks, steps))
        order.perp.trade(steps)
        mark, index = order.perp.marks()
        listing = order.perp.listing
        trade = shapes.public_trade(
            instrument=listing.name,
            direction="buy" if order.is_buy else "sell",
            role="maker",
            price=listing.price(order.price_ticks),
            amount=listing.size(steps),
            mark=listing.price(mark),
            index=listing.price(index),
            fee=decimal_text(listing.fee_micros(order.price_ticks, steps, _MAKER_RATE_E5), _FEE_DECIMALS),
            trade_id=draw.uuid4(),
            timestamp_ms=now_ms,
            subaccount_id=SUBACCOUNT_ID,
            wallet=self._wallet,
            tx_hash=f"0x{draw.hexadecimal(64)}",
        )
        own = shapes.own_trade(trade, order.order_id, order.label)
        is_done = order.filled_steps == order.amount_steps
        if is_done:
            self._open.remove(order)
        return (
            shapes.subscription(f"{SUBACCOUNT_ID}.trades", [own]),
            self._notice(order, "filled" if is_done else "open", now_ms),
            shapes.subscription(f"trades.perp.{listing.currency}", [trade]),
        )

    def reject(self, now_ms: int) -> bytes:
        """Give the notice of an order that the venue took and then rejected."""
        perp = self._draw.pick(self._perps)
        order = self._new(perp, perp.book.bids[0][0], 900_000, is_buy=True, now_ms=now_ms)
        return self._notice(order, "rejected", now_ms, "Insufficient buying power")

    def expire(self, now_ms: int) -> list[bytes]:
        """Let the time of one open order run out; nothing happens when there is none."""
        return self._end(self._draw.pick(self._open), "expired", _EXPIRED, now_ms) if self._open else []

    def refusal(self) -> bytes:
        """Answer a request with an error of the venue's."""
        self.request_id += 1
        return shapes.error_response(self.request_id, 11009, "Post only reject", "order would cross the book")

    def _submit(self, now_ms: int) -> list[bytes]:
        """Submit an order; a few are refused, and a few are filled before their notice."""
        if self._draw.chance(0.04):
            return [self.refusal()]
        order, response, notice = self.place(now_ms)
        if self._draw.chance(0.1):
            return [response, *self.fill(order, now_ms, to_the_end=True)]
        return [response, notice]

    def _replace(self, old: Order, now_ms: int) -> list[bytes]:
        """Move the unfilled rest of an order by a few ticks."""
        left = old.amount_steps - old.filled_steps
        ticks = old.price_ticks + self._draw.between(-6, 6)
        new = self._new(old.perp, ticks, left, is_buy=old.is_buy, now_ms=now_ms, replaces=old)
        self._open.remove(old)
        self._open.append(new)
        cancelled = self._notice(old, "cancelled", now_ms, "User request")
        return [self._response(new, now_ms), cancelled, self._notice(new, "open", now_ms)]

    def _cancel(self, order: Order, now_ms: int) -> list[bytes]:
        self.request_id += 1
        ended = self._end(order, "cancelled", "User request", now_ms)
        record = self._record(order, "cancelled", now_ms, "User request")
        return [shapes.response(self.request_id, record), *ended]

    def _end(self, order: Order, status: str, reason: str, now_ms: int) -> list[bytes]:
        self._open.remove(order)
        return [self._notice(order, status, now_ms, reason)]

    def _new(
        self,
        perp: Perp,
        price_ticks: int,
        amount_steps: int,
        *,
        is_buy: bool,
        now_ms: int,
        replaces: Order | None = None,
    ) -> Order:
        draw = self._draw
        if replaces is None:
            self._labels += 1
        return Order(
            perp=perp,
            order_id=draw.uuid4(),
            label=replaces.label if replaces else f"tm-{self._labels:06d}",
            is_buy=is_buy,
            price_ticks=price_ticks,
            amount_steps=amount_steps,
            nonce=now_ms * 10,
            signature=f"0x{draw.hexadecimal(128)}{draw.pick(('1b', '1c'))}",
            created_ms=now_ms,
            replaces=replaces.order_id if replaces else None,
        )

    def _response(self, order: Order, now_ms: int) -> bytes:
        self.request_id += 1
        return shapes.response(self.request_id, {"order": self._record(order, "open", now_ms), "trades": []})

    def _notice(self, order: Order, status: str, now_ms: int, reason: str = "") -> bytes:
        record = self._record(order, status, now_ms, reason)
        return shapes.subscription(f"{SUBACCOUNT_ID}.orders", [record])

    def _record(self, order: Order, status: str, now_ms: int, reason: str = "") -> shapes.Tree:
        price, size = order.perp.listing.price, order.perp.listing.size
        return shapes.order(
            order_id=order.order_id,
            label=order.label,
            instrument=order.perp.listing.name,
            direction="buy" if order.is_buy else "sell",
            order_type="limit",
            time_in_force="gtc",
            status=status,
            amount=size(order.amount_steps),
            filled_amount=size(order.filled_steps),
            average_price=order.average_text,
            limit_price=price(order.price_ticks),
            order_fee=decimal_text(order.fee_micros, _FEE_DECIMALS),
            cancel_reason=reason,
            created_ms=order.created_ms,
            updated_ms=now_ms,
            nonce=order.nonce,
            signer=self._signer,
            signature=order.signature,
            expiry_sec=order.created_ms // 1_000 + _SIGNATURE_LIFE_SEC,
            subaccount_id=SUBACCOUNT_ID,
            replaced_order_id=order.replaces,
        )
