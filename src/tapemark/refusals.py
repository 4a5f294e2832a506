"""What msgspec refused of a frame, as the three facts of an `InvalidFrame`: field, expected, got.

msgspec says it in a sentence such as "Expected `str`, got `int` - at `$.order_book.bids[0].price`". Field and
expectation are taken from the sentence; what came is looked up in the frame, since the sentence has its type
alone.
"""

import re
from typing import Any

import msgspec

from tapemark.errors import InvalidFrame

_EXPECTED_GOT = re.compile(r"Expected (?P<expected>.*?)(?:, got .*)?", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(?P<name>.*)`")
_PATH_SIGN = " - at `$"
_SHOWN_CHARS = 80
_STEP = re.compile(r"\.([^.\[\]]+)|\[([0-9]+)\]")


def refused(error: msgspec.ValidationError, tree: Any, path: str = "") -> InvalidFrame:
    """Name the field that msgspec refused.

    Args:
        error: What msgspec raised.
        tree: What was decoded or converted, as lists and dictionaries.
        path: Where that stands in its frame; empty when it is the whole frame.
    """
    # The last sign counts: what came, which the sentence may quote before it, can hold one of its own.
    what, sign, inner = str(error).rpartition(_PATH_SIGN)
    what, inner = (what, inner.removesuffix("`")) if sign else (inner, "")
    where = (path + inner).lstrip(".") or "frame"
    if missing := _MISSING.fullmatch(what):
        field = f"{where}.{missing['name']}".removeprefix("frame.")
        return InvalidFrame(field, "a value under this key", _at(tree, inner))
    expected = _EXPECTED_GOT.fullmatch(what)
    wanted = expected["expected"].replace("`", "") if expected else f"another value ({what})"
    return InvalidFrame(where, wanted[:_SHOWN_CHARS], _at(tree, inner))


def _at(tree: Any, path: str) -> Any:
    """Look up what stands at a path such as `.bids[0][1]`; the nearest parent where the path ends early."""
    for name, index in _STEP.findall(path):
        try:
            tree = tree[name] if name else tree[int(index)]
        except (KeyError, IndexError, TypeError):
            return tree
    return tree
