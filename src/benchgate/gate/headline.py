"""What both views of a report say alike: the order of its rows, the headline, and sentences about them.

A sentence is made of parts, so that each view can show foreign text in its own safe way: `name` marks a name
and `prose` a reason that others wrote. Everything is computed from the rows and nothing is stored, so the
headline cannot say other than they do.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Literal

import msgspec

from benchgate.errors import EXIT_COULD_NOT_RUN, EXIT_COULD_NOT_TELL, EXIT_FAILED, EXIT_OK
from benchgate.figures import counted
from benchgate.gate.amounts import allocates_more, bound, number, share
from benchgate.gate.report import Cause, Kind, Report, Row

COMMIT_DIGITS = 12
"""What git takes for a commit in a repository of any size."""

_OWNED: tuple[Kind, ...] = ("this repository", "dependency")

EXIT_MEANING = {
    EXIT_OK: "nothing is slower",
    EXIT_FAILED: "something became slower",
    EXIT_COULD_NOT_RUN: "the gate could not run, or a bench fails",
    EXIT_COULD_NOT_TELL: "it could not tell about everything",
}


class Part(msgspec.Struct, frozen=True):
    """A piece of a sentence; only `words` and `strong` are our own."""

    text: str
    kind: Literal["words", "strong", "name", "prose"] = "words"


Sentence = tuple[Part, ...]


class Sorted(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of a report, each in one place, in the order in which they are shown."""

    failing: tuple[Row, ...]
    slower: tuple[Row, ...]
    untold: tuple[Row, ...]
    accepted: tuple[Row, ...]
    faster: tuple[Row, ...]
    new: tuple[Row, ...]
    removed: tuple[Row, ...]
    unchanged: tuple[Row, ...]

    @property
    def measured(self) -> tuple[Row, ...]:
        """The rows with figures of both sides, in order."""
        told = (*self.slower, *self.untold, *self.accepted, *self.faster, *self.unchanged)
        return tuple(row for row in told if row.base)

    @property
    def allocating(self) -> tuple[Row, ...]:
        """Those of the unchanged rows that allocate more blocks than at the base."""
        return tuple(row for row in self.unchanged if allocates_more(row))

    @property
    def changed(self) -> tuple[Row, ...]:
        """All but the unchanged rows, in order."""
        return (
            *self.failing,
            *self.slower,
            *self.untold,
            *self.accepted,
            *self.faster,
            *self.new,
            *self.removed,
        )


def words(text: str) -> Part:
    """Return our own words."""
    return Part(text)


def strong(text: str) -> Part:
    """Return our own words, which are to be seen first."""
    return Part(text, "strong")


def name(text: str) -> Part:
    """Return a name that others gave."""
    return Part(text, "name")


def prose(text: str) -> Part:
    """Return a sentence that others wrote."""
    return Part(text, "prose")


def sort_rows(report: Report) -> Sorted:
    """Put each row into its place; slower, untold and accepted ones worst first."""
    places: dict[str, list[Row]] = {field: [] for field in Sorted.__struct_fields__}
    for row in report.rows:
        places[_place(row)].append(row)
    for field in ("slower", "untold", "accepted"):
        places[field].sort(key=lambda row: (-(row.change or 0.0), row.id))
    places["faster"].sort(key=lambda row: (row.change or 0.0, row.id))
    return Sorted(**{field: tuple(rows) for field, rows in places.items()})


def by_cause(rows: Sequence[Row]) -> tuple[tuple[Row, ...], ...]:
    """Group rows whose first cause is the same function, in the order of each group's first row.

    A function of the interpreter or of the C library works for all that runs, so that rows which share no
    more than that have each a cause of their own. Before Python 3.12 nothing else may be known of them.
    """
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        own = row.causes and row.causes[0].kind in _OWNED
        key = (row.causes[0].name, row.causes[0].where) if own else (row.id,)
        groups.setdefault(key, []).append(row)
    return tuple(map(tuple, groups.values()))


def headline(report: Report) -> Sentence:
    """Say in one line whether the author must act, and name the worst row."""
    rows = sort_rows(report)
    said: list[Sentence] = []
    if report.failure:
        said.append((strong("The gate could not run"), words(": "), prose(report.failure)))
    if rows.failing:
        verb = "fails" if len(rows.failing) == 1 else "fail"
        said.append((strong(f"{counted(len(rows.failing), 'bench')} {verb}, please read."),))
        said.append((words("First: "), name(rows.failing[0].id)))
    if rows.slower:
        said.append((strong(f"{counted(len(rows.slower), 'row')} slower, please read."),))
        said.append(worst(rows.slower[0]))
    if rows.untold:
        first = rows.untold[0]
        why = (words(": "), prose(first.reason)) if first.reason else ()
        said.append((strong(f"Could not tell about {counted(len(rows.untold), 'row')}, please read."),))
        said.append((words("First: "), *_moved(first), *why))
    if not said:
        said += _calm(report, rows)
    said += _beside(rows)
    if report.selected and not report.failure:
        said.append((words(f"Only a selection was compared: {selection(report)}"),))
    return _joined(said)


def _beside(rows: Sorted) -> list[Sentence]:
    """Say how many rows are no reason to stop, but to look."""
    said: list[Sentence] = []
    if rows.accepted:
        count = f"{counted(len(rows.accepted), 'row')} accepted, worst: "
        said.append((words(count), *_moved(rows.accepted[0])))
    if rows.faster:
        count = f"{counted(len(rows.faster), 'row')} faster, most: "
        said.append((words(count), *_moved(rows.faster[0])))
    if rows.allocating:
        count = f"{counted(len(rows.allocating), 'row')} not slower but allocating more, first: "
        said.append((words(count), name(rows.allocating[0].id)))
    both = (("new", rows.new), ("removed", rows.removed))
    if there := ", ".join(counted(len(found), f"{what} row") for what, found in both if found):
        said.append((words(there),))
    return said


def worst(row: Row) -> Sentence:
    """Say which row became slower, by how much, and which function did it where that is known."""
    first = row.causes[0] if row.causes and row.causes[0].kind in _OWNED else None
    where = [words(" in "), name(first.where)] if first and first.where else []
    by = [words(", by "), name(first.name), *where] if first else []
    return (words("Worst: "), *_moved(row), *by)


def sides(report: Report) -> Sentence:
    """Say which commits were compared, so that an older comment is known as one; nothing without a base."""
    if not report.base:
        return ()
    head = f"{' with uncommitted changes' if report.head.dirty else ''} compared with "
    return (
        name(report.head.commit[:COMMIT_DIGITS]),
        words(head),
        name(report.base[:COMMIT_DIGITS]),
        words(", the merge base with "),
        name(report.asked),
        words("."),
    )


def selection(report: Report) -> str:
    """Say how many rows a selected run has, such as `5 of 83 rows`."""
    found = sum(row.state != "removed" for row in report.rows)
    return f"{found} of {counted(report.listed, 'row')}" if report.listed else counted(found, "row")


def verdict_of(row: Row) -> str:
    """Say a row's verdict and state in words."""
    told = [row.verdict] if row.verdict else []
    state = [row.state] if row.state != "compared" else []
    more = ["faster"] if row.faster else []
    return ", ".join((*state, *told, *more, *(["accepted"] if row.accepted else [])))


def cause(found: Cause) -> Sentence:
    """Say which function costs more, where it stands, whose it is and whether the change touches it."""
    touched = {
        True: "touched by this change, ",
        False: "not touched by this change, ",
        None: "not known whether this change touches it, " if found.kind == "this repository" else "",
    }[found.touched]
    where = [words(" in "), name(found.where)] if found.where else []
    return (name(found.name), *where, words(f": {found.kind}, {touched}{_costs(found)}"))


def environment_lines(report: Report) -> tuple[Sentence, ...]:
    """Say how it was measured, a line a fact."""
    head = [name(report.head.commit), words(" with uncommitted changes" if report.head.dirty else "")]
    lines: list[Sequence[Part]] = [
        [words("base: "), name(report.base), words(", the merge base with "), name(report.asked)]
        if report.base
        else [words("base: none was found for "), name(report.asked)],
        [words("head: "), *head],
        [words("passes: "), prose(_passes(report.passes))],
    ]
    where = report.environment
    if where is not None:
        python = where.interpreter
        lines.append([words("interpreter: "), name(f"{python.implementation} {python.version}")])
        if where.simulator is not None:
            counted_by = where.simulator
            lines += [
                [words("valgrind: "), name(counted_by.valgrind)],
                [words("presented CPU: "), name(counted_by.cpu)],
                [words("C library: "), name(counted_by.libc)],
            ]
        lines.append([words("address space randomisation: "), name(where.aslr)])
    lines.append([words("threshold: "), *_thresholds(report.rows)])
    changed = [part for line in report.libraries for part in (words(", "), name(line))][1:]
    lines.append([words("libraries altered: "), *(changed or [words("none")])])
    if report.selected:
        asked = [part for line in report.selected for part in (words(", "), name(line))][1:]
        lines.append([words(f"selected: {selection(report)}, by "), *asked])
    lines.append([words(f"begun {report.created:%Y-%m-%d %H:%M} UTC, took {report.seconds:,.0f} s")])
    return tuple(tuple(part for part in line if part.text) for line in lines)


def _place(row: Row) -> str:
    if row.state == "failing":
        return "failing"
    if row.verdict in {"slower", "could not tell"}:
        return "accepted" if row.accepted else "slower" if row.verdict == "slower" else "untold"
    if row.faster:
        return "faster"
    return row.state if row.state in {"new", "removed"} else "unchanged"


def _calm(report: Report, rows: Sorted) -> list[Sentence]:
    """Say that nothing is slower, or that nothing was there to be."""
    compared = [row for row in report.rows if row.change is not None]
    if not compared:
        there = () if rows.new or rows.removed else ((words("There are no rows"),),)
        return [(strong("Nothing was compared."),), *there]
    nothing = "Nothing slower but what is accepted" if rows.accepted else "Nothing slower"
    advice = "but see what was removed" if rows.removed else "no action needed"
    told = f"{counted(len(compared), 'row')} compared"
    largest = max((row.change for row in rows.unchanged if row.change is not None), key=abs, default=None)
    if largest is not None:
        told += f", largest change{' of the others' if rows.accepted or rows.faster else ''} {share(largest)}"
    return [(strong(f"{nothing}, {advice}."),), (words(told),)]


def _moved(row: Row) -> list[Part]:
    figure = "" if row.change is None else f" {share(row.change)} ({bound(row.error)})"
    return [name(row.id), *([words(figure)] if figure else [])]


def _joined(said: Iterable[Sentence]) -> Sentence:
    """Put sentences in a row, each with a full stop at its end."""
    parts: list[Part] = []
    for sentence in said:
        stop = "" if sentence[-1].text.endswith(".") else "."
        parts += [*([words(" ")] if parts else []), *sentence, *([words(stop)] if stop else [])]
    return tuple(parts)


def _costs(found: Cause) -> str:
    whole = "" if found.inclusive == found.own else f", {number(found.inclusive)} with all it calls"
    return f"{number(found.own)} instructions a call{whole}"


def _passes(passes: Sequence[str]) -> str:
    """Write the passes in order, those that repeat once."""
    runs = [(told, len(list(same))) for told, same in groupby(passes)]
    return ", ".join(told if count == 1 else f"{told} ({count} times)" for told, count in runs) or "none"


def _thresholds(rows: Iterable[Row]) -> list[Part]:
    counts: dict[float, int] = {}
    for row in rows:
        if row.threshold is not None:
            counts[row.threshold] = counts.get(row.threshold, 0) + 1
    told = [f"{bound(value)[2:]} % for {counted(count, 'row')}" for value, count in sorted(counts.items())]
    if len(told) > 4:
        least, most = min(counts), max(counts)
        return [words(f"between {bound(least)[2:]} % and {bound(most)[2:]} %, by row")]
    return [words(", ".join(told) or "none was needed")]
