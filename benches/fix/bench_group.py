"""A repeating group by the dictionary: market data of several sizes, from the bytes to two decimals an entry.

The reader knows no layout, since the number of entries differs from message to message. A row repeats one
message, so its prices and sizes were converted before.
"""

from decimal import Decimal

import pytest

from benches.fix import checks, plain
from benches.inputs import message
from benchgate.measure import Measure
from tapemark.fix.groups import entries
from tapemark.fix.reader import Reader

ENTRIES = (2, 20, 200)
_CALLS = {2: 100, 20: 20, 200: 5}
_COUNT, _TYPE, _PRICE, _SIZE = 268, 269, 270, 271


def levels(parse: checks.Parse, frame: bytes) -> list[tuple[bytes, Decimal, Decimal]]:
    """Parse market data; give MDEntryType, MDEntryPx and MDEntrySize of each entry."""
    return [
        (entry.raw(_TYPE), entry.decimal(_PRICE), entry.decimal(_SIZE))
        for entry in entries(parse(frame), _COUNT)
    ]


def plain_levels(frame: bytes) -> list[tuple[bytes, Decimal, Decimal]]:
    """Give what `levels` must give."""
    found = map(dict, plain.entries(frame, _COUNT, _TYPE))
    return [(entry[_TYPE], plain.price(entry[_PRICE]), plain.price(entry[_SIZE])) for entry in found]


@pytest.mark.parametrize("count", ENTRIES)
def bench_entries(measure: Measure, count: int) -> None:
    """Parse a MarketDataSnapshotFullRefresh of so many entries and read type, price and size of each."""
    frame = message(f"fix/market_data_{count}")
    parse = Reader().parse
    assert levels(parse, frame) == plain_levels(frame)
    measure(levels, parse, frame, calls=_CALLS[count])
