"""The sections of a document that say how good the gate is: nothing here reads a file or measures.

What was found, what was missed and what could not be told are counted apart, so that a rate hides none of
them, and every case that a plant was sized for is listed with what was expected of it.
"""

import math
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise
from statistics import median

from benchgate.environment import Environment
from benchgate.escape import code, prose
from benchgate.figures import counted
from benchgate.gate.amounts import bound, percent, rate, share
from benchgate.gate.record import Case, NoOpResult, SelfTest, Spread, Steadiness
from benchgate.markdown import pipe_table
from benchgate.run import GitState

LISTED = 15
"""How many rows are listed, those with the widest spread first; a flagged row always is."""
MISSES = 30
"""How many cases that were not found are listed beside those that a plant was sized for."""

_SPREADS = (0.0, 0.00001, 0.0001, 0.001, 0.005)
_EXPECTED = (0.01, 0.03, 0.1)  # the sizes that are planted

Fact = tuple[str, str, str]
Groups = Iterable[tuple[str, Sequence[Case]]]


def steadiness(record: Steadiness) -> str:
    """Say how far counts of unchanged code lie apart."""
    seconds = f"{min(record.seconds):,.0f} to {max(record.seconds):,.0f} s each"
    intro = f"{record.runs} runs of the gate in a row, of a commit against itself: "
    cells = [(title, f"{said} {code(bench)}" if bench else said) for title, said, bench in facts(record)]
    rows = widest_first(record.rows)
    shown = [row for place, row in enumerate(rows) if place < LISTED or row.flagged]
    which = "All rows" if len(shown) == len(rows) else f"{len(shown)} of {len(rows)} rows"
    return _blocks(
        intro + _measured(record.environment, record.git, record.created, seconds) + ".",
        pipe_table(("Fact", "Value"), cells),
        "A spread is the distance between the largest and the smallest of the head's first counts of a row, "
        "as a share of their median.",
        pipe_table(("Spread", "Rows"), _spreads(record.rows), numbers=1),
        f"{which}, the widest spread first. *Within a run*: the largest difference of the two counts of the "
        "base in one run. *Flagged*: runs in which the verdict was slower, or could not tell.",
        pipe_table(
            ("Bench", "Instructions", "Spread", "Within a run", "Flagged"),
            (
                (
                    code(row.id),
                    f"{row.instructions:,.0f}",
                    percent(row.spread),
                    percent(row.base_spread),
                    f"{row.flagged}",
                )
                for row in shown
            ),
            numbers=4,
        ),
    )


def selftest(record: SelfTest) -> str:
    """Say what the gate finds of changes whose cost is known, and how often it is wrong about others."""
    sized = [case for case in record.all_cases if case.target]
    others = [case for case in record.all_cases if not case.target]
    intro = (
        "Work of known cost was planted into functions of copies of the repository, into the head for a "
        "slow-down and into the base for a speed-up; other changes cost nothing. The gate's own code plans, "
        "counts, judges and names causes; the base's counts are kept for all edits of a run. Measured at "
    )
    beside = (
        "The same plants also change rows for which they were not sized. By the change that is expected of "
        f"these; a row is flagged above {percent(record.threshold)}:"
    )
    missed = [
        case for case in others if abs(case.expected) > record.threshold and not case.found(record.threshold)
    ]
    return _blocks(
        intro + "; and at ".join(_part(part, alone=not record.earlier) for part in record.parts) + ".",
        _rates("Planted", _by_size(sized), record.threshold),
        *(
            (beside, _rates("Expected", _by_expected(others, record.threshold), record.threshold))
            if others
            else ()
        ),
        _accuracy(record.all_cases),
        _false_alarms(record.all_noops),
        *(("### Each planted change, by layer", _cases(_by_layer(sized), record.threshold)) if sized else ()),
        *(_missed(missed, record.threshold) if missed else ()),
        *(("### Changes that cost nothing", _noops(record.all_noops)) if record.all_noops else ()),
    )


def facts(record: Steadiness) -> tuple[Fact, ...]:
    """Return the summary of a record: what is told, the figure, and the bench that it is of, if of one."""
    verdicts = record.runs * len(record.rows)
    found: list[Fact] = [
        ("Rows compared", f"{len(record.rows):,} in each of {record.runs:,} runs", ""),
        ("Flagged", f"{record.flagged:,} of {verdicts:,} verdicts", ""),
    ]
    if record.rows:
        worst = widest_first(record.rows)[0]
        base = max(record.rows, key=lambda row: row.base_spread)
        found += [
            ("Median of the spreads", percent(median(row.spread for row in record.rows)), ""),
            ("Widest spread", percent(worst.spread), worst.id if worst.spread else ""),
            (
                "Widest difference of two base counts in a run",
                percent(base.base_spread),
                base.id if base.base_spread else "",
            ),
        ]
    return tuple(found)


def widest_first(rows: Iterable[Spread]) -> tuple[Spread, ...]:
    """Return the rows by their spread, then by that of the base."""
    return tuple(sorted(rows, key=lambda row: (-row.spread, -row.base_spread, row.id)))


def _measured(where: Environment, git: GitState, created: datetime, took: str) -> str:
    python = where.interpreter
    counter = where.simulator
    by = "" if counter is None else f", valgrind {counter.valgrind} as {counter.cpu}, {counter.libc}"
    return (
        f"{git}, {python.implementation} {python.version}{by}, ASLR {where.aslr}; "
        f"begun {created:%Y-%m-%d %H:%M} UTC, {took}"
    )


def _part(part: SelfTest, *, alone: bool) -> str:
    """Say where and when one self-test ran; what it did, where there are others beside it."""
    measured = _measured(part.environment, part.git, part.created, f"{part.seconds / 60:,.0f} minutes in all")
    if alone:
        return measured
    plants = list(dict.fromkeys(case.plant for case in part.cases))
    done = [", ".join(map(prose, plants))] if plants else []
    if changes := sum(not noop.is_beside for noop in part.noops):
        done.append(f"{counted(changes, 'change')} that cost nothing")
    return f"{measured} ({' and '.join(done)})"


def _spreads(rows: Sequence[Spread]) -> Iterable[tuple[str, str]]:
    """Count the rows by the size of their spread."""
    yield "none, equal to the instruction", f"{sum(row.spread == 0 for row in rows)}"
    for low, high in pairwise((*_SPREADS, math.inf)):
        most = "" if high == math.inf else f", up to {high * 100:g} %"
        yield f"above {low * 100:g} %{most}", f"{sum(low < row.spread <= high for row in rows)}"


def _by_size(cases: Sequence[Case]) -> Groups:
    """Group cases by what was planted, slow-downs first."""
    keys = sorted({(case.kind, case.size) for case in cases})
    for kind, size in keys:
        found = [case for case in cases if (case.kind, case.size) == (kind, size)]
        yield f"{kind} of {size * 100:g} %", found


def _by_expected(cases: Sequence[Case], threshold: float) -> Groups:
    """Group cases by the change that is expected, leaving out groups without one."""
    bounds = [0.0, threshold, *(bound for bound in _EXPECTED if bound > threshold), math.inf]
    for kind in sorted({case.kind for case in cases}):
        for low, high in pairwise(bounds):
            found = [case for case in cases if case.kind == kind and low <= abs(case.expected) < high]
            span = f"{low * 100:g} % or more" if high == math.inf else f"{low * 100:g} % to {high * 100:g} %"
            if found:
                yield f"{kind}, {span}", found


def _rates(title: str, groups: Groups, threshold: float) -> str:
    """Count, group by group, what was found, what could not be told and what was named."""
    cells = []
    for name, cases in groups:
        found = [case for case in cases if case.found(threshold)]
        untold = sum(case.verdict == "could not tell" for case in cases)
        cells.append(
            (
                name,
                f"{len(cases)}",
                rate(len(found), len(cases)),
                f"{untold}",
                f"{len(cases) - len(found) - untold}",
                rate(sum(case.right for case in found), len(found)),
            )
        )
    titles = (title, "Cases", "Found", "Could not tell", "Not found", "Right function named, of those found")
    return pipe_table(titles, cells, numbers=5)


def _accuracy(cases: Sequence[Case]) -> str:
    """Say how far the measured changes lie from the expected ones."""
    if not cases:
        return "Nothing was planted."
    apart = [abs(case.change - case.expected) for case in cases]
    worst = max(cases, key=lambda case: abs(case.change - case.expected))
    beyond = sum(distance > case.error for distance, case in zip(apart, cases, strict=True))
    return (
        f"The measured change lies {percent(median(apart))} of the base from the expected one in the median, "
        f"{percent(max(apart))} at most ({code(worst.row)}, {prose(worst.plant)}). In "
        f"{rate(beyond, len(cases))} cases that is more than the error beside it, which says how far counts "
        "lie apart and not how well the expected change is known."
    )


def _false_alarms(noops: Sequence[NoOpResult]) -> str:
    """Say how often the gate was wrong about changes that cost nothing."""
    if not noops:
        return "No change that costs nothing was tried."
    rows = sum(noop.rows for noop in noops)
    slower = sum(len(noop.flagged) for noop in noops)
    untold = sum(len(noop.untold) for noop in noops)
    beside = sum(noop.is_beside for noop in noops)
    largest = max(noop.largest for noop in noops)
    plants = f", and the rows beside {counted(beside, 'planted change')}" if beside else ""
    return (
        f"**False alarms**: {counted(len(noops) - beside, 'change')} that cost nothing{plants}: "
        f"{counted(rows, 'row')} compared, of these {slower:,} called slower and {untold:,} about which it "
        f"could not tell. The largest change that was measured is {percent(largest)}."
    )


def _by_layer(cases: Sequence[Case]) -> list[Case]:
    """Order cases by layer and plant, as these first come."""
    layers = list(dict.fromkeys(case.layer for case in cases))
    plants = list(dict.fromkeys((case.kind, case.plant) for case in cases))

    def place(case: Case) -> tuple[int, int, float, str]:
        return layers.index(case.layer), plants.index((case.kind, case.plant)), case.size, case.row

    return sorted(cases, key=place)


def _cases(cases: Iterable[Case], threshold: float) -> str:
    """List cases with what was expected of them."""
    titles = ("Layer and function", "Asked", "Expected", "Measured", "Verdict", "Named first", "Row")
    cells = (
        (
            f"{prose(case.layer)}: {code(case.planted)}",
            f"{case.size * (-100 if case.kind == 'speed-up' else 100):+g} %",
            share(case.expected),
            f"{share(case.change)} ({bound(case.error)})",
            _verdict(case, threshold),
            "it" if case.right else code(case.named) if case.named else "none",
            code(case.row),
        )
        for case in cases
    )
    return pipe_table(titles, cells, numbers=3)


def _missed(cases: Sequence[Case], threshold: float) -> tuple[str, str]:
    """List the cases that were not found, the largest expected change first."""
    ordered = sorted(cases, key=lambda case: (-abs(case.expected), case.row, case.plant, case.kind))
    which = f", the {MISSES} largest of them" if len(ordered) > MISSES else ""
    text = (
        "Not found among rows for which no plant was sized, though a change above the threshold is expected: "
        f"{counted(len(ordered), 'case')}{which}:"
    )
    return text, _cases(ordered[:MISSES], threshold)


def _verdict(case: Case, threshold: float) -> str:
    """Write the verdict as the gate's views do, and in bold what was not found."""
    if case.found(threshold):
        return "faster" if case.kind == "speed-up" else case.verdict
    return f"**{case.verdict}**"


def _noops(noops: Iterable[NoOpResult]) -> str:
    titles = ("Change", "Rows", "Largest change", "Slower", "Could not tell")
    cells = (
        (
            prose(noop.name),
            f"{noop.rows}",
            percent(noop.largest),
            ", ".join(map(code, noop.flagged)) or "none",
            ", ".join(map(code, noop.untold)) or "none",
        )
        for noop in noops
    )
    return pipe_table(titles, cells, numbers=2)


def _blocks(*blocks: str) -> str:
    return "\n".join(f"{block.rstrip()}\n" for block in blocks)
