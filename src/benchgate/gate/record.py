"""The records of how good the gate is: how steady its counts are, and what it finds of what was planted.

`Steadiness` is of runs in which nothing had changed, `SelfTest` of changes whose cost is known beforehand.
One JSON file each, written whole, refused on reading when it is truncated, of another schema or not
plausible. The documents are generated from them and hold nothing that is not here.

Shares are fractions of the base: 0.01 for 1 %.
"""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec

from benchgate.environment import Environment
from benchgate.errors import Unreadable
from benchgate.files import write_whole
from benchgate.gate.report import Finite, Line, Verdict
from benchgate.rows import Positive
from benchgate.run import GitState
from benchgate.stored import decoded, require_utc

SCHEMA = 1
STEADINESS_PATH = Path("benches/steadiness.json")
SELFTEST_PATH = Path("benches/selftest.json")
FEWEST_RUNS = 2
"""Fewer runs have no spread."""

Number = Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1e18)]
Direction = Literal["slow-down", "speed-up"]


class Spread(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How far the counts of one row lay apart while nothing changed.

    Attributes:
        id: The bench.
        instructions: The median over the runs of the head's first count, of one call.
        spread: The distance between the largest and the smallest of these, as a share of that median.
        base_spread: The largest difference between the two counts of the base in one run, as a share.
        flagged: In how many runs the verdict was `slower` or `could not tell`.
    """

    id: Line
    instructions: Positive
    spread: Share
    base_spread: Share
    flagged: Number = 0


class Steadiness(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Several runs of the gate in a row, of a commit against itself.

    Attributes:
        schema: The version of this layout.
        created: When the first run began, in UTC.
        environment: Where it was counted.
        git: The commit.
        runs: How many runs there were.
        seconds: How long each of them took.
        rows: Every row that was compared, in the order of their ids.
    """

    schema: int = SCHEMA
    created: datetime
    environment: Environment
    git: GitState
    runs: Annotated[int, msgspec.Meta(ge=FEWEST_RUNS, le=100_000)]
    seconds: tuple[Positive, ...]
    rows: tuple[Spread, ...]

    def __post_init__(self) -> None:
        """Check what the types do not say."""
        require_utc(self.created)
        _require_once("rows", (row.id for row in self.rows))
        if len(self.seconds) != self.runs:
            raise ValueError(f"seconds: expected {self.runs}, one for each run, got {len(self.seconds)}")
        for row in self.rows:
            if row.flagged > self.runs:
                raise ValueError(f"{row.id}: flagged: expected at most {self.runs}, got {row.flagged}")

    @property
    def flagged(self) -> int:
        """How many rows were slower or could not be told, summed over all runs; none should be."""
        return sum(row.flagged for row in self.rows)


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the gate said of one row when one function had been made slower, or faster again.

    Attributes:
        plant: The name of what was planted.
        layer: The part of the code it is in.
        kind: Whether it was planted into the head, or into the base, which makes the head faster.
        size: The share that was asked for.
        row: The bench.
        target: Whether the plant was sized for this row; else it slows this row as well.
        expected: By which share the row should change, by the calibration; negative for a speed-up.
        change: The share that the gate measured, negative where it became faster.
        error: How far the gate says that counts of it lie apart.
        verdict: What the gate said.
        planted: The function that holds the plant, as `path::qualname`.
        named: The function that the gate named first, as `where::name`; empty when it named none.
        right: Whether the gate named the function that holds the plant.
    """

    plant: Line
    layer: Line
    kind: Direction
    size: Positive
    row: Line
    target: bool
    expected: Finite
    change: Finite
    error: Share
    verdict: Verdict
    planted: Line
    named: Line
    right: bool

    def __post_init__(self) -> None:
        """Check what the types do not say."""
        if self.right and not self.named:
            raise ValueError(f"{self.plant}, {self.row}: right: expected a named function, got none")
        if self.expected * (-1 if self.kind == "speed-up" else 1) < 0:
            raise ValueError(
                f"{self.plant}, {self.row}: expected: not the sign of a {self.kind}: {self.expected}"
            )

    def found(self, threshold: float) -> bool:
        """Say whether the gate found it: a verdict of `slower`, or a gain beyond threshold and error."""
        if self.kind == "slow-down":
            return self.verdict == "slower"
        return self.verdict == "not slower" and -self.change > max(threshold, self.error)


BESIDE = "rows beside "
"""How the name of a result begins that is of rows which a plant leaves alone."""


class NoOpResult(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the gate said of a change that costs nothing.

    Attributes:
        name: What the change is called.
        rows: How many rows were compared.
        flagged: The ids of those with the verdict `slower`: false alarms.
        untold: The ids of those with the verdict `could not tell`.
        largest: The largest change that was measured, either way, as a share.
    """

    name: Line
    rows: Number
    flagged: tuple[Line, ...] = ()
    untold: tuple[Line, ...] = ()
    largest: Share

    @property
    def is_beside(self) -> bool:
        """Whether it is of rows that a plant leaves alone, and of no change of its own."""
        return self.name.startswith(BESIDE)

    def __post_init__(self) -> None:
        """Check what the types do not say."""
        if len(self.flagged) + len(self.untold) > self.rows:
            raise ValueError(f"{self.name}: expected at most {self.rows} rows flagged or untold, got more")


class SelfTest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the gate said of changes whose cost is known beforehand.

    Attributes:
        schema: The version of this layout.
        created: When the self-test began, in UTC.
        environment: Where it was counted.
        git: The commit into copies of which it was planted.
        seconds: How long it took.
        threshold: The gate's threshold for all rows.
        cases: One for each row that a plant of one size slows, or speeds up.
        noops: One for each change that costs nothing.
        earlier: Other self-tests, of other plants and changes: all of them in one take hours.
    """

    schema: int = SCHEMA
    created: datetime
    environment: Environment
    git: GitState
    seconds: Positive
    threshold: Positive
    cases: tuple[Case, ...]
    noops: tuple[NoOpResult, ...]
    earlier: "tuple[SelfTest, ...]" = ()

    def __post_init__(self) -> None:
        """Check what the types do not say."""
        require_utc(self.created)
        _require_once("cases", ((case.plant, case.kind, case.size, case.row) for case in self.all_cases))
        _require_once("noops", (noop.name for noop in self.all_noops))
        for part in self.earlier:
            if part.threshold != self.threshold:
                raise ValueError(f"earlier: threshold: expected {self.threshold}, got {part.threshold}")
            if part.earlier:
                raise ValueError("earlier: expected self-tests without earlier ones")

    @property
    def parts(self) -> "tuple[SelfTest, ...]":
        """The earlier self-tests and this one, in this order."""
        return (*self.earlier, self)

    @property
    def all_cases(self) -> tuple[Case, ...]:
        """The cases of all parts."""
        return tuple(case for part in self.parts for case in part.cases)

    @property
    def all_noops(self) -> tuple[NoOpResult, ...]:
        """The changes that cost nothing of all parts."""
        return tuple(noop for part in self.parts for noop in part.noops)


def joined(old: SelfTest, new: SelfTest) -> SelfTest:
    """Return a self-test with an earlier one beside it; what both did is taken from the new one alone.

    Raises:
        ValueError: They have other thresholds.
    """
    plants, changes = {case.plant for case in new.cases}, {noop.name for noop in new.noops}
    kept = []
    for part in old.parts:
        cases = tuple(case for case in part.cases if case.plant not in plants)
        noops = tuple(noop for noop in part.noops if noop.name not in changes)
        if cases or noops:
            kept.append(msgspec.structs.replace(part, cases=cases, noops=noops, earlier=()))
    return msgspec.structs.replace(new, earlier=tuple(kept))


Record = TypeVar("Record", Steadiness, SelfTest)


def save(record: Steadiness | SelfTest, path: Path) -> None:
    """Write `record` to `path`, whole or not at all."""
    write_whole(path, msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n")


def load_steadiness(path: Path) -> Steadiness:
    """Read a record of how steady counts are.

    Raises:
        Unreadable: There is no such file, it is truncated, of another schema, or its fields do not fit.
    """
    return _load(path, Steadiness)


def load_selftest(path: Path) -> SelfTest:
    """Read a record of what the gate finds; errors as for `load_steadiness`."""
    return _load(path, SelfTest)


def _load(path: Path, kind: type[Record]) -> Record:
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise Unreadable(f"{path}: {fault.strerror}") from None
    return decoded(content, path, kind, schema=SCHEMA, noun="a record of its kind")


def _require_once(field: str, keys: Iterable[object]) -> None:
    found = list(keys)
    if len(set(found)) != len(found):
        raise ValueError(f"{field}: expected each once")
