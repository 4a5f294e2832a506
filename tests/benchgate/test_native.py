import pytest

from benchgate.callgrind import Edge, Function, Part
from benchgate.native import native_blocks

LIBC = "/usr/lib/x86_64-linux-gnu/libc.so.6"


def part(*edges: tuple[str, str, int]) -> Part:
    return Part(
        "t",
        0,
        {},
        {},
        {
            (Function(object_, "???", "caller"), Function(LIBC, "malloc.c", name)): Edge(calls, 50)
            for object_, name, calls in edges
        },
    )


@pytest.mark.parametrize(
    "interpreter",
    [
        "/opt/lib/libpython3.13.so.1.0",
        "/usr/bin/python3.11",
        "/usr/bin/python3",
        "/opt/libpython3.13t.so.1.0",
    ],
)
def test_calls_from_the_interpreter_and_within_libc_do_not_count(interpreter: str) -> None:
    found = part(
        (interpreter, "malloc", 7),
        (LIBC, "malloc", 5),
        ("/lib/_keccak.abi3.so", "malloc", 3),
        ("/lib/_keccak.abi3.so", "realloc", 2),
        ("/lib/_keccak.abi3.so", "free", 1),
        ("/lib/_struct.cpython-313-x86_64-linux-gnu.so", "calloc", 11),
    )
    assert native_blocks(found) == 3 + 2 + 11
