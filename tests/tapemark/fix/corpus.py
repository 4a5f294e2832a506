"""FIX messages that all tests share: good ones, and bad ones with the fault that each must be told to have.

Written with `|` for SOH; lengths and sums come from plain arithmetic, not from what is tested.
"""

from tapemark.fix.syntax import Reason
from tests.fuzz import fix_messages

EXECUTION_REPORT_BODY = (
    "35=8|49=SENDER|56=TARGET|34=12345|52=20240115-10:30:00.123|37=ORD123456|17=EXEC789012|150=0|39=0|54=1|"
    "151=1000|14=0|6=0|55=AAPL|38=1000|44=150.50|"
)
NEW_ORDER_SINGLE_BODY = (
    "35=D|49=SENDER|56=TARGET|34=100|52=20240115-10:30:00.000|11=CLORD001|55=AAPL|54=1|"
    "60=20240115-10:30:00.000|38=1000|40=2|44=150.00|59=0|"
)


def soh(text: str) -> bytes:
    """Write `|` as SOH."""
    return text.encode("latin-1").replace(b"|", b"\x01")


def sealed(body: bytes | str, *, length: int | None = None, total: int | None = None) -> bytes:
    """Put the first two fields and the last one around a body; another length or sum on request."""
    return fix_messages.sealed(soh(body) if isinstance(body, str) else body, length=length, total=total)


def body(kind: str, rest: str) -> str:
    """Write a usual header before the fields of a message."""
    return f"35={kind}|49=SENDER|56=TARGET|34=7|52=20240115-10:30:00|{rest}"


EXECUTION_REPORT = sealed(EXECUTION_REPORT_BODY)
NEW_ORDER_SINGLE = sealed(NEW_ORDER_SINGLE_BODY)

GOOD = {
    "execution report": EXECUTION_REPORT,
    "new order": NEW_ORDER_SINGLE,
    "heartbeat": sealed(body("0", "")),
    "body of a type alone": sealed("35=0|"),
    "two-letter type": sealed(body("AE", "571=R1|487=0|570=N|55=EUR/USD|32=5|31=1.1|")),
    "tags of 512 and above": sealed(body("8", "512=a|5001=b|999999999=c|65535=d|")),
    "384 after 383": sealed(body("A", "98=0|108=30|383=4096|141=Y|")),
    "value with equals signs": sealed(body("B", "148=a=b=c|58==|33=1|")),
    "values that look like fields": sealed(body("B", "148=8=FIX.4.4|58=10=000|33=1|")),
    "bytes above 127": sealed(soh(body("B", "58=")) + b"\xff\xfe\x80\x01"),
    "control characters": sealed(soh(body("B", "58=")) + b"\x00\x02\n\r\x01"),
    "raw data": sealed(body("A", "95=5|96=ab|cd|98=0|")),
    "data that ends in SOH": sealed(body("A", "95=3|96=ab||98=0|")),
    "data of one SOH": sealed(body("A", "95=1|96=||")),
    "message inside XmlData": sealed(
        soh(body("n", f"212={len(NEW_ORDER_SINGLE)}|213=")) + NEW_ORDER_SINGLE + soh("|58=after|")
    ),
    "signature before the sum": sealed(body("0", "93=4|89=s=1||")),
    "length that is zero-padded": sealed(body("A", "95=003|96=a|b|")),
    "data without its length": sealed(body("A", "96=abc|98=0|")),
    "no group": sealed(body("8", "454=0|55=X|")),
    "group": sealed(body("D", "453=2|448=A|447=D|452=1|448=B|447=D|452=3|55=X|")),
    "repeated tag": sealed(body("D", "55=A|54=1|55=B|")),
    "second BeginString": sealed(body("D", "8=FIX.4.4|55=A|")),
    "second CheckSum": sealed(body("D", "10=123|55=A|")),
    "long value": sealed(body("B", f"58={'x' * 5000}|")),
    "longest exact sum": sealed(soh(body("B", "58=")) + b"\xff" * 190 + b"\x01"),
}

GARBLED = {
    "empty": (b"", "BeginString (8)"),
    "another version": (soh("8=FIX.4.2|9=5|35=0|10=161|"), "BeginString (8)"),
    "no length": (soh("8=FIX.4.4|35=0|10=000|"), "header"),
    "length of letters": (soh("8=FIX.4.4|9=02A|35=0|10=000|"), "BodyLength (9)"),
    "length with a sign": (soh("8=FIX.4.4|9=+5|35=0|10=163|"), "BodyLength (9)"),
    "empty length": (soh("8=FIX.4.4|9=|35=0|10=000|"), "BodyLength (9)"),
    "length without end": (soh("8=FIX.4.4|9=55"), "BodyLength (9)"),
    "length too small": (sealed(EXECUTION_REPORT_BODY, length=145), "BodyLength (9)"),
    "length too large": (sealed(EXECUTION_REPORT_BODY, length=147), "BodyLength (9)"),
    "length of ten digits": (sealed(EXECUTION_REPORT_BODY, length=1_000_000_146), "BodyLength (9)"),
    "sum too large by one": (sealed(EXECUTION_REPORT_BODY, total=217), "CheckSum (10)"),
    "sum of four digits": (soh("8=FIX.4.4|9=6|35=0|10=0163|"), "CheckSum (10)"),
    "sum of two digits": (soh("8=FIX.4.4|9=4|35=0|10=63|"), "CheckSum (10)"),
    "type not third": (sealed("49=SENDER|35=0|56=TARGET|"), "header"),
    "cut": (EXECUTION_REPORT[:-1], "BodyLength (9)"),
    "one byte more": (EXECUTION_REPORT + b"\x01", "BodyLength (9)"),
    "two messages": (EXECUTION_REPORT + EXECUTION_REPORT, "BodyLength (9)"),
    "last value without end": (sealed(b"35=0\x0158=x"), "CheckSum (10)"),
}

REJECTED = {
    "empty value": (sealed(body("D", "55=|54=1|")), 55, Reason.TAG_WITHOUT_VALUE),
    "empty last value": (sealed(body("D", "55=A|54=|")), 54, Reason.TAG_WITHOUT_VALUE),
    "no equals sign": (sealed(body("D", "55|54=1|")), 0, Reason.INVALID_TAG_NUMBER),
    "no tag": (sealed(body("D", "=A|54=1|")), 0, Reason.INVALID_TAG_NUMBER),
    "tag of letters": (sealed(body("D", "5A=A|54=1|")), 0, Reason.INVALID_TAG_NUMBER),
    "tag zero": (sealed(body("D", "0=A|54=1|")), 0, Reason.INVALID_TAG_NUMBER),
    "leading zero": (sealed(body("D", "055=A|54=1|")), 0, Reason.INVALID_TAG_NUMBER),
    "negative tag": (sealed(body("D", "-55=A|54=1|")), 0, Reason.INVALID_TAG_NUMBER),
    "tag of ten digits": (sealed(body("D", "1234567890=A|54=1|")), 0, Reason.INVALID_TAG_NUMBER),
    "two SOH": (sealed(body("D", "55=A||54=1|")), 0, Reason.INVALID_TAG_NUMBER),
    "data longer than the message": (sealed(body("A", "95=500|96=abc|")), 95, Reason.VALUE_OUT_OF_RANGE),
    "data into the trailer": (sealed(body("A", "95=7|96=abc|")), 95, Reason.VALUE_OUT_OF_RANGE),
    "data longer than its value": (sealed(body("A", "95=4|96=abc|98=0|")), 95, Reason.INCORRECT_FORMAT),
    "data shorter than its value": (sealed(body("A", "95=2|96=abc|98=0|")), 95, Reason.INCORRECT_FORMAT),
    "length of data in letters": (sealed(body("A", "95=x|96=abc|")), 95, Reason.INCORRECT_FORMAT),
    "data of no bytes": (sealed(body("A", "95=0|96=|98=0|")), 95, Reason.VALUE_OUT_OF_RANGE),
    "length before another field": (sealed(body("A", "95=3|98=abc|")), 95, Reason.TAG_OUT_OF_ORDER),
    "length at the end": (sealed(body("A", "98=0|95=3|")), 95, Reason.TAG_OUT_OF_ORDER),
}
