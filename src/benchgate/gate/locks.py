"""Which pinned versions a change alters, read from both sides' locks of what the benches run with.

A lock is `requirements/bench.txt` in pip's format: `name==version`, perhaps a marker after `;`, and hashes. A
name may stand several times with different markers. Names are compared as PEP 503 normalises them.
"""

import re
from pathlib import Path
from typing import NamedTuple

from benchgate.errors import Unreadable
from benchgate.terminal import plain

LOCK = Path("requirements/bench.txt")

_CONTINUED = re.compile(r"\\\r?\n")
_COMMENT = re.compile(r"(?:^|\s)#.*")
_HASH = re.compile(r"\s--hash[=\s](\S+)")
_PIN = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*===?\s*([^\s;]+)\s*(?:;(.*))?")
_LONGEST = 100


class Pin(NamedTuple):
    """One line of a lock."""

    version: str
    marker: str
    hashes: frozenset[str]


def content(root: Path) -> bytes | None:
    """Return the lock of the repository at `root` as it is, None when it has none.

    Raises:
        Unreadable: It has one that cannot be read.
    """
    path = root / LOCK
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as fault:
        raise Unreadable(f"{path}: {fault.strerror}") from None


def differences(base_root: Path, head_root: Path) -> tuple[str, ...]:
    """Return a line for each library whose pin differs, such as `msgspec 0.22.0 -> 0.23.0`; by name.

    Raises:
        Unreadable: A lock cannot be read.
    """
    sides = content(base_root), content(head_root)
    if sides[0] == sides[1]:
        return ()
    for side, text in zip(("base", "head"), sides, strict=True):
        if text is None:
            return (f"{LOCK}: the {side} has none",)
    (base, base_rest), (head, head_rest) = (_read(text or b"") for text in sides)
    pairs = ((name, base.get(name), head.get(name)) for name in sorted(base.keys() | head.keys()))
    lines = [line for name, before, after in pairs if (line := _difference(name, before, after))]
    if base_rest != head_rest:
        lines.append(f"{LOCK}: other lines than pins differ")
    return tuple(plain(line) for line in lines)


def _difference(name: str, before: frozenset[Pin] | None, after: frozenset[Pin] | None) -> str:
    """Return how the pins of one library differ, nothing when they do not."""
    if before is None or after is None:
        return f"removed: {name} {_versions(before)}" if before else f"added: {name} {_versions(after)}"
    if before == after:
        return ""
    old, new = _versions(before), _versions(after)
    if old != new:
        return f"{name} {old} -> {new}"
    markers = {(pin.version, pin.marker) for pin in before} != {(pin.version, pin.marker) for pin in after}
    hashes = {(pin.version, pin.hashes) for pin in before} != {(pin.version, pin.hashes) for pin in after}
    what = " and ".join(word for word, differ in (("markers", markers), ("hashes", hashes)) if differ)
    return f"{name} {old}: other {what or 'combinations of markers and hashes'}"


def _versions(pins: frozenset[Pin] | None) -> str:
    return ", ".join(sorted({pin.version for pin in pins or ()}))


def _read(text: bytes) -> tuple[dict[str, frozenset[Pin]], frozenset[str]]:
    """Return the pins by normalised name, and all that is neither a pin nor a comment."""
    pins: dict[str, set[Pin]] = {}
    rest: set[str] = set()
    for raw in _CONTINUED.sub(" ", text.decode("utf-8", "replace")).splitlines():
        line = _COMMENT.sub("", raw).strip()
        hashes = frozenset(_HASH.findall(line))
        match = _PIN.fullmatch(_HASH.sub("", line).strip())
        if match:
            name = re.sub(r"[-_.]+", "-", match[1]).lower()[:_LONGEST]
            marker = " ".join((match[3] or "").split())
            pins.setdefault(name, set()).add(Pin(match[2][:_LONGEST], marker, hashes))
        elif line:
            rest.add(line)
    return {name: frozenset(several) for name, several in pins.items()}, frozenset(rest)
