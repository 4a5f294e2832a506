"""Records of the gate's own quality to begin from, whose figures a test can alter."""

from datetime import UTC, datetime
from typing import Any

from benchgate.gate.record import Case, NoOpResult, SelfTest, Spread, Steadiness
from benchgate.run import GitState
from tests.benchgate.gate.reports import COUNTING, HEAD

CREATED = datetime(2026, 3, 1, 12, 30, 15, tzinfo=UTC)


def steadiness(*rows: Spread, runs: int = 20, **more: Any) -> Steadiness:
    """A record of the imaginary machine."""
    facts: dict[str, Any] = {
        "created": CREATED,
        "environment": COUNTING,
        "git": GitState(HEAD, dirty=False),
        "runs": runs,
        "seconds": tuple(300.0 + number for number in range(runs)),
        "rows": rows,
    }
    return Steadiness(**(facts | more))


def spread(identity: str, share: float = 0.0, base: float = 0.0, flagged: int = 0) -> Spread:
    """A row of 12,345 instructions."""
    return Spread(id=identity, instructions=12_345.0, spread=share, base_spread=base, flagged=flagged)


def case(plant: str = "decode", **more: Any) -> Case:
    """A slow-down by 1 % that was found and named."""
    facts: dict[str, Any] = {
        "plant": plant,
        "layer": "decode",
        "kind": "slow-down",
        "size": 0.01,
        "row": "derive/decode_only/ticker",
        "target": True,
        "expected": 0.0102,
        "change": 0.0101,
        "error": 0.0002,
        "verdict": "slower",
        "planted": "src/toy/decode.py::frame",
        "named": "src/toy/decode.py:41::frame",
        "right": True,
    }
    return Case(**(facts | more))


def noop(name: str = "nothing at all", **more: Any) -> NoOpResult:
    """A change that costs nothing, on which the gate was silent."""
    facts: dict[str, Any] = {"name": name, "rows": 83, "largest": 0.0004}
    return NoOpResult(**(facts | more))


def selftest(*cases: Case, noops: tuple[NoOpResult, ...] = (), **more: Any) -> SelfTest:
    """A record of the imaginary machine."""
    facts: dict[str, Any] = {
        "created": CREATED,
        "environment": COUNTING,
        "git": GitState(HEAD, dirty=False),
        "seconds": 20_000.0,
        "threshold": 0.005,
        "cases": cases,
        "noops": noops,
    }
    return SelfTest(**(facts | more))
