"""The record of one night: what each of its measured passes found for each row. One JSON object.

A night is written where it was measured and read where it is kept, which may be another machine with other
rights: `decode` takes what fits the types and the bounds here. Whoever shows a text escapes it.
"""

import math
import statistics
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from benchgate.environment import Environment
from benchgate.errors import CouldNotTell, Unreadable
from benchgate.files import write_whole
from benchgate.rows import Count, Positive, WallclockRow
from benchgate.run import Failure, GitState, Run
from benchgate.terminal import plain

SCHEMA = 1
FOLDER = Path("results/nightly")
NIGHT, RUN, SUMMARY = "night.json", "run.json", "summary.md"
PASSES = 3
"""The measured passes of a night: with three, one that was disturbed does not move the median."""

MAX_BYTES = 2_000_000
"""The largest record that is read: some ten thousand rows."""

_DIGITS = 6  # a pass repeats itself to three at best

Line = Annotated[str, msgspec.Meta(max_length=500)]


class Figure(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What one pass found for a row, in nanoseconds of one call: `[median, p25, p75, rounds]`."""

    median_ns: Positive
    p25_ns: Positive
    p75_ns: Positive
    rounds: Count


class NightRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row's figures, one for each pass."""

    id: Line
    passes: tuple[Figure, ...]

    @property
    def median_ns(self) -> float:
        """The night's figure: the median of the passes' medians."""
        return statistics.median(figure.median_ns for figure in self.passes)

    @property
    def spread(self) -> float:
        """The distance between the passes' highest and lowest medians, as a share of the night's figure."""
        medians = [figure.median_ns for figure in self.passes]
        return (max(medians) - min(medians)) / self.median_ns


class Pass(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When a pass began, in UTC, and which share of a CPU its process had while measuring."""

    created: datetime
    cpu_share: Positive | None


class Night(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One night.

    Attributes:
        schema: The version of this layout.
        git: The commit that was measured.
        environment: Where it was measured.
        pace: How long each row was measured.
        passes: The measured passes, in their order; the warm-up pass is not among them.
        rows: The rows that have a figure of every pass.
        failures: The benches that failed, or have no figure of some pass.
    """

    schema: int
    git: GitState
    environment: Environment
    pace: Literal["full", "quick"]
    passes: tuple[Pass, ...]
    rows: tuple[NightRow, ...]
    failures: tuple[Failure, ...] = ()

    def __post_init__(self) -> None:
        """Check what the types do not say."""
        if self.schema != SCHEMA:
            raise ValueError(f"schema: expected {SCHEMA}, got {self.schema}")
        if len(self.passes) != PASSES:
            raise ValueError(f"passes: expected {PASSES}, got {len(self.passes)}")
        if any(one.created.utcoffset() != timedelta(0) for one in self.passes):
            raise ValueError("passes: expected times in UTC")
        if len({row.id for row in self.rows}) != len(self.rows):
            raise ValueError("rows: expected each id once")
        for row in self.rows:
            if len(row.passes) != PASSES:
                raise ValueError(f"{row.id}: passes: expected {PASSES} figures, got {len(row.passes)}")
            if not all(figure.p25_ns <= figure.median_ns <= figure.p75_ns for figure in row.passes):
                raise ValueError(f"{row.id}: passes: expected medians between their quartiles")

    @property
    def created(self) -> datetime:
        """When the first measured pass began."""
        return self.passes[0].created


def of_passes(runs: Sequence[Run[WallclockRow]]) -> Night:
    """Make the record of a night from its measured passes.

    Raises:
        CouldNotTell: The passes are of different commits or environments.
    """
    first = runs[0]
    for run in runs:
        if run.environment != first.environment:
            differing = first.environment.differences(run.environment) or ("a fact or a library",)
            raise CouldNotTell("the passes are not of one environment", differing)
        if run.git != first.git:
            raise CouldNotTell(f"the passes are not of one commit: {first.git} and {run.git}")
    rows = [{row.id: row for row in run.rows} for run in runs]
    reasons = {failure.id: failure.reason for run in reversed(runs) for failure in run.failures}
    for identity in dict.fromkeys(identity for found in rows for identity in found):
        seen = sum(identity in found for found in rows)
        if seen < len(runs):
            reasons.setdefault(identity, f"measured in {seen} of {len(runs)} passes")
    return Night(
        schema=SCHEMA,
        git=first.git,
        environment=first.environment,
        pace=first.pace or "full",
        passes=tuple(Pass(run.created, run.cpu_share) for run in runs),
        rows=tuple(
            NightRow(identity, tuple(figure_of(found[identity]) for found in rows))
            for identity in rows[0]
            if all(identity in found for found in rows)
        ),
        failures=tuple(Failure(identity, reason) for identity, reason in sorted(reasons.items())),
    )


def figure_of(row: WallclockRow) -> Figure:
    """Keep of a row what a night keeps, to six digits."""
    median, p25, p75 = (float(f"{ns:.{_DIGITS}g}") for ns in (row.median_ns, row.p25_ns, row.p75_ns))
    return Figure(median, p25, p75, row.rounds)


def middle(night: Night) -> int:
    """Return the position of the pass whose rows lie nearest to the night's figures, as ratios, in total."""
    distances = [
        sum(abs(math.log(row.passes[position].median_ns / row.median_ns)) for row in night.rows)
        for position in range(PASSES)
    ]
    return distances.index(min(distances))


def encode(night: Night) -> bytes:
    """Write a night as one line, without its end."""
    return msgspec.json.encode(night)


def decode(content: bytes) -> Night:
    """Read what `encode` wrote.

    Raises:
        ValueError: It is truncated, its fields do not fit, or a text is not one plain line.
    """
    if len(content) > MAX_BYTES:
        raise ValueError(f"expected at most {MAX_BYTES} bytes, got {len(content)}")
    try:
        night = msgspec.json.decode(content, type=Night)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise ValueError(str(fault)) from None
    require_plain(msgspec.to_builtins(night))
    return night


def require_plain(value: object) -> None:
    """Check that every text in a tree of builtins is one plain line of bounded length.

    Raises:
        ValueError: One is not.
    """
    if isinstance(value, str):
        if plain(value) != value or len(value) > 2000:
            raise ValueError(f"expected one plain line of at most 2000 characters, got {value[:80]!r}")
    elif isinstance(value, dict):
        for key, item in value.items():
            require_plain(key)
            require_plain(item)
    elif isinstance(value, list | tuple):
        for item in value:
            require_plain(item)


def save(night: Night, path: Path) -> None:
    """Write a night to a file of its own, whole or not at all."""
    write_whole(path, encode(night) + b"\n")


def load(path: Path) -> Night:
    """Read a night from a file of its own.

    Raises:
        Unreadable: There is no such file, it is truncated, or its fields do not fit.
    """
    try:
        with path.open("rb") as file:
            return decode(file.read(MAX_BYTES + 1).rstrip(b"\n"))
    except OSError as fault:
        raise Unreadable(f"{path}: {fault.strerror}") from None
    except ValueError as fault:
        raise Unreadable(f"{path}: truncated or not a night: {fault}") from None
