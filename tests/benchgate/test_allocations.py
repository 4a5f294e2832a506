"""Counts of allocations against sizes that the objects state themselves."""

import ctypes
import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from benchgate.allocations import Allocated, Allocations
from benchgate.measure import Measure


def counted(fn: Callable[..., object], *arguments: object, calls: int = 50) -> Allocated:
    instrument = Allocations()
    Measure(instrument)(fn, *arguments, calls=calls)
    assert instrument.per_call is not None
    return instrument.per_call


SIZED: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (bytes, (1000,)),
    (bytes, (100_000,)),
    ("a".__add__, ("bcdefghijklmnop",)),
    (Decimal("1.5").__abs__, ()),
]


@pytest.mark.parametrize(("fn", "arguments"), SIZED)
def test_an_object_is_one_block_of_its_size(fn: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    assert counted(fn, *arguments) == (1, sys.getsizeof(fn(*arguments)))


def test_what_is_freed_again_counts() -> None:
    def wasteful() -> None:
        bytes(500)
        bytes(500)
        bytes(500)

    assert counted(wasteful) == (3, 3 * sys.getsizeof(bytes(500)))


def test_a_block_that_grows_counts_once_with_its_final_size() -> None:
    more = b"x" * 5000

    def growing() -> bytearray:
        buffer = bytearray(10)
        buffer.extend(more)
        return buffer

    assert counted(lambda: bytearray(10)) == (2, sys.getsizeof(bytearray(10)))
    found = counted(growing)
    assert found.blocks - counted(bytearray().extend, more).blocks == 2  # the object and its buffer
    assert sys.getsizeof(growing()) <= found.size < 3 * sys.getsizeof(growing())


def test_objects_that_a_type_keeps_for_reuse_are_not_allocated() -> None:
    number = Decimal("1.5")
    assert counted(lambda: None) == (0, 0)
    assert counted(lambda: (number, number)) == (0, 0)


@pytest.mark.parametrize("calls", [1, 2, 3, 30])
def test_calls_with_arguments_of_their_own_do_not_count_how_these_were_built(calls: int) -> None:
    built = []

    def make() -> tuple[list[int]]:
        built.append(bytes(10_000))
        return ([3, 1, 2],)

    instrument = Allocations()
    Measure(instrument).fresh(lambda numbers: bytes(numbers[1] + 99), make, calls=calls)
    assert instrument.per_call is not None
    if calls > 1:  # else the region's own blocks are in it
        assert instrument.per_call == (1, sys.getsizeof(bytes(100)))
    assert built


class Allocator(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_void_p) for name in ("context", "malloc", "calloc", "realloc", "free"))


def allocators() -> list[bytes]:
    found = [Allocator() for _ in range(3)]
    for domain, allocator in enumerate(found):
        ctypes.pythonapi.PyMem_GetAllocator(domain, ctypes.byref(allocator))
    return [bytes(allocator) for allocator in found]


def test_the_allocators_are_put_back_also_when_a_call_fails() -> None:
    before = allocators()
    failing = iter([*[None] * 5 * 50, *[None] * 10])
    with pytest.raises(StopIteration):
        counted(failing.__next__)
    assert allocators() == before
    counted(bytes, 100)
    assert allocators() == before
