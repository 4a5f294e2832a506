"""The terminal table of a run: one block a group, one line a bench.

The columns are the median of one call, the distance between the quartiles of the rounds, calls (or declared
items) per second, the change from the last run on this machine, and what others published. Columns are
dropped, never cut, when the terminal is narrower than all of them; colours appear on a terminal only. What
must be known to read the medians stands in a footer, which is printed with the notes.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

import msgspec
from rich.console import Console
from rich.text import Text

from benchgate import figures
from benchgate.history import Earlier
from benchgate.ids import group_of, name_of
from benchgate.published import Published
from benchgate.rows import WallclockRow
from benchgate.run import Run
from benchgate.terminal import plain
from benchgate.wallclock import change

PIPED_WIDTH = 100

_GAP = "  "
_TITLES = ("bench", "median", "IQR", "per second", "change", "published")
_DROPPED_FIRST = (3, 2)  # per second says what the median says, and the quartiles are in the record
_NOTABLE = 0.05  # runs of the same code on a machine that is not pinned differ by several percent


class Line(msgspec.Struct, frozen=True):
    """One line of the table: its cells in the order of the titles, and how the change is coloured."""

    cells: tuple[str, ...]
    change_style: str = ""


def print_table(
    console: Console, run: Run[WallclockRow], earlier: Earlier[WallclockRow], published: Published
) -> None:
    """Print the rows of `run` by group, in the order of their ids' first appearance."""
    groups = [
        (
            group,
            [line for row in rows for line in _lines(row, earlier, published)],
            _published_by(rows, published),
        )
        for group, rows in _by_group(run.rows)
    ]
    lines = [line for _, group_lines, _ in groups for line in group_lines]
    columns, widths = fit([_TITLES, *(line.cells for line in lines)], _DROPPED_FIRST, width_of(console))
    print_cells(console, _TITLES, ["dim"] * len(_TITLES), columns, widths)
    for group, group_lines, source in groups:
        console.print(Text.assemble((plain(group), "bold"), (plain(source), "dim")), soft_wrap=True)
        for line in group_lines:
            print_cells(console, line.cells, ("", "bold", "", "", line.change_style, "dim"), columns, widths)


def footer(rows: Iterable[WallclockRow], published: Published) -> tuple[str, ...]:
    """Say of which rows a call handles many items, and which have published percentiles of single calls."""
    groups = _by_group(tuple(rows))
    many = [text for group, members in groups if (text := _many_a_call(group, members))]
    timed = [group for group, members in groups if any(row.id in published.distributions for row in members)]
    lines = []
    if many:
        lines.append(f"median: of a whole call, which handles many in {'; '.join(many)}.")
    if timed:
        lines.append(
            f"percentiles: python -m nox -s latency times single calls of {', '.join(timed)}, beside "
            f"published percentiles; here the same calls are repeated, many in a row."
        )
    return tuple(lines)


def width_of(console: Console) -> int:
    """Return the columns to write for: the terminal's, or a fixed width when the output goes elsewhere."""
    return console.width if console.is_terminal else PIPED_WIDTH


def fit(
    lines: Sequence[Sequence[str]], dropped_first: Iterable[int], available: int
) -> tuple[list[int], list[int]]:
    """Return the columns of these cells that fit, and the width of every column."""
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    columns = list(range(len(widths)))
    for dropped in dropped_first:
        if sum(widths[column] for column in columns) + len(_GAP) * (len(columns) - 1) > available:
            columns.remove(dropped)
    return columns, widths


def print_cells(
    console: Console,
    cells: Sequence[str],
    styles: Sequence[str],
    columns: Sequence[int],
    widths: Sequence[int],
) -> None:
    """Print the cells of some columns as one line, all but the first column aligned to the right."""
    text = Text()
    for column in columns:
        pad: Callable[[str, int], str] = str.rjust if column else str.ljust
        text.append(_GAP if text else "")
        text.append(pad(cells[column], widths[column]), style=styles[column])
    text.rstrip()
    console.print(text, soft_wrap=True)


def _by_group(rows: Iterable[WallclockRow]) -> list[tuple[str, list[WallclockRow]]]:
    order: dict[str, int] = {}
    for row in rows:
        order.setdefault(group_of(row.id), len(order))
    ordered = sorted(rows, key=lambda row: order[group_of(row.id)])
    return [(group, list(members)) for group, members in groupby(ordered, key=lambda row: group_of(row.id))]


def _many_a_call(group: str, rows: Iterable[WallclockRow]) -> str:
    """Write how many items the calls of a group handle: the group alone where all handle as many."""
    counts: dict[str, dict[str, None]] = {}
    for row in rows:
        texts = counts.setdefault(name_of(row.id).split("[", 1)[0], {})
        if row.items and row.items.count > 1:
            texts[f"{row.items.count:,} {row.items.unit}"] = None
    alike: dict[str, list[str]] = {}
    for name, texts in counts.items():
        alike.setdefault(" or ".join(texts), []).append(name)
    if len(alike) == 1:
        return " ".join((group, *alike)) if any(alike) else ""
    return "; ".join(f"{group}/{', '.join(names)} {text}" for text, names in alike.items() if text)


def _published_by(rows: Sequence[WallclockRow], published: Published) -> str:
    shorts = dict.fromkeys(published.source(row.id).short for row in rows if published.of(row.id))
    return f"{_GAP}published: {'; '.join(shorts)}" if shorts else ""


def _lines(row: WallclockRow, earlier: Earlier[WallclockRow], published: Published) -> list[Line]:
    per_call, unit = (row.items.count, f" {row.items.unit}") if row.items else (1, "")
    moved, style = _change(row, earlier)
    others = [figure.text for figure in published.of(row.id)]
    first, *more = others or ["-"]
    cells = (
        f"{_GAP}{plain(name_of(row.id))}",
        figures.duration(row.median_ns),
        figures.duration(row.iqr_ns),
        f"{figures.amount(per_call * 1e9 / row.median_ns)}{unit}",
        moved,
        first,
    )
    return [Line(cells, style), *(Line(("", "", "", "", "", figure)) for figure in more)]


def _change(row: WallclockRow, earlier: Earlier[WallclockRow]) -> tuple[str, str]:
    old = earlier.rows.get(row.id)
    if old is None:
        return "-", "dim"
    moved = change(old, row)
    if moved.inside:
        return "~", "dim"
    if abs(moved.ratio - 1) < _NOTABLE or not moved.apart:
        return figures.percent_change(moved.ratio), ""
    return figures.percent_change(moved.ratio), "red" if moved.ratio > 1 else "green"
