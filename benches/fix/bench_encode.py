"""From a typed message to the bytes that are sent, with BodyLength and CheckSum.

The messages are in canonical form, so what is written must be the very bytes that were decoded.
"""

from benches.inputs import message
from benchgate.measure import Measure
from tapemark.fix.encode import encode
from tapemark.fix.reader import parse
from tapemark.fix.typed import decode


def bench_execution_report(measure: Measure) -> None:
    """Encode the published ExecutionReport."""
    frame = message("fix/execution_report")
    report = decode(parse(frame))
    assert encode(report) == frame
    measure(encode, report)


def bench_new_order_single(measure: Measure) -> None:
    """Encode the published NewOrderSingle."""
    frame = message("fix/new_order_single")
    order = decode(parse(frame))
    assert encode(order) == frame
    measure(encode, order)
