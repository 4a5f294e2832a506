"""The report in a terminal: the same rows, verdicts and sentences as the comment, without markup.

What the comment folds away comes first, the rows that did not change and how it was measured, since a
terminal shows the end of what is printed. Then follows the rest in the order of the comment, and last where
the files are and what the exit code says. Colours only repeat what the words say. Lines of figures are never
broken; where the terminal is too narrow for them, base and head stand below. Prose is broken at its width.
"""

import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from benchgate.figures import counted
from benchgate.gate.advice import Step, reproduction, steps
from benchgate.gate.amounts import allocations, bound, cost, share
from benchgate.gate.headline import (
    EXIT_MEANING,
    Sentence,
    Sorted,
    by_cause,
    cause,
    environment_lines,
    headline,
    sort_rows,
    verdict_of,
    worst,
)
from benchgate.gate.report import COMMENT, FOLDER, REPORT, Report, Row
from benchgate.table import width_of
from benchgate.terminal import plain

_GAP = "  "
_TITLES = ("base", "head", "change", "error")
_STYLES = {
    "slower": "bold red",
    "failing": "bold red",
    "could not tell": "bold yellow",
    "accepted": "bold yellow",
    "faster": "bold green",
}

Widths = tuple[int, ...]


def print_report(console: Console, report: Report, folder: Path = FOLDER) -> None:
    """Print `report`, whose files are in `folder`."""
    rows = sort_rows(report)
    widths = _widths(report.rows, width_of(console))
    _print_rows(console, "not slower", rows.unchanged, widths)
    _print_list(console, "how it was measured", _measured(report, rows), "dim")
    console.print()
    _print_wrapped(console, _text(headline(report)), style="bold")
    _print_list(console, "faults", report.faults)
    _print_rows(console, "failing", rows.failing, widths)
    _print_slower(console, rows.slower, widths)
    _print_rows(console, "could not tell", rows.untold, widths)
    _print_rows(console, "accepted", rows.accepted, widths)
    _print_rows(console, "faster", rows.faster, widths)
    _print_rows(console, "new", rows.new, widths)
    _print_rows(console, "removed", rows.removed, widths)
    more = [f"{row.id}: {allocations(row)}" for row in rows.allocating]
    _print_list(console, "not slower, but allocating more", more)
    _print_list(console, "notices", report.notices)
    _print_steps(console, steps(report))
    console.print()
    for line in _ending(report, folder):
        _print_wrapped(console, line)


def _print_rows(console: Console, title: str, rows: Sequence[Row], widths: Widths) -> None:
    if rows:
        _print_titles(console, title, widths)
    for row in rows:
        _print_row(console, row, title, widths, causes=True)


def _print_slower(console: Console, rows: Sequence[Row], widths: Widths) -> None:
    """Print slower rows by cause, and the cause once."""
    if rows:
        _print_titles(console, "slower", widths)
    for first, *others in by_cause(rows):
        _print_row(console, first, "slower", widths, causes=True)
        if others:
            _print_wrapped(console, f"the same slows {counted(len(others), 'more row')}:", indent=4)
        for row in others:
            _print_row(console, row, "slower", widths, causes=False)


def _print_titles(console: Console, title: str, widths: Widths) -> None:
    first, *others = widths
    text = Text(title.ljust(first), _STYLES.get(title, "bold"))
    for name, width in zip(_TITLES[-len(others) :], others, strict=True):
        text.append(f"{_GAP}{name.rjust(width)}", "dim")
    console.print()
    console.print(text, soft_wrap=True)


def _print_row(console: Console, row: Row, title: str, widths: Widths, *, causes: bool) -> None:
    first, *others = widths
    cells = _cells(row)[-len(others) :]
    figures = (f"{_GAP}{cell.rjust(width)}" for cell, width in zip(cells, others, strict=True))
    console.print(Text(f"{_GAP}{plain(row.id)}".ljust(first) + "".join(figures)), soft_wrap=True)
    narrow = len(others) < len(_TITLES)
    for line in _details(row, title, narrow=narrow, causes=causes):
        _print_wrapped(console, line, indent=4)


def _details(row: Row, title: str, *, narrow: bool, causes: bool) -> list[str]:
    """Say what else is known of a row, a line each."""
    changed = title != "not slower"
    stated = {title, f"not slower, {title}"}
    verdict = verdict_of(row)
    lines = [
        f"was {row.was}" if row.was else "",
        f"{cost(row.base)} -> {cost(row.head)} instructions" if changed and narrow else "",
        verdict if changed and not row.accepted and verdict not in stated else "",
        f"{verdict}: {row.accepted}" if row.accepted else "",
        row.reason or ("the reason is not known" if title in {"failing", "could not tell"} else ""),
        *([_text(cause(found)) for found in row.causes] if causes else []),
        "no function stands out" if title == "slower" and not row.causes else "",
        allocations(row) if changed else "",
        f"with its components {', '.join(row.components)}" if row.components else "",
        f"flame graphs: {row.flames.base}, {row.flames.head}, {row.flames.difference}" if row.flames else "",
    ]
    return [line for line in lines if line]


def _print_list(console: Console, title: str, lines: Iterable[str], style: str = "") -> None:
    found = list(lines)
    if not found:
        return
    console.print()
    console.print(Text(title, f"bold {style}".strip()), soft_wrap=True)
    for line in found:
        _print_wrapped(console, line, indent=2, style=style)


def _print_steps(console: Console, found: Sequence[Step]) -> None:
    if not found:
        return
    console.print()
    console.print(Text("what to do next", "bold"), soft_wrap=True)
    for step in found:
        _print_wrapped(console, _text(step.said), indent=2)
        for line in step.block:
            console.print(Text(f"      {plain(line)}".rstrip()), soft_wrap=True)  # whole, to be copied


def _measured(report: Report, rows: Sorted) -> tuple[str, ...]:
    lines = map(_text, environment_lines(report))
    again = [f"one group again: {reproduction(report, rows.measured[:1])}"] if rows.measured else []
    return (*lines, *again)


def _ending(report: Report, folder: Path) -> tuple[str, ...]:
    pictures = sum(row.flames is not None for row in report.rows)
    flames = f" Flame graphs of {counted(pictures, 'row')} are there, too." if pictures else ""
    verdict = " ".join(part.text for part in headline(report) if part.kind == "strong")
    if report.slower:
        verdict += f" {_text(worst(report.slower[0]))}"
    return (
        f"Written to {folder / REPORT} and {folder / COMMENT}.{flames}",
        f"Exit code {report.exit_code}, {EXIT_MEANING[report.exit_code]}: {verdict.removesuffix('.')}.",
    )


def _widths(rows: Sequence[Row], available: int) -> Widths:
    """Return the width of the ids and of each column of figures; base and head go where there is no room."""
    ids = max((len(_GAP) + len(plain(row.id)) for row in rows), default=0)
    columns = zip(_TITLES, *map(_cells, rows), strict=True)
    widths = (max(ids, len("could not tell")), *(max(map(len, column)) for column in columns))
    if sum(widths) + len(_GAP) * (len(widths) - 1) <= available:
        return widths
    return (widths[0], *widths[3:])


def _cells(row: Row) -> tuple[str, str, str, str]:
    return cost(row.base), cost(row.head), share(row.change), bound(row.error)


def _text(sentence: Sentence) -> str:
    return "".join(part.text for part in sentence)


def _print_wrapped(console: Console, text: str, *, indent: int = 0, style: str = "") -> None:
    lines = textwrap.wrap(
        plain(text),
        width_of(console),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 2),
        break_long_words=False,
        break_on_hyphens=False,
    )
    for line in lines:
        console.print(Text(line, style), soft_wrap=True)
