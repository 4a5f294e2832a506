"""Read a perf map: which Python function a trampoline's address stands for.

CPython 3.12 and newer, with its perf trampoline active, gives each Python function a piece of machine code
and lists it in `/tmp/perf-<pid>.map`, one a line: `START SIZE py::QUALIFIED_NAME:FILE`, addresses in
hexadecimal without a prefix. CodSpeed's harness activates the trampoline. On 3.11 there is none.

Source: CPython's "Python support for the Linux perf profiler", and
`tools/perf/Documentation/jit-interface.txt` of Linux.
"""

from bisect import bisect_right
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from benchgate.errors import Unreadable

PREFIX = "py::"


class PythonFunction(NamedTuple):
    """A Python function: `py::` and its qualified name, and its file."""

    name: str
    file: str


class PerfMap:
    """The Python functions by address."""

    def __init__(self, entries: Iterable[tuple[int, int, PythonFunction]]) -> None:
        # A later entry at the same address replaces the earlier: the code there was released meanwhile.
        self._entries = sorted({start: (start, size, function) for start, size, function in entries}.values())
        self._starts = [start for start, _, _ in self._entries]

    def __len__(self) -> int:
        """Return the number of functions."""
        return len(self._entries)

    def name(self, address: int) -> PythonFunction | None:
        """Return the function whose code holds `address`, None when it is no Python function's."""
        index = bisect_right(self._starts, address) - 1
        if index < 0:
            return None
        start, size, function = self._entries[index]
        return function if address < start + size else None


def path_of(pid: int) -> Path:
    """Return where CPython writes the map of a process; the folder is fixed."""
    return Path(f"/tmp/perf-{pid}.map")  # noqa: S108 - the place is CPython's choice


def parse(lines: Iterable[str], source: str, tree: Path | None = None) -> PerfMap:
    """Read a map; `source` names it in errors. Entries that are not Python's are passed over.

    Files below `tree` are given relative to it. CPython writes names as they are, also with line ends in
    them; what follows one is passed over, so that such a name is cut.

    Raises:
        Unreadable: The first line does not have the three fields.
    """
    entries = []
    for number, line in enumerate(lines, 1):
        start, _, rest = line.rstrip("\n").partition(" ")
        size, _, name = rest.partition(" ")
        try:
            where = int(start, 16), int(size, 16)
        except ValueError:
            if number > 1:
                continue
            raise Unreadable(f"{source}: line {number}: expected START SIZE NAME, got {line!r}") from None
        if name.startswith(PREFIX):
            qualified, _, file = name.removeprefix(PREFIX).partition(":")
            file = file.removeprefix(f"{tree}/") if tree else file
            entries.append((*where, PythonFunction(PREFIX + qualified, file)))
    return PerfMap(entries)
