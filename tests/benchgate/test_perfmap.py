from pathlib import Path

import pytest

from benchgate.errors import Unreadable
from benchgate.perfmap import PythonFunction, parse, path_of

LINES = """\
7f00 b py::bench_quotes:/tree/benches/bench_a.py
7f10 b py::Reader.take.<locals>.<lambda>:/tree/src/odd:name.py
6a00 40 some other jit's code
""".splitlines(keepends=True)


def test_functions_are_found_by_any_address_of_theirs() -> None:
    found = parse(LINES, "map")
    quotes = PythonFunction("py::bench_quotes", "/tree/benches/bench_a.py")
    assert [found.name(address) for address in (0x7F00, 0x7F0A)] == [quotes, quotes]
    assert found.name(0x7F10) == PythonFunction("py::Reader.take.<locals>.<lambda>", "/tree/src/odd:name.py")
    assert [found.name(address) for address in (0, 0x6A00, 0x7EFF, 0x7F0B, 0x7F1B, 2**63)] == [None] * 6
    assert len(found) == 2


def test_code_that_took_the_place_of_other_code_has_the_newer_name() -> None:
    found = parse(["10 8 py::old:a.py\n", "10 8 py::new:b.py\n"], "map")
    assert found.name(0x10) == PythonFunction("py::new", "b.py")


@pytest.mark.parametrize("line", ["7f00\n", "7f00 x py::f:a.py\n", "0z 8 py::f:a.py\n"])
def test_lines_of_another_format_are_refused(line: str) -> None:
    with pytest.raises(Unreadable, match="map: line 1: expected START SIZE NAME"):
        parse([line], "map")


def test_a_name_with_a_line_end_is_cut_and_the_others_are_read() -> None:
    lines = ["10 8 py::odd:<made from\n", "two lines>\n", "\n", "30 8 py::next:a.py\n"]
    found = parse(lines, "map")
    assert found.name(0x10) == PythonFunction("py::odd", "<made from")
    assert found.name(0x30) == PythonFunction("py::next", "a.py")


def test_the_place_is_the_one_that_cpython_uses() -> None:
    assert path_of(123) == Path("/tmp/perf-123.map")  # noqa: S108 - the place is CPython's choice
