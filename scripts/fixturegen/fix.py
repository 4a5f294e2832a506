"""FIX 4.4 messages: the two that a published comparison timed, and sessions with values of our own.

A message is written as its fields after BodyLength; `sealed` puts the rest around them, by plain arithmetic.
Source: FIX 4.4 with errata 20030618.
"""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence

from scripts.fixturegen.draw import Draw

Fields = list[tuple[int, str | bytes]]

START_MS = 1_794_128_400_000
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_SYMBOLS = ("AAPL", "MSFT", "SAP", "EUR/USD", "7203", "BRK.B")
_LONGEST_NOISE = 300

EXECUTION_REPORT_FIELDS: Fields = [
    (35, "8"),
    (49, "SENDER"),
    (56, "TARGET"),
    (34, "12345"),
    (52, "20240115-10:30:00.123"),
    (37, "ORD123456"),
    (17, "EXEC789012"),
    (150, "0"),
    (39, "0"),
    (54, "1"),
    (151, "1000"),
    (14, "0"),
    (6, "0"),
    (55, "AAPL"),
    (38, "1000"),
    (44, "150.50"),
]
NEW_ORDER_SINGLE_FIELDS: Fields = [
    (35, "D"),
    (49, "SENDER"),
    (56, "TARGET"),
    (34, "100"),
    (52, "20240115-10:30:00.000"),
    (11, "CLORD001"),
    (55, "AAPL"),
    (54, "1"),
    (60, "20240115-10:30:00.000"),
    (38, "1000"),
    (40, "2"),
    (44, "150.00"),
    (59, "0"),
]


def sealed(fields: Fields) -> bytes:
    """Write a message: BeginString, BodyLength, its fields from MsgType on, CheckSum."""
    body = b"".join(
        b"%d=%b\x01" % (tag, value.encode("ascii") if isinstance(value, str) else value)
        for tag, value in fields
    )
    message = b"8=FIX.4.4\x019=%d\x01%b" % (len(body), body)
    return message + b"10=%03d\x01" % (sum(message) % 256)


def snapshot(draw: Draw, entries: int) -> bytes:
    """Give one MarketDataSnapshotFullRefresh of so many entries, bids before offers."""
    return Session(draw).snapshot(entries)


def execution_reports(draw: Draw, count: int) -> Iterator[bytes]:
    """Give consecutive ExecutionReports with the fields of the published one, in its order."""
    session = Session(draw)
    for _ in range(count):
        yield session.order_accepted()


def mixed(draw: Draw, count: int) -> Iterator[bytes]:
    """Give all that two counterparties say on one connection, in realistic shares.

    Of a hundred messages about 44 are ExecutionReports, of three forms, 30 orders and their changes, 14
    market data with a repeating group, and 9 say that the session is alive; two hold data fields.
    """
    session = Session(draw)
    for _ in range(count):
        yield session.anything()


def garbled(draw: Draw, count: int) -> Iterator[bytes]:
    """Give pieces of a stream, of ten nine whole messages and one that is none.

    That is noise, a message cut short, one with a byte changed, or one whose BodyLength is too large, of
    another form, or below the truth. No spoilt message holds a data field, in which a head may stand.
    """
    session = Session(draw)
    for _ in range(count):
        yield session.anything() if draw.chance(0.9) else draw.pick(_SPOILT)(draw, session.order_filled())


class Session:
    """One connection's messages: sequence numbers and times that only go up."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._now_ms = START_MS
        self._seq_num = 1_000 + draw.below(50_000)
        # About so often each comes, of a thousand.
        self._kinds: list[tuple[int, Callable[[], bytes]]] = [
            (240, self.order_accepted),
            (170, self.order_filled),
            (30, self.order_rejected),
            (180, self.new_order),
            (70, self.cancel_request),
            (50, self.replace_request),
            (140, lambda: self.snapshot(2 + draw.near_zero(9))),
            (70, self.heartbeat),
            (20, self.test_request),
            (12, self.news),
            (8, self.embedded),
            (10, self.trade_capture),
        ]

    def anything(self) -> bytes:
        """Give the next message, of whatever kind."""
        happens = self._draw.below(sum(share for share, _ in self._kinds))
        for share, make in self._kinds:
            if happens < share:
                return make()
            happens -= share
        raise AssertionError("the shares cover all draws")

    def order_accepted(self) -> bytes:
        """Give an ExecutionReport of a new order, with the fields of the published one."""
        quantity = self._quantity()
        return self._message("8", [*self._report("0", "0", quantity, 0, "0"), *self._order(quantity)])

    def order_filled(self) -> bytes:
        """Give an ExecutionReport of a fill, partial or the last."""
        draw, quantity = self._draw, self._quantity()
        filled = 1 + draw.below(quantity)
        price = self._price()
        last: Fields = [(32, str(filled)), (31, price), (60, utc_text(self._now_ms)), (851, "1")]
        status = "2" if filled == quantity else "1"
        return self._message(
            "8", [*self._report("F", status, quantity, filled, price), *self._order(quantity), *last]
        )

    def order_rejected(self) -> bytes:
        """Give an ExecutionReport that rejects an order."""
        why: Fields = [(103, "3"), (55, self._draw.pick(_SYMBOLS)), (58, "order exceeds limit")]
        return self._message("8", [*self._report("8", "8", 0, 0, "0"), *why])

    def new_order(self) -> bytes:
        """Give a NewOrderSingle, with the fields of the published one."""
        return self._message(
            "D",
            [
                (11, self._id("C")),
                (55, self._draw.pick(_SYMBOLS)),
                (54, self._side()),
                (60, utc_text(self._now_ms)),
                (38, str(self._quantity())),
                (40, "2"),
                (44, self._price()),
                (59, self._draw.pick("0134")),
            ],
        )

    def cancel_request(self) -> bytes:
        """Give an OrderCancelRequest."""
        return self._message("F", self._change())

    def replace_request(self) -> bytes:
        """Give an OrderCancelReplaceRequest."""
        return self._message("G", [*self._change(), (40, "2"), (44, self._price())])

    def snapshot(self, entries: int) -> bytes:
        """Give a MarketDataSnapshotFullRefresh of so many entries, bids before offers."""
        draw, middle = self._draw, self._draw.between(2_000, 60_000)
        fields: Fields = [(262, self._id("M")), (55, draw.pick(_SYMBOLS)), (268, str(entries))]
        for at in range(entries):
            is_offer = at * 2 >= entries
            depth = at - entries // 2 + 1 if is_offer else -at - 1
            fields += [(269, str(int(is_offer))), (270, _cents(middle + depth)), (271, str(self._quantity()))]
            fields += [(346, str(1 + draw.near_zero(30)))]
        return self._message("W", fields)

    def heartbeat(self) -> bytes:
        """Give a Heartbeat."""
        return self._message("0", [])

    def test_request(self) -> bytes:
        """Give a TestRequest."""
        return self._message("1", [(112, self._id("T"))])

    def news(self) -> bytes:
        """Give a News whose encoded text holds SOH."""
        text = f"Halt\x01{self._draw.pick(_SYMBOLS)}\x01until further notice".encode()
        return self._message(
            "B", [(148, "Trading halt"), (33, "1"), (58, "see below"), (354, str(len(text))), (355, text)]
        )

    def embedded(self) -> bytes:
        """Give an XMLnonFIX that holds another whole message, with a CheckSum of its own."""
        inner = self.heartbeat()
        return self._message("n", [(212, str(len(inner))), (213, inner)])

    def trade_capture(self) -> bytes:
        """Give a TradeCaptureReport: a type of two letters, tags above 512, a group."""
        return self._message(
            "AE",
            [
                (571, self._id("R")),
                (570, "N"),
                (55, self._draw.pick(_SYMBOLS)),
                (32, str(self._quantity())),
                (31, self._price()),
                (75, utc_text(self._now_ms)[:8]),
                (60, utc_text(self._now_ms)),
                (552, "1"),
                (54, self._side()),
                (37, self._id("O")),
            ],
        )

    def _message(self, kind: str, fields: Fields) -> bytes:
        header: Fields = [
            (35, kind),
            (49, "VENUE"),
            (56, "CLIENT"),
            (34, str(self._seq_num)),
            (52, utc_text(self._now_ms)),
        ]
        self._seq_num += 1
        self._now_ms += self._draw.near_zero(90)
        return sealed(header + fields)

    def _report(self, kind: str, status: str, quantity: int, filled: int, average: str) -> Fields:
        return [
            (37, self._id("O")),
            (17, self._id("E")),
            (150, kind),
            (39, status),
            (54, self._side()),
            (151, str(quantity - filled)),
            (14, str(filled)),
            (6, average),
        ]

    def _order(self, quantity: int) -> Fields:
        return [(55, self._draw.pick(_SYMBOLS)), (38, str(quantity)), (44, self._price())]

    def _change(self) -> Fields:
        return [
            (41, self._id("C")),
            (11, self._id("C")),
            (55, self._draw.pick(_SYMBOLS)),
            (54, self._side()),
            (60, utc_text(self._now_ms)),
            (38, str(self._quantity())),
        ]

    def _id(self, kind: str) -> str:
        return f"{kind}{self._draw.below(10**9):09d}"

    def _side(self) -> str:
        return self._draw.pick("12")

    def _quantity(self) -> int:
        return 100 * (1 + self._draw.near_zero(90))

    def _price(self) -> str:
        return _cents(self._draw.between(2_000, 60_000))


def utc_text(ms: int) -> str:
    """Write milliseconds since 1970 as a UTCTimestamp."""
    second = (_EPOCH + dt.timedelta(seconds=ms // 1_000)).strftime("%Y%m%d-%H:%M:%S")
    return f"{second}.{ms % 1_000:03d}"


def _cents(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def _noise(draw: Draw, _: bytes) -> bytes:
    return "".join(draw.pick("0123456789=\x01ABC") for _ in range(1 + draw.below(_LONGEST_NOISE))).encode()


def _cut(draw: Draw, message: bytes) -> bytes:
    return message[: draw.between(1, len(message) - 1)]


def _changed(draw: Draw, message: bytes) -> bytes:
    at = draw.between(message.index(b"\x0155=") + 4, message.index(b"\x0138="))
    return message[:at] + bytes((message[at] ^ 1 << draw.below(3),)) + message[at + 1 :]


def _resized(draw: Draw, message: bytes) -> bytes:
    start, end = len(b"8=FIX.4.4\x019="), message.index(b"\x0135=")
    length = int(message[start:end])
    sizes = (f"{length + draw.between(1, 900)}", f"{length - draw.between(1, 60)}", "02A", "")
    return message[:start] + draw.pick(sizes).encode() + message[end:]


_SPOILT: Sequence[Callable[[Draw, bytes], bytes]] = (_noise, _cut, _changed, _resized)
