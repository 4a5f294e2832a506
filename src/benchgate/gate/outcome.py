"""Make the rows of the report from what was planned and counted."""

import re

import msgspec

from benchgate.gate.attribution import Lookup, causes
from benchgate.gate.flamegraph import difference_svg, svg
from benchgate.gate.passes import Passes, Sample
from benchgate.gate.plan import Planned
from benchgate.gate.policy import Policy
from benchgate.gate.report import LONGEST, Cause, Flames, Memory, Row
from benchgate.gate.verdict import judged
from benchgate.rows import CountsRow

_LONGEST_STEM = 120

PICTURED = 10
"""How many rows get flame graphs, worst first."""


def rows(planned: Planned, passes: Passes, policy: Policy, lookup: Lookup) -> tuple[Row, ...]:
    """Return the row of every bench, in the order of their ids; those slower or untold have their causes."""
    plan = planned.plan
    found = [
        *planned.rows,
        *(_new(identity, passes.head[identity].row, planned) for identity in plan.new),
        *(_compared(identity, planned, passes, policy, lookup) for identity in (*plan.common, *plan.own)),
    ]
    slower = {row.id for row in found if row.verdict == "slower"}
    return tuple(
        msgspec.structs.replace(row, components=_moved(row, passes, slower))
        for row in sorted(found, key=lambda row: row.id)
    )


def pictures(row: Row, passes: Passes, number: int) -> tuple[Flames, dict[str, bytes]]:
    """Return the flame graphs of a row, their names, which begin with its number, and contents by name."""
    base, head = passes.base[row.id], passes.head[row.id]
    stem = re.sub(r"[^a-z0-9_]+", "-", row.id.lower()).strip("-")[:_LONGEST_STEM]  # the number tells it apart
    names = Flames(*(f"flames/{number:02}-{stem}.{side}.svg" for side in ("base", "head", "difference")))
    contents = (
        svg(base.profile, base.row.calls, f"{row.id}: base"),
        svg(head.profile, head.row.calls, f"{row.id}: head"),
        difference_svg(
            base.profile, base.row.calls, head.profile, head.row.calls, f"{row.id}: head less base"
        ),
    )
    return names, dict(zip((names.base, names.head, names.difference), contents, strict=True))


def _new(identity: str, head: CountsRow, planned: Planned) -> Row:
    return Row(
        id=identity,
        state="new",
        head=(head.instructions,),
        reason=planned.reasons.get(identity, ""),
        memory_head=_memory(head),
    )


def _compared(identity: str, planned: Planned, passes: Passes, policy: Policy, lookup: Lookup) -> Row:
    base, head = passes.base[identity], passes.head[identity]
    layouts = passes.layouts[identity]
    row = Row(
        id=identity,
        was=planned.renamed.get(identity, ""),
        state="compared",
        verdict="could not tell",
        base=tuple(figure for layout in layouts for figure in layout.base),
        head=tuple(figure for layout in layouts for figure in layout.head),
        reason=planned.reasons.get(identity, ""),
        memory_base=_memory(base.row),
        memory_head=_memory(head.row),
    )
    if passes.apart:
        return _reasoned(row, *passes.apart)
    threshold = policy.threshold_of(identity)
    found = judged(layouts, threshold)
    row = msgspec.structs.replace(
        row, verdict=found.verdict, change=found.change, error=found.error, threshold=threshold
    )
    entry = policy.accepted.get(identity)
    if entry is not None and found.verdict != "not slower":
        if found.change <= entry.limit:
            row = msgspec.structs.replace(row, accepted=entry.reason)
        else:
            row = _reasoned(row, f"accepted up to {entry.limit * 100:+.3g} % only")
    if found.verdict == "could not tell":
        apart = "its counts in other layouts of memory lie further apart than the change"
        row = _reasoned(row, apart if len(layouts) > 1 else "two counts of the same code differ too much")
    # The profiles are those of the first layout, which may have moved otherwise than the others.
    if abs(found.change) > threshold and found.change * layouts[0].change > 0:
        row = msgspec.structs.replace(row, causes=_causes(base, head, lookup))
    return row


def _reasoned(row: Row, *more: str) -> Row:
    """Return the row with further reasons, cut where a report would not be read back."""
    return msgspec.structs.replace(row, reason="; ".join(filter(None, (row.reason, *more)))[:LONGEST])


def _causes(base: Sample, head: Sample, lookup: Lookup) -> tuple[Cause, ...]:
    return causes(base.profile, base.row.calls, head.profile, head.row.calls, lookup=lookup)


def _moved(row: Row, passes: Passes, slower: set[str]) -> tuple[str, ...]:
    if row.id not in slower or row.id not in passes.head:
        return ()
    return tuple(part for part in passes.head[row.id].row.components if part in slower)


def _memory(row: CountsRow) -> Memory:
    return Memory(row.blocks, row.bytes, row.native_blocks)
