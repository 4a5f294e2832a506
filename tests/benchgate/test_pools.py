import os
import subprocess
import sys
from itertools import pairwise

import pytest

from benchgate.pools import fill_pools
from tests.benchgate.samples import REPOSITORY, environment_variables

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
    """Leave holes of whole pools in several arenas, fill them, and look whether a new arena was begun."""
    torn = [[bytes(479) for _ in range(31)] for _ in range(300)]
    before = {id(block) // 16384 for blocks in torn for block in blocks}
    del torn[::3]
    fill_pools()
    now = {id(block) // 16384 for block in [bytes(479) for _ in range(31 * 20)]}  # less than an arena holds
    assert not now & before
    assert max(now) - min(now) < 64


@pytest.mark.skipif(not sys.getallocatedblocks(), reason="Python's own allocator is not in use")
@pytest.mark.parametrize("call", [*(f"check({size})" for size in SIZES), "check_places()", "check_arena()"])
def test_blocks_come_from_new_pools_however_torn_the_heap_was(call: str) -> None:
    """In a process of its own, as counting has: what other tests have freed is more than is ever filled."""
    code = f"from tests.benchgate.test_pools import check, check_arena, check_places; {call}"
    variables = environment_variables() | {"PYTHONPATH": f"{REPOSITORY / 'src'}{os.pathsep}{REPOSITORY}"}
    command = [sys.executable, "-c", code]
    ended = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
    assert ended.returncode == 0, ended.stderr
