"""Judge one row: is it slower, not slower, or could that not be told?

A count repeats almost to the instruction, so what is left to be wrong about is the layout of memory: the same
bench costs up to some tenths of a per cent more or less when unrelated code moves its objects, and in another
layout it does not. So a row that moved is counted again in other layouts, on both sides, and its change is
the median over the layouts. Its error is what remains open: half of the range over the layouts, or the
difference between two counts of one side in one layout, whichever is larger.

A row is slower when its change is beyond both its threshold and its error. It could not be told when it is
beyond the threshold and not beyond the error, or when counts of the same code in the same layout differ by
more than the threshold, which may hide a change. Where they do, the work is not the same each time, as of a
bench that draws numbers; a few counts say little of how much it varies, and a change must be three times the
error to be believed. Otherwise a row is not slower.
"""

from collections.abc import Sequence
from statistics import fmean, median

import msgspec

from benchgate.gate.report import Verdict

_DOUBT = 3


class Pair(msgspec.Struct, frozen=True):
    """The instructions of one call in one layout: each count of the base, and each of the head."""

    base: tuple[float, ...]
    head: tuple[float, ...]

    @property
    def change(self) -> float:
        """How much more the head costs, as a share of the base."""
        return fmean(self.head) / fmean(self.base) - 1

    @property
    def repeat(self) -> float:
        """How far counts of the same side lie apart, as a share of the base."""
        return max(max(side) - min(side) for side in (self.base, self.head)) / fmean(self.base)


class Judged(msgspec.Struct, frozen=True):
    """A row's change, its error, both as shares of the base, and the verdict."""

    change: float
    error: float
    verdict: Verdict


def judged(layouts: Sequence[Pair], threshold: float) -> Judged:
    """Judge a row that was counted in these layouts."""
    changes = [layout.change for layout in layouts]
    change = median(changes)
    repeat = max(layout.repeat for layout in layouts)
    error = max((max(changes) - min(changes)) / 2, repeat)
    if change > threshold:
        least = error if repeat <= threshold else _DOUBT * error
        return Judged(change, error, "slower" if change > least else "could not tell")
    return Judged(change, error, "could not tell" if repeat > threshold else "not slower")


def another_layout_needed(layouts: Sequence[Pair], threshold: float, most: int) -> bool:
    """Say whether a row must be counted in one more layout, of `most` at all, before it can be judged.

    One that did not move in the first layout needs none. One that moved needs a second, and a third when
    two disagree on whether it moved and where to, since two have no median.
    """
    moved = [(layout.change > threshold) - (layout.change < -threshold) for layout in layouts]
    if len(layouts) >= most or not moved[0]:
        return False
    return len(layouts) == 1 or (len(layouts) % 2 == 0 and len(set(moved)) > 1)
