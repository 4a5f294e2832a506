"""The terminal table of counts: one block a group, one line a bench, and what stands below.

The columns are the instructions of one call, the blocks and bytes that it allocates, the blocks that
libraries take past Python's allocators, and the change from the last run that can be compared: the same
interpreter, valgrind and presented CPU, and the same benches in the group's process. `=` says that nothing
differs at all.
"""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.text import Text

from benchgate import figures
from benchgate.history import Earlier
from benchgate.ids import group_of, name_of
from benchgate.published import Published
from benchgate.rows import CountsRow
from benchgate.run import Run
from benchgate.terminal import plain, plain_line

_GAP = "  "
_TITLES = ("bench", "instructions", "blocks", "bytes", "native", "change")
_NOTABLE = 0.003  # what is less may be where memory lies, which a file's imports decide as well

Cells = tuple[str, ...]


def print_counts(console: Console, run: Run[CountsRow], earlier: Earlier[CountsRow]) -> None:
    """Print the rows of `run` by group, in their order."""
    groups = [(group, list(rows)) for group, rows in groupby(run.rows, lambda row: group_of(row.id))]
    lines = {row.id: _cells(row, earlier.rows.get(row.id)) for row in run.rows}
    widths = [max(map(len, column)) for column in zip(_TITLES, *lines.values(), strict=True)]
    console.print(Text(_joined(_TITLES, widths), "dim"), soft_wrap=True)
    for group, rows in groups:
        console.print(Text(group, "bold"), soft_wrap=True)
        for row in rows:
            style = _style(row, earlier.rows.get(row.id))
            *others, moved = lines[row.id]
            text = Text(_joined((*others, ""), widths) + _GAP)
            console.print(text.append(moved.rjust(widths[-1]), style), soft_wrap=True)


def print_counts_notes(
    console: Console, run: Run[CountsRow], earlier: Earlier[CountsRow], written: Path, seconds: float
) -> None:
    """Print what the figures are and what they were compared with."""
    simulator = run.environment.simulator
    assert simulator is not None
    console.print()
    same = sum(_difference(row, earlier.rows[row.id]) == "=" for row in run.rows if row.id in earlier.rows)
    if earlier.runs:
        newest = earlier.runs[0]
        when = f"{newest.created:%Y-%m-%d %H:%M:%S} UTC, {newest.git}"
        told = (
            f"change: from {when}; {same} of {len(earlier.rows)} rows are equal to the instruction and byte."
        )
    else:
        told = "change: none, there is no earlier run of the same rows that can be compared."
    for line in (
        told,
        *(f"passed over: {line}" for line in earlier.unreadable),
        *([] if run.environment.aslr == "off" else [_MOVING]),
        f"valgrind {simulator.valgrind}, as {simulator.cpu}; {simulator.libc}.",
    ):
        console.print(plain_line(line, "dim"), soft_wrap=True)
    count = figures.counted(len(run.rows), "row")
    console.print(f"{count} in {seconds:.0f} s. Written to {written}.", soft_wrap=True)


def print_published_blocks(console: Console, run: Run[CountsRow], published: Published) -> None:
    """Print, for each row of which others published the blocks that a call allocates, what they said."""
    for row in run.rows:
        counts = published.blocks.get(row.id, {})
        others = ", ".join(f"{label} {count}".strip() for label, count in counts.items())
        if others:
            line = f"{row.id}: {_number(row.blocks)} blocks here, published {others}"
            console.print(plain_line(f"{line} ({published.source(row.id).short})", "dim"), soft_wrap=True)


_MOVING = "Addresses are randomised here (setarch -R is missing or refused): runs may differ by more."


def same_process(run: Run[CountsRow], other: Run[CountsRow], identity: str) -> bool:
    """Say whether the bench shared its process with the same benches in both runs.

    Alone, a bench can differ from itself in company by almost a per cent: its blocks lie elsewhere.
    """
    group = group_of(identity)
    here, there = ([row.id for row in of.rows if group_of(row.id) == group] for of in (run, other))
    return here == there


def _cells(row: CountsRow, old: CountsRow | None) -> Cells:
    return (
        f"{_GAP}{plain(name_of(row.id))}",
        f"{row.instructions:,.0f}",
        _number(row.blocks),
        _number(row.bytes),
        _number(row.native_blocks),
        "-" if old is None else _difference(row, old),
    )


def _difference(row: CountsRow, old: CountsRow) -> str:
    """Write what differs: instructions as a share, allocations as numbers."""
    told = []
    if row.instructions != old.instructions:
        told.append(_share(row.instructions / old.instructions))
    for name, more in (
        ("blocks", row.blocks - old.blocks),
        ("bytes", row.bytes - old.bytes),
        ("native", row.native_blocks - old.native_blocks),
    ):
        if more:
            told.append(f"{'+' if more > 0 else '-'}{_number(abs(more))} {name}")
    return ", ".join(told) or "="


def _share(ratio: float) -> str:
    return f"{(ratio - 1) * 100:+.2f} %" if ratio < 2 else figures.factor(ratio)


def _style(row: CountsRow, old: CountsRow | None) -> str:
    if old is None or _difference(row, old) == "=":
        return "dim"
    ratio = row.instructions / old.instructions
    if abs(ratio - 1) < _NOTABLE:
        return ""
    return "red" if ratio > 1 else "green"


def _number(value: float) -> str:
    """Write a count: whole numbers as they are, means with two decimals."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def _joined(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = [
        cell.rjust(width) if column else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return _GAP.join((first, *rest)).rstrip()
