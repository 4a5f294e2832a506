"""The fixtures as bytes, each checked against the checksum of its sidecar when it is first read."""

import functools
import gzip
import hashlib
import tomllib
from pathlib import Path

_FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"


def frame(name: str) -> bytes:
    """Give the one frame of a fixture, such as `derive/ticker_perp`."""
    raw = (_FIXTURES / f"{name}.json").read_bytes()
    _check(name, raw)
    return raw


@functools.cache
def frames(name: str) -> list[bytes]:
    """Give the frames of a fixture that holds several, such as `derive/session_mixed`, in their order."""
    raw = gzip.decompress((_FIXTURES / f"{name}.ndjson.gz").read_bytes())
    _check(name, raw)
    return raw.splitlines()


def message(name: str) -> bytes:
    """Give the one FIX message of a fixture, such as `fix/execution_report`."""
    raw = (_FIXTURES / f"{name}.fix").read_bytes()
    _check(name, raw)
    return raw


@functools.cache
def stream(name: str) -> bytes:
    """Give the bytes of a FIX connection, such as `fix/session_mixed`."""
    raw = gzip.decompress((_FIXTURES / f"{name}.fix.gz").read_bytes())
    _check(name, raw)
    return raw


@functools.cache
def lines(name: str) -> list[bytes]:
    """Give the lines of a recorded session, such as `market/session_2000`, its heading first."""
    raw = (_FIXTURES / f"{name}.session").read_bytes()
    _check(name, raw)
    return raw.splitlines()


def _check(name: str, content: bytes) -> None:
    """Refuse content that its sidecar does not vouch for: a figure would belong to some other input."""
    expected = tomllib.loads((_FIXTURES / f"{name}.toml").read_text(encoding="utf-8"))["sha256"]
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        raise ValueError(f"fixture {name}: sha256 {found}, its sidecar says {expected}")
