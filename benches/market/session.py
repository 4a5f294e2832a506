"""The sessions that the market benches replay: the whole one, made on demand, and a short one, a fixture.

The whole one is made by `scripts/make_session.py` and kept below `results/sessions/` under a name made from
the generator's source, its seed included, so that no bench replays what an older generator made. Beside it
is the state it leads to, below a line with the checksum of both: what is damaged is made anew. The form of a
session's lines is described in `scripts/marketgen/session.py`, the state in `scripts/marketgen/expected.py`.
"""

import hashlib
import json
import os
import subprocess
import sys
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from benches import inputs
from benchgate.errors import CouldNotRun
from benchgate.terminal import say

DERIVE, LIGHTER = "d", "l"
"""Whose frame it is, as its line begins."""

_ROOT = Path(__file__).resolve().parents[2]
_DRAFT_SEC = 3_600
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
    """Give the whole session, which is made first where it is not there yet, or not as it was made.

    Raises:
        CouldNotRun: It could not be made.
    """
    path = whole_path()
    found = _sound(path)
    if found is None:
        _make(path)
        found = _sound(path)
    if found is None:
        raise CouldNotRun(f"{path}: the session was just made, and is missing or damaged")
    session, state = found
    return parse(session.splitlines(), json.loads(state))


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


def _sound(path: Path) -> tuple[bytes, bytes] | None:
    """Read a session and its state; None where one is missing or damaged."""
    try:
        session = path.read_bytes()
        checksum, _, state = path.with_name(f"{path.name}.state").read_bytes().partition(b"\n")
    except FileNotFoundError:
        return None
    return (session, state) if checksum == b"%08x" % zlib.crc32(state, zlib.crc32(session)) else None


def _make(path: Path) -> None:
    """Make the whole session in a process of its own, whose memory does not stay with the bench."""
    _remove_older(path)
    say("making the whole market session, which is kept below results/sessions ...")
    made = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "scripts.make_session", str(path)],
        cwd=_ROOT,
        env=os.environ | {"PYTHONPATH": f"{_ROOT / 'src'}{os.pathsep}{_ROOT}"},
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    if made.returncode:
        last = made.stderr.strip().rpartition("\n")[2]
        raise CouldNotRun(f"{path}: the session could not be made, exit code {made.returncode}: {last}")


def _remove_older(path: Path) -> None:
    """Remove what older generators made, which takes as much room, and drafts that nobody writes any more."""
    for old in path.parent.glob("*.session*"):
        with suppress(OSError):  # another process was faster, or it is no file
            is_young_draft = old.suffix == ".tmp" and time.time() - old.stat().st_mtime < _DRAFT_SEC
            if not (is_young_draft or old.name.startswith(path.name)):
                old.unlink()
