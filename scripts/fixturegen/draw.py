"""Seeded draws that are the same on every Python, and exact decimal texts.

Of the standard library's generator only `random()` is promised to stay the same between versions for one seed
(`random` documentation, "Notes on Reproducibility"), so every draw here is made of it alone.
"""

import functools
import random
from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")


class Draw:
    """A stream of draws that depends on nothing but its seed."""

    def __init__(self, seed: int) -> None:
        self._unit = random.Random(seed).random

    def below(self, bound: int) -> int:
        """Draw an integer from 0 to `bound - 1`."""
        return int(self._unit() * bound)

    def between(self, low: int, high: int) -> int:
        """Draw an integer from `low` to `high`, both included."""
        return low + int(self._unit() * (high - low + 1))

    def near_zero(self, bound: int) -> int:
        """Draw an integer from 0 to `bound - 1`, small ones more often, as sizes and busy levels are."""
        inner_bound = int(self._unit() * bound) + 1
        return int(self._unit() * inner_bound)

    def chance(self, probability: float) -> bool:
        """Tell whether an event of that probability happens."""
        return self._unit() < probability

    def pick(self, options: Sequence[_T]) -> _T:
        """Draw one of `options`, each as likely as the others."""
        return options[self.below(len(options))]

    def hexadecimal(self, length: int) -> str:
        """Draw `length` lower-case hexadecimal digits."""
        return "".join(self.pick("0123456789abcdef") for _ in range(length))

    def address(self) -> str:
        """Draw an account address: `0x` and 40 digits, without the case that would be a checksum."""
        return f"0x{self.hexadecimal(40)}"

    def uuid4(self) -> str:
        """Draw a random identifier in the form of RFC 9562 version 4."""
        digits = self.hexadecimal(12) + "4" + self.hexadecimal(3) + self.pick("89ab") + self.hexadecimal(15)
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


@functools.lru_cache(1 << 16)  # prices and sizes recur, and a session writes millions
def decimal_text(units: int, decimals: int) -> str:
    """Write `units * 10 ** -decimals` as the venue does: no exponent, trailing zeros trimmed."""
    sign, digits = ("-" if units < 0 else ""), str(abs(units)).rjust(decimals + 1, "0")
    whole, fraction = digits[: len(digits) - decimals], digits[len(digits) - decimals :].rstrip("0")
    return f"{sign}{whole}.{fraction}" if fraction else f"{sign}{whole}"
