"""What stands below the table of a run: explained shares, sources, and how far to trust the figures.

The last line gives no verdict, because wall-clock time on one machine cannot carry one.
"""

import re
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from rich.console import Console
from rich.text import Text

from benchgate import figures
from benchgate.environment import Environment
from benchgate.history import Earlier
from benchgate.ids import group_of, name_of
from benchgate.published import Published
from benchgate.rows import WallclockRow
from benchgate.run import R, Run
from benchgate.shares import Share, explained, shared_components
from benchgate.table import footer, width_of
from benchgate.terminal import plain
from benchgate.wallclock import busy_text

CLOSING = "These are wall-clock times of one machine: nothing here passes or fails."
DIFFER = "runs may differ by more than the IQR"

_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:ns|us|ms|s|%)(?:\W|$))")  # where a line must not break


class Ending(msgspec.Struct, frozen=True):
    """What the run does not know itself: where it was written, what it took, and whether it was quick."""

    written: Path
    seconds: float
    quick: bool


def print_notes(
    console: Console,
    run: Run[WallclockRow],
    earlier: Earlier[WallclockRow],
    published: Published,
    ending: Ending,
) -> None:
    """Print all that belongs below the table of `run`."""
    for group, shares in _by_group(explained(run.rows)):
        _print_shares(console, group, shares, failed=bool(run.failures))
    console.print()
    for failure in run.failures:
        print_wrapped(console, f"FAILED {failure.id}: {failure.reason}", 7, "red")
    for line in (*footer(run.rows, published), *source_lines(run.rows, published)):
        print_wrapped(console, line, 2, "dim")
    for line in _change_lines(earlier):
        print_wrapped(console, line, 2, "dim")
    print_doubts(console, run)
    pace = ", quick: fewer rounds" if ending.quick else ""
    count = figures.counted(len(run.rows), "row")
    print_wrapped(console, f"{count} in {ending.seconds:.1f} s{pace}. Written to {ending.written}.", 2)
    print_wrapped(console, CLOSING, 2)


def print_doubts(console: Console, run: Run[R], differ: str = DIFFER) -> None:
    """Print what of the machine makes its figures doubtful; `differ` says how another run may differ."""
    if not run.environment.pinned:
        print_wrapped(console, unpinned_text(run.environment, differ), 2)
    busy = busy_text(run.cpu_share)
    if busy:
        print_wrapped(console, f"{busy[0].upper()}{busy[1:]}.", 2, "red")


def unpinned_text(where: Environment, differ: str = DIFFER) -> str:
    """Say why a machine that is not pinned is not, how another run may differ, and what pins one."""
    reasons = "; ".join(where.unpinned_because)
    return f"Not a pinned machine ({reasons}): {differ}; scripts/pinned.sh pins one."


def _print_shares(console: Console, group: str, shares: Sequence[Share], *, failed: bool) -> None:
    told = [share for share in shares if share.explained is not None]
    untold = ", ".join(name_of(share.id) for share in shares if share.explained is None)
    console.print()
    console.print(Text.assemble((plain(group), "bold"), ("  explained by components", "dim")), soft_wrap=True)
    width = max(len(name_of(share.id)) for share in shares)
    for share in told:
        text = share_text(share)
        line = f"{text.explained:>5}  of {text.median} = {text.components}"
        print_wrapped(console, f"  {name_of(share.id):{width}}  {line}", width + 11)
    for line in shared_lines(told):
        print_wrapped(console, f"  {line}", 4)
    if untold:
        # A component may be one of those that failed, which are named below.
        why = "not measured" if failed else "not selected"
        print_wrapped(console, f"  no share: {untold} (their components were {why})", 4, "dim")


def _by_group(shares: Sequence[Share]) -> list[tuple[str, list[Share]]]:
    groups: dict[str, list[Share]] = {}
    for share in shares:
        groups.setdefault(group_of(share.id), []).append(share)
    return list(groups.items())


class ShareText(NamedTuple):
    """A share in words: the pipeline's time, the explained part of it, and the sum that explains it."""

    median: str
    explained: str
    components: str


def share_text(share: Share) -> ShareText:
    """Write how much of a pipeline is explained, and by what."""
    system = share.id.split("/", 1)[0] + "/"
    parts = " + ".join(
        f"{part.removeprefix(system)} {'not measured' if ns is None else figures.duration(ns)}"
        for part, ns in share.components
    )
    total = "-" if share.explained is None else f"{share.explained * 100:.0f} %"
    return ShareText(figures.duration(share.median_ns), total, parts)


def shared_lines(shares: Iterable[Share]) -> tuple[str, ...]:
    """Say which rows share components, so that nobody adds them up twice: one line for the same rows."""
    parts: dict[tuple[str, ...], list[str]] = {}
    for part, ids in shared_components(tuple(shares)).items():
        parts.setdefault(ids, []).append(part)
    lines = []
    for ids, shared in parts.items():
        same_group = len({group_of(identity) for identity in ids}) == 1
        names = [name_of(identity) if same_group else identity for identity in ids]
        lines.append(f"{', '.join(names)} share {', '.join(shared)}")
    return tuple(lines)


def source_lines(rows: Iterable[WallclockRow], published: Published) -> tuple[str, ...]:
    """Name each source of published figures among `rows`, with its language, machine, statistic and date."""
    sources = dict.fromkeys(published.source(row.id) for row in rows if published.of(row.id))
    return tuple(source.line for source in sources)


def _change_lines(earlier: Earlier[WallclockRow]) -> tuple[str, ...]:
    if earlier.runs:
        newest = earlier.runs[0]
        pace = ", a quick one" if newest.pace == "quick" else ""
        more = f", and {len(earlier.runs) - 1} before it" if len(earlier.runs) > 1 else ""
        if any(run.pace == "quick" for run in earlier.runs[1:]):
            more += ", quick ones among them"
        first = (
            f"change: from the last run on this machine, {newest.created:%Y-%m-%d %H:%M:%S} UTC, "
            f"{newest.git}{pace}{more}; ~ says that each median lies between the other's quartiles."
        )
    else:
        first = "change: none, there is no earlier run of these rows on this machine."
    return (first, *(f"passed over: {line}" for line in earlier.unreadable))


def print_wrapped(console: Console, text: str, hanging: int, style: str = "") -> None:
    """Print a sentence in lines that fit, those after the first indented; no line ends before a unit."""
    lines = textwrap.wrap(
        _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", plain(text)),
        width_of(console),
        subsequent_indent=" " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
    for line in lines:
        console.print(Text(line.replace("\N{NO-BREAK SPACE}", " "), style), soft_wrap=True)
