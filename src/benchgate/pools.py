"""Begin what is counted with fresh memory pools, in a fresh arena.

Python's allocator takes small blocks from pools, one kind for each size, and pools from arenas. Where a pool
ends, a call costs up to some hundred instructions more; and a pool that becomes empty is put into its arena's
place among the others, which costs more the more arenas there are with room. Which blocks lie across an end,
and how full which arena is, depends on all that the process did before: on benches that ran earlier, on the
size of a table that no bench reads, even on names in folders. And whenever a block is freed, its arena is
looked up, which takes an instruction or three more where the arena lies across a multiple of its size: half a
per cent of a call that frees much. So before the arguments of a counted region are made, and again before it
begins, all pools and arenas that have room are filled: its blocks come from new pools, each at its beginning,
of an arena that nothing else is in and that begins at a multiple of its size.

What fills them is kept until the process ends, so that each region only fills what has become free since.

Source: CPython's `Objects/obmalloc.c`: sizes by 16 up to 512 bytes, pools of 16 KiB behind a header of 48
bytes, arenas of 1 MiB, each mapped by itself; `arena_map_is_used` looks them up.
"""

import ctypes
import mmap
import os
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable
from itertools import islice, repeat
from tempfile import TemporaryFile

_ARENA_BYTES = 1 << 20
_POOL_BYTES = 16384
_HEADER_BYTES = 48
_STEP_BYTES, _LARGEST_BYTES = 16, 512
_AT_MOST = 50_000  # about how many blocks of a size: an end where they do not come from pools after all
_BLOCKS_OF_A_POOL = (_POOL_BYTES - _HEADER_BYTES) // _LARGEST_BYTES
_OVERHEAD_BYTES = sys.getsizeof(b"")
_STANDARD_ERROR = 2
_UNUSED_POOLS = re.compile(rb"^(\d+) unused pools \* \d+ bytes", re.MULTILINE)
_KNOWN_AFTER = 500  # pools, 16 MB
_TRIES = 5

_kept: deque[object] = deque()
_pads: list[mmap.mmap] = []


def fill_pools() -> None:
    """Fill all pools and arenas that have room, and begin a new pool for each size.

    Do nothing where blocks do not come from pools of this kind, as with another allocator or one that checks.
    """
    if not _pools_are_known():
        return
    for _ in range(_TRIES):
        reserve = [_fill(make, argument, size) for size, make, argument in _MAKERS]
        # To look and to map takes small objects, too. They have room now, in pools that stay in use: else
        # they would begin the new arena, before it is aligned.
        del reserve
        _fill_unused_pools()
        _align_next_arena()
        size, make, argument = _MAKERS[0]
        is_aligned = _begin(make, argument, size) < _POOL_BYTES  # in the first pool of the arena
        for size, make, argument in _MAKERS[1:]:
            _begin(make, argument, size)
        if is_aligned:
            return


def _pools_are_known() -> bool:
    """Look whether new blocks come one after the other in pools of the size that is known."""
    if not sys.getallocatedblocks():
        return False
    for _ in repeat(None, _KNOWN_AFTER):
        _kept.extend(bytes(_LARGEST_BYTES - _OVERHEAD_BYTES) for _ in repeat(None, 2 * _BLOCKS_OF_A_POOL))
        if _has_whole_pool(
            map(id, islice(reversed(_kept), 2 * _BLOCKS_OF_A_POOL)), _LARGEST_BYTES, _BLOCKS_OF_A_POOL
        ):
            return True
    return False


def _fill_unused_pools() -> None:
    """Take all pools that no size uses."""
    for _ in range(_TRIES):
        unused = _unused_pools()
        if not unused:
            return
        for _ in repeat(None, unused * _BLOCKS_OF_A_POOL):
            _kept.append(bytes(_LARGEST_BYTES - _OVERHEAD_BYTES))


def _unused_pools() -> int:
    """Return how many pools of all arenas are not in use; 0 where the allocator does not say."""
    with TemporaryFile() as file:
        # CPython tells it to the C library's standard error alone.
        before = os.dup(_STANDARD_ERROR)
        os.dup2(file.fileno(), _STANDARD_ERROR)
        try:
            sys._debugmallocstats()  # noqa: SLF001 - documented for this purpose, though named like a private one
        finally:
            os.dup2(before, _STANDARD_ERROR)
            os.close(before)
        file.seek(0)
        found = _UNUSED_POOLS.search(file.read())
    return int(found[1]) if found else 0


def _align_next_arena() -> None:
    """Fill the address space until what is mapped next in an arena's size begins at a multiple of it.

    Systems map downwards, valgrind upwards; either way the next address is known by a trial.
    """
    for attempt in range(_TRIES):
        beyond = _next_address() % _ARENA_BYTES
        if not beyond:
            return
        pad = beyond if attempt % 2 else _ARENA_BYTES - beyond
        _pads.append(mmap.mmap(-1, pad))


def _next_address() -> int:
    with mmap.mmap(-1, _ARENA_BYTES) as trial:
        first = ctypes.c_char.from_buffer(trial)
        address = ctypes.addressof(first)
        del first  # else the mapping could not be closed
    return address


def _an_object(_: int) -> object:
    return object()


def _maker(size: int) -> tuple[int, Callable[[int], object], int]:
    """Return a size with a function that makes an object of it, and the function's argument."""
    if size > _OVERHEAD_BYTES:
        return size, bytes, size - _OVERHEAD_BYTES
    if size > _STEP_BYTES:
        return size, (1 << 30).__sub__, 1
    return size, _an_object, 0


_MAKERS = tuple(_maker(size) for size in range(_LARGEST_BYTES, 0, -_STEP_BYTES))


def _fill(make: Callable[[int], object], argument: int, size: int) -> list[object]:
    """Make objects until a whole pool was new: all others are full then; return some that may be dropped.

    A pool with a hole at its beginning looks new for as long as the hole. One that is wholly free was given
    back, and is new when it is taken again.
    """
    whole = (_POOL_BYTES - _HEADER_BYTES) // size
    for _ in repeat(None, _AT_MOST // whole):
        # All at once and into a deque: an address is an object, too, a list that grows takes blocks of many
        # sizes, and either may be of this one.
        _kept.extend(map(make, repeat(argument, 2 * whole)))
        if _has_whole_pool(map(id, islice(reversed(_kept), 2 * whole)), size, whole):
            break
    last = [_kept.pop() for _ in repeat(None, whole)]
    _kept.extend(last[::2])
    return last[1::2]


def _has_whole_pool(addresses: Iterable[int], size: int, whole: int) -> bool:
    """Say whether as many blocks as a pool has were taken in a row; the last one taken comes first."""
    row = following = 0
    for address in addresses:
        row = row + 1 if address == following - size else 1
        if row >= whole and address % _POOL_BYTES == _HEADER_BYTES:
            return True
        following = address
    return False


def _begin(make: Callable[[int], object], argument: int, size: int) -> int:
    """Make objects until two in a row are the first of a pool; return how far into an arena's size they lie.

    No other pool has room then.
    """
    first = False
    previous = 0
    for _ in repeat(None, _AT_MOST):
        block = make(argument)
        _kept.append(block)
        address = id(block)
        if first and address == previous + size:
            break
        first = address % _POOL_BYTES == _HEADER_BYTES
        previous = address
    return previous % _ARENA_BYTES
