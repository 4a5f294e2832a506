"""The parser against files written by hand, whose costs are added up beside them."""

from collections.abc import Iterator

import pytest

from benchgate import perfmap
from benchgate.callgrind import EVALUATION, Edge, Function, Part, parts
from benchgate.errors import Unreadable

HEAD = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 7\ncmd: python -m pytest\n"
END = """\
part: 9

desc: Trigger: Program termination
positions: line
events: Ir
summary: 0

totals: 0
"""
# main costs 20 + 5 + 3 itself, calls work twice for 300 and, through an inlined file, free once for 40.
# work costs 260 and calls free for 40.
ONE = """\
part: 1

desc: I1 cache:
desc: Timerange: Basic block 0 - 170229
desc: Trigger: Client Request: benches/a/bench_b.py::bench_c

positions: line
events: Ir
summary: 0

ob=/lib/python
fl=main.c
fn=main
16 20
cob=/lib/other.so
cfi=work.c
cfn=work
calls=2 50
16 300
fi=inlined.h
+2 5
cfn=free
calls=1 400
* 40
fe=main.c
-1 3
17

ob=/lib/other.so
fl=work.c
fn=work
50 160
+1 100
cob=/lib/python
cfi=inlined.h
cfn=free
calls=2 400
* 40

ob=/lib/python
fl=inlined.h
fn=free
400 80

totals: 368
"""
MAIN = Function("/lib/python", "main.c", "main")
WORK = Function("/lib/other.so", "work.c", "work")
FREE = Function("/lib/python", "inlined.h", "free")


def read(text: str, python: perfmap.PerfMap | None = None) -> list[Part]:
    return list(parts(text.splitlines(keepends=True), "out", python))


def test_costs_and_calls_of_every_function() -> None:
    part, end = read(HEAD + ONE + END)
    assert part.trigger == "Client Request: benches/a/bench_b.py::bench_c"
    assert part.total == 368
    assert part.own == {MAIN: 28, WORK: 260, FREE: 80}
    assert part.inclusive == {MAIN: 368, WORK: 300, FREE: 80}
    assert part.edges == {(MAIN, WORK): Edge(2, 300), (MAIN, FREE): Edge(1, 40), (WORK, FREE): Edge(2, 40)}
    assert (end.trigger, end.total, end.own) == ("Program termination", 0, {})


def test_own_costs_add_up_to_the_total_and_each_callee_gets_what_its_callers_gave() -> None:
    part, _ = read(HEAD + ONE + END)
    assert sum(part.own.values()) == part.total
    for function in (WORK, FREE):
        given = sum(edge.cost for (_, callee), edge in part.edges.items() if callee == function)
        assert given == part.inclusive[function]


def test_parts_stand_alone() -> None:
    """A second part names its objects anew, and nothing of the first remains."""
    second = ONE.replace("part: 1", "part: 2").replace("bench_c", "bench_d")
    first, other, _ = read(HEAD + ONE + second + END)
    assert (first.own, first.edges) == (other.own, other.edges)
    assert other.trigger.endswith("bench_d")


def test_levels_of_a_recursion_are_one_function_whose_inclusive_cost_is_that_of_the_outermost() -> None:
    """fib calls itself: 10 at the outermost level, 70 and 20 below."""
    body = """\
part: 1
desc: Trigger: Client Request: benches/a/bench_b.py::bench_c
positions: line
events: Ir
ob=lib
fl=fib.c
fn=fib
1 10
cfn=fib'2
calls=2 1
1 90

fn=fib'2
1 90
cfn=fib'2
calls=4 1
1 60

totals: 100
"""
    part, _ = read(HEAD + body + END)
    fib = Function("lib", "fib.c", "fib")
    assert part.own == {fib: 100}
    assert part.inclusive == {fib: 100}
    assert part.edges == {(fib, fib): Edge(6, 150)}


def test_python_functions_get_their_names_from_the_perf_map() -> None:
    body = """\
part: 1
desc: Trigger: Client Request: benches/a/bench_b.py::bench_c
positions: line
events: Ir
ob=???
fl=???
fn=0x0000000000007f00
0 2
cob=lib
cfi=ceval.c
cfn=eval
calls=1 5
0 30

fn=0x0000000000007f00'2
0 4

fn=0x0000000000001234
0 1

ob=lib
fl=ceval.c
fn=eval
5 30

totals: 37
"""
    names = perfmap.parse(["7f00 b py::quote:/tree/src/parse.py\n"], "map")
    part, _ = read(HEAD + body + END, names)
    quote, unknown = Function("python", "/tree/src/parse.py", "py::quote"), "0x0000000000001234"
    evaluate = Function("lib", "ceval.c", "eval")
    assert part.own == {quote: 6, Function("???", "???", unknown): 1, evaluate: 30}
    assert part.inclusive[quote] == 32
    assert part.edges == {(quote, evaluate): Edge(1, 30)}


def test_the_loop_that_a_trampoline_enters_is_its_python_function() -> None:
    """quote costs 2 in its trampoline and 23 in its bytecode, of which a call of f enters quote again."""
    body = """\
part: 1
desc: Trigger: Client Request: benches/a/bench_b.py::bench_c
positions: line
events: Ir
ob=???
fl=???
fn=0x0000000000007f00
0 2
cob=lib
cfi=ceval.c
cfn=_PyEval_EvalFrameDefault'0x0000000000007f00
calls=1 5
0 31

fn=0x0000000000007f00'2
0 1
cob=lib
cfi=ceval.c
cfn=_PyEval_EvalFrameDefault'2'0x0000000000007f00
calls=1 5
0 3

ob=lib
fl=ceval.c
fn=_PyEval_EvalFrameDefault'0x0000000000007f00
5 20
cfn=f
calls=1 6
5 11

fn=_PyEval_EvalFrameDefault'2'0x0000000000007f00
5 3

fn=f
6 7
cob=???
cfi=???
cfn=0x0000000000007f00'2
calls=1 0
6 4

fn=_PyEval_EvalFrameDefault'_PyEval_Vector
5 40

totals: 73
"""
    names = perfmap.parse(["7f00 b py::quote:/tree/src/parse.py\n"], "map")
    part, _ = read(HEAD + body + END, names)
    quote, loop = (
        Function("python", "/tree/src/parse.py", "py::quote"),
        Function("lib", "ceval.c", EVALUATION),
    )
    f = Function("lib", "ceval.c", "f")
    assert part.own == {quote: 26, f: 7, loop: 40}
    assert part.inclusive == {quote: 33, f: 11, loop: 40}
    assert part.edges == {(quote, f): Edge(1, 11), (f, quote): Edge(1, 4)}


def test_the_nearest_python_function_in_the_chain_of_an_entry_is_the_caller() -> None:
    """f calls g, both through `call`, and g calls itself; who calls f is not Python."""
    body = """\
part: 1
desc: Trigger: Client Request: benches/a/bench_b.py::bench_c
positions: line
events: Ir
ob=lib
fl=call.c
fn=py_trampoline_evaluator'call'main
1 2
cob=???
cfi=???
cfn=0x0000000000007f00
calls=1 1
1 100

fn=py_trampoline_evaluator'2'call'_PyEval_EvalFrameDefault'0x0000000000007f04'py_trampoline_evaluator'call'main
1 3
cob=???
cfi=???
cfn=0x0000000000007f10
calls=2 1
1 80

fn=py_trampoline_evaluator'2'call'_PyEval_EvalFrameDefault'0x0000000000007f10'py_trampoline_evaluator
1 5
cob=???
cfi=???
cfn=0x0000000000007f10'2
calls=1 1
1 30

ob=???
fl=???
fn=0x0000000000007f00
1 20
cob=lib
cfi=call.c
cfn=call
calls=2 1
1 80

fn=0x0000000000007f10
1 45
cob=lib
cfi=call.c
cfn=call
calls=1 1
1 35

fn=0x0000000000007f10'2
1 30

totals: 105
"""
    names = perfmap.parse(["7f00 b py::f:/a.py\n", "7f10 b py::g:/a.py\n"], "map")
    part, _ = read(HEAD + body + END, names)
    f, g = Function("python", "/a.py", "py::f"), Function("python", "/a.py", "py::g")
    entry, call = Function("lib", "call.c", "py_trampoline_evaluator"), Function("lib", "call.c", "call")
    assert part.own == {entry: 10, f: 20, g: 75}
    assert part.edges == {
        (entry, f): Edge(1, 100),
        (entry, g): Edge(3, 110),
        (f, g): Edge(2, 80),
        (g, g): Edge(1, 30),
        (f, call): Edge(2, 80),
        (g, call): Edge(1, 35),
    }


def test_other_events_and_instruction_positions_are_passed_over() -> None:
    body = """\
part: 1
desc: Trigger: Client Request: benches/a/bench_b.py::bench_c
positions: instr line
events: Dr Ir Dw
ob=lib
fl=a.c
fn=f
0x10 5 7 100 9
+4 * 1 20
+4 * 8
jump=2 +4 *
jcnd=1/2 +4 *
totals: 16 120 9
"""
    part, _ = read(HEAD + body + END)
    assert (part.total, part.own) == (120, {Function("lib", "a.c", "f"): 120})


def faults() -> Iterator[tuple[str, str, str]]:
    yield (
        "truncated in a part",
        HEAD + ONE[: ONE.index("ob=/lib/other.so\nfl=work.c")],
        ("truncated in part benches/a/bench_b.py::bench_c, before its totals"),
    )
    yield "truncated between parts", HEAD + ONE, "truncated: expected 'Program termination' as last part"
    yield "nothing at all", HEAD, "truncated: expected 'Program termination' as last part, got 'none'"
    yield "no trigger", HEAD + ONE.replace("desc: Trigger", "desc: Other") + END, "a part with a trigger"
    yield "lost costs", HEAD + ONE.replace("400 80\n", "") + END, "own costs that add up to 368, got 288"
    yield "compressed names", HEAD + ONE.replace("fn=main", "fn=(1) main") + END, "a name written out"
    yield "no events", HEAD + ONE.replace("events: Ir\n", "") + END, "fn=NAME and events before"
    yield "other events", HEAD + ONE.replace("events: Ir", "events: Dr") + END, "events with Ir, got Dr"
    yield "a damaged cost", HEAD + ONE.replace("50 160", "50 16o") + END, "positions and costs, got 50 16o"
    yield "a damaged position", HEAD + ONE.replace("50 160", "5-0 160") + END, "positions and costs"
    yield "calls of nothing", HEAD + ONE.replace("cfn=work\n", "") + END, "calls=COUNT after cfn=NAME"
    yield "damaged calls", HEAD + ONE.replace("calls=2 50", "calls=x 50") + END, "calls=COUNT after cfn=NAME"
    yield (
        "calls without cost",
        HEAD + ONE.replace("calls=2 400\n* 40", "calls=2 400") + END,
        "cost of the last",
    )
    yield "an unknown position", HEAD + ONE.replace("fe=main.c", "fz=main.c") + END, "position of callgrind"
    yield (
        "an unknown header",
        HEAD + ONE.replace("summary: 0", "sum: 0") + END,
        "header of callgrind's format",
    )
    yield "another file", "hello\n", "line 1: part without a trigger: expected a line of callgrind's format"


@pytest.mark.parametrize(
    ("text", "message"), [case[1:] for case in faults()], ids=[case[0] for case in faults()]
)
def test_what_does_not_fit_is_an_error_that_names_the_part(text: str, message: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read(text)
    assert message in str(caught.value)
    assert str(caught.value).startswith("out: ")


@pytest.mark.parametrize("lines", range(1, (HEAD + ONE + END).count("\n")))
def test_no_beginning_of_a_file_passes_for_a_whole_one(lines: int) -> None:
    beginning = (HEAD + ONE + END).splitlines(keepends=True)[:lines]
    with pytest.raises(Unreadable):
        list(parts(beginning, "out"))
