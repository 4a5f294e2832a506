"""How much of a pipeline its components explain: the sum of their medians over the pipeline's.

Near 100 % the parts account for the whole. Well below, the pipeline does work that no row shows; well above,
the parts do work that the pipeline avoids, or the two runs of the same code differ that much here.
"""

from collections.abc import Mapping, Sequence

import msgspec

from benchgate.rows import WallclockRow


class Share(msgspec.Struct, frozen=True):
    """One pipeline and its components' medians; a component that this run did not measure has None."""

    id: str
    median_ns: float
    components: tuple[tuple[str, float | None], ...]

    @property
    def explained(self) -> float | None:
        """The explained part of the pipeline, 1.0 for all of it; None when a component was not measured."""
        parts = [ns for _, ns in self.components if ns is not None]
        return sum(parts) / self.median_ns if len(parts) == len(self.components) else None


def explained(rows: Sequence[WallclockRow]) -> tuple[Share, ...]:
    """Return the share of each row that declares components."""
    medians = {row.id: row.median_ns for row in rows}
    return tuple(
        Share(row.id, row.median_ns, tuple((part, medians.get(part)) for part in row.components))
        for row in rows
        if row.components
    )


def shared_components(shares: Sequence[Share]) -> Mapping[str, tuple[str, ...]]:
    """Return, for each component that several pipelines have, the ids of those pipelines."""
    users: dict[str, list[str]] = {}
    for share in shares:
        for part, _ in share.components:
            users.setdefault(part, []).append(share.id)
    return {part: tuple(ids) for part, ids in users.items() if len(ids) > 1}
