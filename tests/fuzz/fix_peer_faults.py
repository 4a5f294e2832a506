"""Bytes that a well-known FIX parser gets wrong, with what is right: for the oracle, and for the tests.

A case is one connection's bytes, read by read. quickfix's binding reads whole messages only, so it is given
the first of each case alone.
"""

import dataclasses
from collections.abc import Iterable, Sequence

from tapemark.errors import RejectedMessage
from tapemark.fix.reader import parse
from tapemark.fix.stream import FrameStream
from tests.fuzz.fix_messages import Field, sealed

_HEADER = b"49=SENDER|56=TARGET|34=7|52=20240115-10:30:00|"
_ORDER = b"11=C1|55=AAPL|54=1|60=20240115-10:30:00|40=2|"


@dataclasses.dataclass(frozen=True)
class Case:
    """A stream and what is in it.

    Attributes:
        first: The first message, or what looks like one.
        pieces: The reads that the stream comes in.
        right: The fields of each message, or why it is none: `garbled`, or a reject's tag and reason.
        wrong: Who reads something else.
    """

    first: bytes
    pieces: tuple[bytes, ...]
    right: tuple[list[Field] | str, ...]
    wrong: frozenset[str]


def outcomes_of(pieces: Iterable[bytes]) -> list[list[Field] | str]:
    """Read a connection's bytes with tapemark, in the words of a case's right answer."""
    stream = FrameStream()
    events = [event for piece in pieces for event in stream.feed(piece)] + stream.close()
    return [_outcome_of(event) if isinstance(event, bytes) else "garbled" for event in events]


def _outcome_of(frame: bytes) -> list[Field] | str:
    try:
        return list(parse(frame).pairs())
    except RejectedMessage as error:
        return f"tag {error.tag}, reason {int(error.reason)}"


def _soh(text: bytes) -> bytes:
    return text.replace(b"|", b"\x01")


def _message(msg_type: bytes, body: bytes) -> bytes:
    return sealed(_soh(b"35=" + msg_type + b"|" + _HEADER) + body)


def _resummed(head: bytes) -> bytes:
    return head + b"10=%03d\x01" % (sum(head) % 256)


def _case(first: bytes, right: Sequence[list[Field] | str], wrong: str, cut: int = 0) -> Case:
    """Make a case of a first message, cut in two at an offset, and a good one after it."""
    pieces = (first[:cut], first[cut:], NEXT) if cut else (first + NEXT,)
    return Case(first, pieces, (*right, NEXT_FIELDS), frozenset(wrong.split()))


def _fields(frame: bytes, body: Sequence[Field]) -> list[Field]:
    """Write out the fields of a message with the usual header; its length and sum are the frame's."""
    length = frame[12 : frame.index(b"\x01", 12)]
    msg_type = frame[frame.index(b"\x0135=") + 4 :].partition(b"\x01")[0]
    header = [(49, b"SENDER"), (56, b"TARGET"), (34, b"7"), (52, b"20240115-10:30:00")]
    return [(8, b"FIX.4.4"), (9, length), (35, msg_type), *header, *body, (10, frame[-4:-1])]


NEXT = _message(b"0", _soh(b"112=next|"))
NEXT_FIELDS = _fields(NEXT, [(112, b"next")])

_INNER = _message(b"0", _soh(b"112=inner|"))
_XML = _message(b"0", b"212=%d\x01213=" % len(_INNER) + _INNER + _soh(b"|112=outer|"))
_RAW = _message(b"B", _soh(b"148=h|33=1|58=x|95=4|96=a|bc|"))
_DEEP = _message(b"V", _soh(b"262=x|263=0|264=1|267=1|269=0|146=1|55=A|555=1|600=L|621=3|622=a|b|556=USD|"))
_LATIN = _message(b"B", b"148=h\x0133=1\x0158=x\x01354=4\x01355=\xa3100\x01")
_SMALL_LENGTH = _resummed(NEXT.replace(b"9=%d\x01" % (len(NEXT) - 22), b"9=10\x01"))
_LARGE_LENGTH = _resummed(NEXT[:-7].replace(b"9=%d\x01" % (len(NEXT) - 22), b"9=%d\x01" % len(NEXT)))
_WRONG_SUM = NEXT[:-4] + b"%03d\x01" % ((int(NEXT[-4:-1]) + 1) % 256)

CASES = {
    "raw data cut before its SOH": _case(
        _RAW,
        [_fields(_RAW, [(148, b"h"), (33, b"1"), (58, b"x"), (95, b"4"), (96, b"a\x01bc")])],
        "simplefix",
        _RAW.index(b"96=") + 7,
    ),
    "message in XmlData cut before its SOH": _case(
        _XML,
        [_fields(_XML, [(212, b"%d" % len(_INNER)), (213, _INNER), (112, b"outer")])],
        "simplefix",
        _XML.index(b"213=") + 4 + len(_INNER),
    ),
    "data in a group within a group": _case(
        _DEEP,
        [
            _fields(
                _DEEP,
                [
                    *(
                        (262, b"x"),
                        (263, b"0"),
                        (264, b"1"),
                        (267, b"1"),
                        (269, b"0"),
                        (146, b"1"),
                        (55, b"A"),
                    ),
                    *((555, b"1"), (600, b"L"), (621, b"3"), (622, b"a\x01b"), (556, b"USD")),
                ],
            )
        ],
        "quickfix",
    ),
    "data that is no UTF-8": _case(
        _LATIN,
        [_fields(_LATIN, [(148, b"h"), (33, b"1"), (58, b"x"), (354, b"4"), (355, b"\xa3100")])],
        "quickfix",
    ),
    "data longer than the message": _case(
        _message(b"B", _soh(b"148=h|33=1|58=x|95=500|96=abc|")), ["tag 95, reason 5"], "simplefix"
    ),
    "data longer than its value": _case(
        _message(b"B", _soh(b"148=h|33=1|58=x|95=5|96=abc|149=u|")), ["tag 95, reason 6"], "simplefix"
    ),
    "data shorter than its value": _case(
        _message(b"B", _soh(b"148=h|33=1|58=x|95=2|96=abc|")), ["tag 95, reason 6"], "simplefix"
    ),
    "data of negative length": _case(
        _message(b"B", _soh(b"148=h|33=1|58=x|95=-1|96=abc|")), ["tag 95, reason 6"], "simplefix"
    ),
    "wrong CheckSum": _case(_WRONG_SUM, ["garbled"], "simplefix"),
    "BodyLength too small": _case(_SMALL_LENGTH, ["garbled"], "simplefix"),
    "BodyLength too large": _case(_LARGE_LENGTH, ["garbled"], "simplefix"),
    "BodyLength that is no number": _case(_soh(b"8=FIX.4.4|9=02A|35=0|"), ["garbled"], "simplefix"),
    "MsgType that is not third": _case(
        sealed(_soh(b"49=SENDER|35=0|56=TARGET|34=7|52=20240115-10:30:00|")), ["garbled"], "simplefix"
    ),
    "empty value": _case(_message(b"D", _soh(_ORDER + b"38=|44=1|")), ["tag 38, reason 4"], "simplefix"),
    "tag with a leading zero": _case(
        _message(b"0", _soh(b"0112=x|")), ["tag 0, reason 0"], "simplefix quickfix"
    ),
    "tag with a sign": _case(_message(b"0", _soh(b"+112=x|")), ["tag 0, reason 0"], "simplefix"),
    "tag with an underscore": _case(_message(b"0", _soh(b"1_12=x|")), ["tag 0, reason 0"], "simplefix"),
    "tag without a value": _case(_message(b"0", _soh(b"112|58=x|")), ["tag 0, reason 0"], "simplefix"),
}
