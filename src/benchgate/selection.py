"""Select benches by the beginning of an id or by a pattern, and say what was meant when nothing fits."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

from benchgate.errors import NoMatch
from benchgate.ids import group_of, name_of

_SHOWN = 5


def select(ids: Sequence[str], wanted: Sequence[str], noun: str = "bench") -> tuple[str, ...]:
    """Return the ids that any of `wanted` names, in their own order; all of them when nothing is wanted.

    `noun` is what the ids are ids of.

    Each of `wanted` is the beginning of ids (`derive/signing`), or a pattern with `*` or `?` for a whole id.
    Brackets are ordinary characters, as ids have them.

    Raises:
        NoMatch: One of `wanted` names no id; the message lists near names.
    """
    chosen, unmatched = matched(ids, wanted)
    for text in unmatched:
        near = ", ".join(_near(ids, text))
        raise NoMatch(f"no {noun} is named {text}" + (f"; near names: {near}" if near else ""))
    return chosen


def matched(ids: Sequence[str], wanted: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what `select` does, and those of `wanted` that name no id."""
    if not wanted:
        return tuple(ids), ()
    chosen = tuple(identity for identity in ids if any(_fits(identity, text) for text in wanted))
    unmatched = tuple(text for text in wanted if not any(_fits(identity, text) for identity in ids))
    return chosen, unmatched


def fits_pattern(identity: str, pattern: str) -> bool:
    """Whether `pattern`, in which `*` and `?` stand for any characters or one, fits the whole id."""
    expression = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(expression, identity) is not None


def _fits(identity: str, text: str) -> bool:
    return fits_pattern(identity, text) if "*" in text or "?" in text else identity.startswith(text)


def _near(ids: Sequence[str], text: str) -> list[str]:
    names = dict.fromkeys([*map(group_of, ids), *ids])
    near = [name for name in names if text in name] + get_close_matches(text, names, _SHOWN, 0.6)
    last = text.rsplit("/", 1)[-1]
    near += [name for name in ids if get_close_matches(last, [name_of(name)], 1, 0.6)]
    return list(dict.fromkeys(near))[:_SHOWN]
