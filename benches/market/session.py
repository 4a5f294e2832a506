"""The sessions that the market benches replay: the whole one, made on demand, and a short one, a fixture.

The whole one is made by `scripts/make_session.py` and kept below `results/sessions/` under a name that tells
the generator's source and the seed apart, so that no bench replays what an older generator made. The form of
a session's lines is described in `scripts/marketgen/session.py`, the state it leads to in
`scripts/marketgen/expected.py`.
"""

import hashlib
import json
import subprocess
import sys
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from benches import inputs

CUT_FRAMES = 2_000
"""How many frames the committed session has."""

DERIVE, LIGHTER = "d", "l"
"""Whose frame it is, as its line begins."""

SEED = 20_261_101
_ROOT = Path(__file__).resolve().parents[2]
_SOURCES = ("scripts/make_session.py", "scripts/marketgen/*.py", "scripts/fixturegen/*.py")

Frame = tuple[str, int, bytes]
"""Whose it is, when it was received (`recv_ns`), and the frame."""


@dataclass(frozen=True)
class Listed:
    """One symbol of a session; `market_id` is Lighter's, `depth` the most levels a side that a frame has."""

    venue: Literal["derive", "lighter"]
    symbol: str
    market_id: int | None
    tick_size: Decimal
    size_step: Decimal
    depth: int | None


@dataclass(frozen=True)
class Session:
    """Frames in the order received, what they are of, and the state they lead to.

    `counts` has how many there are: `frames`, `tickers` (of which `marks` carry mark, index and funding
    rate), `orders`, `snapshots`, `updates`, and `level_changes` in these. It tells of the session to its end,
    and so does `expected`, which is None where only the beginning was loaded.
    """

    seed: int
    listings: tuple[Listed, ...]
    counts: dict[str, int]
    frames: list[Frame]
    expected: dict[str, Any] | None


def load(frames: int | None = None) -> Session:
    """Give the whole session; or its first frames; or for 2,000 the cut, which is a session of its own.

    Args:
        frames: How many; None for the whole.

    Raises:
        ValueError: There are not as many frames as told, by the caller or by the session itself.
    """
    if frames == CUT_FRAMES:
        state = json.loads(inputs.frame("market/session_2000_state"))
        return parse(inputs.lines("market/session_2000"), state)
    path = whole_path()
    if not path.exists():
        for old in path.parent.glob("*.session*"):
            if not old.name.startswith(path.name):  # an older generator's, which takes as much room
                old.unlink(missing_ok=True)
        make = [sys.executable, "-m", "scripts.make_session", str(path), "--seed", str(SEED)]
        subprocess.run(make, cwd=_ROOT, check=True)  # noqa: S603 - our own command
    with path.open("rb") as file:
        if frames is None:
            state = json.loads(Path(f"{path}.json").read_bytes())
            return parse(file.read().splitlines(), state)
        lines = [line for line, _ in zip(file, range(frames + 1), strict=False)]
    if len(lines) != frames + 1:
        raise ValueError(f"session: expected at least {frames} frames, got {len(lines) - 1}")
    return parse([line.rstrip(b"\n") for line in lines], None)


def parse(lines: list[bytes], expected: dict[str, Any] | None) -> Session:
    """Read the lines of a session.

    Args:
        lines: All, or where nothing is expected the first ones, without line ends.
        expected: The state that they lead to.

    Raises:
        ValueError: The session is of another schema, or has another number of frames than it says.
    """
    heading = json.loads(lines[0])
    if heading["schema"] != 1:
        raise ValueError(f"session: expected schema 1, got {heading['schema']}")
    if expected is not None and len(lines) - 1 != heading["counts"]["frames"]:
        raise ValueError(f"session: expected {heading['counts']['frames']} frames, got {len(lines) - 1}")
    steps = ("tick_size", "size_step")
    listings = tuple(Listed(**one | {key: Decimal(one[key]) for key in steps}) for one in heading["listings"])
    # Receive times rise and are parted by single spaces; a frame may hold spaces of its own.
    parts = (line.split(b" ", 2) for line in lines[1:])
    frames = [(letter.decode(), int(recv_text), raw) for letter, recv_text, raw in parts]
    return Session(heading["seed"], listings, heading["counts"], frames, expected)


def whole_path() -> Path:
    """Name the file of the whole session, which need not exist."""
    digest = hashlib.sha256()
    for pattern in _SOURCES:
        for path in sorted(_ROOT.glob(pattern)):
            digest.update(path.read_bytes())
    return _ROOT / "results" / "sessions" / f"{digest.hexdigest()[:16]}-{SEED}.session"
