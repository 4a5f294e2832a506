"""Programs whose true costs are known, and the parts that callgrind would make of them.

A program is a list of Python functions. Each costs something itself and takes some steps; a step goes through
a chain of C functions, which all Python functions share, and ends in work or in another Python function.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import strategies as st

from benchgate.callgrind import Edge, Function, Part

LIBPYTHON = "/opt/python/lib/libpython3.13.so.1.0"
VECTORCALL, MALLOC = "PyObject_Vectorcall", "_PyObject_Malloc"
DEPTH = 3  # of calls, below which a program calls no Python function any more
CHAINS = ((VECTORCALL,), ("PyObject_GetItem", "slot_mp_subscript", VECTORCALL), ("PyObject_Call", VECTORCALL))


def c(name: str, object_: str = LIBPYTHON) -> Function:
    return Function(object_, "file.c", name)


def py(name: str, file: str = "src/toy/core.py") -> Function:
    return Function("python", file, f"py::{name}")


@dataclass(frozen=True)
class Step:
    """A chain of C functions that ends in a Python function, by its number, or in work."""

    chain: tuple[str, ...]
    to: int | None
    work: int


@dataclass(frozen=True)
class Body:
    cost: int
    steps: tuple[Step, ...]


@dataclass
class Machine:
    """Run a program, merging callers; beside it keep what each Python function and each stack truly cost."""

    program: tuple[Body, ...]
    functions: tuple[Function, ...]
    own: dict[Function, int] = field(default_factory=dict)
    inclusive: dict[Function, int] = field(default_factory=dict)
    edges: dict[tuple[Function, Function], Edge] = field(default_factory=dict)
    true: dict[Function, int] = field(default_factory=dict)
    stack: list[Function] = field(default_factory=list)
    stacks: dict[tuple[Function, ...], int] = field(default_factory=dict)

    def spend(self, cost: int) -> int:
        self.own[self.stack[-1]] = self.own.get(self.stack[-1], 0) + cost
        responsible = [function for function in self.stack if function.object == "python"]
        if responsible:
            self.true[responsible[-1]] = self.true.get(responsible[-1], 0) + cost
        return cost

    def call(self, function: Function, inside: Callable[[], int]) -> int:
        callers = [*self.stack[-1:]]
        if function.object == "python":
            callers += [one for one in self.stack if one.object == "python"][-1:]
        outermost = function not in self.stack
        self.stack.append(function)
        path = tuple(self.stack)
        cost = inside()
        self.stack.pop()
        self.stacks[path] = self.stacks.get(path, 0) + cost
        if outermost:
            self.inclusive[function] = self.inclusive.get(function, 0) + cost
        for caller in callers:
            before = self.edges.get((caller, function), Edge(0, 0))
            self.edges[caller, function] = Edge(before.calls + 1, before.cost + cost)
        return cost

    def through(self, chain: tuple[str, ...], step: Step, depth: int) -> int:
        if chain:
            return self.call(c(chain[0]), lambda: self.spend(3) + self.through(chain[1:], step, depth))
        work = self.call(c(MALLOC), lambda: self.spend(step.work)) if step.work else 0
        return work + (self.python(step.to, depth + 1) if step.to is not None and depth < DEPTH else 0)

    def python(self, number: int, depth: int) -> int:
        body = self.program[number]
        return self.call(
            self.functions[number],
            lambda: self.spend(body.cost) + sum(self.through(step.chain, step, depth) for step in body.steps),
        )

    def part(self) -> Part:
        total = self.call(c("main"), lambda: self.spend(5) + self.python(0, 0))
        return Part("toy", total, self.own, self.inclusive, self.edges)


def names_of(program: tuple[Body, ...]) -> tuple[Function, ...]:
    return tuple(py(f"f{number}") for number in range(len(program)))


def part_of(program: tuple[Body, ...]) -> Part:
    return Machine(program, names_of(program)).part()


@st.composite
def programs(draw: st.DrawFn) -> tuple[Body, ...]:
    """Programs of up to six functions that may call any other, themselves too; the depth ends it."""
    size = draw(st.integers(2, 6))
    step = st.builds(
        Step,
        chain=st.sampled_from(CHAINS),
        to=st.none() | st.integers(0, size - 1),
        work=st.integers(0, 200),
    )
    body = st.builds(Body, cost=st.integers(1, 500), steps=st.lists(step, max_size=3).map(tuple))
    return tuple(draw(st.lists(body, min_size=size, max_size=size)))


def flat(*costs: tuple[Function, int]) -> Part:
    own = dict(costs)
    return Part("toy", sum(own.values()), own, dict(own), {})
