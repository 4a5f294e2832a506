"""Names that callgrind and perf maps give on CPython 3.11 to 3.13."""

import pytest

from benchgate.callgrind import Function
from benchgate.gate.classes import kind
from benchgate.gate.report import Kind

SITE = "/home/x/venv/lib/python3.13/site-packages"
LIBPYTHON = "/opt/python/lib/libpython3.13.so.1.0"
LIBC = "/usr/lib/x86_64-linux-gnu/libc.so.6"
STANDARD = "/opt/python/lib/python3.13"


def c(object_: str, name: str = "f", file: str = "???") -> Function:
    return Function(object_, file, name)


def python(file: str, name: str = "f") -> Function:
    return Function("python", file, f"py::{name}")


@pytest.mark.parametrize(
    ("expected", "function"),
    [
        ("this repository", python("src/tapemark/derive/decode.py", "frame")),
        ("this repository", python("benches/derive/bench_atom.py", "at_step")),
        ("this repository", python("src/python3.13/odd.py")),
        ("dependency", python("src/benchgate/measure.py")),
        ("dependency", python("benchgate.measure.region")),
        ("dependency", python(f"{SITE}/eth_abi/codec.py")),
        ("dependency", python("/usr/lib/python3/dist-packages/yaml/loader.py")),
        ("dependency", python("/home/x/editable/src/lib/a.py")),
        ("interpreter", python(f"{STANDARD}/uuid.py")),
        ("interpreter", python(f"{STANDARD}/json/decoder.py")),
        ("interpreter", python("/usr/lib/python3.13t/enum.py")),
        ("interpreter", python("<frozen importlib._bootstrap>")),
        ("interpreter", python("<string>", "__create_fn__.<locals>.__init__")),
        ("dependency", c(f"{SITE}/msgspec/_core.cpython-313-x86_64-linux-gnu.so", "json_decode.part.0")),
        ("dependency", c(f"{SITE}/msgspec/_core.cpython-313-x86_64-linux-gnu.so", "malloc")),
        ("dependency", c(f"{SITE}/numpy.libs/libm-1a2b.so.6")),
        ("dependency", c("/opt/thing.libs/libgmp-3c4d.so.10")),
        ("dependency", c("/usr/lib/x86_64-linux-gnu/libffi.so.8.1.2", "ffi_call")),
        ("dependency", c("/usr/lib/x86_64-linux-gnu/libcrypto.so.3")),
        ("dependency", c("/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30")),
        ("interpreter", c(LIBPYTHON, "_PyEval_EvalFrameDefault")),
        ("interpreter", c(LIBPYTHON, "PyType_GenericAlloc")),
        ("interpreter", c(LIBPYTHON, "dict_dealloc")),
        ("interpreter", c(LIBPYTHON, "PyTraceMalloc_Track")),
        ("interpreter", c("/usr/bin/python3.11", "unicode_hash")),
        ("interpreter", c("/usr/bin/python", "unicode_hash")),
        ("interpreter", c("/opt/python/lib/libpython3.13t.so.1.0", "unicode_hash")),
        ("interpreter", c(f"{STANDARD}/lib-dynload/_decimal.cpython-313-x86_64-linux-gnu.so", "mpd_alloc")),
        ("interpreter", c("???", "0x00000000048c7420")),
        ("allocator or libc", c(LIBPYTHON, "_PyObject_Malloc")),
        ("allocator or libc", c(LIBPYTHON, "_PyObject_Malloc.isra.0")),
        ("allocator or libc", c(LIBPYTHON, "PyObject_Free")),
        ("allocator or libc", c(LIBPYTHON, "_PyObject_Realloc")),
        ("allocator or libc", c(LIBPYTHON, "pymalloc_alloc")),
        ("allocator or libc", c(LIBPYTHON, "PyMem_RawMalloc")),
        ("allocator or libc", c(LIBPYTHON, "_PyMem_ArenaAlloc")),
        ("allocator or libc", c("/opt/python/lib/libpython3.11.so.1.0", "_PyObject_ArenaMmap")),
        ("allocator or libc", c("/opt/python/lib/libpython3.11.so.1.0", "allocate_from_new_pool")),
        ("allocator or libc", c("/opt/python/lib/libpython3.11.so.1.0", "arena_map_mark_used")),
        ("allocator or libc", c(LIBPYTHON, "address_in_range")),
        ("allocator or libc", c(LIBPYTHON, "new_arena")),
        ("allocator or libc", c("/opt/python/bin/python3.13", "mi_arena_try_alloc_at.constprop.0")),
        ("allocator or libc", c("/opt/python/bin/python3.13", "_mi_page_malloc")),
        ("allocator or libc", c(LIBC, "malloc")),
        ("allocator or libc", c(LIBC, "__memcpy_avx_unaligned_erms")),
        ("allocator or libc", c("/lib/x86_64-linux-gnu/libc-2.31.so", "free")),
        ("allocator or libc", c("/usr/lib/x86_64-linux-gnu/libm.so.6", "__ieee754_log_fma")),
        ("allocator or libc", c("/usr/lib/x86_64-linux-gnu/libpthread.so.0")),
        ("allocator or libc", c("/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "__tls_get_addr")),
        ("allocator or libc", c("/usr/lib/ld-2.31.so", "_dl_fixup")),
        ("allocator or libc", c("/lib/ld-musl-x86_64.so.1", "malloc")),
        ("allocator or libc", c("/usr/lib/libjemalloc.so.2", "malloc")),
        ("allocator or libc", c("/usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so", "malloc")),
    ],
    ids=str,
)
def test_whose_code(expected: Kind, function: Function) -> None:
    assert kind(function) == expected
