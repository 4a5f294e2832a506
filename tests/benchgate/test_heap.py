import ctypes
import os
import random
import subprocess
import sys
from itertools import pairwise

import pytest

from benchgate.heap import fill_heap
from tests.benchgate.samples import REPOSITORY, environment_variables

FREE_CHUNKS, FREE_CACHED_CHUNKS, END_BYTES = 1, 2, 9  # places in what mallinfo returns: see its manual page


AT_THIS_PLACE = 0x100022  # MAP_FIXED_NOREPLACE, MAP_ANONYMOUS, MAP_PRIVATE


class Statistics(ctypes.Structure):
    _fields_ = (("figures", ctypes.c_int * 10),)


def check(*, is_blocked: bool) -> None:
    """Tear the heap in another way each time, fill it, and ask the C library what is free.

    `is_blocked` puts something behind the heap, so that it has to go on elsewhere, as under valgrind.
    """
    library = ctypes.CDLL(None)
    library.mallinfo.restype = Statistics
    library.malloc.restype = library.sbrk.restype = library.mmap.restype = ctypes.c_size_t
    library.malloc.argtypes, library.sbrk.argtypes = [ctypes.c_size_t], [ctypes.c_ssize_t]
    library.mmap.argtypes = [ctypes.c_size_t, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    page = 0
    if is_blocked:
        page = (library.sbrk(0) + (1 << 21)) & ~4095
        assert library.mmap(page, 4096, 0, AT_THIS_PLACE, -1, 0) == page
    last = 0
    dice = random.Random(7)
    kept, places = [], []
    for _ in range(40):
        torn = [bytes(dice.randrange(600, 60_000)) for _ in range(dice.randrange(300))]
        torn += [bytes(dice.randrange(520, 1000)) for _ in range(200)]
        del torn[:: dice.randrange(2, 5)]
        kept.append(torn)
        fill_heap()
        figures = library.mallinfo().figures
        assert (figures[FREE_CHUNKS], figures[FREE_CACHED_CHUNKS]) == (1, 0)  # the heap's end alone
        # 8 bytes of a header each. The first could be one that this thread has cached.
        addresses = [library.malloc(696) for _ in range(9)]
        assert {after - before for before, after in pairwise(addresses)} == {704}
        last = addresses[-1]
        places.append((addresses[0] % 4096, figures[END_BYTES]))
    assert set(places) == {(16, 1 << 14)}
    assert last > page


@pytest.mark.skipif("CS_GNU_LIBC_VERSION" not in os.confstr_names, reason="another C library than glibc")
@pytest.mark.parametrize("is_blocked", [False, True])
def test_a_filled_heap_has_no_hole_and_ends_in_the_same_way_however_torn_it_was(is_blocked: bool) -> None:  # noqa: FBT001 - a case
    """In a process of its own, since what fills it is kept."""
    variables = environment_variables() | {"PYTHONPATH": f"{REPOSITORY / 'src'}{os.pathsep}{REPOSITORY}"}
    code = f"from tests.benchgate.test_heap import check; check(is_blocked={is_blocked})"
    ended = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
