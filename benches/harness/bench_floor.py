"""The floor of every figure: what the measured loop costs when the call does nothing."""

from benchgate.measure import Measure


def _nothing() -> None:
    return None


def bench_empty_call(measure: Measure) -> None:
    """Call a Python function without arguments and without a body."""
    assert _nothing() is None  # type: ignore[func-returns-value]  # the oracle: it does nothing
    measure(_nothing)
