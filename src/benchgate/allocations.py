"""Count what a call allocates: blocks and bytes, gross, by Python's own accounts.

Python's accounts (`sys.getallocatedblocks`, `tracemalloc`) are net: what is freed is taken off again. So
while a region runs, the free function of every allocator domain is replaced by a C function that does
nothing. Then the accounts grow by all that is allocated, and the memory is lost to this process, which is why
allocations are counted in a process of their own and over at most `MAX_CALLS` calls.

What is counted: blocks requested from Python's object and memory allocators (large ones too), and the bytes
requested from all three domains. A block that grows counts once, with its final size. What is not: objects
that a type keeps for reuse (floats, small tuples and lists, frames: they are not allocated again), and memory
that a library takes from the C library itself; callgrind's profile shows the latter's calls.

The figures are exact and the same on every run. One region is compared with another of half its calls, so
that what a region takes once is no part of them: its loop, and the first object of a type whose store ran
empty.

Source: CPython's C API, "Memory Management, Customize Memory Allocators".
"""

import ctypes
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from benchgate.measure import WARMUP_ROUNDS, Region, collector_off

KIND = "allocations"
MAX_CALLS = 20

_DOMAINS = (0, 1, 2)  # PYMEM_DOMAIN_RAW, PYMEM_DOMAIN_MEM, PYMEM_DOMAIN_OBJ


class Allocated(NamedTuple):
    """Blocks and bytes, of a region or of one call."""

    blocks: float
    size: float


class Allocations:
    """The instrument that counts allocations; the result is in `per_call`."""

    per_call: Allocated | None = None

    def run(self, region: Region) -> None:
        """Warm up and count the region's first calls."""
        many = min(region.calls, MAX_CALLS)
        few = many // 2
        with collector_off():
            for _ in range(WARMUP_ROUNDS):
                region.loop(*_arguments(region, region.calls))
            less, more = _allocated(region, few), _allocated(region, many)
        blocks, size = more.blocks - less.blocks, more.size - less.size
        self.per_call = Allocated(blocks / (many - few), size / (many - few))


class _Allocator(ctypes.Structure):
    """PyMemAllocatorEx."""

    _fields_ = tuple((name, ctypes.c_void_p) for name in ("context", "malloc", "calloc", "realloc", "free"))


def _arguments(region: Region, calls: int) -> tuple[object, ...]:
    """Return what makes the region's loop do `calls` calls, not more than it has."""
    if region.setup is None:
        return (calls,)
    (batch,), _ = region.setup()
    return (batch[:calls],)


def _allocated(region: Region, calls: int) -> Allocated:
    """Return what the region allocates when it does `calls` calls."""
    arguments = _arguments(region, calls)
    loop, blocks, size = region.loop, sys.getallocatedblocks, tracemalloc.get_traced_memory
    with _nothing_freed():
        size_before, blocks_before = size()[0], blocks()
        loop(*arguments)
        blocks_after, size_after = blocks(), size()[0]
    return Allocated(blocks_after - blocks_before, size_after - size_before)


@contextmanager
def _nothing_freed() -> Iterator[None]:
    """Trace memory, and keep every block until the end of the process, while the block runs."""
    api = ctypes.pythonapi
    # A function that takes a context and an address and leaves both alone, as any without arguments does.
    nothing = ctypes.cast(ctypes.CDLL(None).getpid, ctypes.c_void_p).value
    tracemalloc.start(1)
    before, during = [], []
    for domain in _DOMAINS:
        found = _Allocator()
        api.PyMem_GetAllocator(domain, ctypes.byref(found))
        before.append(found)
        during.append(_Allocator(found.context, found.malloc, found.calloc, found.realloc, nothing))
    try:
        for domain, allocator in zip(_DOMAINS, during, strict=True):
            api.PyMem_SetAllocator(domain, ctypes.byref(allocator))
        yield
    finally:
        for domain, allocator in zip(_DOMAINS, before, strict=True):
            api.PyMem_SetAllocator(domain, ctypes.byref(allocator))
        tracemalloc.stop()
