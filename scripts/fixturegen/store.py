"""Fixtures on disk: one file of content and one sidecar each, written and checked together.

A single frame is `NAME.json` or `NAME.fix`, exactly the bytes that a venue would send. Several frames are
`NAME.ndjson.gz`, one a line, or `NAME.fix.gz`, one after the other as on a connection, compressed without a
time stamp. A recorded session is `NAME.session`, plain lines. The checksum is that of the uncompressed bytes,
because another zlib may compress the same content to other bytes.
"""

import gzip
import hashlib
import zlib
from collections.abc import Iterable
from pathlib import Path

from scripts.fixturegen.catalogue import SEED, Fixture
from scripts.fixturegen.recurrence import seen_before

COMMAND = "python -m scripts.make_fixtures"


def file_name(fixture: Fixture) -> str:
    """Name the content's file."""
    if fixture.heading:
        return f"{fixture.name}.session"
    one, several = ("fix", "fix.gz") if fixture.is_fix else ("json", "ndjson.gz")
    return f"{fixture.name}.{one if len(fixture.frames) == 1 else several}"


def sidecar(fixture: Fixture) -> str:
    """Write what a reader of the fixture wants to know of it, as TOML, of a stream also how texts recur."""
    return (
        f'shape = "{fixture.shape}"\n'
        f'origin = "{fixture.origin}"\n'
        f'command = "{COMMAND}"\n'
        f"seed = {SEED}\n"
        f"frames = {len(fixture.frames)}\n"
        f"bytes = {len(fixture.content)}\n"
        f'sha256 = "{hashlib.sha256(fixture.content).hexdigest()}"\n'
        f"{_recurrence(fixture) if file_name(fixture).endswith('.ndjson.gz') else ''}"
    )


def write(folder: Path, fixtures: Iterable[Fixture]) -> int:
    """Write every fixture and sidecar that differs from what is on disk; give the number of files written.

    Files that no generator makes stay, and `faults` names them.
    """
    changed = 0
    folder.mkdir(parents=True, exist_ok=True)
    for fixture in fixtures:
        content, about = folder / file_name(fixture), folder / f"{fixture.name}.toml"
        if _stored(content) != fixture.content:
            is_packed = content.suffix == ".gz"
            content.write_bytes(gzip.compress(fixture.content, mtime=0) if is_packed else fixture.content)
            changed += 1
        if not about.exists() or about.read_text(encoding="utf-8") != sidecar(fixture):
            about.write_text(sidecar(fixture), encoding="utf-8")
            changed += 1
    return changed


def faults(folder: Path, fixtures: Iterable[Fixture]) -> list[str]:
    """Compare what is on disk with what would be written; one line for each file that differs."""
    found, expected = [], set()
    for fixture in fixtures:
        content, about = folder / file_name(fixture), folder / f"{fixture.name}.toml"
        expected |= {content, about}
        stored = _stored(content)
        if stored is None:
            found.append(f"{content.name}: missing or unreadable")
        elif stored != fixture.content:
            found.append(f"{content.name}: content differs from what the generator makes")
        if not about.exists():
            found.append(f"{about.name}: missing")
        elif about.read_text(encoding="utf-8") != sidecar(fixture):
            found.append(f"{about.name}: differs from what the generator makes")
    found += [f"{stranger.name}: no generator makes it" for stranger in set(folder.glob("*")) - expected]
    return sorted(found)


def _recurrence(fixture: Fixture) -> str:
    of_tickers = f" (of tickers {', '.join(fixture.ticker_keys)})" if fixture.ticker_keys else ""
    return (
        f"# Of the numerals that a client reads{of_tickers}, the share that occurred earlier in the stream.\n"
        f"texts_seen_before = {seen_before(fixture.frames, fixture.ticker_keys):.2f}\n"
    )


def _stored(path: Path) -> bytes | None:
    if not path.exists():
        return None
    raw = path.read_bytes()
    if path.suffix != ".gz":
        return raw
    try:
        return gzip.decompress(raw)
    except (OSError, EOFError, zlib.error):
        return None
