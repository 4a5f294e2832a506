"""Streams that the tests of the FIX stream share, and how they run one: good, garbled, and hostile bytes."""

import random

from tapemark.fix.stream import Event, FrameStream
from tests.tapemark.fix import stream_model
from tests.tapemark.fix.corpus import EXECUTION_REPORT, GOOD, NEW_ORDER_SINGLE, body, sealed, soh

MAX_BYTES = 320
HEARTBEAT = sealed(body("0", ""))
ORDER = NEW_ORDER_SINGLE


def xml(inner: bytes, length: int | None = None) -> bytes:
    """Write the fields of an XmlData, with another length on request."""
    return b"212=%d\x01213=%b\x01" % (len(inner) if length is None else length, inner)


def taking_in(following: bytes, text: bytes = HEARTBEAT[15:-7]) -> bytes:
    """Write a message whose sum is right and whose length is that of the messages behind it too."""
    return sealed(text, length=len(text) + len(following))


WITH_MESSAGE_INSIDE = soh(body("n", "")) + xml(ORDER) + soh("58=after|")

# Each entry stands by itself and, in this order, in one long stream: what is wrong in one meets the next.
STREAMS = {
    "good": EXECUTION_REPORT + ORDER,
    "two-letter type": GOOD["two-letter type"],
    "tags of 512 and above": GOOD["tags of 512 and above"],
    "data with SOH": GOOD["raw data"] + GOOD["data of one SOH"] + GOOD["signature before the sum"],
    "message inside XmlData": sealed(WITH_MESSAGE_INSIDE),
    "noise first": b"noise\x01" + HEARTBEAT,
    "length of letters": soh("8=FIX.4.4|9=02A|35=0|10=000|") + HEARTBEAT,
    "length too large": sealed(body("0", ""), length=90) + HEARTBEAT + ORDER,
    "length that takes in the next": taking_in(HEARTBEAT) + HEARTBEAT + ORDER,
    "length that takes in two": taking_in(ORDER + HEARTBEAT) + ORDER + HEARTBEAT + ORDER,
    "length that takes in another such": taking_in(taking_in(ORDER)) + taking_in(ORDER) + ORDER + HEARTBEAT,
    "length that takes in the next, with a message inside": (
        taking_in(HEARTBEAT, WITH_MESSAGE_INSIDE) + HEARTBEAT + ORDER
    ),
    "length that takes in the next, with a data length that lies": (
        taking_in(ORDER, soh("35=0|95=15|96=abc|")) + ORDER + HEARTBEAT
    ),
    "length that takes in the next, with data to the end": (
        taking_in(ORDER, soh("35=0|95=172|96=abc|")) + ORDER + HEARTBEAT
    ),
    "length that takes in the next, without an end before": taking_in(ORDER, b"35=0\x0158=x")
    + ORDER
    + HEARTBEAT,
    "length too small": sealed(body("0", ""), length=20) + HEARTBEAT,
    "length beyond the bound": sealed(body("0", ""), length=MAX_BYTES) + HEARTBEAT,
    "message inside a wrong length": sealed(WITH_MESSAGE_INSIDE, length=40) + HEARTBEAT,
    "message inside a wrong sum": sealed(WITH_MESSAGE_INSIDE, total=0) + HEARTBEAT,
    "data with a padded length in a wrong length": (
        sealed(soh(f"35=n|348=000000{len(ORDER)}|349=") + ORDER + b"\x01", length=9) + HEARTBEAT
    ),
    "data of a wrong length in a wrong length": sealed(xml(b"abc", 90), length=9) + ORDER + HEARTBEAT,
    "data beyond the bound in a wrong length": sealed(xml(b"abc", 5000), length=9) + HEARTBEAT,
    "wrong sum": sealed(body("0", ""), total=7) + HEARTBEAT,
    "type not third": sealed("49=S|35=0|56=T|") + HEARTBEAT,
    "another version": soh("8=FIX.4.2|9=5|35=0|10=161|8=FIXT.1.1|9=5|35=0|10=162|") + HEARTBEAT,
    "cut in the head": b"8=FIX.4.4\x019=1" + HEARTBEAT,
    "cut in the body": ORDER[:60] + HEARTBEAT + ORDER,
    "heads in a row": soh("8=FIX.4.4|9=100|35=8|" * 4) + ORDER,
    "long noise": b"x" * (2 * MAX_BYTES) + HEARTBEAT + b"y" * (MAX_BYTES + 1),
    "a data field in noise": soh("|95=4|96=a|b||") + xml(HEARTBEAT) + HEARTBEAT,
    "cut data": soh("8=FIX.4.4|9=300|35=n|") + xml(ORDER + b"more", 400)[:-5],
}
STREAMS["all"] = b"".join(STREAMS.values())


def run(pieces: list[bytes], max_bytes: int = MAX_BYTES) -> list[Event]:
    framing = FrameStream(max_bytes)
    events: list[Event] = []
    for piece in pieces:
        events += framing.feed(piece)
        assert framing.pending_bytes < max_bytes
    return events + framing.close()


def plain(events: list[Event]) -> list[stream_model.Told]:
    return [
        event if isinstance(event, bytes) else (event.offset, event.size, event.field) for event in events
    ]


def messages(events: list[Event]) -> list[bytes]:
    return [event for event in events if isinstance(event, bytes)]


def pieces_of(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


BOUND = 4096
STREAM_BYTES = 32 * 1024


def repeated(part: bytes) -> bytes:
    return (part * (STREAM_BYTES // len(part) + 1))[:STREAM_BYTES]


def heads_of_one_end(total: int) -> bytes:
    """Write heads whose lengths all lead to the same CheckSum."""
    text = soh("35=0|")
    while len(text) < BOUND - 50:
        text = soh(f"8=FIX.4.4|9={len(text)}|") + text
    return text + b"10=%03d\x01" % total


def nested_ends() -> bytes:
    """Write messages whose sums are right and whose lengths all lead to the end of the last."""
    text = sealed("35=0|", total=0)
    while len(text) < BOUND - 50:
        text = sealed("35=0|", length=len(text) + 5) + text
    return text


HOSTILE = {
    "long messages": repeated(sealed("35=B|58=" + "x" * 4000 + "|")),
    "short messages": repeated(HEARTBEAT),
    "heads that claim the bound": repeated(soh("8=FIX.4.4|9=4060|35=")),
    "heads without a type": repeated(soh("8=FIX.4.4|9=4060|")),
    "heads beyond the bound": repeated(soh("8=FIX.4.4|9=99999|")),
    "heads of one end": repeated(heads_of_one_end(0) + heads_of_one_end(1)),
    "ends that are right before one far end": repeated(nested_ends()),
    "heads without digits": repeated(soh("8=FIX.4.4|9=")),
    "begins": repeated(b"8=FIX"),
    "begins of heads": repeated(soh("8=FIX.4.4|")),
    "SOH": repeated(b"\x01"),
    "zeros": repeated(b"\x00"),
    "noise": random.Random(7).randbytes(STREAM_BYTES),
    "data lengths that lie": repeated(soh("|95=4000|96=")),
    "data lengths that lie behind heads": repeated(soh("8=FIX.4.4|9=1|95=4000|96=")),
    "short data lengths that lie": repeated(soh("|95=30|96=")),
    "data lengths that are true": repeated(soh("|95=20|96=") + b"\x01" * 40),
    "data beyond the bound": repeated(soh("|95=999999999|96=")),
    "wrong sums": repeated(sealed(body("0", ""), total=0)),
}
