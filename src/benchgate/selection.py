"""Select benches by the beginning of an id or by a pattern, and say what was meant when nothing fits."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

from benchgate.errors import NoMatch
from benchgate.ids import group_of, name_of

_SHOWN = 5


def select(ids: Sequence[str], wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the ids that any of `wanted` names, in their own order; all of them when nothing is wanted.

    Each of `wanted` is the beginning of ids (`derive/signing`), or a pattern with `*` or `?` for a whole id.
    Brackets are ordinary characters, as ids have them.

    Raises:
        NoMatch: One of `wanted` names no id; the message lists near names.
    """
    if not wanted:
        return tuple(ids)
    chosen: set[str] = set()
    for text in wanted:
        found = {identity for identity in ids if _fits(identity, text)}
        if not found:
            near = ", ".join(_near(ids, text))
            raise NoMatch(f"no bench is named {text}" + (f"; near names: {near}" if near else ""))
        chosen |= found
    return tuple(identity for identity in ids if identity in chosen)


def _fits(identity: str, text: str) -> bool:
    if "*" in text or "?" in text:
        pattern = re.escape(text).replace(r"\*", ".*").replace(r"\?", ".")
        return re.fullmatch(pattern, identity) is not None
    return identity.startswith(text)


def _near(ids: Sequence[str], text: str) -> list[str]:
    names = dict.fromkeys([*map(group_of, ids), *ids])
    near = [name for name in names if text in name] + get_close_matches(text, names, _SHOWN, 0.6)
    last = text.rsplit("/", 1)[-1]
    near += [name for name in ids if get_close_matches(last, [name_of(name)], 1, 0.6)]
    return list(dict.fromkeys(near))[:_SHOWN]
