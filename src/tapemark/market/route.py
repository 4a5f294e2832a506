"""What the routes of all venues share: a write that is ready, and the reasons for which a frame makes none.

A route turns one frame into a `Write` in `parse`, and `Write.write` changes the state, so that the two can be
timed apart. A frame that does not fit has written nothing of itself when it raises. What it says is lost all
the same: where a book is kept by deltas, `parse` of an update with a bad text drops that book at once. So
each frame is to be written before the next is parsed, as `handle` does.

A frame that says nothing of the state is no fault: it is counted in the route's `skipped`, by `Skip`.

`recv_ns` is when a frame was received, in nanoseconds of any one clock that never steps back, such as
`time.monotonic_ns`; the state keeps it, and waits are measured by it, but no venue's time is compared to it.
"""

import enum
from typing import Protocol


class Skip(enum.Enum):
    """Why a frame, or a record of one, that is well-formed made no write."""

    UNKNOWN_SYMBOL = "of a symbol that the state does not hold"
    UNKNOWN_MESSAGE = "of a channel or type that is not known"
    UNKNOWN_STATUS = "of an order whose status is not known"
    LATE = "older by the venue's clock than what the state holds"
    NO_STATE = "well known, but no part of the state: a trade or an answer"


class Write(Protocol):
    """What a frame does to the state, its texts converted, nothing of it done yet."""

    def write(self) -> object:
        """Change the state; tell what became of it, each venue in its own way."""
