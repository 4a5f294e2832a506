"""Take all that is free in the C library's heap, so that a counted region begins with a heap without holes.

Objects of more than 512 bytes, and the arrays of long lists, come from `malloc`. How long it looks for a
place depends on what was freed before, and where: the same bench took up to 0.9 % more instructions after
its package had moved to another folder. When every free chunk is taken, the next ones are cut from the
heap's last chunk, its end, in the order in which they are asked for. That end is as large each time, so that
the heap grows after as much, and lies at the same place of a page, where texts that are compared do, too.

Source: glibc's `malloc.c`: chunks by 16 bytes behind a header of 8; up to 1,032 bytes are kept by size for
each thread (`tcache`), without being free for others; blocks of 128 KiB and more may have mappings of their
own. The end grows by as much as is asked for and 128 KiB. Where the system gives no more behind it, as
valgrind does after 8 MiB, it begins anew elsewhere, with 1 MiB.
"""

import ctypes
import os
from itertools import repeat

_HEADER_BYTES, _STEP_BYTES, _LEAST_BYTES = 8, 16, 32
_PIECE_BYTES = 1 << 15
_BLOCKS_BYTES = (*(1 << power for power in range(15, 10, -1)), *range(1032, 0, -16))
_END_BYTES = 1 << 14
_ROOM_BYTES = 7 << 14  # for a block of each size and the end; more than 8 << 14 there never is after growing
_TRIES = 5
_PIECES = 1000  # 32 MB, after which another allocator must have taken the place of the heap
_AT_MOST = 200_000  # chunks in all


class _Statistics(ctypes.Structure):
    """What `mallinfo` returns, see its manual page; `keepcost` is the size of the last chunk."""

    _fields_ = tuple(
        (name, ctypes.c_int)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    )


def fill_heap() -> None:
    """Take all free chunks, and keep them until the process ends; with another C library, do nothing."""
    if _LIBRARY is None:
        return
    for _ in repeat(None, _TRIES):
        _fill(_LIBRARY)
        if _cut_end(_LIBRARY):
            return


def _fill(library: ctypes.CDLL) -> None:
    """Ask for blocks, large ones first, until those of every size come from the end."""
    low, high = _roomy_end(library)
    if not high:
        return
    sizes = iter(_BLOCKS_BYTES)
    size = next(sizes)
    for _ in repeat(None, _AT_MOST):
        if low <= library.malloc(size) < high:
            try:
                size = next(sizes)
            except StopIteration:
                return


def _roomy_end(library: ctypes.CDLL) -> tuple[int, int]:
    """Make room at the end for a chunk of each size; return where it begins and ends, zeros if that fails."""
    for _ in repeat(None, _PIECES):
        before = library.mallinfo().keepcost
        block: int = library.malloc(_PIECE_BYTES - _HEADER_BYTES)
        left: int = library.mallinfo().keepcost
        if left != before and left > _ROOM_BYTES:
            low = block + _PIECE_BYTES
            return low, low + left
    return 0, 0


def _cut_end(library: ctypes.CDLL) -> bool:
    """Take from the end until it has its size; return False where it is too small for that."""
    beyond = 0
    for _ in repeat(None, _PIECES):
        beyond = library.mallinfo().keepcost - _END_BYTES
        if beyond < _LEAST_BYTES:
            break
        piece = min(beyond, _PIECE_BYTES)
        if beyond - piece == _STEP_BYTES:  # would be left, and is less than the least chunk
            piece -= _STEP_BYTES
        library.malloc(piece - _HEADER_BYTES)
    return beyond == 0


def _library() -> ctypes.CDLL | None:
    """Return glibc as it is loaded, None where it is not the C library."""
    try:
        name = os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (AttributeError, ValueError, OSError):
        return None
    if not name.startswith("glibc"):
        return None
    library = ctypes.CDLL(None)
    library.malloc.argtypes, library.malloc.restype = [ctypes.c_size_t], ctypes.c_size_t
    library.mallinfo.argtypes, library.mallinfo.restype = [], _Statistics
    return library


_LIBRARY = _library()
