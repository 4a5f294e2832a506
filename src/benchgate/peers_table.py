"""The terminal tables of comparisons: one block each, a line for every contender, then its claims."""

import textwrap

from rich.console import Console
from rich.text import Text

from benchgate import figures
from benchgate.interleave import Standing
from benchgate.peers import PeersRow
from benchgate.table import width_of
from benchgate.terminal import plain, plain_line


def print_comparison(console: Console, row: PeersRow) -> None:
    """Print one comparison."""
    console.print(Text.assemble((plain(row.id), "bold"), (f"  {row.rounds} rounds", "dim")), soft_wrap=True)
    for line in textwrap.wrap(plain(row.note), width_of(console) - 2):
        console.print(Text(f"  {line}", "dim"), soft_wrap=True)
    width = max(len(standing.name) for standing in row.standings)
    for standing in row.standings:
        text = absence_or_time(standing)
        console.print(
            plain_line(f"  {standing.name:{width}}  {text}", "dim" if standing.absent else ""), soft_wrap=True
        )
    for claim in row.claims:
        style = "red" if claim.holds is False else ""
        console.print(plain_line(f"  {claim.text}: {claim.outcome()}", style), soft_wrap=True)
    console.print()


def absence_or_time(standing: Standing) -> str:
    """Write the time, the ratio and its quartiles, or why there are none."""
    if standing.median_ns is None:
        return standing.absent
    ratio = "" if standing.ratio is None else f"  {figures.factor(standing.ratio):>8}  {quartiles(standing)}"
    return f"{figures.duration(standing.median_ns):>8}{ratio}"


def quartiles(standing: Standing) -> str:
    """Write the quartiles of a ratio, `-` for the reference, which has none to speak of."""
    if standing.p25 is None or standing.p75 is None or standing.p25 == standing.p75:
        return "-"
    return f"{figures.three_digits(standing.p25)} to {figures.three_digits(standing.p75)}"
