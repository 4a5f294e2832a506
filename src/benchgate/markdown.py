"""The generated sections of documents, as text: nothing here reads a file or measures."""

import io
from collections.abc import Iterable, Sequence

import msgspec
from rich.console import Console

from benchgate import figures
from benchgate.environment import Environment, cpu_text
from benchgate.history import Earlier
from benchgate.ids import group_of, name_of
from benchgate.notes import DIFFER, share_text, shared_lines, source_lines
from benchgate.peers import PeersRow
from benchgate.peers_table import quartiles
from benchgate.published import Published
from benchgate.rows import WallclockRow
from benchgate.run import R, Run
from benchgate.shares import explained
from benchgate.table import PIPED_WIDTH, print_table
from benchgate.wallclock import unsteady_text

TITLES = {
    "environment": "Where it was measured",
    "extra": "Rows beyond the published ones",
    "explained": "What the components of pipelines explain",
    "peers": "Beside the libraries that a user would pick instead",
    "latency": "Single calls",
    "gate-steadiness": "How steady the gate's counts are",
    "gate-selftest": "What the gate finds",
}
ESCAPED_PIPE = r"\|"  # also inside inline code, where an entity would be shown as it is (GFM, "Tables")
NO_PEERS = "No comparison has been recorded.\n"


def all_sections(run: Run[WallclockRow], published: Published, peers: Run[PeersRow] | None) -> dict[str, str]:
    """Return the body of each section by name, in the order in which a new document has them."""
    groups = dict.fromkeys(group_of(identity) for identity in published.figures)
    return {
        "environment": environment(run),
        **{group: published_group(group, run.rows, published) for group in groups},
        "extra": extra(run.rows, published),
        "explained": shares(run.rows),
        "peers": comparisons(peers) if peers is not None else NO_PEERS,
    }


def excerpt(run: Run[WallclockRow], published: Published, groups: Sequence[str]) -> str:
    """Show some groups of a run as the terminal would, with nothing to compare them with."""
    rows = tuple(row for row in run.rows if group_of(row.id) in groups)
    output = io.StringIO()
    console = Console(file=output, width=PIPED_WIDTH, highlight=False, emoji=False)
    print_table(console, msgspec.structs.replace(run, rows=rows), Earlier({}), published)
    return f"```text\n{output.getvalue()}```\n"


def environment(run: Run[WallclockRow]) -> str:
    """Say when and where a run was measured, first of all whether the machine was pinned and held still."""
    where = run.environment
    interpreter = where.interpreter
    build = f"{interpreter.implementation} {interpreter.version} ({', '.join(interpreter.flags)})"
    facts = (
        ("Date", f"{run.created:%Y-%m-%d %H:%M} UTC"),
        ("Commit", str(run.git)),
        ("CPU", f"{where.cpu}, {where.cores} cores, {where.architecture}"),
        ("Kernel", f"{where.system} {where.kernel}"),
        ("Governor", f"{where.governor}, clock boost {where.boost}"),
        ("ASLR", where.aslr),
        ("CPUs of the process", f"{cpu_text(where.affinity)}; isolated: {where.identity()['isolated']}"),
        ("Virtual machine", where.hypervisor),
        (
            "Interpreter",
            f"{build}, allocator {interpreter.allocator}, hash seed {interpreter.hash_seed}",
        ),
        *_cpu_time(run.cpu_share),
        ("Cyclic collector", run.collector),
        ("Libraries", _libraries(where)),
    )
    return f"{_pinning(where, f' {unsteady_text(run.rows)}.')}\n{pipe_table(('Fact', 'Value'), facts)}"


def published_group(group: str, rows: Sequence[WallclockRow], published: Published) -> str:
    """Set the rows of a group beside what was published for them."""
    cells = []
    for row in rows:
        if group_of(row.id) != group:
            continue
        for figure in published.of(row.id):
            source = published.source(row.id)
            cells.append(
                (
                    f"`{name_of(row.id)}`",
                    _per_second(row) if figure.is_rate else figures.duration(row.median_ns),
                    figures.duration(row.iqr_ns),
                    figure.text,
                    figures.factor(row.median_ns / figure.call_ns(row.items.count if row.items else 1)),
                    source.short,
                )
            )
    table = pipe_table(
        ("Bench", "Here", "IQR", "Published", "Here / published", "Published by"), cells, numbers=4
    )
    sources = source_lines((row for row in rows if group_of(row.id) == group), published)
    urls = dict.fromkeys(
        published.source(row.id).url
        for row in rows
        if group_of(row.id) == group and published.of(row.id) and published.source(row.id).url
    )
    lines = [f"{line[0].upper()}{line[1:]}" for line in sources] + [f"<{url}>" for url in urls]
    return table + "".join(f"\n{line}\n" for line in lines)


def extra(rows: Sequence[WallclockRow], published: Published) -> str:
    """List the rows for which nobody published a figure."""
    cells = [
        (
            f"`{row.id}`",
            figures.duration(row.median_ns),
            figures.duration(row.iqr_ns),
            figures.amount((row.items.count if row.items else 1) * 1e9 / row.median_ns)
            + (f" {row.items.unit}" if row.items else ""),
        )
        for row in sorted(rows, key=lambda row: group_of(row.id))
        if not published.of(row.id)
    ]
    return pipe_table(("Bench", "Median", "IQR", "Per second"), cells, numbers=3)


def _per_second(row: WallclockRow) -> str:
    count, unit = (row.items.count, row.items.unit) if row.items else (1, "calls")
    return f"{figures.amount(count * 1e9 / row.median_ns)} {unit}/s"


def shares(rows: Sequence[WallclockRow]) -> str:
    """Say how much of each pipeline its components explain."""
    found = explained(rows)
    cells = []
    for share in found:
        text = share_text(share)
        cells.append((f"`{share.id}`", text.median, text.explained, text.components))
    table = pipe_table(("Pipeline", "Median", "Explained", "Components"), cells, numbers=2)
    shared = "".join(f"- {line}\n" for line in shared_lines(found))
    return table + (f"\n{shared}" if shared else "")


def comparisons(run: Run[PeersRow]) -> str:
    """Show every recorded comparison, with its claims."""
    blocks = [measured_where(run)]
    for row in run.rows:
        cells = [
            (
                standing.name,
                "-" if standing.median_ns is None else figures.duration(standing.median_ns),
                "-" if standing.ratio is None else figures.factor(standing.ratio),
                standing.absent or quartiles(standing),
            )
            for standing in row.standings
        ]
        note = f"{row.note}\n\n" if row.note else ""
        table = pipe_table(("Contender", "Median", f"Per {row.reference}", "Quartiles"), cells, numbers=2)
        claims = "".join(f"- {claim.text}: {claim.outcome()}\n" for claim in row.claims)
        blocks.append(f"### {row.id}\n\n{note}{table}" + (f"\n{claims}" if claims else ""))
    return "\n".join(blocks)


def measured_where(run: Run[R], differ: str = DIFFER) -> str:
    """Say whether a record's machine was pinned, and when, of which commit and where it was measured.

    `differ` says how another run may differ where it was not.
    """
    where = run.environment
    when = (
        f"Measured {run.created:%Y-%m-%d %H:%M} UTC at {run.git} on {where.cpu}, "
        f"{where.interpreter.implementation} {where.interpreter.version}; {_libraries(where)}.\n"
    )
    return f"{_pinning(where, differ=differ)}\n{when}"


def _cpu_time(cpu_share: float | None) -> tuple[tuple[str, str], ...]:
    return () if cpu_share is None else (("CPU time", f"{cpu_share * 100:.0f} % of the time measured"),)


def _libraries(where: Environment) -> str:
    return ", ".join(f"{name} {version}" for name, version in where.libraries.items())


def _pinning(where: Environment, more: str = "", differ: str = DIFFER) -> str:
    if where.pinned:
        return f"Measured on a pinned machine.{more}\n"
    reasons = "; ".join(where.unpinned_because)
    return f"> **Not measured on a pinned machine** ({reasons}): {differ}.{more}\n"


def pipe_table(titles: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 0) -> str:
    """Write a table whose columns after the first, `numbers` of them, are aligned to the right."""
    rules = ["---", *(["---:"] * numbers), *(["---"] * (len(titles) - 1 - numbers))]
    lines = [titles, rules, *rows]
    return "".join(f"| {' | '.join(cell.replace('|', ESCAPED_PIPE) for cell in line)} |\n" for line in lines)
