"""Mutations of frames: torn bytes, awkward values, keys reordered, added and dropped."""

import copy
import json
import random
from typing import Any

AWKWARD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    7,
    3.25,
    1e300,
    123456789012345678901234567890,
    2**63,
    -(2**63) - 1,
    "",
    "NaN",
    "-NaN",
    "sNaN12",
    "nan",
    "inf",
    "-Infinity",
    "null",
    "true",
    " 1",
    "1 ",
    "1_000",
    "+1",
    "-1",
    "-0",
    "--1",
    "1-2",
    "1.2.3",
    ".",
    "-",
    ".5",
    "5.",
    "007",
    "1e3",
    "1E-3",
    "1e999",
    "1e-999999999",
    "0x10",
    "\uff11\uff12",
    "1\u0663",
    "\u00a01",
    "1\u0000",
    "9" * 400,
    "0." + "1" * 60,
    [],
    {},
    [[]],
    ["1", "2"],
    {"a": 1},
)
AWKWARD_BYTES = (b'"', b",", b"\\u00e9", b"\\ud800", b"0", b"-", b".", b"e5", b"null", b" ")


def mutated(raw: bytes, rng: random.Random) -> bytes:
    """Return a mutation of a frame: of its tree three times in four, else of its bytes, seldom of both."""
    roll = rng.random()
    if roll < 0.75:
        raw = _tree_mutated(raw, rng)
    if roll > 0.7:
        for _ in range(rng.choice((1, 1, 1, 2, 5))):
            raw = bytes_mutated(raw or b"{}", AWKWARD_BYTES, rng)
    return raw


def bytes_mutated(raw: bytes, insertions: tuple[bytes, ...], rng: random.Random) -> bytes:  # noqa: PLR0911 - one return a mutation
    """Change, drop, insert or repeat some bytes, or leave out the rest.

    Args:
        raw: The bytes.
        insertions: What may be put between them.
        rng: Makes every choice.
    """
    at = rng.randrange(len(raw) + 1)
    to = min(len(raw), at + rng.choice((1, 1, 2, 8, 64)))
    match rng.randrange(7):
        case 0:
            return raw[:at] + bytes([rng.randrange(256)]) + raw[at + 1 :]
        case 1:
            return raw[:at] + raw[to:]
        case 2:
            return raw[:at] + bytes([rng.randrange(256)]) + raw[at:]
        case 3:
            return raw[:to] + raw[at:]
        case 4:
            return raw[:at]
        case 5:
            return raw[:at] + rng.choice(insertions) + raw[at:]
        case _:
            flipped = bytes([byte ^ (1 << rng.randrange(8)) for byte in raw[at : at + 1]])
            return raw[:at] + flipped + raw[at + 1 :]


def _tree_mutated(raw: bytes, rng: random.Random) -> bytes:
    tree = json.loads(raw)
    for _ in range(rng.choice((1, 1, 2, 3))):
        parent, key = _somewhere(tree, rng)
        match rng.randrange(6):
            case 0 | 1:
                parent[key] = _awkward(rng)
            case 2:
                parent[key] = _renumbered(parent[key])
            case 3 if isinstance(parent, dict):
                name = rng.choice(("x", "timestamp", "channel", "data", "bids", "M", "error", "result"))
                parent[name] = _awkward(rng)
            case 4:
                del parent[key]
                if not tree:
                    break
            case _ if isinstance(parent, dict):
                items = list(parent.items())
                rng.shuffle(items)
                parent.clear()
                parent.update(items)
            case _:
                parent.append(copy.deepcopy(parent[key]))
    text = json.dumps(
        tree, separators=(",", ":") if rng.random() < 0.8 else (", ", ": "), ensure_ascii=rng.random() < 0.5
    )
    return text.encode("utf-8", "surrogatepass")


def _awkward(rng: random.Random) -> Any:
    """Choose an awkward value; a copy, since the next mutation may write into it."""
    return copy.deepcopy(rng.choice(AWKWARD))


def _renumbered(value: Any) -> Any:
    """Turn a numeral in a string into a JSON number, and a JSON number into a string."""
    if isinstance(value, str):
        try:
            number = json.loads(value)
        except ValueError:
            return value
        return number if isinstance(number, int | float) else value
    return json.dumps(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _somewhere(tree: Any, rng: random.Random) -> tuple[Any, Any]:
    """Choose a container and one of its keys, deep ones as likely as shallow ones."""
    places: list[tuple[Any, Any]] = []
    queue = [tree]
    while queue:
        node = queue.pop()
        for key, child in node.items() if isinstance(node, dict) else enumerate(node):
            places.append((node, key))
            if isinstance(child, dict | list):
                queue.append(child)
    return rng.choice(places)
