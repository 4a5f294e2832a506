import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise

import pytest

from benchgate.pools import fill_pools
from tests.benchgate.samples import REPOSITORY, environment_variables

OTHER_CHECKS = ["check_places()", "check_arena()", "check_beginning()"]
SIZES = [144, 256, 400, 512]  # smaller ones are also taken by what a test itself does


def addresses_of_new_blocks(size: int, count: int = 12) -> list[int]:
    blocks = [bytes(size - sys.getsizeof(b"")) for _ in range(count)]
    return [id(block) for block in blocks]


def in_one_row(addresses: list[int], size: int) -> bool:
    return all(later - earlier == size for earlier, later in pairwise(addresses))


def check(size: int) -> None:
    """Tear the heap, fill the pools, and look where the next blocks come from."""
    torn = [bytes(size - sys.getsizeof(b"")) for _ in range(4000)]
    del torn[::2]
    assert not in_one_row(addresses_of_new_blocks(size), size)  # they fill the holes
    fill_pools()
    found = addresses_of_new_blocks(size)
    assert in_one_row(found, size)
    assert len({address // 16384 for address in found}) == 1
    assert torn


def check_places() -> None:
    """Fill the pools several times, and look where the next blocks lie in theirs."""
    places = []
    for _ in range(3):
        fill_pools()
        places.append([addresses_of_new_blocks(size, 1)[0] % 16384 for size in SIZES])
    assert places[0] == places[1] == places[2]


def check_arena() -> None:
    """Leave whole pools free, and the beginnings of others, and look where blocks come from."""
    torn = [bytes(479) for _ in range(31 * 300)]
    pools: dict[int, int] = Counter(id(block) // 16384 for block in torn)
    whole = sorted(pool for pool, blocks in pools.items() if blocks == 31)
    free, begun = set(whole[::3]), set(whole[1::3])
    torn = [
        block
        for block in torn
        if id(block) // 16384 not in free and (id(block) // 16384 not in begun or id(block) % 16384 > 8192)
    ]
    fill_pools()
    taken = {id(block) // 16384 for block in [bytes(479) for _ in range(31 * 20)]}  # less than an arena holds
    assert not taken & pools.keys()
    assert max(taken) - min(taken) < 64
    assert torn
    assert min(taken) // 64 == max(taken) // 64  # all between two multiples of an arena's size


def check_beginning() -> None:
    """Fill the pools of many different heaps: each time the next pool is the first of an aligned arena."""
    kept = []
    for turn in range(60):
        kept.append([bytes(16 + 13 * turn % 400) for _ in range(turn * 37)])
        fill_pools()
        assert addresses_of_new_blocks(512, 1)[0] % (1 << 20) < 16384, turn


@pytest.mark.skipif(not sys.getallocatedblocks(), reason="Python's own allocator is not in use")
@pytest.mark.parametrize("call", [*(f"check({size})" for size in SIZES), *OTHER_CHECKS])
def test_blocks_come_from_new_pools_however_torn_the_heap_was(call: str) -> None:
    """In a process of its own, as counting has: what other tests have freed is more than is ever filled."""
    code = f"from tests.benchgate.test_pools import *; {call}"
    variables = environment_variables() | {"PYTHONPATH": f"{REPOSITORY / 'src'}{os.pathsep}{REPOSITORY}"}
    command = [sys.executable, "-c", code]
    ended = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
    assert ended.returncode == 0, ended.stderr
