"""What counts as slower: thresholds, accepted regressions and renamed benches, all kept in the repository.

::

    [tool.benchgate]                    # in pyproject.toml
    threshold_percent = 0.5

    [[tool.benchgate.override]]
    ids = "derive/signing/presigned_*"
    threshold_percent = 2.0
    reason = "the points are drawn anew, and other numbers are other work"

`ids` is an id, or a pattern with `*` or `?` for whole ids; brackets are ordinary characters. Two overrides
may fit the same id only where they agree. `benchgate.gate.accepted` and `benchgate.gate.aliases` describe the
other files. Files may be missing; what is in them is checked in full before anything is measured.

Reasons and ids are texts from the change under measurement: whoever shows them cleans them.
"""

from collections.abc import Collection, Mapping
from datetime import date, timedelta
from pathlib import Path

import msgspec

from benchgate.errors import Unreadable
from benchgate.gate import accepted as accepted_file
from benchgate.gate import aliases as aliases_file
from benchgate.gate.accepted import Accepted
from benchgate.ids import LIST_PATH, listed
from benchgate.selection import fits_pattern
from benchgate.tables import Table

PATH = Path("pyproject.toml")
LONGEST = timedelta(days=366)
"""How far ahead a regression can be accepted."""
THRESHOLD_PERCENT = 0.5
"""Where the repository sets none."""


class Override(msgspec.Struct, frozen=True):
    """A threshold for some rows.

    Attributes:
        ids: The pattern of their ids.
        threshold: The change that counts, as a share of the base.
        reason: Why it is another one, in one line.
    """

    ids: str
    threshold: float
    reason: str


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """What the repository has decided about its rows.

    Attributes:
        threshold: The change that counts unless an override says otherwise, as a share of the base.
        overrides: The exceptions from it.
        accepted: Regressions that are accepted today, by bench id.
        expired: Those that no longer are.
        aliases: The old id of each renamed bench, by its new id.
        idle: The patterns of overrides that fit no listed id.
        settled: The ids of accepted regressions that the base has in it.
    """

    threshold: float
    overrides: tuple[Override, ...]
    accepted: dict[str, Accepted]
    expired: dict[str, Accepted]
    aliases: dict[str, str]
    idle: tuple[str, ...]
    settled: tuple[str, ...] = ()

    def threshold_of(self, identity: str) -> float:
        """Return the change of a row above which it counts, as a share of the base."""
        fitting = (rule.threshold for rule in self.overrides if fits_pattern(identity, rule.ids))
        return next(fitting, self.threshold)

    def since(self, base: Mapping[str, Accepted]) -> "Policy":
        """Return this policy without the accepted regressions that the base accepts as well.

        Another reason or a later day accept nothing anew, since what was accepted is in the base. A higher
        limit does.
        """
        new = {
            name: entry
            for name, entry in self.accepted.items()
            if name not in base or entry.limit > base[name].limit
        }
        return msgspec.structs.replace(self, accepted=new, settled=tuple(self.accepted.keys() - new.keys()))

    def notices(self, slower_ids: Collection[str], measured_ids: Collection[str]) -> tuple[str, ...]:
        """Return one line for each entry that has no effect.

        Args:
            slower_ids: The rows that were found slower beyond error and threshold, accepted or not.
            measured_ids: The rows about which it could be told; nothing is said of others.
        """
        return (
            *self.expired_notices(),
            *(
                f"{accepted_file.PATH}: the base has accepted {identity} already: its entry can go"
                for identity in sorted(self.settled)
            ),
            *(
                f"{accepted_file.PATH}: {identity} is not slower than the base: its entry can go"
                for identity in self.accepted
                if identity in measured_ids and identity not in slower_ids
            ),
            *(f"{PATH}: tool.benchgate.override: {ids} fits no id of {LIST_PATH}" for ids in self.idle),
        )

    def expired_notices(self) -> tuple[str, ...]:
        """Return one line for each accepted regression that has expired."""
        return tuple(
            f"{accepted_file.PATH}: {identity} expired on {entry.expires} and is no longer accepted"
            for identity, entry in self.expired.items()
        )


def read(root: Path, today: date) -> Policy:
    """Read the policy of the repository at `root`; `today` is the date in UTC.

    Raises:
        Unreadable: The list of ids is missing, or a file does not fit: the message names file and key, what
            was expected and what came.
    """
    ids = listed(root / LIST_PATH)
    table = Table.read(root, PATH).table("tool").table("benchgate")
    table.allow(["threshold_percent", "override"])
    overrides = tuple(_override(item) for item in table.tables("override"))
    _refuse_contradictions(overrides, table, ids)
    entries = accepted_file.read(root, ids)
    for identity, entry in entries.items():
        if entry.expires > today + LONGEST:
            raise Unreadable(
                f"{accepted_file.PATH}: {identity}: expires: expected a day by {today + LONGEST}, "
                f"got {entry.expires}"
            )
    return Policy(
        threshold=table.share("threshold_percent", 100, THRESHOLD_PERCENT),
        overrides=overrides,
        accepted={identity: entry for identity, entry in entries.items() if entry.expires >= today},
        expired={identity: entry for identity, entry in entries.items() if entry.expires < today},
        aliases=aliases_file.read(root, ids),
        idle=tuple(
            rule.ids for rule in overrides if not any(fits_pattern(identity, rule.ids) for identity in ids)
        ),
    )


def _override(table: Table) -> Override:
    table.allow(["ids", "threshold_percent", "reason"])
    return Override(table.text("ids"), table.share("threshold_percent", 100), table.text("reason"))


def _refuse_contradictions(overrides: tuple[Override, ...], table: Table, ids: Collection[str]) -> None:
    for identity in ids:
        fitting = [rule for rule in overrides if fits_pattern(identity, rule.ids)]
        for rule in fitting[1:]:
            if rule.threshold != fitting[0].threshold:
                both = f"{fitting[0].ids!r} and {rule.ids!r}"
                table.refuse("override", f"one threshold for {identity}", f"{both}, which differ")


def accepted_at(base_root: Path) -> dict[str, Accepted]:
    """Return the regressions that a base accepts; none where it has no file that can be read."""
    try:
        return accepted_file.read(base_root, listed(base_root / LIST_PATH))
    except Unreadable:
        return {}


def edited(paths: Collection[str]) -> tuple[str, ...]:
    """Return one line for each thing that a change edits and by which it is judged itself."""
    judging = {
        "the gate's code": ("src/benchgate/",),
        "the gate's workflows": (".github/workflows/gate",),
        "the commands": ("noxfile.py", "requirements/nox.txt"),
        str(PATH): (str(PATH),),
        str(accepted_file.PATH): (str(accepted_file.PATH),),
        str(aliases_file.PATH): (str(aliases_file.PATH),),
    }
    return tuple(
        f"this change edits {what}, by which it is judged"
        for what, beginnings in judging.items()
        if any(path.startswith(beginnings) for path in paths)
    )
