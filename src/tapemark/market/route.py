"""What the routes of all venues share: a write that is ready, and the reasons for which a frame makes none.

A route turns one frame into a `Write` in `parse`, which changes nothing, and `Write.write` changes the state.
So the two can be timed apart, and a frame that does not fit has changed nothing when it raises. A frame that
says nothing of the state is no fault: it is counted in the route's `skipped`, by `Skip`.
"""

import enum
from typing import Protocol


class Skip(enum.Enum):
    """Why a frame, or a record of one, that is well-formed made no write."""

    UNKNOWN_SYMBOL = "of a symbol that the state does not hold"
    UNKNOWN_MESSAGE = "of a channel or type that is not known"
    UNKNOWN_STATUS = "of an order whose status is not known"
    NO_STATE = "well known, but no part of the state: a trade or an answer"


class Write(Protocol):
    """What a frame does to the state, converted and checked, nothing of it done yet."""

    def write(self) -> object:
        """Change the state; tell what became of it, each venue in its own way."""
