"""A memory of what was seen, bounded and first in, first out.

Guarantee: at most `capacity` keys are held; remembering one more forgets the oldest. To remember a key again
does not make it younger, so a replay cannot keep a key alive. Look a key up with `in` or `.get()`.

Left to the caller: a capacity that outlasts the replays it expects, and one thread at a time.
"""

from collections import OrderedDict
from collections.abc import Hashable
from typing import TypeVar

from tapemark.errors import InvalidArgument

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class BoundedMemory(OrderedDict[Key, Value]):
    """Map the last `capacity` keys to their values.

    An `OrderedDict` forgets its oldest key in constant time; a plain `dict` walks over the places of the keys
    that were forgotten before, which costs ten times as much at 4,096 keys.

    Args:
        capacity: How many keys are held, at least 1.

    Raises:
        InvalidArgument: The capacity is not a positive integer.
    """

    __slots__ = ("capacity",)

    def __init__(self, capacity: int) -> None:
        if type(capacity) is not int or capacity < 1:
            raise InvalidArgument("capacity", "an integer of 1 or more", capacity)
        super().__init__()
        self.capacity = capacity

    def remember(self, key: Key, value: Value) -> Value | None:
        """Hold `key` with `value`; return the value of the key that was forgotten for it, if one was."""
        self[key] = value
        return self.popitem(last=False)[1] if len(self) > self.capacity else None
