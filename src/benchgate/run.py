"""The record of one run: when, where, of which commit, and its rows. One JSON file each.

All kinds of measurement share the record and differ in their rows. A file is written whole or not at all,
and refused on reading when it is truncated, of another schema or of another kind.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Generic, Literal, Protocol, TypeVar

import msgspec

from benchgate.environment import UNKNOWN, Environment
from benchgate.errors import CouldNotRun, OtherEnvironment, Unreadable
from benchgate.files import write_whole
from benchgate.git import git
from benchgate.rows import Positive
from benchgate.stored import decoded, require_utc

SCHEMA = 1

OUTPUTS = (
    Path("benches/baseline.json"),
    Path("benches/peers.json"),
    Path("benches/latency.json"),
    Path("benches/steadiness.json"),
    Path("benches/selftest.json"),
    Path("benches/gate_example.json"),
    Path("BENCHMARKS.md"),
    Path("BENCHMARKING.md"),
    Path("README.md"),
)
"""What measuring writes into the working tree, which does not make a run one of other code."""


class Identified(Protocol):
    """A row: whatever else it holds, it has the id of a bench."""

    @property
    def id(self) -> str:
        """The bench id."""


R = TypeVar("R", bound=Identified)


class GitState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The commit that was measured; `commit` is empty outside a repository, `UNKNOWN` when git cannot be run.

    Attributes:
        dirty: Whether the working tree had changes, or files unknown to git, other than `OUTPUTS`.
    """

    commit: str
    dirty: bool

    @classmethod
    def read(cls, root: Path) -> "GitState":
        """Ask git about the working tree at `root`."""
        try:
            head = git(root, "rev-parse", "HEAD")
            return cls("", dirty=False) if head.code else cls(head.text, bool(local_changes(root)))
        except CouldNotRun:
            return cls(UNKNOWN, dirty=False)

    def __str__(self) -> str:
        """Show the commit in short, and whether it stands alone."""
        if not self.commit:
            return "no commit"
        if self.commit == UNKNOWN:
            return "commit unknown, git cannot be run"
        return f"{self.commit[:10]} with local changes" if self.dirty else self.commit[:10]


def local_changes(root: Path) -> tuple[str, ...]:
    """Return the files below `root` that differ from the commit or are unknown to git, `OUTPUTS` left out.

    There are none outside a repository. A file name that is not text shows U+FFFD where it is not.

    Raises:
        CouldNotRun: git cannot be run, or refuses to look.
    """
    others = [f":(exclude){path}" for path in OUTPUTS]
    answer = git(root, "status", "--porcelain", "-z", "--no-renames", "-uall", "--", ".", *others)
    if answer.code and not git(root, "rev-parse", "--is-inside-work-tree").code:
        raise CouldNotRun(f"git status: {answer.reason}")
    found = "" if answer.code else answer.out.decode("utf-8", "replace")
    return tuple(entry[3:] for entry in found.split("\0") if entry)


_MOST_NAMED = 20  # a folder that should be ignored has a thousand files


def require_committed(root: Path, what: str) -> None:
    """Check that the working tree is a commit; `what` names the record that is to be of one.

    Raises:
        CouldNotRun: It is not, with the files that differ, or git cannot tell.
    """
    try:
        changed = local_changes(root)
    except CouldNotRun as fault:
        raise CouldNotRun(f"{what} is of a commit, and {fault}") from None
    if changed:
        shown = changed if len(changed) <= _MOST_NAMED else (*changed[:_MOST_NAMED], "and more")
        raise CouldNotRun(f"{what} is of a commit: commit these files first, or remove them", shown)


class Failure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bench, or a file of benches, without a figure; the reason is one line."""

    id: str
    reason: str


class Run(
    msgspec.Struct, Generic[R], frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """One run.

    Attributes:
        schema: The version of this layout, `SCHEMA` for what this code writes.
        kind: What was measured: `wallclock`, `regions`, `allocations`, `counts`, `peers`
            or `latency`.
        created: When the run began, in UTC.
        collector: The state of the cyclic collector during every measurement of the run.
        rows: The figures, one row a bench, in the order in which they were measured.
        failures: What was to be measured and was not.
        pace: How long each row was measured, `full` or `quick`; None when it was not by wall clock.
        cpu_share: This process's CPU time over the time that passed in the measured rounds; None as well.
    """

    schema: int
    kind: str
    created: datetime
    environment: Environment
    git: GitState
    collector: str
    rows: tuple[R, ...]
    failures: tuple[Failure, ...] = ()
    pace: Literal["full", "quick"] | None = None
    cpu_share: Positive | None = None

    def __post_init__(self) -> None:
        """Check what the types do not say."""
        require_utc(self.created)
        if len({row.id for row in self.rows}) != len(self.rows):
            raise ValueError("rows: expected each id once")


def save(run: Run[R], path: Path) -> None:
    """Write `run` to `path`, whole or not at all."""
    write_whole(path, msgspec.json.format(msgspec.json.encode(run), indent=1) + b"\n")


def load(path: Path, kind: str, row_type: type[R]) -> Run[R]:
    """Read a run of the given kind.

    Raises:
        Unreadable: There is no such file, it cannot be read, it is truncated, of another schema, of another
            kind, or its fields do not fit.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise Unreadable(f"{path}: no such file") from None
    except OSError as fault:
        raise Unreadable(f"{path}: {fault.strerror}") from None
    # The row type is known at run time only.
    of: type[Run[R]] = Run[row_type]  # type: ignore[valid-type]  # as said
    return decoded(content, path, of, schema=SCHEMA, noun="a run", kind=kind)


def require_same_machine(base: Run[R], head: Run[R]) -> None:
    """Refuse to compare runs whose figures differ for reasons outside the code.

    Raises:
        OtherEnvironment: The machine keys differ; the faults name the facts that do.
    """
    if base.environment.machine_key != head.environment.machine_key:
        differences = base.environment.differences(head.environment)
        raise OtherEnvironment(f"the runs cannot be compared: {'; '.join(differences)}", differences)


def utc_now() -> datetime:
    """Return the time for a new run, to the millisecond."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)
