"""What is said of a night: one headline and the facts behind it, for the terminal and for Markdown alike.

Nothing here passes or fails a change: a change of level is known some nights after its cause, so it is
reported with the commits between which it began.
"""

from collections import Counter

import msgspec

from benchgate.figures import counted
from benchgate.nights.changepoints import MIN_REFERENCE
from benchgate.nights.comparison import Compared, RowChange
from benchgate.nights.noise import Limits, typical_spread, widest
from benchgate.nights.record import PASSES, Night


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """A night and what was found out about it.

    Attributes:
        lacking: A line for each bench without a figure.
        excess: A line for each way in which the night is noisier than its limits.
        remarks: What else a reader must know, such as a history that was cut off.
        compared: None when there is no history to compare with.
    """

    night: Night
    bounds: Limits
    lacking: tuple[str, ...] = ()
    excess: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    compared: Compared | None = None

    @property
    def headline(self) -> str:
        """The one sentence."""
        if self.lacking:
            count = len(self.lacking)
            return f"Not to be kept: {count} {'row has' if count == 1 else 'rows have'} no figure."
        if self.excess:
            return "Not to be kept: the night is noisier than its limits."
        if self.compared is None:
            return "Measured, and compared with no other night."
        new = self.compared.new
        if new:
            slower = sum(change.ratio > 1 for change in new)
            return f"{_rows(len(new))} changed: {slower} slower, {len(new) - slower} faster."
        if self.compared.before < MIN_REFERENCE:
            return (
                f"No change can be told yet: {self.compared.before} nights of this machine before, "
                f"{MIN_REFERENCE} are needed."
            )
        return "No row changed."

    @property
    def noise(self) -> str:
        """How far the passes lie apart."""
        bounds = self.bounds
        wide = len(widest(self.night, bounds))
        return (
            f"The typical row differs by {typical_spread(self.night) * 100:.2g} % between {PASSES} passes "
            f"(limit {bounds.typical_spread * 100:.3g} %), {wide} of {len(self.night.rows)} by more than "
            f"{bounds.wide_spread * 100:.3g} % (limit {bounds.wide_rows * 100:.3g} % of the rows)."
        )

    @property
    def history(self) -> str:
        """What the night was compared with."""
        if self.compared is None:
            return "Not compared with other nights."
        passed = f", {self.compared.elsewhere} of others passed over" if self.compared.elsewhere else ""
        return f"Compared with {counted(self.compared.before, 'night')} of this machine{passed}."

    @property
    def common(self) -> str:
        """A warning when so many rows changed with one night that the machine is the likelier cause."""
        changes = self.compared.changes if self.compared else ()
        most = max(Counter(change.bad.commit for change in changes).values(), default=0)
        if 2 * most <= len(self.night.rows):
            return ""
        return (
            f"{most} of {len(self.night.rows)} rows changed with the same night: look at the machine first."
        )


def since(change: RowChange) -> str:
    """Say when a change began and whether it is new."""
    before = change.nights - 1  # the first night of the change counts itself
    ago = {0: "this night", 1: "1 night ago"}.get(before, f"{before} nights ago")
    return ago if not change.new else f"{ago}, known since this one"


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"
