import ctypes
import os
import random
import subprocess
import sys

import pytest

from benchgate.heap import fill_heap
from tests.benchgate.samples import REPOSITORY, environment_variables

FREE_CHUNKS, FREE_CACHED_CHUNKS, END_BYTES = 1, 2, 9  # places in what mallinfo returns: see its manual page


class Statistics(ctypes.Structure):
    _fields_ = (("figures", ctypes.c_int * 10),)


def check() -> None:
    """Tear the heap in another way each time, fill it, and ask the C library what is free."""
    library = ctypes.CDLL(None)
    library.mallinfo.restype = Statistics
    library.malloc.restype = ctypes.c_size_t
    dice = random.Random(7)
    kept, places = [], []
    for _ in range(40):
        torn = [bytes(dice.randrange(600, 60_000)) for _ in range(dice.randrange(300))]
        del torn[:: dice.randrange(2, 5)]
        kept.append(torn)
        fill_heap()
        figures = library.mallinfo().figures
        assert (figures[FREE_CHUNKS], figures[FREE_CACHED_CHUNKS]) == (1, 0)  # the heap's end alone
        first, second = library.malloc(696), library.malloc(696)
        assert second - first == 704  # 8 bytes of a header each
        places.append((first % 4096, figures[END_BYTES]))
    assert len(set(places)) == 1


@pytest.mark.skipif("CS_GNU_LIBC_VERSION" not in os.confstr_names, reason="another C library than glibc")
def test_a_filled_heap_has_no_hole_and_ends_in_the_same_way_however_torn_it_was() -> None:
    """In a process of its own, since what fills it is kept."""
    variables = environment_variables() | {"PYTHONPATH": f"{REPOSITORY / 'src'}{os.pathsep}{REPOSITORY}"}
    command = [sys.executable, "-c", "from tests.benchgate.test_heap import check; check()"]
    ended = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
    assert ended.returncode == 0, ended.stderr
