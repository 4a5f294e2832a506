"""A night in Markdown: the summary of the job that measured it, and the text of the pull request.

Ids and reasons come from benches and the machine's facts from its files; they are shown as code. GitHub cuts
a text at 65,536 characters, so the table of all rows is left out where it would not fit.
"""

from collections.abc import Iterable, Sequence

from benchgate import figures
from benchgate.escape import cell, code, prose
from benchgate.nights.findings import Findings, since

MAX_CHARACTERS = 60_000
_MAX_LINES = 100


def markdown(findings: Findings) -> str:
    """Write all that is to be said of a night."""
    night = findings.night
    where = night.environment
    parts = [f"## The night of {night.created:%Y-%m-%d}\n", f"**{findings.headline}**\n"]
    if not where.pinned:
        reasons = "; ".join(map(code, where.unpinned_because))
        parts.append(f"> **Not measured on a pinned machine** ({reasons}): nights may differ by more.\n")
    if night.pace != "full":
        parts.append("> **Measured quickly**, to try it out.\n")
    interpreter = f"{where.interpreter.implementation} {where.interpreter.version}"
    parts.append(
        f"Commit {code(str(night.git))}, measured {night.created:%Y-%m-%d %H:%M} UTC on {code(where.cpu)} "
        f"with {code(interpreter)}. {findings.history} {findings.noise}\n"
    )
    parts += [f"> {line}\n" for line in (findings.common, *map(prose, findings.remarks)) if line]
    parts += _list("No figure", findings.lacking)
    parts += _list("Noisier than the limits", findings.excess)
    compared = findings.compared
    if compared is not None:
        if compared.changes:
            rows = [
                (
                    code(change.id),
                    figures.percent_change(change.ratio),
                    since(change),
                    code(change.range),
                )
                for change in compared.changes
            ]
            parts += ["### Changes\n", _table(("Bench", "Change", "Began", "Commits"), rows, right=1)]
        parts += _list("New rows", map(code, compared.appeared), escaped=True)
        parts += _list("Rows that the night before had", map(code, compared.gone), escaped=True)
    text = "\n".join(parts)
    details = _all_rows(findings)
    return text + details if len(text) + len(details) <= MAX_CHARACTERS else text


def _all_rows(findings: Findings) -> str:
    cells = [
        (code(row.id), figures.duration(row.median_ns), f"{row.spread * 100:.1f} %")
        for row in findings.night.rows
    ]
    table = _table(("Bench", "Median", "Between passes"), cells, right=2)
    return f"\n<details><summary>All rows</summary>\n\n{table}\n</details>\n"


def _list(title: str, lines: Iterable[str], *, escaped: bool = False) -> list[str]:
    shown = [line if escaped else code(line) for line in lines]
    if not shown:
        return []
    more = [f"and {len(shown) - _MAX_LINES} more"] if len(shown) > _MAX_LINES else []
    body = "".join(f"- {line}\n" for line in (*shown[:_MAX_LINES], *more))
    return [f"### {title}\n", body]


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]], *, right: int) -> str:
    """Write a table whose columns after the first, `right` of them, are aligned to the right."""
    rules = ["---", *(["---:"] * right), *(["---"] * (len(titles) - 1 - right))]
    shown = rows[:_MAX_LINES] if titles[1] == "Change" else rows
    lines = [tuple(titles), tuple(rules), *(tuple(map(cell, row)) for row in shown)]
    left_out = len(rows) - len(shown)
    more = f"\n{left_out} more are left out.\n" if left_out else ""
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + more
