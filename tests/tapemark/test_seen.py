import random
from collections import deque

import pytest

from tapemark.errors import InvalidArgument
from tapemark.seen import BoundedMemory


def test_the_oldest_key_is_forgotten_first_as_in_a_deque() -> None:
    memory: BoundedMemory[str, int] = BoundedMemory(7)
    model: deque[tuple[str, int]] = deque(maxlen=7)
    rng = random.Random(5)
    for step in range(500):
        key = f"k{rng.randrange(40)}"
        known = dict(model)
        assert (key in memory) == (key in known)
        assert memory.get(key) == known.get(key)
        if key in known:
            continue
        oldest = model[0][1] if len(model) == 7 else None
        assert memory.remember(key, step) == oldest
        model.append((key, step))
        assert list(memory.items()) == list(model)


def test_a_repeat_takes_the_new_value_and_keeps_its_age() -> None:
    memory: BoundedMemory[str, int] = BoundedMemory(2)
    memory.remember("a", 1)
    memory.remember("b", 2)
    assert memory.remember("a", 3) is None
    assert memory["a"] == 3
    assert memory.remember("c", 4) == 3
    assert list(memory) == ["b", "c"]


@pytest.mark.parametrize("capacity", [0, -1, True, 2.0, "3", None])
def test_a_capacity_is_a_positive_integer(capacity: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^capacity: expected an integer of 1 or more"):
        BoundedMemory(capacity)  # type: ignore[arg-type]  # what the check is for
