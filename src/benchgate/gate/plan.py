"""Decide how each bench of head and base is counted, from what the surveys of both found.

Nothing is dropped: a bench that cannot be counted on both sides becomes a row that says why.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

import msgspec

from benchgate import ids
from benchgate.errors import CouldNotRun, Incomplete
from benchgate.gate.passes import Plan, Sides
from benchgate.gate.report import Row
from benchgate.ids import group_of, path_of
from benchgate.selection import select
from benchgate.survey import Sources, Survey

_RUNS_THERE = "the base has no bench of this name, and was measured with the head's"
_NEW_NEEDS = "the base cannot run it: "
_ABSENT = "no bench of this name is found there"
_LONGEST_REASON = 1000


class Planned(msgspec.Struct, frozen=True):
    """How benches are counted, and the rows of those that are not.

    Attributes:
        plan: Those that are.
        rows: Rows without figures: failing, removed, and those about which it cannot be told.
        renamed: By the id at the head, the former id.
        reasons: By id, what must be known about a row that is counted.
        listed: How many benches the head has.
        surveys: What was found, by where it was looked for.
    """

    plan: Plan
    rows: tuple[Row, ...]
    renamed: Mapping[str, str]
    reasons: Mapping[str, str]
    listed: int
    surveys: Mapping[Sources, Survey] = msgspec.field(default_factory=dict)


def planned(
    sides: Sides,
    selected: Collection[str],
    aliases: Mapping[str, str],
    survey: Callable[[Sources, Sequence[str]], Survey],
) -> Planned:
    """Survey both sides and plan what is counted.

    `selected` holds beginnings of ids and patterns; without any, all benches are meant. `survey` takes the
    sources and a selection.

    Raises:
        Incomplete: The head's benches are not those that its list names, or it names none.
        NoMatch: A selection names no bench.
        CouldNotRun: The head's benches cannot even be looked for.
        Unreadable: The head's list of ids is missing or damaged.
    """
    listed = ids.listed(sides.head.benches / ids.LIST_PATH)
    if not listed:
        raise Incomplete(
            f"{ids.LIST_PATH} lists no bench: there is nothing to compare; `nox -s ids` makes it"
        )
    wanted = tuple(selected)
    chosen = select(listed, wanted)
    surveys: dict[Sources, Survey] = {}

    def look(sources: Sources, wanted: Sequence[str]) -> Survey:
        surveys[sources] = survey(sources, wanted)
        return surveys[sources]

    head = look(sides.head, wanted)
    failures = _failures(head, listed)
    differing = (
        *ids.differences(listed, {*head.ids, *failures}, "the benches"),
        *(
            f"{failure.id} is not listed in {ids.LIST_PATH} and fails: {failure.reason}"
            for failure in head.failures
            if not _stands_for(failure.id, listed)
        ),
    )
    if differing:
        raise Incomplete(f"{ids.LIST_PATH} and the benches differ; `nox -s ids` mends it", differing)
    base_listed = ids.once_listed(sides.base_own.benches / ids.LIST_PATH)
    # Once the base has the new name, too, the alias has done its work.
    former = {
        identity: identity if identity in base_listed else aliases.get(identity, identity)
        for identity in listed
    }
    known = {identity for identity in chosen if former[identity] in base_listed}
    rows = [
        Row(
            id=identity,
            was=_was(identity, former[identity]) if identity in known else "",
            state="failing",
            reason=failures[identity],
        )
        for identity in chosen
        if identity in failures
    ]
    working = [identity for identity in chosen if identity not in failures]

    base_runs, base_failures = _found_at_base(sides.base, wanted, chosen, look)
    broken = [identity for identity in working if identity not in base_runs]
    own: dict[str, str] = {}
    reasons: dict[str, str] = {}
    new: list[str] = []
    runs: frozenset[str] = frozenset()
    own_failures: dict[str, str] = {}
    if any(identity in known for identity in broken):
        # Its ids may be others.
        runs, own_failures = _found_at_base(sides.base_own, (), base_listed, look)
    for identity in broken:
        was = former[identity]
        if identity not in known:
            new.append(identity)
            reasons[identity] = _NEW_NEEDS + base_failures[identity]
        elif was in runs:
            own[identity] = was
            reasons[identity] = "the base ran it from its own file, which differs from the head's"
        else:
            reason = f"it fails at the base: {own_failures.get(was, base_failures[identity])}"
            rows.append(
                Row(
                    id=identity,
                    was=_was(identity, was),
                    state="compared",
                    verdict="could not tell",
                    reason=reason,
                )
            )
    common = tuple(identity for identity in working if identity in base_runs)
    gone = sorted(set(base_listed) - set(listed) - set(former.values()))
    rows += [
        Row(id=identity, state="removed")
        for identity in gone
        if not wanted or identity in select((*listed, *gone), wanted)
    ]
    renamed = {identity: was for identity, was in former.items() if was != identity and identity in known}
    fresh = {identity for identity in common if identity not in known}
    reasons |= dict.fromkeys(fresh, _RUNS_THERE)
    return Planned(Plan(common, own, tuple(new)), tuple(rows), renamed, reasons, len(listed), surveys)


def _found_at_base(
    sources: Sources,
    wanted: Sequence[str],
    chosen: Collection[str],
    survey: Callable[[Sources, Sequence[str]], Survey],
) -> tuple[frozenset[str], dict[str, str]]:
    """Return which of the chosen benches the base runs, and why it does not run the others.

    Benches that cannot even be looked for there, as when their conftest.py needs what the base lacks, fail
    there all together.
    """
    try:
        found = survey(sources, wanted)
    except CouldNotRun as fault:
        last = (line.removeprefix("E ").strip() for line in fault.faults[-1:])
        reason = ": ".join((str(fault), *last))
        return frozenset(), dict.fromkeys(chosen, reason[:_LONGEST_REASON])
    runs = frozenset(row.id for row in found.run.rows)
    failures = _failures(found, chosen)
    absent = {identity: _ABSENT for identity in chosen if identity not in runs and identity not in failures}
    return runs, failures | absent


def _failures(survey: Survey, listed: Collection[str]) -> dict[str, str]:
    """Return why benches fail; a file that cannot be imported fails all that it should have."""
    failures = {failure.id: failure.reason for failure in survey.failures}
    for identity in listed:
        path = str(path_of(group_of(identity)))
        if path in failures:
            failures[identity] = f"{path} cannot be imported: {failures[path]}"
    return {name: reason[:_LONGEST_REASON] for name, reason in failures.items() if name in listed}


def _stands_for(name: str, listed: Collection[str]) -> bool:
    """Say whether a failure is of a listed bench, or of a file of listed benches."""
    return any(name in {identity, str(path_of(group_of(identity)))} for identity in listed)


def _was(identity: str, was: str) -> str:
    return was if was != identity else ""
