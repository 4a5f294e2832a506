"""How long single calls of the parser take: what `fix/parse` tells of the mean, told of the slowest ones."""

from benches.fix import checks
from benches.inputs import message
from benchgate.latency.declaration import Calls, Distribution, steady
from tapemark.fix.reader import Reader


def execution_report() -> Calls:
    """Parse the published ExecutionReport of 19 fields, whose layout is known."""
    frame = message("fix/execution_report")
    parse = Reader([frame]).parse
    assert checks.reads(parse, frame)
    return steady(parse, frame)


DISTRIBUTIONS = (
    Distribution(
        name="execution_report_p99",
        load=execution_report,
        calls=200_000,
        note="one message whose layout is known, BodyLength and CheckSum checked",
        picture=True,
    ),
)
