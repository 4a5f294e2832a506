"""What a bench declares about itself with markers: its components and the items that one call handles."""

import pytest

from benchgate.errors import BadBench
from benchgate.rows import Items

MARKERS = (
    "components(*ids): the ids of the rows that a pipeline consists of",
    "items(count, unit): one call handles so many items",
)


def components(item: pytest.Item) -> tuple[str, ...]:
    """Return the ids that a pipeline's bench names as its components, none for other benches.

    Raises:
        BadBench: The marker has no ids, or something else than ids.
    """
    marker = item.get_closest_marker("components")
    if marker is None:
        return ()
    if not marker.args or marker.kwargs or not all(isinstance(identity, str) for identity in marker.args):
        raise BadBench(
            f"{item.nodeid}: components: expected bench ids, got {marker.args!r} {marker.kwargs!r}"
        )
    return tuple(marker.args)


def items(item: pytest.Item) -> Items | None:
    """Return how many items one call of the bench handles, None when it does not say.

    Raises:
        BadBench: The marker does not hold a positive count and a unit.
    """
    marker = item.get_closest_marker("items")
    if marker is None:
        return None
    match marker.args:
        case (int(count), str(unit)) if count > 0 and unit and not marker.kwargs:
            return Items(count, unit)
    raise BadBench(
        f"{item.nodeid}: items: expected a positive count and a unit, got {marker.args!r} {marker.kwargs!r}"
    )
