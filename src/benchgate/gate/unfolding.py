"""Unfold callgrind's call graph into stacks, which callgrind does not keep.

A function's cost, and that of whatever it calls, is divided among its callers by their share of it. Between
Python functions that is close, since their callers are known (see `benchgate.gate.attribution`), but callers
of the same function with different arguments look alike. Below each Python function come the C functions
that work for it: those that never lead to Python again with exactly what they cost there, and the rest of its
own cost goes through those that do, such as `PyObject_Vectorcall`, by their average share of such work.

Children never cost more than their parent. Of a recursion the first levels are shown; the deeper ones, of
which nothing is known apart, count as what else the last level does.
"""

from collections.abc import Iterator, Mapping
from heapq import heappop, heappush
from typing import NamedTuple

from benchgate.callgrind import PYTHON, Function, Part

_LEVELS = 3  # of a recursion
_ROUNDS = 200
_CLOSE = 1e-6


class Frame(NamedTuple):
    """A function on a stack. Costs are instructions of one call of the bench.

    Attributes:
        path: The functions on the stack, this one last; empty for the call as a whole.
        start: Where it begins when those beside each other are laid out, the dearest first.
        cost: What it costs with all that it calls from here.
        own: What of it is in no function that it calls.
    """

    path: tuple[Function, ...]
    start: float
    cost: float
    own: float


class _Node(NamedTuple):
    own: float
    children: tuple[tuple[Function, float], ...]

    @property
    def total(self) -> float:
        return self.own + sum(cost for _, cost in self.children)


_Entry = tuple[float, int, float, tuple[Function, ...], _Node]  # the dearest first, then the first found


def unfold(part: Part, calls: int, *, least: float, deepest: int) -> Iterator[Frame]:
    """Yield the frames of one call, the dearest first, so that each comes after its parent.

    Args:
        part: The region.
        calls: Of how many calls it consists.
        least: The cost below which a frame is left out, in instructions.
        deepest: The longest path.
    """
    nodes = (
        _python_nodes(part) if any(one.object == PYTHON for one in part.own) else _nodes(_edges(part), part)
    )
    root = _root(part, nodes)
    heap: list[_Entry] = [(-root.total / calls, 0, 0.0, (), root)]
    number = 0  # keeps the order of equals
    while heap and -heap[0][0] >= least:
        cost, _, start, path, node = heappop(heap)
        children = [] if len(path) == deepest else _children(path, node)
        total = node.own + sum(part_of_it for _, part_of_it in children)
        share = -cost / total if children else 0.0
        yield Frame(path, start, -cost, node.own * share if children else -cost)
        for child, part_of_it in children:
            number += 1
            heappush(heap, (-part_of_it * share, number, start, (*path, child), nodes[child]))
            start += part_of_it * share


def _children(path: tuple[Function, ...], node: _Node) -> list[tuple[Function, float]]:
    return [(one, cost) for one, cost in node.children if cost and path.count(one) < _LEVELS]


def _root(part: Part, nodes: Mapping[Function, _Node]) -> _Node:
    """Return the call as a whole: what nobody called, and what lies outside."""
    # Where a function costs more than its callers account for, it was called from outside.
    python = any(one.object == PYTHON for one in nodes)
    tops = {one: node for one, node in nodes.items() if not python or one.object == PYTHON}
    given = {one: node.total for one, node in tops.items()}
    for node in tops.values():
        for callee, cost in node.children:
            if callee in given:
                given[callee] -= cost
    roots = {one: cost for one, cost in given.items() if cost > _CLOSE * part.total}
    return _Node(max(0.0, part.total - sum(roots.values())), _dearest_first(roots))


def _edges(part: Part) -> dict[Function, dict[Function, float]]:
    edges: dict[Function, dict[Function, float]] = {one: {} for one in part.own}
    for (caller, callee), edge in part.edges.items():
        edges.setdefault(callee, {})
        if caller != callee or caller.object == PYTHON:
            edges.setdefault(caller, {})[callee] = float(edge.cost)
    return edges


def _nodes(edges: Mapping[Function, Mapping[Function, float]], part: Part) -> dict[Function, _Node]:
    return {one: _Node(part.own.get(one, 0), _dearest_first(callees)) for one, callees in edges.items()}


def _python_nodes(part: Part) -> dict[Function, _Node]:
    """Return the graph in which C functions do not lead to Python functions."""
    edges = _edges(part)
    native = _native_shares(edges, part)
    kept: dict[Function, dict[Function, float]] = {}
    for caller, callees in edges.items():
        through = {one: cost for one, cost in callees.items() if one.object != PYTHON}
        python = {one: cost for one, cost in callees.items() if one.object == PYTHON}
        if caller.object != PYTHON:
            kept[caller] = {one: cost * native[one] for one, cost in through.items()}
            continue
        pure = {one: cost for one, cost in through.items() if native[one] >= 1 - _CLOSE}
        mixed = {one: cost * native[one] for one, cost in through.items() if one not in pure}
        # What C functions did for this caller is known in sum, and what the pure ones did of it.
        left = max(0.0, sum(through.values()) - sum(python.values()) - sum(pure.values()))
        weight = sum(mixed.values())
        kept[caller] = python | pure | {one: left * cost / weight for one, cost in mixed.items() if weight}
    return _nodes(kept, part)


def _native_shares(edges: Mapping[Function, Mapping[Function, float]], part: Part) -> dict[Function, float]:
    """Return for each C function which share of its cost is not in Python functions that it leads to."""
    shares = {one: 0.0 if one.object == PYTHON else 1.0 for one in edges}
    native = [one for one in edges if one.object != PYTHON]
    for _ in range(_ROUNDS):
        furthest = 0.0
        for one in native:
            own, callees = part.own.get(one, 0), edges[one].items()
            total = own + sum(cost for _, cost in callees)
            share = (own + sum(cost * shares[callee] for callee, cost in callees)) / total if total else 1.0
            furthest = max(furthest, abs(shares[one] - share))
            shares[one] = share
        if furthest < _CLOSE:
            break
    return shares


def _dearest_first(costs: Mapping[Function, float]) -> tuple[tuple[Function, float], ...]:
    return tuple(sorted(costs.items(), key=lambda item: (-item[1], item[0])))
