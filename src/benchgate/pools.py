"""Begin a counted region with fresh memory pools.

Python's allocator takes small blocks from pools, one kind for each size. Where a pool ends, a call costs up
to some hundred instructions more, and whether a bench's blocks lie across an end depends on all that the
process did before: on benches that ran earlier, even on names in folders. So before a region all pools that
have room are filled, and the region's blocks come from new ones, each at its beginning.

What fills them is kept until the process ends, so that each region only fills what has become free since.

Source: CPython's `Objects/obmalloc.c`: sizes by 16 up to 512 bytes, pools of 16 KiB behind a header of 48
bytes.
"""

import sys
from collections import deque
from collections.abc import Callable
from itertools import repeat

_POOL_BYTES = 16384
_HEADER_BYTES = 48
_STEP_BYTES, _LARGEST_BYTES = 16, 512
_AT_MOST = 50_000  # blocks of a size: an end where another allocator is in use

_kept: deque[object] = deque()


def fill_pools() -> None:
    """Fill all pools that have room, and begin a new one for each size."""
    if not sys.getallocatedblocks():
        return
    overhead = sys.getsizeof(b"")
    for size in range(_LARGEST_BYTES, 0, -_STEP_BYTES):
        if size > overhead:
            _fill(bytes, size - overhead, size)
        elif size > _STEP_BYTES:
            _fill((1 << 30).__sub__, 1, size)
        else:
            _fill(_an_object, 0, size)


def _an_object(_: int) -> object:
    return object()


def _fill(make: Callable[[int], object], argument: int, size: int) -> None:
    """Make objects until two in a row are the first of a pool."""
    first = False
    previous = 0
    for _ in repeat(None, _AT_MOST):
        block = make(argument)
        _kept.append(block)
        address = id(block)
        if first and address == previous + size:
            return
        first = address % _POOL_BYTES == _HEADER_BYTES
        previous = address
