"""Stacks against programs whose true stacks are known."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchgate.callgrind import Edge, Function, Part
from benchgate.gate.unfolding import Frame, unfold
from tests.benchgate.gate.programs import (
    CHAINS,
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


def frames_of(
    part: Part, calls: int = 1, least: float = 0.01, deepest: int = 30
) -> dict[tuple[Function, ...], Frame]:
    return {frame.path: frame for frame in unfold(part, calls, least=least, deepest=deepest)}


def without_python(part: Part) -> Part:
    """The part as CPython 3.11 would give it."""

    def plain(one: Function) -> Function:
        return c("_PyEval_EvalFrameDefault") if one.object == "python" else one

    own: dict[Function, int] = {}
    edges: dict[tuple[Function, Function], Edge] = {}
    for one, cost in part.own.items():
        own[plain(one)] = own.get(plain(one), 0) + cost
    for (caller, callee), edge in part.edges.items():
        if (caller.object, callee.object) != ("python", "python"):
            key = plain(caller), plain(callee)
            edges[key] = Edge(1, edges.get(key, Edge(0, 0)).cost + edge.cost)
    return Part("toy", part.total, own, own, edges)


def hold_together(frames: dict[tuple[Function, ...], Frame]) -> None:
    """Check that every frame lies within its parent, beside those next to it."""
    end_of: dict[tuple[Function, ...], float] = {}
    below: dict[tuple[Function, ...], float] = {}
    for path, frame in frames.items():
        assert 0 <= frame.own <= frame.cost * (1 + 1e-9)
        if not path:
            continue
        parent = frames[path[:-1]]
        assert path[:-1] == () or path[:-1] in end_of, "a frame before its parent"
        below[path[:-1]] = below.get(path[:-1], 0.0) + frame.cost
        assert frame.start >= end_of.get(path[:-1], parent.start) * (1 - 1e-9)
        end_of[path[:-1]] = frame.start + frame.cost
        end_of.setdefault(path, frame.start)
        assert end_of[path[:-1]] <= (parent.start + parent.cost) * (1 + 1e-9)
    for path, cost in below.items():
        assert frames[path].own + cost <= frames[path].cost * (1 + 1e-9)


@settings(max_examples=50, deadline=None)
@given(programs(), st.booleans(), st.integers(1, 50))
def test_frames_lie_within_their_parents_and_own_costs_add_up(
    program: tuple[Body, ...],
    python: bool,  # noqa: FBT001 - hypothesis gives it
    calls: int,
) -> None:
    part = part_of(program) if python else without_python(part_of(program))
    frames = frames_of(part, calls, least=part.total / calls / 300)
    hold_together(frames)
    assert frames[()].cost == pytest.approx(part.total / calls)


@settings(max_examples=50, deadline=None)
@given(programs())
def test_no_instruction_is_lost_where_all_frames_are_drawn(program: tuple[Body, ...]) -> None:
    """The programs call none that come before, so that there is no recursion to cut."""
    acyclic = tuple(
        replace(body, steps=tuple(step for step in body.steps if step.to is None or step.to > number))
        for number, body in enumerate(program)
    )
    part = part_of(acyclic)
    frames = frames_of(part, least=1e-6)
    assert sum(frame.own for frame in frames.values()) == pytest.approx(part.total)


@settings(max_examples=50, deadline=None)
@given(st.data(), st.integers(2, 7))
def test_where_each_python_function_has_one_caller_its_stack_costs_what_it_truly_did(
    data: st.DataObject, size: int
) -> None:
    steps: list[list[Step]] = [[] for _ in range(size)]
    for number in range(1, size):
        caller = data.draw(st.integers(0, number - 1))
        steps[caller].append(Step(data.draw(st.sampled_from(CHAINS)), number, data.draw(st.integers(0, 300))))
    program = tuple(Body(data.draw(st.integers(100, 900)), tuple(some)) for some in steps)
    machine = Machine(program, names_of(program))
    frames = frames_of(machine.part())
    true = {
        tuple(one for one in path if one.object == "python"): cost
        for path, cost in machine.stacks.items()
        if path[-1].object == "python"
    }
    python = {path: frame.cost for path, frame in frames.items() if path and path[-1].object == "python"}
    assert python == pytest.approx(true)


def test_a_callees_cost_is_divided_by_the_callers_shares() -> None:
    f, g, h = py("f"), py("g"), py("h")
    part = Part(
        "toy",
        1000,
        {f: 100, g: 300, h: 600},
        {f: 1000, g: 750, h: 600},
        {(f, c("call")): Edge(2, 900), (f, g): Edge(1, 750), (f, h): Edge(1, 150), (g, h): Edge(3, 450)}
        | {(g, c("call")): Edge(3, 450), (c("call"), g): Edge(1, 750), (c("call"), h): Edge(4, 600)},
    )
    frames = frames_of(part)
    assert {path: round(frame.cost, 6) for path, frame in frames.items()} == {
        (): 1000.0,
        (f,): 1000.0,
        (f, g): 750.0,
        (f, h): 150.0,
        (f, g, h): 450.0,
    }
    assert frames[f, g].own == pytest.approx(300)


def test_c_functions_that_never_lead_to_python_keep_their_exact_cost() -> None:
    f, g, call, malloc = py("f"), py("g"), c("call"), c("malloc")
    part = Part(
        "toy",
        1000,
        {f: 300, call: 40, malloc: 60, g: 600},
        {f: 1000, call: 640, malloc: 60, g: 600},
        {(f, call): Edge(2, 640), (call, g): Edge(1, 600), (f, g): Edge(1, 600), (f, malloc): Edge(1, 60)},
    )
    costs = {path: round(frame.cost, 6) for path, frame in frames_of(part).items()}
    assert costs == {(): 1000, (f,): 1000, (f, g): 600, (f, malloc): 60, (f, call): 40}


def test_the_first_levels_of_a_recursion_are_shown_and_the_rest_is_in_the_last() -> None:
    f, g = c("f"), c("g")
    part = Part("toy", 100, {f: 60, g: 40}, {f: 100, g: 40}, {(f, g): Edge(9, 300), (g, f): Edge(8, 260)})
    frames = frames_of(part)
    assert max(path.count(f) for path in frames) == 3
    hold_together(frames)
    assert sum(frame.own for frame in frames.values()) == pytest.approx(100)


def test_what_is_small_or_deep_is_left_out() -> None:
    part = flat((c("large"), 900), (c("small"), 9))
    assert set(frames_of(part, least=10.0)) == {(), (c("large"),)}
    assert set(frames_of(part, deepest=0)) == {()}
    assert frames_of(part, deepest=0)[()].own == 909


def test_an_empty_part_has_no_frames() -> None:
    assert frames_of(Part("toy", 0, {}, {}, {})) == {}
