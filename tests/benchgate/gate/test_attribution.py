"""Attribution against programs whose true costs are known."""

import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchgate import simulator
from benchgate.callgrind import Function, Part
from benchgate.counting import count
from benchgate.gate.attribution import MOST, causes, own_costs
from benchgate.gate.report import Cause
from benchgate.run import utc_now
from benchgate.survey import Sources
from tests.benchgate.gate.programs import (
    CHAINS,
    MALLOC,
    VECTORCALL,
    Body,
    Machine,
    Step,
    c,
    flat,
    names_of,
    part_of,
    programs,
    py,
)
from tests.benchgate.samples import PYPROJECT, write

MSGSPEC = "/venv/lib/python3.13/site-packages/msgspec/_core.so"


def nowhere(_file: str, _name: str) -> tuple[str, bool | None]:
    return "src/toy/core.py:1", False


@given(programs())
def test_own_costs_are_the_true_ones(program: tuple[Body, ...]) -> None:
    machine = Machine(program, names_of(program))
    part = machine.part()
    python = {one: cost for one, cost in own_costs(part).items() if one.object == "python"}
    assert python == machine.true
    assert sum(python.values()) + part.own[c("main")] == part.total


@given(programs(), st.data())
def test_the_function_that_was_made_slower_is_named_first(
    program: tuple[Body, ...], data: st.DataObject
) -> None:
    reached = [n for n, name in enumerate(names_of(program)) if name in part_of(program).own]
    number = data.draw(st.sampled_from(reached))
    body = program[number]
    chain = data.draw(st.sampled_from(CHAINS))
    planted = data.draw(
        st.sampled_from(
            (
                replace(body, cost=body.cost + 5000),
                replace(body, steps=(*body.steps, Step(chain, None, 5000))),
            )
        )
    )
    changed = (*program[:number], planted, *program[number + 1 :])
    slower = causes(part_of(program), 1, part_of(changed), 1, lookup=nowhere)
    faster = causes(part_of(changed), 1, part_of(program), 1, lookup=nowhere)
    true = Machine(changed, names_of(program))
    before = Machine(program, names_of(program))
    true.part()
    before.part()
    name = names_of(program)[number]
    assert (slower[0].name, slower[0].own) == (f"f{number}", true.true[name] - before.true[name])
    assert (faster[0].name, faster[0].own) == (f"f{number}", -slower[0].own)
    assert [cause.name for cause in slower if cause.where.startswith("src/")] == [f"f{number}"]


F_AND_G = (
    Body(100, (Step((VECTORCALL,), 1, 0), Step((VECTORCALL,), 2, 0))),
    Body(900, (Step((VECTORCALL,), None, 300),)),
    Body(40, (Step((VECTORCALL,), None, 20),)),
)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_two_functions_called_through_the_same_c_function_are_told_apart(number: int) -> None:
    changed = list(F_AND_G)
    changed[number] = replace(changed[number], cost=changed[number].cost + 50)
    found = causes(part_of(F_AND_G), 1, part_of(tuple(changed)), 1, lookup=nowhere)
    assert [(cause.name, cause.own) for cause in found] == [(f"f{number}", 50.0)]


def test_a_call_that_is_made_more_often_is_its_callers_doing_too() -> None:
    """f1 now runs twice: its own cost grew most, and its caller's by the chain between."""
    first = F_AND_G[0]
    twice = (replace(first, cost=200, steps=(*first.steps, first.steps[0])), *F_AND_G[1:])
    found = causes(part_of(F_AND_G), 1, part_of(twice), 1, lookup=nowhere)
    assert [(cause.name, cause.own) for cause in found if cause.kind == "this repository"] == [
        ("f1", 1203.0),
        ("f0", 103.0),
    ]
    assert found[1].inclusive == 1306.0


def test_costs_are_those_of_one_call() -> None:
    base, head = flat((py("f"), 1000), (py("g"), 400)), flat((py("f"), 2600), (py("g"), 800))
    (cause,) = causes(base, 10, head, 20, lookup=nowhere)
    assert (cause.name, cause.own, cause.inclusive) == ("f", 30.0, 30.0)


def test_nothing_changed_nothing_to_name() -> None:
    part = flat((py("f"), 1000))
    assert causes(part, 10, part, 10, lookup=nowhere) == ()


def touching(*names: str) -> Callable[[str, str], tuple[str, bool | None]]:
    return lambda file, name: (f"{file}:7", name in names)


def test_of_nearly_equal_ones_the_touched_one_then_the_repositorys_comes_first() -> None:
    library = py("l", "/venv/lib/python3.13/site-packages/lib/l.py")
    base = flat((library, 0), (py("f"), 0), (py("g"), 0), (py("h"), 0))
    head = flat((library, 100), (py("f"), 98), (py("g"), 95), (py("h"), 50))

    def first(*touched: str) -> str:
        return causes(base, 1, head, 1, lookup=touching(*touched))[0].name

    assert (first(), first("g"), first("h")) == ("f", "g", "f")


def test_only_the_repositorys_functions_are_looked_up() -> None:
    asked: list[tuple[str, str]] = []

    def lookup(file: str, name: str) -> tuple[str, bool | None]:
        asked.append((file, name))
        return f"{file}:12", True

    library = py("L.run", "/venv/lib/python3.13/site-packages/lib/l.py")
    standard = py("uuid4", "/opt/python/lib/python3.13/uuid.py")
    base = flat((py("C.f"), 5))
    head = flat((py("C.f"), 95), (library, 80), (standard, 70), (py("g", "<string>"), 60))
    found = causes(base, 1, head, 1, lookup=lookup)
    assert asked == [("src/toy/core.py", "C.f")]
    assert [(one.name, one.where, one.kind, one.touched) for one in found] == [
        ("C.f", "src/toy/core.py:12", "this repository", True),
        ("L.run", "lib/l.py", "dependency", None),
        ("uuid4", "uuid.py", "interpreter", None),
        ("g", "<string>", "interpreter", None),
    ]


def test_a_renamed_function_counts_as_one() -> None:
    base = flat((py("old"), 1000), (py("f"), 500))
    head = flat((py("new"), 1010), (py("f"), 700))
    found = causes(base, 1, head, 1, lookup=nowhere)
    assert [(cause.name, cause.own) for cause in found] == [("f", 200.0), ("new", 10.0)]


@pytest.mark.parametrize("other", [py("new", "src/toy/other.py"), py("much_dearer")])
def test_another_function_is_no_renamed_one(other: Function) -> None:
    cost = 1010 if other.file.endswith("other.py") else 2000
    found = causes(flat((py("old"), 1000)), 1, flat((other, cost)), 1, lookup=nowhere)
    assert {(cause.own) for cause in found} == {float(cost), -1000.0}
    assert found[0].own > 0


def test_environments_in_other_folders_are_the_same() -> None:
    def side(root: str, cost: int) -> Part:
        return flat(
            (py("l", f"{root}/lib/python3.13/site-packages/lib/l.py"), 500),
            (Function(f"{root}/lib/python3.13/site-packages/lib/_c.so", f"{root}/c.c", "work"), 700),
            (py("f"), cost),
        )

    found = causes(side("/a", 10), 1, side("/b/c", 20), 1, lookup=nowhere)
    assert [(cause.name, cause.own) for cause in found] == [("f", 10.0)]


def test_what_the_allocator_and_a_dependency_do_shows() -> None:
    base = flat((py("f"), 10), (c(MALLOC), 100), (c("a", MSGSPEC), 10), (c("b", MSGSPEC), 10))
    head = flat((py("f"), 90), (c(MALLOC), 148), (c("a", MSGSPEC), 40), (c("b", MSGSPEC), 30))
    found = causes(base, 1, head, 1, lookup=nowhere)
    assert [(one.name, one.where, one.kind, one.own) for one in found] == [
        ("f", "src/toy/core.py:1", "this repository", 80.0),
        (MALLOC, "libpython3.13.so.1.0", "allocator or libc", 48.0),
        ("a", "_core.so", "dependency", 30.0),
        ("b", "_core.so", "dependency", 20.0),
        ("all functions", "_core.so", "dependency", 50.0),
    ]


def test_without_python_functions_the_largest_c_function_comes_first_and_objects_as_a_whole_last() -> None:
    base = flat((c("eval"), 900), (c("dict"), 100), (c("a", MSGSPEC), 300), (c("b", MSGSPEC), 300))
    head = flat((c("eval"), 960), (c("dict"), 150), (c("a", MSGSPEC), 220), (c("b", MSGSPEC), 301))
    found = causes(base, 1, head, 1, lookup=nowhere)
    assert [(one.name, one.where, one.own) for one in found] == [
        ("eval", "libpython3.13.so.1.0", 60.0),
        ("a", "_core.so", -80.0),
        ("dict", "libpython3.13.so.1.0", 50.0),
        ("b", "_core.so", 1.0),
        ("all functions", "libpython3.13.so.1.0", 110.0),
        ("all functions", "_core.so", -79.0),
    ]


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), max_size=60), st.booleans())
def test_there_are_few_causes_and_none_is_small(costs: list[tuple[int, int]], python: bool) -> None:  # noqa: FBT001 - hypothesis gives it
    objects = [f"/venv/lib/python3.13/site-packages/l/{number}.so" for number in range(8)]
    functions = [
        c(f"c{n}", objects[n % 8]) if n % 2 or not python else py(f"p{n}") for n in range(len(costs))
    ]
    base = flat(*((one, cost) for one, (cost, _) in zip(functions, costs, strict=True)))
    head = flat(*((one, cost) for one, (_, cost) in zip(functions, costs, strict=True)))
    found = causes(base, 1, head, 1, lookup=nowhere)
    assert len(found) <= MOST
    change = head.total - base.total
    assert all(abs(cause.own) >= 0.01 * abs(change) for cause in found)
    if found and found[0].own:
        assert all(
            not _beyond(cause, found[0], change) for cause in found if _python(cause) == _python(found[0])
        )


def _python(cause: Cause) -> bool:
    return cause.kind == "this repository"


def _beyond(cause: Cause, first: Cause, change: int) -> bool:
    """Whether a cause lies clearly further in the direction of the change than the first."""
    direction = 1 if change > 0 else -1
    return cause.name != "all functions" and cause.own * direction * 0.8 > max(0.0, first.own * direction)


def test_names_are_cut() -> None:
    found = causes(
        flat((py("f"), 1)), 1, flat((py("x" * 5000), 900)), 1, lookup=lambda file, _: (file * 300, None)
    )
    assert all(len(cause.name) <= 300 and len(cause.where) <= 300 for cause in found)


CORE = """
def cheap(n):
    return n + 1

def dear(n):
    total = 0
    for number in range(n):
        total += number
    return total

def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def work(n):
    return cheap(n) + dear(n) + fib(6) + sum(map(cheap, range(5))) + sorted((3, 1, 2), key=cheap)[0]
"""
SLOWER = "    for _ in (0,) * 30: pass\n"
BENCH = """
import importlib

import pytest

@pytest.mark.parametrize("side", ["base", "cheap", "dear", "fib", "work"])
def bench_work(measure, side):
    work = importlib.import_module(f"toy.{side}").work
    assert work(10) == 11 + 45 + 8 + 15 + 1
    measure(work, 10, calls=20)
"""
TIMES = {"cheap": 9, "dear": 1, "fib": 25, "work": 1}  # that a call of `work` calls each


def as_one_file(part: Part) -> Part:
    """The part as if all sides were in the same file."""

    def renamed(one: Function) -> Function:
        return one._replace(file="src/toy/core.py") if one.file.startswith("src/toy/") else one

    return Part(
        part.trigger,
        part.total,
        {renamed(one): cost for one, cost in part.own.items()},
        {renamed(one): cost for one, cost in part.inclusive.items()},
        {(renamed(caller), renamed(callee)): edge for (caller, callee), edge in part.edges.items()},
    )


@pytest.mark.valgrind
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
@pytest.mark.skipif(sys.version_info < (3, 12), reason="there are no Python functions in a profile before")
def test_a_loop_planted_in_a_real_function_is_found_whatever_calls_it(tmp_path: Path) -> None:
    """A call of the function costs as much more wherever the loop is: below `map`, `sorted` or itself."""
    files = {"pyproject.toml": PYPROJECT, "src/toy/base.py": CORE, "benches/toy/bench_core.py": BENCH}
    for name in TIMES:
        line = f"def {name}(n):\n"
        files[f"src/toy/{name}.py"] = CORE.replace(line, line + SLOWER)
    files["benches/ids.txt"] = "".join(f"toy/core/work[{side}]\n" for side in sorted(("base", *TIMES)))
    write(tmp_path, files)
    profiles = count(Sources(tmp_path, tmp_path), simulator.find(), utc_now(), lambda _: None).profiles
    parts = {identity[len("toy/core/work[") : -1]: as_one_file(part) for identity, part in profiles.items()}

    python = [own for one, own in own_costs(parts["base"]).items() if one.object == "python"]
    assert 0.95 < sum(python) / parts["base"].total < 1
    loops = []
    for name, times in TIMES.items():
        found = causes(parts["base"], 20, parts[name], 20, lookup=nowhere)
        assert (found[0].name, found[0].kind) == (name, "this repository")
        others = [abs(cause.own) for cause in found[1:] if cause.kind == "this repository"]
        assert sum(others) < 0.05 * found[0].own
        loops.append(found[0].own / times)
    assert loops == pytest.approx([loops[0]] * len(TIMES), rel=0.1)
