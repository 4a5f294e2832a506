from decimal import Decimal
from typing import Any

import pytest

from tapemark.errors import InvalidArgument
from tapemark.model import Instrument, InstrumentKind

GOOD: dict[str, Any] = {
    "symbol": "SOL-PERP",
    "kind": InstrumentKind.PERP,
    "tick_size": Decimal("0.01"),
    "size_step": Decimal("0.1"),
    "min_size": Decimal(0),
    "max_size": Decimal(100),
}


def test_an_instrument_keeps_what_it_was_given() -> None:
    instrument = Instrument(**GOOD)
    assert {name: getattr(instrument, name) for name in GOOD} == GOOD


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("symbol", ""),
        ("symbol", 7),
        ("kind", "perp"),
        ("tick_size", 0.01),
        ("tick_size", 1),
        ("tick_size", Decimal(0)),
        ("tick_size", Decimal("NaN")),
        ("size_step", Decimal("-0.1")),
        ("size_step", Decimal("Infinity")),
        ("min_size", Decimal(-1)),
        ("min_size", "1"),
        ("max_size", Decimal("NaN")),
        ("max_size", None),
    ],
)
def test_an_instrument_names_the_field_that_does_not_fit(field: str, value: object) -> None:
    with pytest.raises(InvalidArgument) as caught:
        Instrument(**GOOD | {field: value})
    assert caught.value.field == f"Instrument.{field}"


def test_the_largest_size_is_not_below_the_smallest() -> None:
    with pytest.raises(InvalidArgument, match=r"Instrument\.max_size: expected at least min_size 5"):
        Instrument(**GOOD | {"min_size": Decimal(5), "max_size": Decimal(4)})
