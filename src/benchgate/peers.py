"""Find the declared comparisons, run them and make their rows."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from benchgate import declarations, figures
from benchgate.comparison import Claim, Comparison, Worker
from benchgate.errors import BadBench, BenchgateError
from benchgate.ids import refuse_duplicates
from benchgate.interleave import (
    InProcess,
    Runner,
    Standing,
    calibrated,
    ratio_quartiles,
    rounds_of,
    standings,
)
from benchgate.stray import stray_text
from benchgate.workers import Absent, WorkerProcess

KIND = "peers"
RESULT_PATH = Path("results/peers.json")
RECORD_PATH = Path("benches/peers.json")


class Pace(msgspec.Struct, frozen=True):
    """How long to compare: the rounds, and the nanoseconds that a contender runs in each."""

    rounds: int
    round_ns: int


FULL = Pace(rounds=100, round_ns=4_000_000)
QUICK = Pace(rounds=20, round_ns=2_000_000)


class ClaimResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What became of a claim.

    Attributes:
        ratio: The median that was seen, None when one of the two contenders could not run; `p25` and `p75`
            are its quartiles.
        holds: None when there is no ratio, or when it is too close to tell: the bound lies between the
            quartiles.
    """

    text: str
    ratio: float | None
    holds: bool | None
    p25: float | None = None
    p75: float | None = None

    def outcome(self) -> str:
        """Write what became of it, with the ratio that was seen."""
        if self.ratio is None:
            return "could not be told"
        seen = figures.factor(self.ratio)
        if self.p25 is not None and self.p75 is not None and self.p25 != self.p75:
            seen += f", quartiles {figures.three_digits(self.p25)} to {figures.three_digits(self.p75)}"
        if self.holds is None:
            return f"too close to tell ({seen})"
        return f"{'holds' if self.holds else 'does not hold'} ({seen})"


class PeersRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The result of one comparison."""

    id: str
    reference: str
    note: str
    rounds: int
    standings: tuple[Standing, ...]
    claims: tuple[ClaimResult, ...] = ()


def declared(root: Path) -> dict[str, Comparison]:
    """Return all comparisons declared below `root`, by id.

    Raises:
        BadBench: A file cannot be imported or has no `PEERS`, or two comparisons have one id.
    """
    found = [
        (f"{group}/{comparison.name}", comparison)
        for group, comparison in declarations.found(root, "peers", "PEERS", (Comparison,))
    ]
    refuse_duplicates(identity for identity, _ in found)
    return dict(found)


def record_faults(rows: Sequence[PeersRow], comparisons: Mapping[str, Comparison]) -> tuple[str, ...]:
    """Return one line for each thing in which the recorded comparisons differ from the declared ones."""
    faults = list(declarations.record_faults([row.id for row in rows], comparisons, RECORD_PATH))
    for row in rows:
        comparison = comparisons.get(row.id)
        if comparison is None:
            continue
        reference = comparison.reference
        parts = (
            ("reference", (row.reference,), (reference,)),
            (
                "contenders",
                tuple(standing.name for standing in row.standings),
                tuple(contender.name for contender in comparison.contenders),
            ),
            (
                "claims",
                tuple(claim.text for claim in row.claims),
                tuple(claim.text(reference) for claim in comparison.claims),
            ),
            ("note", (row.note,), (comparison.note,)),
        )
        faults += [
            f"{row.id}: {part}: {RECORD_PATH} has {_list(old)}, declared is {_list(new)}"
            for part, old, new in parts
            if old != new
        ]
    return tuple(faults)


def compare(
    identity: str,
    comparison: Comparison,
    pace: Pace,
    root: Path,
    worker_python: Path | None,
    *,
    clock_ns: Callable[[], int] = time.perf_counter_ns,
) -> PeersRow:
    """Run one comparison; contenders that are not installed here are part of the result.

    `clock_ns` times the contenders of this interpreter; a worker has a clock of its own.

    Raises:
        BadBench: A contender's preparation fails, or its own check of its result, before or after.
        CouldNotRun: A worker fails.
    """
    runners: list[Runner] = []
    absent: dict[str, str] = {}
    with ExitStack() as workers:
        for contender in comparison.contenders:
            try:
                if isinstance(contender, Worker):
                    if worker_python is None:
                        raise Absent("not installed: needs --worker-python")  # noqa: TRY301 - as a worker says it
                    worker = WorkerProcess(contender.name, worker_python, root / contender.script, root)
                    runners.append(workers.enter_context(worker))
                else:
                    with _told(identity, contender.name, (BenchgateError, ImportError)):
                        runners.append(InProcess(contender.name, contender.load(), clock_ns))
            except ImportError as fault:
                absent[contender.name] = f"not installed: {fault.name or fault}"
            except Absent as fault:
                absent[contender.name] = str(fault)
        calls = {runner.name: calibrated(runner, pace.round_ns) for runner in runners}
        times_ns = rounds_of(runners, calls, pace.rounds)
    for runner in runners:
        if isinstance(runner, InProcess):
            with _told(identity, runner.name):
                runner.check()
    present = {standing.name: standing for standing in standings(times_ns, calls, comparison.reference)}
    placed = tuple(
        present.get(contender.name) or Standing(name=contender.name, absent=absent[contender.name])
        for contender in comparison.contenders
    )
    return PeersRow(
        id=identity,
        reference=comparison.reference,
        note=comparison.note,
        rounds=pace.rounds,
        standings=placed,
        claims=tuple(_result(claim, comparison.reference, times_ns) for claim in comparison.claims),
    )


def broken_claims(rows: Iterable[PeersRow]) -> tuple[str, ...]:
    """Return one line for each claim that does not hold."""
    return tuple(
        f"{row.id}: {claim.text}: {claim.outcome()}"
        for row in rows
        for claim in row.claims
        if claim.holds is False
    )


def _list(texts: Sequence[str]) -> str:
    return "; ".join(filter(None, texts)) or "none"


@contextmanager
def _told(
    identity: str, name: str, passed: tuple[type[Exception], ...] = (BenchgateError,)
) -> Iterator[None]:
    """Say whose fault it is when a contender raises anything but what is `passed`."""
    try:
        yield
    except passed:
        raise
    except Exception as fault:
        raise BadBench(f"{identity}: {name}: {stray_text(fault)}") from fault


def _result(claim: Claim, reference: str, times_ns: Mapping[str, Sequence[float]]) -> ClaimResult:
    own_ns, other_ns = times_ns.get(claim.contender), times_ns.get(claim.of or reference)
    if own_ns is None or other_ns is None:
        return ClaimResult(claim.text(reference), None, None)
    p25, ratio, p75 = ratio_quartiles(own_ns, other_ns)
    return ClaimResult(claim.text(reference), ratio, claim.holds(p25, ratio, p75), p25, p75)
