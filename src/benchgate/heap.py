"""Take all that is free in the C library's heap, so that a counted region begins with a heap without holes.

Objects of more than 512 bytes, and the arrays of long lists, come from `malloc`. How long it looks for a
place depends on what was freed before, and where: the same bench took up to 0.9 % more instructions after
its package had moved to another folder. When every free chunk is taken, the next ones are cut from the
heap's end, in the order in which they are asked for.

Source: glibc's `malloc.c`: chunks by 16 bytes behind a header of 8; up to 1,032 bytes are kept by size for
each thread (`tcache`), without being free for others; from 128 KiB on each has a mapping of its own.
"""

import ctypes
import os
from itertools import repeat

_LARGE_BYTES = tuple(1 << power for power in range(16, 10, -1))  # each a chunk that could not be cut into two
_CACHED_BYTES = range(1032, 0, -16)
_LEAST_BYTES, _HEADER_BYTES = 24, 8
_PAGE_BYTES = 4096
_END_BYTES = 1 << 16  # what is left at the end, of the 128 KiB and more that the system is asked for at once
_TRIES = 5
_AT_MOST = 50_000  # chunks of a size: an end where another allocator has taken glibc's place


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
    """Take all free chunks, and keep them until the process ends; with another C library, do nothing.

    What is asked for next begins at the beginning of a page each time, since comparing texts can take more
    instructions where one lies across two pages; and as much is left before the heap has to grow.
    """
    if _LIBRARY is None:
        return
    top = _LIBRARY.sbrk(0) - _LIBRARY.mallinfo().keepcost
    for size in (*_LARGE_BYTES, *_CACHED_BYTES):
        for _ in repeat(None, _AT_MOST):
            if _LIBRARY.malloc(size) >= top:
                break
    beyond = _LIBRARY.malloc(_LEAST_BYTES) + _LEAST_BYTES + _HEADER_BYTES
    left = -beyond % _PAGE_BYTES
    if left:
        _LIBRARY.malloc(left + (_PAGE_BYTES if left <= _LEAST_BYTES else 0) - _HEADER_BYTES)
    for _ in range(_TRIES):
        size = _LIBRARY.mallinfo().keepcost
        if size == _END_BYTES:
            return
        _LIBRARY.malloc((size - _END_BYTES if size > _END_BYTES else _END_BYTES) - _HEADER_BYTES)


def _library() -> ctypes.CDLL | None:
    """Return glibc as it is loaded, None where it is not the C library."""
    if "CS_GNU_LIBC_VERSION" not in os.confstr_names:
        return None
    library = ctypes.CDLL(None)
    library.malloc.argtypes, library.malloc.restype = [ctypes.c_size_t], ctypes.c_size_t
    library.sbrk.argtypes, library.sbrk.restype = [ctypes.c_ssize_t], ctypes.c_size_t
    library.mallinfo.argtypes, library.mallinfo.restype = [], _Statistics
    return library


_LIBRARY = _library()
