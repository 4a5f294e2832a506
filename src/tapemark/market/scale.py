"""Prices and sizes as whole numbers of a listing's steps: text to count and back.

Inside, a price is a number of ticks and a size a number of size steps: both add, compare and sort exactly
and at the speed of integers, where texts sort wrongly (`"9.5"` after `"10.5"`) and floats add wrongly. At the
edge a count becomes the exact decimal again, with the step's own decimals.

Guarantee: a count is exact or there is none. A text that is no numeral by the grammar of `tapemark.numerals`
(a `NaN`, a minus sign), one between two steps, and one beyond 63 bits are refused.

Left to the caller: the listing's own limits, and one `Scale` for each listing, since counts of different
scales do not compare.
"""

from collections.abc import Iterable
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from typing import NoReturn, TypeAlias

from tapemark.errors import InvalidArgument, InvalidFrame
from tapemark.numerals import MAX_CHARS, plain_text, unsigned_from_text

Level: TypeAlias = tuple[int, int]
"""One level of a book: its price in ticks and its size in size steps."""

MAX_STEPS = 2**63 - 1
"""Largest count: what a signed 64-bit integer holds, so that a count fits wherever it is sent."""

CACHE_LIMIT = 8_192
"""How many texts a `Steps` remembers: about 1 MB, so at most some 2 MB for a listing's prices and sizes."""

_HALF = Decimal("0.5")

EXACT = Context(prec=MAX_PREC, Emin=MIN_EMIN, Emax=MAX_EMAX)
"""Rounds no sum and no product, whatever precision the thread's own context has."""


class Steps(dict[str, int]):
    """Numerals that recur, each as a whole number of `step`: `steps["0.30"]` is 30 where the step is 0.01.

    A text seen before costs one dictionary look-up. The cache holds at most `CACHE_LIMIT` texts; when full it
    is emptied and fills again. Concurrent use is safe: the worst case is a conversion done twice.

    Args:
        step: The size of one step, such as a listing's tick size.
        name: What the step is called in errors, such as `tick size`.

    Raises:
        InvalidArgument: The step is not a positive finite decimal of at most `MAX_CHARS` characters.
        InvalidFrame: On first sight of a text, when it is no such multiple; the field is `numeral`, since a
            cache cannot know where the text stood.
    """

    __slots__ = ("_digits", "_name", "_places", "step")

    def __init__(self, step: Decimal, name: str = "step") -> None:
        super().__init__()
        self.step, self._name = _checked_step(step), name
        # As written: 0.05 has two places, and its digits are 5.
        self._places = len(plain_text(self.step).partition(".")[2])
        self._digits = int(self.step.scaleb(self._places, EXACT))

    def __missing__(self, text: str) -> int:
        """Check, convert and keep a text seen for the first time."""
        whole, _, part = text.partition(".")
        digits = whole + part
        zeros = self._places - len(part)
        # The usual numeral is counted here, at a quarter of the cost. With 18 digits it is below 2**63.
        if zeros >= 0 and len(digits) + zeros <= 18 and digits.isdigit() and digits.isascii():
            count, rest = int(digits), 0
            if zeros:
                count *= 10**zeros
            if self._digits != 1:
                count, rest = divmod(count, self._digits)
        else:
            count, rest = self._from_numeral(text)
        if rest or count > MAX_STEPS:
            multiple = f"a multiple of the {self._name} {plain_text(self.step)} below 2**63 steps"
            raise InvalidFrame("numeral", multiple, text)
        if len(self) >= CACHE_LIMIT:
            self.clear()
        self[text] = count
        return count

    def _from_numeral(self, text: str) -> tuple[int, int]:
        """Count by the whole grammar, which also has exponents and zeros beyond the step's decimals."""
        numerator, denominator = unsigned_from_text(text, "numeral").as_integer_ratio()
        shift: int = 10**self._places
        return divmod(numerator * shift, denominator * self._digits)

    def exact(self, count: int) -> Decimal:
        """Return what `count` steps are worth, with the step's own decimals."""
        return EXACT.multiply(Decimal(count), self.step)

    def exact_half(self, halves: int) -> Decimal:
        """Return what `halves` half steps are worth, such as a mid price, with one decimal more."""
        return EXACT.multiply(EXACT.multiply(Decimal(halves), _HALF), self.step)


class Scale:
    """The two steps of a listing, with what each remembers.

    Args:
        tick_size: The price of one tick.
        size_step: The size of one size step.

    Raises:
        InvalidArgument: One of them is not a positive finite decimal.
    """

    __slots__ = ("prices", "sizes")

    def __init__(self, tick_size: Decimal, size_step: Decimal) -> None:
        try:
            self.prices = Steps(tick_size, "tick size")
        except InvalidArgument as error:
            raise error.at("tick_size") from None
        try:
            self.sizes = Steps(size_step, "size step")
        except InvalidArgument as error:
            raise error.at("size_step") from None

    def levels(self, pairs: Iterable[tuple[str, str]], field: str = "levels") -> list[Level]:
        """Convert pairs of a price text and a size text.

        Args:
            pairs: The pairs, which may be walked twice.
            field: Their path in the frame, for the error.

        Raises:
            InvalidFrame: A text is no multiple of its step.
        """
        prices, sizes = self.prices, self.sizes
        try:
            return [(prices[price], sizes[size]) for price, size in pairs]
        except InvalidFrame:
            refuse_text(
                (f"{field}[{position}][{part}]", text, steps)
                for position, pair in enumerate(pairs)
                for part, (text, steps) in enumerate(zip(pair, (prices, sizes), strict=True))
            )


def refuse_text(texts: Iterable[tuple[str, str, Steps]], symbol: str = "") -> NoReturn:
    """Name the first text that does not fit, for a caller who converted many and knows that one does not.

    Args:
        texts: The path of each in the frame, the text, and the steps that it was to be counted in.
        symbol: Whose texts they are, for the error.

    Raises:
        InvalidFrame: Always; the field is the path of the first text that is no multiple of its step.
    """
    for path, text, steps in texts:
        try:
            steps[text]
        except InvalidFrame as error:
            raise error.at(path).of(symbol) from None
    raise AssertionError("one of the texts was refused before")


def _checked_step(step: object) -> Decimal:
    """Return the step without an exponent, so that its multiples are written without one, too."""
    is_usable = (
        isinstance(step, Decimal)
        and step.is_finite()
        and step > 0
        and -MAX_CHARS < step.adjusted() < MAX_CHARS
        and len(text := plain_text(step)) <= MAX_CHARS
    )
    if not is_usable:
        expected = f"a positive finite Decimal of at most {MAX_CHARS} characters"
        if not isinstance(step, Decimal):
            expected = f"a positive finite Decimal, not of type {type(step).__name__}"
        raise InvalidArgument("step", expected, step)
    return Decimal(text)
