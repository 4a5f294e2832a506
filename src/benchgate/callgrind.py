"""Read callgrind's output: for each dumped part, what every function cost and whom it called.

A file has many parts when callgrind ran with `--combine-dumps=yes`, one for each dump, and each names its
trigger; CodSpeed's harness dumps with the address of a bench as trigger. The parts are read one after the
other, so that a file may be larger than memory. Names must be written out (`--compress-strings=no`);
positions may be relative. Costs are instructions, the event `Ir`; other events are passed over.

Each part's own costs must add up to the total that callgrind states, and a file must end with the dump at the
program's end: whatever is missing or does not fit is an error, never a smaller figure.

CPython's evaluation loop is one C function for all Python functions. Where it is counted apart by its caller
(`--separate-callers1` of `EVALUATION`), the loop that a Python function's trampoline enters is taken as that
Python function itself, so that its own cost is that of its bytecode.

Python functions call each other through C functions that all of them share, so the edges alone do not tell
who called whom. Where the C function that enters a trampoline (`ENTRY`) is counted apart by its chain of
callers (`--separate-callers20`), the Python function nearest in the chain is the caller.

The format: valgrind's manual, "Callgrind Format Specification". What it leaves open, from callgrind's
`dump.c`: `cob` is left out when a callee is in its caller's object, `cfi` when it is in the current file.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from benchgate.errors import Unreadable
from benchgate.perfmap import PerfMap

EVENT = "Ir"
PYTHON = "python"  # the object of Python functions
PROGRAM_END = "Program termination"
EVALUATION = "_PyEval_EvalFrameDefault"
ENTRY = "py_trampoline_evaluator"
REQUEST = "Client Request: "  # what a trigger begins with when the program asked for the dump

_HEADERS = frozenset({"version", "creator", "pid", "thread", "cmd", "part", "summary", "event"})
_CALLED = frozenset({"cob", "cfi", "cfl", "cfn"})
_COMPRESSED = re.compile(r"\(\d+\)")
_LEVEL = re.compile(r"'\d+$")
_EVALUATION_FROM = re.compile(rf"{EVALUATION}(?:'\d+)?'(?P<caller>0x[0-9a-f]+|\D.*)")
_ENTRY_FROM = re.compile(rf"(?P<plain>{ENTRY}(?:'\d+)?)'(?P<chain>\D.*)")
_SUBPOSITION = re.compile(r"\*|[+-]?(?:0x[0-9a-f]+|\d+)")


class Function(NamedTuple):
    """A function: the object that it is in, the source file and its name, `???` where unknown.

    A Python function that the perf map names has the object `PYTHON`.
    """

    object: str
    file: str
    name: str


class Edge(NamedTuple):
    """All calls from one function to another: their number, and their cost with all that they called."""

    calls: int
    cost: int


class Part(msgspec.Struct, frozen=True):
    """One dump. Costs are instructions.

    Callgrind keeps the levels of a recursion apart (`f` and `f'2`). Here a function is one: `own` and `edges`
    add the levels up, and `inclusive` is that of the outermost level, so that nothing is counted twice.
    Of the evaluation loop itself, counted apart by its caller, it is not known, and is as much as `own`.

    Attributes:
        trigger: What made callgrind dump.
        total: The cost of the part.
        own: What each function cost without those it called; adds up to `total`.
        inclusive: What each function cost with those it called.
        edges: The calls, by caller and callee. Between two Python functions it is those with nothing but C
            functions between them, whose edges are there as well.
    """

    trigger: str
    total: int
    own: dict[Function, int]
    inclusive: dict[Function, int]
    edges: dict[tuple[Function, Function], Edge]


def parts(lines: Iterable[str], source: str, python: PerfMap | None = None) -> Iterator[Part]:
    """Read the parts of the file whose lines are given, in their order; `source` names it in errors.

    Functions that are only known by address take their names from `python`.

    Raises:
        Unreadable: The file is truncated, does not keep to the format, or has a part without a trigger.
    """
    reader = _Reader(source, python)
    trigger = None
    for line in lines:
        part = reader.take(line)
        if part is not None:
            trigger = part.trigger
            yield part
    reader.finish(trigger)


class _Reader:
    """The state between two lines."""

    def __init__(self, source: str, python: PerfMap | None) -> None:
        self._source, self._python = source, python
        self._number = 0
        self._open = False  # between a part's first header and its totals
        self._begin()

    def take(self, line: str) -> Part | None:
        """Take the next line; return the part that it completes."""
        self._number += 1
        text = line.rstrip("\n")
        if not text or text[0] == "#":
            return None
        if text[0] in "0123456789+-*":
            self._cost_line(text)
            return None
        key, sign, value = text.partition("=")
        if sign and key.isalpha() and key.islower():
            self._position(key, value)
            return None
        key, sign, value = text.partition(":")
        if not sign:
            raise self._fault("a line of callgrind's format", text)
        return self._header(key, value.strip())

    def finish(self, trigger: str | None) -> None:
        """Check that the file was complete when its last part had this trigger."""
        if self._open:
            raise Unreadable(f"{self._source}: truncated in part {self._label()}, before its totals")
        if trigger != PROGRAM_END:
            got = trigger or "none"
            raise Unreadable(f"{self._source}: truncated: expected {PROGRAM_END!r} as last part, got {got!r}")

    def _begin(self) -> None:
        self._trigger = ""
        self._positions, self._column = 1, -1
        self._object = self._file = self._function_file = ""
        self._function: Function | None = None
        self._outermost = True
        self._entered_from: Function | None = None
        self._called: dict[str, str] = {}
        self._calls: int | None = None
        self._own: dict[Function, int] = {}
        self._inclusive: dict[Function, int] = {}
        self._edges: dict[tuple[Function, Function], Edge] = {}

    def _header(self, key: str, value: str) -> Part | None:
        if key == "totals":
            return self._complete(value)
        self._open = self._open or key == "part"
        if key == "desc":
            name, _, text = value.partition(":")
            if name == "Trigger":
                self._trigger = text.strip()
        elif key == "positions":
            self._positions = len(value.split())
        elif key == "events":
            events = value.split()
            if EVENT not in events:
                raise self._fault(f"events with {EVENT}", value)
            self._column = self._positions + events.index(EVENT)
        elif key not in _HEADERS:
            raise self._fault("a header of callgrind's format", f"{key}: {value}")
        return None

    def _position(self, key: str, name: str) -> None:
        if key == "calls":
            self._call(name)
            return
        if key in {"jump", "jcnd"}:
            return
        if self._calls is not None:
            raise self._fault("the cost of the last call", f"{key}={name}")
        if _COMPRESSED.match(name):
            raise self._fault("a name written out (--compress-strings=no)", f"{key}={name}")
        if key in _CALLED:
            self._called[key] = name
        elif key == "fn":
            self._function, self._outermost = self._named(self._object, self._function_file, name)
            self._entered_from = self._entering(name)
        elif key == "fl":
            self._file = self._function_file = name
        elif key in {"fi", "fe"}:
            self._file = name
        elif key == "ob":
            self._object = name
        else:
            raise self._fault("a position of callgrind's format", f"{key}={name}")

    def _call(self, text: str) -> None:
        count = text.split(" ", 1)[0]
        if not count.isdecimal() or "cfn" not in self._called or self._calls is not None:
            raise self._fault("calls=COUNT after cfn=NAME", f"calls={text}")
        self._calls = int(count)

    def _cost_line(self, text: str) -> None:
        cells = text.split()
        if self._function is None or self._column < 0:
            raise self._fault("fn=NAME and events before the first cost", text)
        # A cost that is not written is zero.
        cost_text = cells[self._column] if len(cells) > self._column else "0"
        places = cells[: self._positions]
        if not cost_text.isdecimal() or not all(map(_SUBPOSITION.fullmatch, places)):
            raise self._fault("positions and costs", text)
        cost = int(cost_text)
        if self._calls is None:
            self._own[self._function] = self._own.get(self._function, 0) + cost
        else:
            self._edge(self._function, self._calls, cost)
        if self._outermost:
            self._inclusive[self._function] = self._inclusive.get(self._function, 0) + cost

    def _edge(self, caller: Function, calls: int, cost: int) -> None:
        called = self._called
        file = called.get("cfi") or called.get("cfl") or self._file
        callee, _ = self._named(called.get("cob") or self._object, file, called["cfn"])
        # A trampoline's call of the loop is a Python function's way into itself.
        if caller != callee or caller.object != PYTHON:
            self._add(caller, callee, calls, cost)
        if callee.object == PYTHON and self._entered_from is not None:
            self._add(self._entered_from, callee, calls, cost)
        self._called = {}
        self._calls = None

    def _add(self, caller: Function, callee: Function, calls: int, cost: int) -> None:
        before = self._edges.get((caller, callee), Edge(0, 0))
        self._edges[caller, callee] = Edge(before.calls + calls, before.cost + cost)

    def _entering(self, name: str) -> Function | None:
        """Return the Python function from which this entry into another was reached."""
        entry = _ENTRY_FROM.fullmatch(name)
        if entry is None or self._python is None:
            return None
        for caller in entry["chain"].split("'"):
            found = self._python.name(int(caller, 16)) if caller.startswith("0x") else None
            if found is not None:
                return Function(PYTHON, found.file, found.name)
        return None

    def _named(self, object_: str, file: str, name: str) -> tuple[Function, bool]:
        """Return the function, and whether this is its outermost level."""
        entry = _ENTRY_FROM.fullmatch(name)
        name = entry["plain"] if entry else name
        evaluation = _EVALUATION_FROM.fullmatch(name)
        plain = evaluation["caller"] if evaluation else _LEVEL.sub("", name)
        if self._python is not None and plain.startswith("0x"):
            found = self._python.name(int(plain, 16))
            if found is not None:
                return Function(PYTHON, found.file, found.name), plain == name
        if evaluation:
            return Function(object_, file, EVALUATION), False
        return Function(object_, file, plain), plain == name

    def _complete(self, text: str) -> Part:
        total = text.split()[self._column - self._positions : self._column - self._positions + 1]
        if self._column < 0 or not total or not total[0].isdecimal():
            raise self._fault("totals after events", f"totals: {text}")
        if not self._trigger:
            raise self._fault("a part with a trigger (desc: Trigger: ...)", "none")
        if self._calls is not None:
            raise self._fault("the cost of the last call", f"totals: {text}")
        for function, cost in self._own.items():
            self._inclusive[function] = max(cost, self._inclusive.get(function, 0))
        part = Part(self._trigger, int(total[0]), self._own, self._inclusive, self._edges)
        if sum(part.own.values()) != part.total:
            raise self._fault(f"own costs that add up to {part.total}", str(sum(part.own.values())))
        self._begin()
        self._open = False
        return part

    def _label(self) -> str:
        return self._trigger.removeprefix(REQUEST) or "without a trigger"

    def _fault(self, expected: str, got: str) -> Unreadable:
        where = f"{self._source}: line {self._number}: part {self._label()}"
        return Unreadable(f"{where}: expected {expected}, got {got}")
