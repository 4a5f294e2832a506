"""What the author of a change can do next, for each kind of finding: sentences, and blocks to copy."""

import math
import re
import shlex
from collections.abc import Sequence
from datetime import timedelta

import msgspec

from benchgate import changelog
from benchgate.escape import quoted
from benchgate.gate import accepted, aliases, policy
from benchgate.gate.amounts import share
from benchgate.gate.headline import COMMIT_DIGITS, Part, Sentence, by_cause, name, sort_rows, words
from benchgate.gate.report import Report, Row
from benchgate.ids import group_of
from benchgate.terminal import plain

_FUNCTIONS = 3  # more would not be read
_COMMAND = 8  # ids in one command
_ENTRIES = 30
_HOLDS = timedelta(days=90)


class Step(msgspec.Struct, frozen=True):
    """One thing to do.

    Attributes:
        said: The sentence.
        block: Lines to copy, exactly.
        language: What they are: `toml` or `console`.
    """

    said: Sentence
    block: tuple[str, ...] = ()
    language: str = "console"


def steps(report: Report) -> tuple[Step, ...]:
    """Return what to do about a report; nothing where nothing needs to be done."""
    rows = sort_rows(report)
    return (
        *_after_failure(report),
        *_after_failing(rows.failing),
        *_after_slower(report, rows.slower),
        *_after_untold(report, rows.untold),
        *_after_removed(rows.removed, rows.new),
    )


def reproduction(report: Report, rows: Sequence[Row]) -> str:
    """Return the command that compares rows' groups on one's own machine, all of them where none is named."""
    base = report.base[:COMMIT_DIGITS] or report.asked
    # A bench alone has other neighbours in memory than in its group.
    groups = dict.fromkeys(f"{group_of(row.id)}/" for row in rows)
    return " ".join(("python -m nox -s gate --", *map(_argument, (base, *groups))))


def accepted_entry(report: Report, row: Row) -> tuple[str, ...]:
    """Return the entry that accepts a row's change, with a limit just above what was measured."""
    most = ((row.change or 0.0) + (row.error or 0.0)) * 100
    limit = min(math.ceil(most * 10 + 0.5) / 10, float(accepted.MOST_PERCENT))
    return (
        "[[accepted]]",
        f"id = {quoted(row.id)}",
        f"limit_percent = {limit:.1f}",
        f"reason = {quoted(accepted.PLACEHOLDER)}",
        f"expires = {(report.created + _HOLDS).date().isoformat()}",
    )


def _after_failure(report: Report) -> tuple[Step, ...]:
    said = "Mend what stopped the gate and run it again; nothing is known about speed until then."
    return (Step((words(said),)),) if report.failure else ()


def _after_failing(rows: Sequence[Row]) -> tuple[Step, ...]:
    if not rows:
        return ()
    command = " ".join(("python -m nox -s bench --", *(_argument(row.id) for row in rows[:_COMMAND])))
    return (Step((words("Run what fails and mend it; a bench that fails has no figure:"),), (command,)),)


def _after_slower(report: Report, rows: Sequence[Row]) -> tuple[Step, ...]:
    if not rows:
        return ()
    groups = by_cause(rows)
    nameless = () if _names_functions(report) else tuple(group for group in groups if _is_interpreter(group))
    named = [group for group in groups if group not in nameless]
    found = [Step(_look(group)) for group in named[:_FUNCTIONS]]
    if len(named) > _FUNCTIONS:
        found.append(
            Step((words(f"Then at the other causes in the table, {len(named) - _FUNCTIONS:,} more."),))
        )
    if nameless:
        found.append(Step(_ask_for_names(nameless)))
    offered = rows[:_ENTRIES]
    which = "" if len(offered) == len(rows) else f", and so on for {len(rows) - len(offered):,} more"
    entry = (
        words("If the cost is wanted, say why and until when in "),
        name(str(accepted.PATH)),
        words(f", in the same change, for each row that may have it{which}:"),
    )
    entries = [line for row in offered for line in ("", *accepted_entry(report, row))][1:]
    return (
        *found,
        Step((words("See it on a Linux of your own:"),), (reproduction(report, rows[:_COMMAND]),)),
        Step(entry, tuple(entries), "toml"),
    )


def _names_functions(report: Report) -> bool:
    """Whether it was counted by a Python that tells which of its functions runs."""
    where = report.environment
    return where is None or not re.match(r"3\.(?:[0-9]|1[01])(?!\d)", where.interpreter.version)


def _is_interpreter(group: Sequence[Row]) -> bool:
    return bool(group[0].causes) and group[0].causes[0].kind == "interpreter"


def _ask_for_names(groups: Sequence[Sequence[Row]]) -> Sentence:
    """Say how to know which Python functions are behind rows that the interpreter's loop slows."""
    more = len(groups) - 1
    return (
        words("Run the gate on Python 3.12 or later, which names the Python functions that slow "),
        name(groups[0][0].id),
        words(
            f" ({share(groups[0][0].change)}){f' and {more:,} more' if more else ''}: here they are all the "
        ),
        words("interpreter's."),
    )


def _look(group: Sequence[Row]) -> Sentence:
    worst, *others = group
    figure = words(f" ({share(worst.change)})")
    if not worst.causes:
        flames = " The flame graph of the difference shows where it went." if worst.flames else ""
        return (words("No function stands out in "), name(worst.id), figure, words(f".{flames}"))
    first = worst.causes[0]
    where: list[Part] = [name(first.where), words(", ")] if first.where else []
    rows = [name(worst.id), figure, words(f" and {len(others):,} more" if others else "")]
    untouched = " The change does not touch it: look at who calls it, and with what."
    advice = {
        "this repository": untouched if first.touched is False else "",
        "dependency": " It is not this repository's: look at the libraries altered, or at who calls it.",
        "interpreter": " It is the interpreter's: look at what the change gives it to do.",
        "allocator or libc": " It is the allocator's or the C library's: look at what the change allocates.",
    }[first.kind]
    return (words("Look at "), *where, name(first.name), words(", which slows "), *rows, words(f".{advice}"))


def _after_untold(report: Report, rows: Sequence[Row]) -> tuple[Step, ...]:
    if not rows:
        return ()
    uncertain = [row for row in rows if row.change is not None]
    found = []
    if uncertain:
        found.append(
            Step(
                (words("Compare the rows that could not be told again, alone:"),),
                (reproduction(report, uncertain[:_COMMAND]),),
            )
        )
        found.append(
            Step(
                (
                    words("If a row stays within its error, unrelated changes move it as far. "),
                    words("Give it a threshold of its own then, with the reason, in "),
                    name("[[tool.benchgate.override]]"),
                    words(" of "),
                    name(str(policy.PATH)),
                    words("."),
                )
            )
        )
    if len(uncertain) < len(rows):
        found.append(Step((words("Rows without figures: mend what is named beside them, then run again."),)))
    return tuple(found)


def _after_removed(removed: Sequence[Row], new: Sequence[Row]) -> tuple[Step, ...]:
    if not removed:
        return ()
    said = (
        words("Of each removed row: was it renamed, keep its history in "),
        name(str(aliases.PATH)),
        words("; is it gone for good, say so under "),
        name(changelog.CHANGED_BENCHES),
        words(" of "),
        name(str(changelog.PATH)),
        words("." if not new else ". A rename looks like this:"),
    )
    entry = ("[aliases]", f"{quoted(new[0].id)} = {quoted(removed[0].id)}") if new else ()
    return (Step(said, entry, "toml"),)


def _argument(text: str) -> str:
    return shlex.quote(plain(text))
