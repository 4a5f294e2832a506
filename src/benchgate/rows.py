"""What one line of a run holds, for the runs that pytest makes.

Times are nanoseconds of one call: the time of a region divided by its calls, hence fractions.
"""

import sys
from typing import Annotated

import msgspec

Positive = Annotated[float, msgspec.Meta(gt=0, le=sys.float_info.max)]
Count = Annotated[int, msgspec.Meta(gt=0)]


class Items(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many items one call handles, and what they are (`frames`)."""

    count: Count
    unit: str


class WallclockRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The wall-clock time of one call, over the rounds of one run.

    Attributes:
        median_ns: The middle of the rounds; `p25_ns` and `p75_ns` are their quartiles, `min_ns` the fastest.
        rounds: The number of rounds.
        regions: The number of measured regions in a round.
        calls: The number of calls in a region: what a count of a region must be divided by.
        items: What one call handles, when the bench declares it.
        components: The ids that the bench declares as its components.
    """

    id: str
    median_ns: Positive
    p25_ns: Positive
    p75_ns: Positive
    min_ns: Positive
    rounds: Count
    regions: Count
    calls: Count
    items: Items | None = None
    components: tuple[str, ...] = ()

    @property
    def iqr_ns(self) -> float:
        """The distance between the quartiles."""
        return self.p75_ns - self.p25_ns


REGIONS_KIND = "regions"


class RegionRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the region that CodSpeed counted consists of; the counts themselves are in callgrind's output.

    Attributes:
        nodeid: The name of callgrind's part: the path relative to the repository, then the node id.
        pid: The process that the region was counted in.
        calls: The number of calls in the region.
    """

    id: str
    nodeid: str
    pid: Count
    calls: Count
    items: Items | None = None
    components: tuple[str, ...] = ()


class AllocationRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one call allocates, see `benchgate.allocations`.

    Attributes:
        nodeid: The path relative to the repository, then the node id.
        blocks: Memory blocks; a mean over calls, hence fractions.
        bytes: The bytes that were asked for.
    """

    id: str
    nodeid: str
    blocks: float
    bytes: float


class CountsRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The instructions and allocations of one call.

    Attributes:
        calls: The number of calls in the counted region.
        region: The instructions of that region, the harness's own included: what CodSpeed counts.
        instructions: The instructions of one call, without the harness's fixed cost.
        blocks: The memory blocks that one call takes from Python's allocators.
        bytes: The bytes of these.
        native_blocks: The blocks that one call takes from the C library past Python's allocators.
        items: What one call handles, when the bench declares it.
        components: The ids that the bench declares as its components.
    """

    id: str
    calls: Count
    region: int
    instructions: Positive
    blocks: float
    bytes: float
    native_blocks: float
    items: Items | None = None
    components: tuple[str, ...] = ()
