import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchgate.comparison import Claim, Comparison, Contender, Worker
from benchgate.errors import BadBench, CouldNotRun
from benchgate.peers import ClaimResult, Pace, PeersRow, broken_claims, compare
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


def missing() -> Callable[[], object]:
    raise ModuleNotFoundError("No module named 'theirs'", name="theirs")


def ours() -> Callable[[], object]:
    return lambda: sum((1, 2, 3))


def run_one(
    root: Path, *contenders: Contender | Worker, python: Path | None = None, **more: object
) -> PeersRow:
    facts: dict[str, object] = {"name": "x", "reference": "ours", "contenders": contenders}
    comparison = Comparison(**(facts | more))  # type: ignore[arg-type]  # a test may pass any field
    return compare("toy/parts/x", comparison, PACE, root, python)


def test_missing_library_is_listed_and_its_claim_left_open(tmp_path: Path) -> None:
    claims = (Claim("theirs", at_least=2), Claim("ours", at_most=1), Claim("ours", at_most=0.5))
    row = run_one(tmp_path, Contender("ours", ours), Contender("theirs", missing), claims=claims)
    assert [(standing.name, standing.absent) for standing in row.standings] == [
        ("ours", ""),
        ("theirs", "not installed: theirs"),
    ]
    assert [claim.holds for claim in row.claims] == [None, True, False]
    assert broken_claims([row]) == (
        "toy/parts/x: ours takes at most 0.5 x the time of ours: does not hold (1.00 x)",
    )


def test_missing_reference_leaves_times_without_ratios(tmp_path: Path) -> None:
    row = run_one(
        tmp_path,
        Contender("ours", ours),
        Contender("theirs", missing),
        reference="theirs",
        claims=(Claim("ours", at_most=9),),
    )
    assert row.standings[0].median_ns is not None
    assert row.standings[0].ratio is None
    assert row.claims == (ClaimResult("ours takes at most 9 x the time of theirs", ratio=None, holds=None),)


def slower() -> Callable[[], object]:
    return lambda: sum(range(5_000))


def test_a_claim_may_be_about_two_that_are_not_the_reference(tmp_path: Path) -> None:
    row = run_one(
        tmp_path,
        Contender("ours", ours),
        Contender("slow", slower),
        Contender("as slow", slower),
        claims=(Claim("slow", at_most=3, of="as slow"), Claim("ours", at_least=1, of="slow")),
    )
    assert [claim.text for claim in row.claims] == [
        "slow takes at most 3 x the time of as slow",
        "ours takes at least 1 x the time of slow",
    ]
    assert [claim.holds for claim in row.claims] == [True, False]


def test_worker_runs_in_another_interpreter(tmp_path: Path) -> None:
    write(tmp_path, {"worker.py": WORKER.format(body="")})
    row = run_one(
        tmp_path, Contender("ours", ours), Worker("theirs", "worker.py"), python=Path(sys.executable)
    )
    theirs = row.standings[1]
    assert theirs.absent == ""
    assert theirs.ratio is not None
    assert 0 < theirs.ratio < 5
    assert theirs.calls > 1


def test_worker_without_its_library_or_interpreter_is_listed(tmp_path: Path) -> None:
    write(tmp_path, {"worker.py": WORKER.format(body="import no_such_sdk")})
    contenders = (Contender("ours", ours), Worker("theirs", "worker.py"))
    assert run_one(tmp_path, *contenders).standings[1].absent == "not installed: needs --worker-python"
    absent = run_one(tmp_path, *contenders, python=Path(sys.executable)).standings[1].absent
    assert absent == f"not installed in {sys.executable}: no_such_sdk"


def test_contender_with_a_wrong_result_is_not_compared(tmp_path: Path) -> None:
    def wrong() -> Callable[[], object]:
        raise AssertionError("6 is not 7")

    with pytest.raises(BadBench, match=r"toy/parts/x: ours: AssertionError: 6 is not 7"):
        run_one(tmp_path, Contender("ours", wrong))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("raise SystemExit", "ended before it was ready"),
        (WORKER.format(body="return lambda: exit()"), "expected nanoseconds, got ''"),
        ("print('ready'); input(); print('soon')", "expected nanoseconds, got 'soon'"),
        (None, "no such file"),
    ],
)
def test_broken_worker_is_told(tmp_path: Path, script: str | None, message: str) -> None:
    if script is not None:
        write(tmp_path, {"worker.py": script})
    with pytest.raises(CouldNotRun, match=message):
        run_one(tmp_path, Contender("ours", ours), Worker("theirs", "worker.py"), python=Path(sys.executable))


def test_no_such_interpreter_is_told(tmp_path: Path) -> None:
    write(tmp_path, {"worker.py": WORKER.format(body="")})
    with pytest.raises(CouldNotRun, match="No such file"):
        run_one(tmp_path, Contender("ours", ours), Worker("theirs", "worker.py"), python=tmp_path / "python")
