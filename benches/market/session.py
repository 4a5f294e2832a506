"""The sessions that the market benches replay: the whole one, made on demand, and a short one, a fixture.

The whole one is made by `scripts/make_session.py` and kept below `results/sessions/` under a name made from
the generator's source, its seed included, so that no bench replays what an older generator made. The form of
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

DERIVE, LIGHTER = "d", "l"
"""Whose frame it is, as its line begins."""

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
    rate), `orders`, `snapshots`, `updates`, and `level_changes` in these.
    """

    seed: int
    listings: tuple[Listed, ...]
    counts: dict[str, int]
    frames: list[Frame]
    expected: dict[str, Any]


def load_short() -> Session:
    """Give the committed session of 2,000 frames: the mix of the whole one, in shallow books."""
    return parse(inputs.lines("market/session_2000"), json.loads(inputs.frame("market/session_2000_state")))


def load_whole() -> Session:
    """Give the whole session, which is made first where it is not there yet."""
    path = whole_path()
    if not path.exists():
        for old in path.parent.glob("*.session*"):
            if not old.name.startswith(path.name):  # an older generator's, which takes as much room
                old.unlink(missing_ok=True)
        make = [sys.executable, "-m", "scripts.make_session", str(path)]
        subprocess.run(make, cwd=_ROOT, check=True)  # noqa: S603 - our own command
    return parse(path.read_bytes().splitlines(), json.loads(Path(f"{path}.json").read_bytes()))


def parse(lines: list[bytes], expected: dict[str, Any]) -> Session:
    """Read the lines of a session.

    Args:
        lines: Its heading and one for each frame, without line ends.
        expected: The state that they lead to.

    Raises:
        ValueError: The session is of another schema, or has another number of frames than it says.
    """
    heading = json.loads(lines[0])
    if heading["schema"] != 1:
        raise ValueError(f"session: expected schema 1, got {heading['schema']}")
    if len(lines) - 1 != heading["counts"]["frames"]:
        raise ValueError(f"session: expected {heading['counts']['frames']} frames, got {len(lines) - 1}")
    steps = ("tick_size", "size_step")
    listings = tuple(Listed(**one | {key: Decimal(one[key]) for key in steps}) for one in heading["listings"])
    # Single spaces part the three; a frame may hold spaces of its own.
    parts = (line.split(b" ", 2) for line in lines[1:])
    frames = [(letter.decode(), int(recv_text), raw) for letter, recv_text, raw in parts]
    return Session(heading["seed"], listings, heading["counts"], frames, expected)


def whole_path() -> Path:
    """Name the file of the whole session, which need not exist."""
    digest = hashlib.sha256()
    for pattern in _SOURCES:
        for path in sorted(_ROOT.glob(pattern)):
            digest.update(path.read_bytes())
    return _ROOT / "results" / "sessions" / f"{digest.hexdigest()[:16]}.session"
