import sys
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import msgspec
import pytest

from benchgate.comparison import Claim, Comparison, Contender, Staged, Worker
from benchgate.errors import BadBench, CouldNotRun
from benchgate.peers import ClaimResult, Pace, PeersRow, broken_claims, compare, record_faults
from tests.benchgate.samples import write

PACE = Pace(rounds=6, round_ns=20_000)

WORKER = """
from benchgate.worker import serve

def load():
    print("noise on standard output")
    {body}
    return lambda: None

serve(load)
"""
TIMED_WORKER = """
import sys
from benchgate.worker import serve_lines

now_ns = 0

def call():
    global now_ns
    now_ns += 250

serve_lines(lambda: call, sys.stdin, sys.stdout, lambda: now_ns)
sys.stdout.flush()
"""


class Clock:
    """A fake clock that only the contenders move on."""

    def __init__(self) -> None:
        self.now_ns = 0

    def __call__(self) -> int:
        return self.now_ns

    def taking(self, *costs_ns: int) -> Callable[[], Callable[[], object]]:
        """Give a contender's `load`: its calls cost these times, one after the other and again."""
        costs = cycle(costs_ns)

        def call() -> None:
            self.now_ns += next(costs)

        return lambda: call


def missing() -> Callable[[], object]:
    raise ModuleNotFoundError("No module named 'theirs'", name="theirs")


def run_one(
    root: Path,
    *contenders: Contender | Worker,
    clock: Clock,
    python: Path | None = None,
    pace: Pace = PACE,
    **more: object,
) -> PeersRow:
    return compare("toy/parts/x", comparison_of(*contenders, **more), pace, root, python, clock_ns=clock)


def comparison_of(*contenders: Contender | Worker, **more: object) -> Comparison:
    facts: dict[str, object] = {"name": "x", "reference": "ours", "contenders": contenders}
    return Comparison(**(facts | more))  # type: ignore[arg-type]  # a test may pass any field


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ours(clock: Clock) -> Contender:
    return Contender("ours", clock.taking(100))


def test_missing_library_is_listed_and_its_claim_left_open(
    tmp_path: Path, clock: Clock, ours: Contender
) -> None:
    claims = (Claim("theirs", at_least=2), Claim("ours", at_most=1), Claim("ours", at_most=0.5))
    row = run_one(tmp_path, ours, Contender("theirs", missing), clock=clock, claims=claims)
    assert [(standing.name, standing.absent) for standing in row.standings] == [
        ("ours", ""),
        ("theirs", "not installed: theirs"),
    ]
    assert [claim.holds for claim in row.claims] == [None, True, False]
    assert [claim.outcome() for claim in row.claims] == [
        "could not be told",
        "holds (1.00 x)",
        "does not hold (1.00 x)",
    ]
    assert broken_claims([row]) == (
        "toy/parts/x: ours takes at most 0.5 x the time of ours: does not hold (1.00 x)",
    )


def test_missing_reference_leaves_times_without_ratios(tmp_path: Path, clock: Clock, ours: Contender) -> None:
    row = run_one(
        tmp_path,
        ours,
        Contender("theirs", missing),
        clock=clock,
        reference="theirs",
        claims=(Claim("ours", at_most=9),),
    )
    assert row.standings[0].median_ns == 100
    assert row.standings[0].ratio is None
    assert row.claims == (ClaimResult("ours takes at most 9 x the time of theirs", ratio=None, holds=None),)


def test_a_claim_may_be_about_two_that_are_not_the_reference(
    tmp_path: Path, clock: Clock, ours: Contender
) -> None:
    row = run_one(
        tmp_path,
        ours,
        Contender("slow", clock.taking(500)),
        Contender("slower", clock.taking(600)),
        clock=clock,
        claims=(Claim("slower", at_most=1.2, of="slow"), Claim("ours", at_least=1, of="slow")),
    )
    assert [claim.text for claim in row.claims] == [
        "slower takes at most 1.2 x the time of slow",
        "ours takes at least 1 x the time of slow",
    ]
    assert [(claim.holds, claim.ratio) for claim in row.claims] == [(True, 1.2), (False, 0.2)]


def test_a_claim_within_the_quartiles_is_too_close_to_tell(tmp_path: Path, clock: Clock) -> None:
    # One call a round. The first is the warm-up; then the ratios are 1.0, 1.2, 1.4, 1.6 and 1.8.
    row = run_one(
        tmp_path,
        Contender("ours", clock.taking(100_000)),
        Contender("theirs", clock.taking(140_000, 100_000, 120_000, 140_000, 160_000, 180_000)),
        clock=clock,
        pace=Pace(rounds=5, round_ns=100_000),
        claims=tuple(Claim("theirs", at_most=bound) for bound in (1.1, 1.5, 1.7)),
    )
    assert [claim.outcome() for claim in row.claims] == [
        "does not hold (1.40 x, quartiles 1.20 to 1.60)",
        "too close to tell (1.40 x, quartiles 1.20 to 1.60)",
        "holds (1.40 x, quartiles 1.20 to 1.60)",
    ]
    assert broken_claims([row]) == (f"toy/parts/x: {row.claims[0].text}: {row.claims[0].outcome()}",)
    again = msgspec.json.decode(msgspec.json.encode(row), type=PeersRow)
    assert again == row
    assert [claim.ratio for claim in again.claims] == [1.4] * 3


def test_worker_runs_in_another_interpreter_by_its_own_clock(
    tmp_path: Path, clock: Clock, ours: Contender
) -> None:
    write(tmp_path, {"worker.py": TIMED_WORKER.replace("sys.stdout,", "open(1, 'w', 1),")})
    row = run_one(tmp_path, ours, Worker("theirs", "worker.py"), clock=clock, python=Path(sys.executable))
    theirs = row.standings[1]
    assert (theirs.absent, theirs.median_ns, theirs.ratio) == ("", 250, 2.5)
    assert theirs.calls == PACE.round_ns / 250


def test_worker_prints_what_it_likes(tmp_path: Path, clock: Clock, ours: Contender) -> None:
    write(tmp_path, {"worker.py": WORKER.format(body="")})
    row = run_one(tmp_path, ours, Worker("theirs", "worker.py"), clock=clock, python=Path(sys.executable))
    assert row.standings[1].absent == ""


def test_worker_without_its_library_or_interpreter_is_listed(
    tmp_path: Path, clock: Clock, ours: Contender
) -> None:
    write(tmp_path, {"worker.py": WORKER.format(body="import no_such_sdk")})
    contenders = (ours, Worker("theirs", "worker.py"))
    without = run_one(tmp_path, *contenders, clock=clock)
    assert without.standings[1].absent == "not installed: needs --worker-python"
    row = run_one(tmp_path, *contenders, clock=clock, python=Path(sys.executable))
    assert row.standings[1].absent == f"not installed in {sys.executable}: no_such_sdk"


def test_contender_with_a_wrong_result_is_not_compared(tmp_path: Path, clock: Clock) -> None:
    def wrong() -> Callable[[], object]:
        raise AssertionError("6 is not 7")

    with pytest.raises(BadBench, match=r"toy/parts/x: ours: AssertionError: 6 is not 7"):
        run_one(tmp_path, Contender("ours", wrong), clock=clock)


def test_contender_is_prepared_off_the_clock_and_checked_after_the_last_round(
    tmp_path: Path, clock: Clock
) -> None:
    made: list[object] = []

    def load() -> Staged:
        call, prepare = clock.taking(10_000)(), clock.taking(77)()

        def counted() -> None:
            made.append("call")
            call()

        def counted_prepare(calls: int) -> None:
            made.append(calls)
            prepare()

        return Staged(counted, counted_prepare, lambda: made.append("check"))

    (standing,) = run_one(tmp_path, Contender("ours", load), clock=clock).standings
    assert (standing.calls, standing.median_ns) == (2, 10_000)
    assert made == [1, "call", *([2, "call", "call"] * PACE.rounds), "check"]


def test_contender_whose_check_fails_is_not_compared(tmp_path: Path, clock: Clock) -> None:
    def load() -> Staged:
        return Staged(clock.taking(100)(), check=lambda: int("dry"))

    with pytest.raises(BadBench, match=r"toy/parts/x: ours: ValueError: invalid literal"):
        run_one(tmp_path, Contender("ours", load), clock=clock)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("raise SystemExit", "ended before it was ready"),
        (WORKER.format(body="return lambda: exit()"), "expected nanoseconds, got ''"),
        ("print('ready'); input(); print('soon')", "expected nanoseconds, got 'soon'"),
        (None, "no such file"),
    ],
)
def test_broken_worker_is_told(
    tmp_path: Path, clock: Clock, ours: Contender, script: str | None, message: str
) -> None:
    if script is not None:
        write(tmp_path, {"worker.py": script})
    with pytest.raises(CouldNotRun, match=message):
        run_one(tmp_path, ours, Worker("theirs", "worker.py"), clock=clock, python=Path(sys.executable))


def test_no_such_interpreter_is_told(tmp_path: Path, clock: Clock, ours: Contender) -> None:
    write(tmp_path, {"worker.py": WORKER.format(body="")})
    with pytest.raises(CouldNotRun, match="No such file"):
        run_one(tmp_path, ours, Worker("theirs", "worker.py"), clock=clock, python=tmp_path / "python")


def test_record_that_differs_from_what_is_declared_is_told(
    tmp_path: Path, clock: Clock, ours: Contender
) -> None:
    contenders, claims = (ours, Contender("theirs", clock.taking(300))), (Claim("theirs", at_least=2),)
    declared = comparison_of(*contenders, claims=claims, note="Three numbers.")
    row = run_one(tmp_path, *contenders, clock=clock, claims=claims, note="Three numbers.")
    assert record_faults([row], {"toy/parts/x": declared}) == ()
    assert record_faults([], {"toy/parts/x": declared}) == (
        "toy/parts/x is declared but missing from benches/peers.json",
    )
    assert record_faults([row], {}) == ("toy/parts/x is in benches/peers.json but not declared",)
    changes: dict[str, dict[str, object]] = {
        "contenders: benches/peers.json has ours; theirs, declared is theirs; ours": {
            "contenders": contenders[::-1]
        },
        "reference: benches/peers.json has ours, declared is theirs": {"reference": "theirs", "claims": ()},
        "claims: benches/peers.json has theirs takes at least 2 x the time of ours, declared is none": {
            "claims": ()
        },
        "note: benches/peers.json has Three numbers., declared is none": {"note": ""},
    }
    for line, changed in changes.items():
        other = msgspec.structs.replace(declared, **changed)
        assert f"toy/parts/x: {line}" in record_faults([row], {"toy/parts/x": other})
