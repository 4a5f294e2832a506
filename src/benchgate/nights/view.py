"""A night on the terminal."""

from rich.console import Console
from rich.text import Text

from benchgate import figures
from benchgate.nights.findings import Findings, since
from benchgate.notes import unpinned_text
from benchgate.terminal import plain_line

_SHOWN = 20


def print_night(console: Console, findings: Findings) -> None:
    """Print the headline, what changed, and what must be known to believe it.

    Faults are left to the error that ends the command.
    """
    night = findings.night
    compared = findings.compared
    console.print()
    console.print(Text(findings.headline, "bold"), soft_wrap=True)
    for change in compared.changes if compared else ():
        style = "red" if change.ratio > 1 else "green"
        moved = figures.percent_change(change.ratio)
        line = f"  {moved:>9}  {change.id}  began {since(change)}, {change.range}"
        console.print(plain_line(line, style), soft_wrap=True)
    named = (("new", compared.appeared), ("gone", compared.gone)) if compared else ()
    for word, ids in named:
        if ids:
            more = f", and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
            console.print(plain_line(f"  {word}: {', '.join(ids[:_SHOWN])}{more}"), soft_wrap=True)
    notes = [findings.common, *findings.remarks, findings.history, findings.noise]
    if night.pace != "full":
        notes.append("Measured quickly, to try it out.")
    if not night.environment.pinned:
        notes.append(unpinned_text(night.environment))
    for note in filter(None, notes):
        console.print(plain_line(note), soft_wrap=True)
