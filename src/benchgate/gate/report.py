"""The report of the gate: what was compared, each row's verdict and its causes. One JSON file.

Everything that is shown (comment, job summary, terminal) is made from this record and nothing else, and the
headline, the verdict and the exit code are computed from its rows, so that they cannot contradict them.

The record of a pull request comes from code that nobody has reviewed: `load` takes what fits the types and
the bounds here, and whoever shows a text escapes it.
"""

from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from benchgate.environment import Environment
from benchgate.errors import EXIT_COULD_NOT_RUN, EXIT_COULD_NOT_TELL, EXIT_FAILED, EXIT_OK, Unreadable
from benchgate.files import write_whole
from benchgate.rows import Positive
from benchgate.run import GitState
from benchgate.stored import decoded, require_utc

SCHEMA = 1
FOLDER = Path("results/gate")
PREVIOUS = "gate-previous"
"""The folder beside it to which an earlier report is moved."""
REPORT = "report.json"
COMMENT = "comment.md"
MAX_BYTES = 4_000_000
"""The largest report that is read: some thousand rows."""

Verdict = Literal["slower", "not slower", "could not tell"]
State = Literal["compared", "new", "removed", "failing"]
Kind = Literal["this repository", "dependency", "interpreter", "allocator or libc"]

LONGEST = 2000
Line = Annotated[str, msgspec.Meta(max_length=LONGEST)]
Finite = Annotated[float, msgspec.Meta(ge=-1e18, le=1e18)]


class Cause(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A function whose cost differs between base and head.

    Attributes:
        name: The qualified name of a Python function, or a C function's symbol.
        where: File and line below the repository, the file of a dependency, or the name of a shared object.
        kind: Whose code it is.
        own: By how many instructions it costs more in one call of the bench, negative for less: of a Python
            function with the C functions that work for it, of a C function by itself.
        inclusive: The same with all that it calls.
        touched: Whether the change touches its lines; None where that cannot be known.
    """

    name: Line
    where: Line
    kind: Kind
    own: Finite
    inclusive: Finite
    touched: bool | None = None


class Memory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one call allocates, see `benchgate.rows.CountsRow`."""

    blocks: Finite
    bytes: Finite
    native: Finite


class Flames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Three pictures, by their paths relative to the report's folder."""

    base: Line
    head: Line
    difference: Line


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One bench.

    Attributes:
        id: Its id at the head; at the base for a removed one.
        was: Its id at the base, where the file of aliases says that it was renamed.
        state: `compared` when there are figures of both sides; `new`: the base has no such bench; `removed`:
            the head has none; `failing`: it fails at the head.
        verdict: None unless the base has or had the bench.
        base: The instructions of one call at the base, a figure for each pass in which it was counted.
        head: The same at the head.
        change: How much more the head costs, as a share of the base: 0.012 for 1.2 % more.
        error: How far counts of it lie apart, repeated or in other layouts of memory, either way, as a share
            of the base.
        threshold: Above which `change` counts.
        reason: Why it could not be told, why it fails, or what else must be known, in one line.
        accepted: The reason that benches/accepted.toml gives for a change within its limit.
        memory_base: What a call allocates at the base; None where it was not counted.
        memory_head: The same at the head.
        causes: The functions that account for the change, those with the largest share first.
        components: The ids of the row's components that changed in the same direction.
        flames: Flame graphs of base, head and difference, for a row that was looked into.
    """

    id: Line
    was: Line = ""
    state: State
    verdict: Verdict | None = None
    base: tuple[Positive, ...] = ()
    head: tuple[Positive, ...] = ()
    change: Finite | None = None
    error: Finite | None = None
    threshold: Finite | None = None
    reason: Line = ""
    accepted: Line = ""
    memory_base: Memory | None = None
    memory_head: Memory | None = None
    causes: tuple[Cause, ...] = ()
    components: tuple[Line, ...] = ()
    flames: Flames | None = None

    @property
    def faster(self) -> bool:
        """Whether it became faster beyond error and threshold."""
        return (
            self.change is not None
            and self.error is not None
            and self.threshold is not None
            and self.verdict == "not slower"
            and -self.change > max(self.error, self.threshold)
        )


class Report(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one run of the gate found.

    Attributes:
        schema: The version of this layout.
        created: When the run began, in UTC.
        seconds: How long it took.
        asked: What was asked to be compared with: a branch, a tag or a commit.
        base: The commit that was compared with, the merge base; empty when it could not be found.
        head: The commit measured, and whether with uncommitted changes.
        environment: Where it was counted; None when it did not come to that.
        passes: What was counted, in this order: `base`, `head`, `base again`, ...
        libraries: The locked versions that the change alters, such as `msgspec 0.22.0 -> 0.23.0`.
        packages: A digest of all that was installed beside the head; empty where it is not known.
        notices: What a reader must know beside the rows: entries of the policy that are expired or unused.
        selected: What the run was restricted to; empty for all benches.
        listed: How many benches the head lists, 0 where that is not known.
        rows: Every bench of either side, in the order of their ids.
        failure: Why the gate could not run, in one line; empty when it ran.
        faults: The single faults behind that.
    """

    schema: int = SCHEMA
    created: datetime
    seconds: Positive
    asked: Line
    base: Line
    head: GitState
    environment: Environment | None = None
    passes: tuple[Line, ...] = ()
    libraries: tuple[Line, ...] = ()
    packages: Line = ""
    notices: tuple[Line, ...] = ()
    selected: tuple[Line, ...] = ()
    listed: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0
    rows: tuple[Row, ...] = ()
    failure: Line = ""
    faults: tuple[Line, ...] = ()

    def __post_init__(self) -> None:
        """Check what the types do not say."""
        require_utc(self.created)
        if len({row.id for row in self.rows}) != len(self.rows):
            raise ValueError("rows: expected each id once")
        for row in self.rows:
            compared = (row.change, row.error, row.threshold)
            if row.state == "compared" and row.verdict is None:
                raise ValueError(f"{row.id}: verdict: expected one for a compared row, got none")
            if row.verdict in {"slower", "not slower"} and None in compared:
                raise ValueError(f"{row.id}: expected change, error and threshold, got {compared}")

    @property
    def slower(self) -> tuple[Row, ...]:
        """The rows that became slower, worst first; those that are accepted are not among them."""
        return self._worst_first("slower")

    @property
    def untold(self) -> tuple[Row, ...]:
        """The rows about which it could not be told, worst first."""
        return self._worst_first("could not tell")

    @property
    def failing(self) -> tuple[Row, ...]:
        """The benches that fail at the head."""
        return tuple(row for row in self.rows if row.state == "failing")

    @property
    def exit_code(self) -> int:
        """2 when it could not run or a bench fails, else 1 when something is slower, 3 untold, or 0.

        It could not be told either when nothing at all was compared: a gate that ran nothing has not passed.
        """
        if self.failure or self.failing:
            return EXIT_COULD_NOT_RUN
        if self.slower:
            return EXIT_FAILED
        compared = any(row.state == "compared" for row in self.rows)
        return EXIT_OK if compared and not self.untold else EXIT_COULD_NOT_TELL

    def _worst_first(self, verdict: Verdict) -> tuple[Row, ...]:
        rows = (row for row in self.rows if row.verdict == verdict and not row.accepted)
        return tuple(sorted(rows, key=lambda row: (-(row.change or 0.0), row.id)))


def save(report: Report, path: Path) -> None:
    """Write `report` to `path`, whole or not at all."""
    write_whole(path, encoded(report))


def encoded(report: Report) -> bytes:
    """Return the content of a report's file."""
    return msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n"


def load(path: Path) -> Report:
    """Read a report that anyone may have written.

    Raises:
        Unreadable: There is no such file, it is larger than `MAX_BYTES`, truncated, of another schema, or
            its fields do not fit.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as fault:
        raise Unreadable(f"{path}: {fault.strerror}") from None
    if len(content) > MAX_BYTES:
        raise Unreadable(f"{path}: expected at most {MAX_BYTES} bytes, got more")
    return decoded(content, path, Report, schema=SCHEMA, noun="a report")
