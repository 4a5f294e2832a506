"""The pictures, read back as XML."""

import itertools
import re
from collections.abc import Iterable
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchgate.callgrind import Edge, Function, Part
from benchgate.gate.flamegraph import MAX_BYTES, difference_svg, svg
from tests.benchgate.gate.programs import Body, Step, c, flat, part_of, programs, py

NAMESPACE = "{http://www.w3.org/2000/svg}"
ALLOWED = {
    "svg": {"width", "height", "viewBox"},
    "g": {"font-family", "font-size", "fill"},
    "title": set(),
    "rect": {"x", "y", "width", "height", "rx", "fill"},
    "text": {"x", "y", "font-size", "font-weight"},
}
PROGRAM = (
    Body(100, (Step(("PyObject_Vectorcall",), 1, 40), Step(("PyObject_Vectorcall",), 2, 0))),
    Body(900, (Step(("PyObject_Vectorcall",), None, 300),)),
    Body(400, (Step(("PyObject_Vectorcall",), None, 200),)),
)
HOSTILE = (
    '"><script>alert(1)</script>',
    "</text></svg><svg onload=x>",
    "'/><a href='javascript:x'>&amp;&lt;&#0;",
    "]]><!-- <?x --><![CDATA[",
    "\x00\x1b[2J\x08\u202e\ufffe\ud800 end\r\n\t",
)


def parsed(picture: bytes) -> ET.Element:
    return ET.fromstring(picture)  # noqa: S314 - what the code under test has just written


def require_harmless(picture: bytes) -> None:
    """Check that there is nothing in the picture but what is allowed, and nothing that leads elsewhere."""
    assert len(picture) <= MAX_BYTES
    for element in parsed(picture).iter():
        tag = element.tag.removeprefix(NAMESPACE)
        assert tag in ALLOWED
        assert set(element.attrib) <= ALLOWED[tag]
        for name, value in element.attrib.items():
            pattern = r"[a-z-]+" if name in {"font-family", "font-weight"} else r"#[0-9a-f]{6}|[\d. ]+"
            assert re.fullmatch(pattern, value), (name, value)
        for text in (element.text or "", element.tail or ""):
            assert all(char.isprintable() or char == "\n" for char in text)


class Drawn:
    """A frame as it stands in a picture."""

    def __init__(self, group: ET.Element) -> None:
        title, box = group[0], group[1]
        self.told = title.text or ""
        self.left, self.top, self.width = (float(box.attrib[name]) for name in ("x", "y", "width"))
        self.colour = box.attrib["fill"]
        self.label = group[2].text or "" if len(group) > 2 else ""


def frames(picture: bytes) -> list[Drawn]:
    return [Drawn(group) for group in parsed(picture).iter(f"{NAMESPACE}g") if not group.attrib]


def texts(picture: bytes) -> str:
    return "\n".join(text.text or "" for text in parsed(picture).iter(f"{NAMESPACE}text"))


def one(drawn: Iterable[Drawn], begins: str) -> Drawn:
    (found,) = (frame for frame in drawn if frame.told.startswith(begins))
    return found


def redness(colour: str) -> int:
    return int(colour[1:3], 16) - int(colour[5:7], 16)


def test_what_a_side_costs_is_told() -> None:
    picture = svg(part_of(PROGRAM), 10, "toy/core/f0, base")
    assert picture == svg(part_of(PROGRAM), 10, "toy/core/f0, base")
    shown = texts(picture)
    assert "toy/core/f0, base" in shown
    assert f"{part_of(PROGRAM).total / 10:,.0f} instructions a call" in shown
    assert "estimated from callgrind's call graph" in shown
    assert one(
        frames(picture), "f1 in src/toy/core.py, this repository: 120 instructions ("
    ).label.startswith("f1")


def test_colours_are_those_of_the_classes() -> None:
    library = Function("python", "/venv/lib/python3.13/site-packages/lib/l.py", "py::run")
    functions = (py("f"), library, c("dict_lookup"), c("_PyObject_Malloc"))
    picture = svg(flat(*((function, 100) for function in functions)), 1, "toy")
    legend = [box.attrib["fill"] for box in parsed(picture).iter(f"{NAMESPACE}rect")][1:5]
    assert len(set(legend)) == 4
    python = {frame.told.partition(" ")[0]: frame.colour for frame in frames(picture)}
    assert (python["f"], python["run"]) == (legend[0], legend[1])
    native = svg(flat((functions[2], 100), (functions[3], 50)), 1, "toy")
    assert [frame.colour for frame in frames(native)][1:] == legend[2:4]


@settings(max_examples=40, deadline=None)
@given(programs())
def test_frames_lie_below_and_within_their_callers_and_the_roots_fill_the_width(
    program: tuple[Body, ...],
) -> None:
    picture = svg(part_of(program), 1, "toy")
    require_harmless(picture)
    drawn = frames(picture)
    root, rows = drawn[0], {frame.top for frame in drawn}
    assert root.width == pytest.approx(1180, abs=1)
    for top in rows:
        row = sorted((frame for frame in drawn if frame.top == top), key=lambda frame: frame.left)
        assert sum(frame.width for frame in row) <= root.width + 0.5
        for left, right in itertools.pairwise(row):
            assert left.left + left.width <= right.left + 0.3
        for frame in row if top != root.top else []:
            above = [other for other in drawn if other.top == top - 18]
            middle = frame.left + frame.width / 2
            parent = next(
                other for other in above if other.left - 0.1 <= middle <= other.left + other.width + 0.6
            )
            assert parent.left <= frame.left + 0.1
            assert frame.left + frame.width <= parent.left + parent.width + 0.7


@pytest.mark.parametrize("name", HOSTILE, ids=["script", "svg", "link", "comment", "control"])
def test_names_cannot_do_anything(name: str) -> None:
    function = Function("python", f"src/{name}.py", f"py::{name}")
    native = Function(f"/lib/{name}.so", name, name)
    part = Part("toy", 300, {function: 100, native: 200}, {function: 300}, {(function, native): Edge(1, 200)})
    for picture in (svg(part, 1, name), difference_svg(part, 1, part, 2, name)):
        require_harmless(picture)
        assert len(frames(picture)) == 3
        assert "script" not in {element.tag.lower() for element in parsed(picture).iter()}
    if name.startswith('"'):
        assert name in texts(svg(part, 1, name))


@settings(deadline=None)
@given(st.text(), st.text())
def test_any_text_is_harmless(name: str, title: str) -> None:
    part = flat((Function("python", name, f"py::{name}"), 10))
    require_harmless(svg(part, 1, title))


def test_text_fits_its_frame() -> None:
    names = ["short", "x" * 400, "漢字" * 200, "W" * 90]
    for picture in (svg(flat((py(name), 100), (py("rest"), 7)), 1, "t" * 999) for name in names):
        for frame in frames(picture):
            wide = sum(2 if ord(char) > 0x2FFF else 1 for char in frame.label)
            assert wide * 6.6 <= frame.width
            assert frame.label
        assert max(map(len, texts(picture).splitlines())) < 180


def test_a_narrow_frame_has_no_text() -> None:
    drawn = frames(svg(flat((c("broad"), 10000), (c("narrow"), 50)), 1, "toy"))
    assert (one(drawn, "broad").label, one(drawn, "narrow").label) == ("broad", "")


def test_a_picture_stays_small_and_keeps_the_largest() -> None:
    name = "&" * 5000
    part = flat(*((py(f"{number}{name}", f"src/{number}{name}.py"), 1000 - number) for number in range(1000)))
    picture = svg(part, 1, name)
    require_harmless(picture)
    told = [frame.told for frame in frames(picture)]
    assert len(told) > 50
    assert told[1].startswith("0&")


def test_the_difference_is_red_where_it_became_dearer_blue_where_cheaper_and_grey_elsewhere() -> None:
    dearer = (PROGRAM[0], replace(PROGRAM[1], cost=2900), PROGRAM[2])
    picture = difference_svg(part_of(PROGRAM), 1, part_of(dearer), 1, "toy")
    require_harmless(picture)
    total = part_of(PROGRAM).total
    assert f"{total:,} -> {total + 2000:,} instructions a call (+{2000 / total:.2%})" in texts(picture)
    drawn = frames(picture)
    reddest = max(drawn, key=lambda frame: redness(frame.colour))
    assert reddest.told.startswith("f1 in src/toy/core.py")
    assert reddest.told.endswith("1,203 instructions -> 3,203 instructions, by itself +2,000")
    assert one(drawn, "f2 ").colour == one(drawn, "one call").colour
    bluest = min(
        frames(difference_svg(part_of(dearer), 1, part_of(PROGRAM), 1, "toy")),
        key=lambda frame: redness(frame.colour),
    )
    assert bluest.told.startswith("f1 ")
    assert redness(bluest.colour) < 0 < redness(reddest.colour)


def test_the_difference_has_the_heads_shape_and_says_what_is_new() -> None:
    base = flat((py("f"), 900))
    head = flat((py("f"), 900), (py("g"), 300))
    drawn = frames(difference_svg(base, 1, head, 1, "toy"))
    assert [frame.told.partition(" ")[0] for frame in drawn] == ["one", "f", "g"]
    assert "not called here before -> 300 instructions" in drawn[2].told
    head_only = [frame.width for frame in frames(svg(head, 1, "toy"))]
    assert [frame.width for frame in drawn] == head_only


def test_sides_of_the_same_cost_have_no_colour() -> None:
    drawn = frames(difference_svg(part_of(PROGRAM), 1, part_of(PROGRAM), 1, "toy"))
    assert len({frame.colour for frame in drawn}) == 1


def test_a_part_without_instructions_is_an_empty_picture() -> None:
    empty = Part("toy", 0, {}, {}, {})
    assert not frames(svg(empty, 1, "toy"))
    assert not frames(difference_svg(empty, 1, empty, 1, "toy"))
