"""The report as a comment on GitHub: the verdict, what changed, what to do, and the rest folded away.

The author of a change must know from the first line whether to act. Every row of the report is in the
comment, or is counted where the length did not allow it. Whatever others wrote passes through
`benchgate.escape`, so that the only links and tags are the ones of this module. The job summary is the
same text.

GitHub refuses a comment of more than 65,536 characters.
"""

import re
from collections.abc import Callable, Iterable, Sequence

import msgspec

from benchgate.escape import cell, code, prose
from benchgate.figures import counted
from benchgate.gate.advice import Step, reproduction, steps
from benchgate.gate.amounts import allocations, bound, cost, share
from benchgate.gate.fitting import Block, fitted
from benchgate.gate.headline import (
    Sentence,
    Sorted,
    by_cause,
    cause,
    environment_lines,
    headline,
    sides,
    sort_rows,
    verdict_of,
)
from benchgate.gate.report import Report, Row

LIMIT = 65_000
LEAST = 4_000
"""The smallest limit that holds any headline."""

_URL = re.compile(r"https?://[\w.~:/?=&%-]+", re.ASCII)
_FIGURES = ("Base", "Head", "Change", "Error")
_BREAK = "<br>"
_COMMAND = 20_000  # a command that is cut does something else
_SHOWS: dict[str, Callable[[str], str]] = {
    "words": str,
    "strong": "**{}**".format,
    "name": code,
    "prose": prose,
}


def markdown(report: Report, *, run_url: str = "", limit: int = LIMIT) -> str:
    """Return the comment on `report`.

    Args:
        report: What is shown.
        run_url: The page of the run that keeps the files of the report; they are only named without one, or
            where it is no plain address.
        limit: The longest that the comment may be, in UTF-16 units.

    Raises:
        ValueError: `limit` is less than `LEAST`.
    """
    if limit < LEAST:
        raise ValueError(f"limit: expected at least {LEAST}, got {limit}")
    run_url = run_url if _URL.fullmatch(run_url) else ""
    rows = sort_rows(report)
    blocks = (
        _lines("Faults", map(prose, report.faults), "faults"),
        _failing(rows.failing),
        _slower(rows.slower),
        _table("Could not tell", rows.untold, "Why", _why),
        _table("Accepted", rows.accepted, "Reason", lambda row: prose(row.accepted)),
        _table("Faster", rows.faster, "Allocations", lambda row: allocations(row) or "the same"),
        _list(
            "New, so there is nothing to compare with", rows.new, lambda row: f"{cost(row.head)} instructions"
        ),
        _list("Removed, so no longer measured", rows.removed, lambda _: "only the base has it"),
        _list("Not slower, but allocating more", rows.allocating, allocations),
        _list("Renamed", [row for row in report.rows if row.was], verdict_of),
        _lines("Notices", map(prose, report.notices), "notices"),
        _lines("What to do next", map(_step, steps(report)), "steps"),
        _same_causes(rows.slower),
        _one_by_one(rows, run_url),
        _all_rows(report.rows),
        _how(report, rows, run_url),
    )
    shown = (block for block in blocks if block.items)
    head = "\n\n".join(filter(None, (_shown(headline(report)), _shown(sides(report)))))
    return fitted((Block(title="headline", before=head), *shown), limit)


def _shown(sentence: Sentence) -> str:
    return "".join(_SHOWS[part.kind](part.text) for part in sentence)


def _failing(rows: Sequence[Row]) -> Block:
    return _list("Failing", rows, lambda row: _reason(row) or "the reason is not known")


def _slower(rows: Sequence[Row]) -> Block:
    """Give each cause one line, with its worst row."""
    lines = []
    for worst, *others in by_cause(rows):
        more = f"{_BREAK}and {counted(len(others), 'more row')}" if others else ""
        lines.append(_line(f"{_identity(worst)}{more}", *_figures(worst), _because(worst)))
    return _tabled("Slower", (*_FIGURES, "Cause"), lines, "causes")


def _because(row: Row) -> str:
    function = _shown(cause(row.causes[0])) if row.causes else "no function stands out"
    return _BREAK.join(filter(None, (function, allocations(row), _reason(row))))


def _why(row: Row) -> str:
    function = _shown(cause(row.causes[0])) if row.causes else ""
    return _BREAK.join(filter(None, (_reason(row) or "the reason is not known", function)))


def _table(title: str, rows: Sequence[Row], last: str, told: Callable[[Row], str]) -> Block:
    lines = [_line(_identity(row), *_figures(row), told(row)) for row in rows]
    return _tabled(title, (*_FIGURES, last), lines)


def _list(title: str, rows: Iterable[Row], told: Callable[[Row], str]) -> Block:
    return _lines(title, [f"{_identity(row)}: {told(row)}" for row in rows], "rows")


def _lines(title: str, lines: Iterable[str], noun: str) -> Block:
    items = tuple(f"- {line}" for line in lines)
    return Block(title=title.lower(), before=f"**{title}**\n", items=items, noun=noun)


def _step(step: Step) -> str:
    """Write a step, with its block indented into the list."""
    if not step.block:
        return _shown(step.said)
    block = (f"```{step.language}", *step.block, "```")
    return "\n".join((_shown(step.said), "", *(f"  {line}".rstrip() for line in block)))


def _same_causes(rows: Sequence[Row]) -> Block:
    """List the rows that share a cause with a worse one."""
    lines = [
        _line(_identity(row), *_figures(row), f"as {code(worst.id)}")
        for worst, *others in by_cause(rows)
        for row in others
    ]
    table = _tabled("Slower", (*_FIGURES, "Cause"), lines)
    return _folded(table, f"{counted(len(lines), 'more row')} slower from the same causes")


def _one_by_one(rows: Sorted, run_url: str) -> Block:
    """Tell all that is known of each row that changed, where that is more than its figures."""
    items = []
    for row in rows.changed:
        told = _known(row, run_url)
        if told:
            items.append(
                "\n".join((f"- {_identity(row)}, {verdict_of(row)}:", *(f"  - {line}" for line in told)))
            )
    return _folded(Block(title="", items=tuple(items)), "Causes and flame graphs of each changed row")


def _known(row: Row, run_url: str) -> list[str]:
    told = [_shown(cause(found)) for found in row.causes]
    more = allocations(row)
    if more:
        told.append(f"allocations of a call: {more}")
    if row.components:
        told.append(f"components that changed with it: {', '.join(map(code, row.components))}")
    if row.flames:
        files = [code(file) for file in (row.flames.base, row.flames.head, row.flames.difference) if file]
        told.append(f"flame graphs of base, head and difference: {', '.join(files)} {_kept(run_url)}")
    return told


def _kept(run_url: str) -> str:
    return f"among [the files of the run]({run_url})" if run_url else "beside the report"


def _all_rows(rows: Sequence[Row]) -> Block:
    lines = []
    for row in rows:
        verdict = ": ".join(filter(None, (verdict_of(row), _reason(row))))
        lines.append(_line(_identity(row), *_figures(row), verdict))
    table = msgspec.structs.replace(_tabled("Row", (*_FIGURES, "Verdict"), lines), repeats=True)
    return _folded(table, f"All rows: {len(rows):,}, with the instructions of one call")


def _how(report: Report, rows: Sorted, run_url: str) -> Block:
    lines = [_shown(sentence) for sentence in environment_lines(report)]
    lines.append(f"the report itself: {code('report.json')} {_kept(run_url)}")
    if rows.measured:
        lines.append(f"one group again: {code(reproduction(report, rows.measured[:1]), _COMMAND)}")
    lines.append("error: how far counts of it lie apart, repeated or in other layouts of memory, either way")
    return _folded(_lines("", lines, "lines"), "How it was measured, and how to measure it again")


def _tabled(title: str, others: Sequence[str], lines: Sequence[str], noun: str = "rows") -> Block:
    rule = ["---", *["---:"] * len(_FIGURES), *["---"] * (len(others) - len(_FIGURES))]
    head = "\n".join((_line(title, *others), _line(*rule)))
    return Block(title=title.lower(), before=head, items=tuple(lines), noun=noun)


def _folded(block: Block, summary: str) -> Block:
    heading = f"<details><summary>{summary}</summary>\n"
    table = block.before if block.before.startswith("|") else ""
    before = "\n".join(filter(None, (heading, table)))
    return msgspec.structs.replace(block, title=summary.lower(), before=before, after="</details>")


def _line(*cells: str) -> str:
    return f"| {' | '.join(map(cell, cells))} |"


def _figures(row: Row) -> tuple[str, str, str, str]:
    change, error = (
        text.replace(" ", "\N{NO-BREAK SPACE}") for text in (share(row.change), bound(row.error))
    )
    return cost(row.base), cost(row.head), change, error


def _identity(row: Row) -> str:
    return f"{code(row.id)} (was {code(row.was)})" if row.was else code(row.id)


def _reason(row: Row) -> str:
    return prose(row.reason) if row.reason else ""
