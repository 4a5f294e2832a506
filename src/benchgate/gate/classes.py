"""Whose code a function is: this repository's, a dependency's, the interpreter's, or the allocator's.

Told by the file of a Python function and by the shared object of a C function, of which only the
interpreter's own allocator has to be told by its symbols: it lies within libpython.

- *this repository*: Python files below the mirror, which `benchgate.perfmap` makes relative, so benches too.
- *dependency*: whatever is installed below `site-packages` or `dist-packages`, the libraries that wheels
  bring along, and other libraries of the system. The harness (`benchgate`) is one as well, also in the
  repository that it is part of: one copy of it measures both sides, so a change never makes it slower.
- *interpreter*: libpython or the executable, `lib-dynload`, the standard library, frozen modules, and code
  that has no file because a library wrote it at run time (`<string>`).
- *allocator or libc*: `malloc`, Python's allocators, the C and mathematical library, the loader.

Sources: the symbols of `Objects/obmalloc.c` in CPython 3.11 to 3.13, and callgrind's output for those.
"""

import re
from pathlib import PurePosixPath

from benchgate.callgrind import PYTHON, Function
from benchgate.gate.report import Kind

INSTALLED = ("site-packages", "dist-packages")

_HARNESS = re.compile(
    r"(?:src/benchgate/|benchgate\.).*"
)  # `benchgate.measure` names its loop without a path
_STANDARD_LIBRARY = re.compile(r"/(?:.*/)?python3\.\d+t?/.*")
_INTERPRETER = re.compile(r"(?:lib)?python\d?[\d.]*[a-z]*(?:\.so[\d.]*)?")
_LIBC = re.compile(r"(?:lib(?:c|m|mvec|pthread|dl|rt|gcc_s)|ld(?:-[\w-]+)?)[-.].*|ld\.so.*")
_ALLOCATOR = re.compile(r"(?:lib(?:je|tc|mi)malloc|vgpreload_).*")
_ALLOCATING = re.compile(
    r"_?PyObject_(?:Malloc|Calloc|Realloc|Free)|_?PyMem_\w+|_PyObject_Arena\w+|pymalloc_\w+|_?mi_\w+|arena_map_\w+"
    r"|new_arena|address_in_range|allocate_from_new_pool|insert_to_(?:used|free)pool|(?:m|c|re)alloc|free"
)


def kind(function: Function) -> Kind:
    """Return whose code `function` is."""
    if function.object == PYTHON:
        return _kind_of_file(function.file)
    path = PurePosixPath(function.object)
    if _installed(path):
        return "dependency"
    if path.parent.name == "lib-dynload" or function.object == "???":
        return "interpreter"
    if _INTERPRETER.fullmatch(path.name):
        # A compiler's copies of a function have a suffix: `.part.0`.
        symbol = function.name.partition(".")[0]
        return "allocator or libc" if _ALLOCATING.fullmatch(symbol) else "interpreter"
    if _LIBC.fullmatch(path.name) or _ALLOCATOR.fullmatch(path.name):
        return "allocator or libc"
    return "dependency"


def _kind_of_file(file: str) -> Kind:
    path = PurePosixPath(file)
    if _installed(path) or _HARNESS.fullmatch(file):
        return "dependency"
    if file.startswith("<") or _STANDARD_LIBRARY.fullmatch(file):
        return "interpreter"
    return "dependency" if path.is_absolute() else "this repository"


def _installed(path: PurePosixPath) -> bool:
    return any(folder in INSTALLED or folder.endswith(".libs") for folder in path.parts[:-1])
