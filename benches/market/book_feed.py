"""A seeded book, updates of it that end where they began, and what a plain model says of each.

An update changes one level, as most of Lighter's do: of ten, six change a size, one deletes what is not
there, the others insert and delete in turn. Half of them are at the best or some three levels from it, half
anywhere. The second half undoes the first in reverse, so that a book can be given them again and again.

The model is two dictionaries of decimals that keep every price seen and are searched whole; it shares nothing
with tapemark.
"""

import functools
import random
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

Levels: TypeAlias = list[tuple[str, str]]
"""Price text and size text, as a venue sends them."""
Update: TypeAlias = tuple[Levels, Levels]
"""The bids and the asks of an update or a snapshot."""
Exact: TypeAlias = tuple[Decimal, Decimal, Decimal, Decimal]
"""Price and size of the best bid, price and size of the best ask."""

TICK_SIZE, SIZE_STEP = Decimal("0.01"), Decimal("0.0001")

_MIDDLE_TICKS = 206_450
_NEAR = 3
_MOST_STEPS = 99_999
_UPDATES = 100


@dataclass(frozen=True)
class Feed:
    """A snapshot and the updates after it, which restore it."""

    snapshot: Update
    updates: list[Update]

    @functools.cached_property
    def bests(self) -> list[Exact]:
        """The model's best bid and best ask after the snapshot and after each update."""
        model = tuple({Decimal(price): Decimal(size) for price, size in side} for side in self.snapshot)
        found = [_best(*model)]
        for update in self.updates:
            for held, levels in zip(model, update, strict=True):
                for price, size in levels:
                    held[Decimal(price)] = Decimal(size)
            found.append(_best(*model))
        return found


@functools.cache
def feed(levels: int) -> Feed:
    """Give the feed of a book with so many levels on either side."""
    chance = random.Random(levels)
    sides = [_side(chance, sign, levels) for sign in (-1, 1)]
    snapshot = ([*sides[0].items()], [*sides[1].items()])
    forward, back = [], []
    for number in range(_UPDATES // 2):
        place = chance.randrange(2)
        sign, side = (-1, 1)[place], sides[place]
        price, size = _change(chance, sign, side, levels, number % 10)
        forward.append(_update(place, price, size))
        back.append(_update(place, price, side.get(price, _size_text(0))))
        if Decimal(size):
            side[price] = size
        else:
            side.pop(price, None)
    return Feed(snapshot, forward + back[::-1])


def _side(chance: random.Random, sign: int, levels: int) -> dict[str, str]:
    """Fill half of the prices from the middle outwards, the best first."""
    distances = sorted(chance.sample(range(1, 2 * levels + 1), levels))
    return {_price_text(sign, at): _size_text(chance.randint(1, _MOST_STEPS)) for at in distances}


def _change(
    chance: random.Random, sign: int, side: dict[str, str], levels: int, number: int
) -> tuple[str, str]:
    """Give the price and the new size of one level."""
    held = sorted(side, key=lambda price: abs(Decimal(price) / TICK_SIZE - _MIDDLE_TICKS))
    if number < 6:
        return held[_place(chance, len(held))], _size_text(chance.randint(1, _MOST_STEPS))
    if number > 6 and len(side) > levels:
        return held[_place(chance, len(held))], _size_text(0)
    free = [price for at in range(1, 2 * levels + 2) if (price := _price_text(sign, at)) not in side]
    steps = 0 if number == 6 else chance.randint(1, _MOST_STEPS)
    return free[_place(chance, len(free))], _size_text(steps)


def _place(chance: random.Random, count: int) -> int:
    """Draw a place from the best on: as often near it as anywhere."""
    near = int(chance.expovariate(1 / _NEAR))
    return near if near < count and chance.random() < 0.5 else chance.randrange(count)


def _best(bids: dict[Decimal, Decimal], asks: dict[Decimal, Decimal]) -> Exact:
    bid = max(price for price, size in bids.items() if size)
    ask = min(price for price, size in asks.items() if size)
    assert bid < ask
    return bid, bids[bid], ask, asks[ask]


def _update(place: int, price: str, size: str) -> Update:
    return ([], [(price, size)]) if place else ([(price, size)], [])


def _price_text(sign: int, distance: int) -> str:
    return str((_MIDDLE_TICKS + sign * distance) * TICK_SIZE)


def _size_text(steps: int) -> str:
    return str(steps * SIZE_STEP)
