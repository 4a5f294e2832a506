"""Fields of a message that is parsed already."""

from benches.fix import four_fields
from benches.inputs import message
from benchgate.measure import Measure
from tapemark.fix.reader import Reader


def bench_four_fields(measure: Measure) -> None:
    """Take OrderID, Symbol, OrderQty and Price, as bytes, from a parsed ExecutionReport of a known layout."""
    frame = message("fix/execution_report")
    parsed = Reader([frame]).parse(frame)
    assert four_fields.raw(parsed) == four_fields.plain_raw(frame)
    measure(four_fields.raw, parsed)
