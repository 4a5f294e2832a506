"""Benches that were renamed: `benches/aliases.toml`.

::

    [aliases]
    "derive/signing/sign_order" = "derive/signing/sign_trade_action"

The new id stands left, the old one right. The gate compares the new bench at the head with the old one at the
base; where the base knows the new id already, there is nothing to translate. Renames are not followed through
each other: an entry says by itself what a row is compared with.
"""

from collections.abc import Collection
from pathlib import Path

from benchgate.ids import LIST_PATH
from benchgate.tables import Table

PATH = Path("benches/aliases.toml")


def read(root: Path, ids: Collection[str]) -> dict[str, str]:
    """Read the old id of each renamed bench by its new one; `ids` are the ids that are listed.

    Raises:
        Unreadable: The file is not TOML or has another key, a new id is not listed, an old one still is, two
            benches have the same old id, or an old id was itself renamed.
    """
    content = Table.read(root, PATH)
    content.allow(["aliases"])
    table = content.table("aliases")
    aliases = {new: table.text(new) for new in table.keys}
    claimed: dict[str, str] = {}
    for new, old in aliases.items():
        if old in aliases and old != new:
            table.refuse(
                new, f"an id of the base and no chain ({old} was {aliases[old]}: write that, remove {old})"
            )
        if new not in ids:
            table.refuse(new, f"a new id that {LIST_PATH} lists, not {new}, for what was another")
        if old in ids:
            table.refuse(new, f"an old id that {LIST_PATH} lists no longer")
        if old in claimed:
            table.refuse(new, f"an old id of one bench alone ({claimed[old]} claims it)")
        claimed[old] = new
    return aliases
