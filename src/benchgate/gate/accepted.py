"""Regressions that are accepted: `benches/accepted.toml`.

::

    [[accepted]]
    id = "derive/signing/sign_trade_action"
    limit_percent = 3.0
    reason = "the domain separator is checked before each signature"
    expires = 2026-12-31

A row that is listed may be slower than the base by up to its limit until the end of the day on which it
expires, in UTC, a year ahead at most. Past that day the entry does nothing and is a notice, so that nothing
is accepted for ever. Nor does an entry that the base has as well: what it accepted is in the base, and it
would let the next change slow the row as much again.
An entry whose bench is not listed is refused: it accepts nothing, and whoever wrote it believes that it does.
"""

from collections.abc import Collection
from datetime import date
from pathlib import Path

import msgspec

from benchgate.ids import LIST_PATH
from benchgate.tables import Table

PATH = Path("benches/accepted.toml")
MOST_PERCENT = 10_000
PLACEHOLDER = "one line: what the cost buys"
"""The reason of an entry that is offered, which is none yet."""


class Accepted(msgspec.Struct, frozen=True):
    """A regression that is accepted.

    Attributes:
        limit: By how much the row may be slower than the base, as a share of it.
        reason: Why, in one line.
        expires: The last day on which it holds.
    """

    limit: float
    reason: str
    expires: date


def read(root: Path, ids: Collection[str]) -> dict[str, Accepted]:
    """Read the entries by bench id, those that are expired among them; `ids` are the ids that are listed.

    Raises:
        Unreadable: The file is not TOML, a key is unknown, missing or does not fit, or an id is not listed or
            has two entries.
    """
    content = Table.read(root, PATH)
    content.allow(["accepted"])
    entries: dict[str, Accepted] = {}
    for entry in content.tables("accepted"):
        entry.allow(["id", "limit_percent", "reason", "expires"])
        identity = entry.text("id")
        if identity not in ids:
            entry.refuse(
                "id", f"an id that {LIST_PATH} lists (is the bench gone or renamed? remove the entry)"
            )
        if identity in entries:
            entry.refuse("id", "one entry for each id")
        if entry.text("reason") == PLACEHOLDER:
            entry.refuse("reason", "what the cost buys, in one line of your own")
        entries[identity] = Accepted(
            entry.share("limit_percent", MOST_PERCENT), entry.text("reason"), entry.date("expires")
        )
    return entries
