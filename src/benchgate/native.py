"""Count the blocks that libraries take from the C library, past Python's allocators.

Python's own allocators end in `malloc` as well, for large blocks; those are counted as Python's, so only
calls from outside the interpreter count here. Callgrind sees every call, also from libraries without symbols.
"""

import re

from benchgate.callgrind import Part

_ALLOCATING = frozenset({"malloc", "calloc", "realloc", "memalign", "aligned_alloc", "posix_memalign"})
_INTERPRETER = re.compile(r"(?:lib)?python\d?[\d.]*[a-z]?(?:\.so[\d.]*)?")
_LIBC = re.compile(r"libc[-.].*")


def native_blocks(part: Part) -> int:
    """Return the number of blocks in a part, growing a block included."""
    return sum(
        edge.calls
        for (caller, callee), edge in part.edges.items()
        if callee.name in _ALLOCATING
        and not _INTERPRETER.fullmatch(_file_name(caller.object))
        and not _LIBC.fullmatch(_file_name(caller.object))
    )


def _file_name(path: str) -> str:
    return path.rsplit("/", 1)[-1]
