"""The five stages from the parser that everybody writes first to the public one, on the same message.

All five check the same and answer alike. Their rows parse and do not read, as the published ones; what a
stage leaves to the reading, `tapemark.fix.journey` says, and in the peers' row each reads four fields, too.
"""

from benches.fix import checks
from benches.inputs import message
from benchgate.measure import Measure
from tapemark.fix.journey import stages


def bench_0_string_copies(measure: Measure) -> None:
    """Parse the published ExecutionReport by decoding, splitting and copying all into a dictionary."""
    _measure_stage(measure, "0_string_copies")


def bench_1_zero_copy_views(measure: Measure) -> None:
    """Parse the published ExecutionReport into a list of views, one for each field."""
    _measure_stage(measure, "1_zero_copy_views")


def bench_2_indexed_lookup(measure: Measure) -> None:
    """Parse the published ExecutionReport into a dictionary from tag to place."""
    _measure_stage(measure, "2_indexed_lookup")


def bench_3_c_speed_scan(measure: Measure) -> None:
    """Parse the published ExecutionReport by one regular expression and an Adler-32, without an index."""
    _measure_stage(measure, "3_c_speed_scan")


def bench_4_precomputed_layout(measure: Measure) -> None:
    """Parse the published ExecutionReport by a layout that was known before."""
    _measure_stage(measure, "4_precomputed_layout")


def _measure_stage(measure: Measure, name: str) -> None:
    frame = message("fix/execution_report")
    parse = stages([frame])[name]
    assert checks.reads(parse, frame)
    measure(parse, frame)
