"""Name the functions that account for the change of a row, the function at fault first.

Both sides are parts of callgrind's output, see `benchgate.callgrind`. A Python function's own cost includes
the C functions that work for it: what it cost with all that it called, less what the Python functions cost
that it called, whatever C lies between. Callgrind merges the callers of a C function, but not those of a
Python function, so this is no estimate: the own costs of the Python functions and what ran before the first
of them add up to the part's total, to the instruction. It rests on the edges from Python function to Python
function in `Part.edges`; without them a function would be blamed for those it calls.

After the Python functions come the C functions whose own cost changed, so that an allocation or the growing
of a dictionary shows, and the shared objects of dependencies as a whole. They are another view of the same
change, not a further part of it.

On CPython 3.11 there are only C functions. The evaluation loop stands for all Python code there and says
little, so all shared objects follow as a whole; which functions the change touches, the caller must add.

A Python function is the same on both sides when file and name are. One that only the base has and one that
only the head has, in the same file and with nearly the same cost, count as one that was renamed; of several
the nearest. One that was moved to another file shows as two causes. Environments may lie in different
folders: files and objects are compared without the path that leads to them.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from benchgate.callgrind import PYTHON, Function, Part
from benchgate.gate.classes import INSTALLED, kind
from benchgate.gate.report import Cause

MOST = 12
"""The number of causes of a row at most."""

_MOST_PYTHON, _MOST_OBJECTS = 6, 3
_SMALL = 0.03  # of the row's change: what is not worth a line
_NEAR = 0.9  # of the largest difference: what may be at fault as well
_RENAMED = 0.1  # of the cost: how much of it a function may change with its name
_LONGEST = 300  # characters of a name
_WHOLE = "all functions"

Lookup = Callable[[str, str], tuple[str, bool | None]]
"""From file and qualified name of a Python function in the repository to file and line, and whether the
change touches it."""


class _Cost(NamedTuple):
    own: float
    inclusive: float

    def __sub__(self, other: "_Cost") -> "_Cost":
        return _Cost(self.own - other.own, self.inclusive - other.inclusive)


_NOTHING = _Cost(0.0, 0.0)

_Costs = dict[Function, _Cost]  # of one call


def alike(function: Function) -> Function:
    """Return the function by a name that does not depend on where its environment lies."""
    if function.object == PYTHON:
        return function._replace(file=_without_environment(function.file))
    return Function(PurePosixPath(function.object).name, PurePosixPath(function.file).name, function.name)


def own_costs(part: Part) -> dict[Function, int]:
    """Return what each function cost by itself; a Python function with the C functions that work for it."""
    own = dict(part.own)
    for (caller, callee), edge in part.edges.items():
        if caller.object == PYTHON:
            cost = -edge.cost if callee.object == PYTHON else edge.cost
            own[caller] = own.get(caller, 0) + cost
    return own


def causes(base: Part, base_calls: int, head: Part, head_calls: int, *, lookup: Lookup) -> tuple[Cause, ...]:
    """Return what accounts for the difference between two regions, in instructions of one call.

    First comes the Python function, on 3.11 the C function, whose own cost moved most in the direction of the
    row; of several that are nearly equal one that the change touches, or else one of this repository. Causes
    of less than some per cent of the change, or one instruction, are left out.
    """
    change = head.total / head_calls - base.total / base_calls
    if not change:
        return ()
    known = (function for part in (base, head) for function in (*part.own, *(pair[0] for pair in part.edges)))
    whose = {alike(function): function for function in known}
    differences = _differences(_costs(base, base_calls), _costs(head, head_calls))
    python = {one: cost for one, cost in differences.items() if one.object == PYTHON}
    native = {one: cost for one, cost in differences.items() if one.object != PYTHON}
    least = max(abs(change) * _SMALL, 1.0)
    functions = [_python_cause(whose[one], cost, lookup) for one, cost in _largest(python, least)]
    symbols = [
        Cause(
            name=_short(one.name),
            where=_short(one.object),
            kind=kind(whose[one]),
            own=own,
            inclusive=inclusive,
        )
        for one, (own, inclusive) in _largest(native, least)
    ]
    objects = [
        cause
        for cause in _object_causes(native, whose, least)
        if cause.kind == "dependency" or not any(one.object == PYTHON for one in whose)
    ][:_MOST_OBJECTS]
    functions = _at_fault_first(functions, change)[:_MOST_PYTHON]
    if not functions:
        symbols = _at_fault_first(symbols, change)
    return (*functions, *symbols[: MOST - len(functions) - len(objects)], *objects)


def _costs(part: Part, calls: int) -> _Costs:
    """Return the cost of one call by function, without the paths that differ between environments."""
    costs: _Costs = {}
    for function, own in own_costs(part).items():
        before = costs.get(alike(function), _NOTHING)
        inclusive = part.inclusive.get(function, 0) / calls
        costs[alike(function)] = _Cost(before.own + own / calls, before.inclusive + inclusive)
    return costs


def _differences(base: _Costs, head: _Costs) -> _Costs:
    """Return how much more each function costs at the head; renamed ones by their new names."""
    was = {new: old for old, new in _renamed(base, head)}
    gone = set(was.values())
    names = [*head, *(one for one in base if one not in head and one not in gone)]
    return {one: head.get(one, _NOTHING) - base.get(was.get(one, one), _NOTHING) for one in names}


def _renamed(base: _Costs, head: _Costs) -> list[tuple[Function, Function]]:
    """Return the Python functions that have another name at the head."""
    old = [one for one in base if one.object == PYTHON and one not in head]
    new = [one for one in head if one.object == PYTHON and one not in base]
    pairs = sorted(
        (abs(base[before].own - head[after].own), before, after)
        for before in old
        for after in new
        if before.file == after.file
    )
    found: list[tuple[Function, Function]] = []
    for difference, before, after in pairs:
        taken = {one for pair in found for one in pair}
        if difference <= _RENAMED * max(base[before].own, head[after].own) and not {before, after} & taken:
            found.append((before, after))
    return found


def _largest(differences: Mapping[Function, _Cost], least: float) -> list[tuple[Function, _Cost]]:
    """Return the functions whose own cost changed by `least` or more, the largest first."""
    large = [(one, cost) for one, cost in differences.items() if abs(cost.own) >= least]
    return sorted(large, key=lambda item: (-abs(item[1].own), item[0]))


def _python_cause(function: Function, cost: _Cost, lookup: Lookup) -> Cause:
    name = function.name.removeprefix("py::")
    where, touched = _without_environment(function.file), None
    if kind(function) == "this repository":
        where, touched = lookup(function.file, name)
    return Cause(
        name=_short(name),
        where=_short(where),
        kind=kind(function),
        own=cost.own,
        inclusive=cost.inclusive,
        touched=touched,
    )


def _object_causes(differences: _Costs, whose: Mapping[Function, Function], least: float) -> list[Cause]:
    """Return the shared objects of which several functions changed, as a whole."""
    by_object: dict[str, list[Function]] = {}
    for one, cost in differences.items():
        if cost.own:
            by_object.setdefault(one.object, []).append(one)
    found = []
    for name, functions in by_object.items():
        own = sum(differences[one].own for one in functions)
        if len(functions) > 1 and abs(own) >= least:
            owner = kind(whose[functions[0]]._replace(name=_WHOLE))
            found.append(Cause(name=_WHOLE, where=_short(name), kind=owner, own=own, inclusive=own))
    return sorted(found, key=lambda cause: (-abs(cause.own), cause.where))


def _at_fault_first(found: Iterable[Cause], change: float) -> list[Cause]:
    """Move the cause at fault to the front; there are none when no function moved as the row did."""
    causes = list(found)
    direction = 1 if change > 0 else -1
    largest = max((cause.own * direction for cause in causes), default=0.0)
    if largest <= 0:
        return []
    near = [cause for cause in causes if cause.own * direction >= _NEAR * largest]
    fault = max(
        near, key=lambda cause: (cause.touched is True, cause.kind == "this repository", abs(cause.own))
    )
    return [fault, *(cause for cause in causes if cause is not fault)]


def _without_environment(file: str) -> str:
    """Return the path below the folder of libraries, or as it is."""
    parts = PurePosixPath(file).parts
    if not file.startswith("/"):
        return file
    for index in range(len(parts) - 1, 0, -1):
        if parts[index - 1] in INSTALLED or parts[index - 1].startswith("python3."):
            return "/".join(parts[index:])
    return file


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
