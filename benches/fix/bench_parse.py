"""One whole message checked and made accessible: BodyLength, CheckSum, header order, each field's form.

The reader was shown a sample and knows the layout of the messages measured; `unlearned` is one that was shown
none. A parsed message is a view: no field is copied or converted before somebody asks for it.
`four_typed_fields` asks for four in the same row, since rows of their own flatter a parser that puts work
off. A row repeats one message, as the published benches do, so its prices and its day were converted before;
`fix/throughput_msgs_per_s` has messages that differ.
"""

from benches.fix import checks, four_fields
from benches.inputs import message
from benchgate.measure import Measure
from tapemark.fix.reader import Reader


def bench_execution_report(measure: Measure) -> None:
    """Parse the published ExecutionReport of 19 fields, whose layout is known."""
    frame = message("fix/execution_report")
    parse = Reader([frame]).parse
    assert checks.reads(parse, frame)
    measure(parse, frame)


def bench_new_order_single(measure: Measure) -> None:
    """Parse the published NewOrderSingle of 16 fields, whose layout is known."""
    frame = message("fix/new_order_single")
    parse = Reader([frame]).parse
    assert checks.reads(parse, frame)
    measure(parse, frame)


def bench_unlearned(measure: Measure) -> None:
    """Parse the published ExecutionReport by a reader that knows no layout."""
    frame = message("fix/execution_report")
    parse = Reader().parse
    assert checks.reads(parse, frame)
    measure(parse, frame)


def bench_four_typed_fields(measure: Measure) -> None:
    """Parse the published ExecutionReport and convert Symbol, OrderQty, Price and SendingTime."""
    frame = message("fix/execution_report")
    parse = Reader([frame]).parse
    assert checks.reads(parse, frame)
    assert four_fields.parsed_typed(parse, frame) == four_fields.plain_typed(frame)
    measure(four_fields.parsed_typed, parse, frame)
