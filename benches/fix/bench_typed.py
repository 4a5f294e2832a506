"""From the bytes of a message to a frozen type of which every field was checked and converted.

The reader knows the message's layout and the decoder has met its order of tags before, as after the first of
a session. A row repeats one message, so its decimals and its day were converted before, too.
"""

from benches.fix import checks, typed
from benches.inputs import message
from benchgate.measure import Measure
from tapemark.fix.fix44 import Typed
from tapemark.fix.reader import Reader
from tapemark.fix.typed import decode


def decoded(parse: checks.Parse, frame: bytes) -> Typed:
    """Parse and decode one message."""
    return decode(parse(frame))


def bench_execution_report(measure: Measure) -> None:
    """Parse and decode the published ExecutionReport, all of its fields."""
    frame = message("fix/execution_report")
    parse = Reader([frame]).parse
    assert typed.said(decoded(parse, frame)) == typed.plainly_said(frame, typed.EXECUTION_REPORT)
    measure(decoded, parse, frame)


def bench_new_order_single(measure: Measure) -> None:
    """Parse and decode the published NewOrderSingle, all of its fields."""
    frame = message("fix/new_order_single")
    parse = Reader([frame]).parse
    assert typed.said(decoded(parse, frame)) == typed.plainly_said(frame, typed.NEW_ORDER_SINGLE)
    measure(decoded, parse, frame)
