"""Draw where a call's instructions go: one picture of a side, and one of the difference, as SVG.

The call as a whole is at the top, below each function what it calls, as wide as it costs. See
`benchgate.gate.unfolding` for how the stacks are estimated; the picture says so. A picture is complete in
itself: no script, no style sheet, no link, nothing fetched, at most `MAX_BYTES`. Names come from code that
nobody has reviewed, so they are cleaned and escaped.

The difference has the head's shape; red and blue tell how much dearer or cheaper each frame became by
itself. What only the base calls has no frame there, so the picture of the base belongs beside it.
"""

import unicodedata
from collections.abc import Callable, Mapping
from html import escape
from pathlib import PurePosixPath
from typing import NamedTuple

from benchgate.callgrind import PYTHON, Function, Part
from benchgate.gate.attribution import alike
from benchgate.gate.classes import kind
from benchgate.gate.unfolding import Frame, unfold
from benchgate.terminal import plain

MAX_BYTES = 300_000
WIDTH = 1200

_MARGIN, _ROW, _HEADER, _FOOTER = 10, 18, 78, 64
_DEEPEST = 45
_NARROWEST = 0.8  # pixels
_MOST_BYTES = MAX_BYTES - 10_000  # of frames
_CHARACTER = 6.7  # the width of one at the frames' size, at most
_LONGEST = 200
_COLOURS = {
    "this repository": "#f5b041",
    "dependency": "#7fb8e6",
    "interpreter": "#cfd2d6",
    "allocator or libc": "#c3a6e0",
}
_PLAIN, _DEARER, _CHEAPER = (236, 236, 232), (240, 98, 82), (92, 150, 230)
_TEXT, _QUIET, _PAPER = "#1f2328", "#57606a", "#ffffff"
_NOTES = """\
Width is instructions. Functions are below their callers; hover over one for its figures.
Stacks are estimated from callgrind's call graph: a function's cost is divided by its callers' shares.
Frames that are too narrow to see are left out.
"""

_Path = tuple[Function, ...]


class _Style(NamedTuple):
    """What is said beside the frames, and how each is coloured and explained."""

    title: str
    subtitle: str
    legend: tuple[tuple[str, str], ...]
    colour: Callable[[Frame], str]
    tell: Callable[[Frame], str]


def svg(part: Part, calls: int, title: str) -> bytes:
    """Draw one side; `calls` is how many calls the part consists of."""
    total = part.total / calls

    def tell(frame: Frame) -> str:
        return f"{_count(frame.cost)} ({frame.cost / total:.1%}), by itself {_count(frame.own)}"

    def colour(frame: Frame) -> str:
        return _COLOURS[kind(frame.path[-1])] if frame.path else _colour_of(0.0)

    legend = tuple((colour, name) for name, colour in _COLOURS.items())
    return _picture(part, calls, _Style(title, f"{_count(total)} a call", legend, colour, tell))


def difference_svg(base: Part, base_calls: int, head: Part, head_calls: int, title: str) -> bytes:
    """Draw the head, coloured by what became dearer and cheaper."""
    before = _by_path(base, base_calls)
    differences = {
        path: frame.own - (before[path].own if path in before else 0.0)
        for path, frame in _by_path(head, head_calls).items()
    }
    largest = max(map(abs, differences.values()), default=0.0)

    def difference(frame: Frame) -> float:
        return differences.get(tuple(map(alike, frame.path)), 0.0)

    def tell(frame: Frame) -> str:
        was = before.get(tuple(map(alike, frame.path)))
        from_ = _count(was.cost) if was else "not called here before"
        return f"{from_} -> {_count(frame.cost)}, by itself {difference(frame):+,.0f}"

    def colour(frame: Frame) -> str:
        return _colour_of(difference(frame) / largest if largest else 0.0)

    was, now = base.total / base_calls, head.total / head_calls
    subtitle = f"{was:,.0f} -> {_count(now)} a call ({(now - was) / was if was else 0.0:+.2%})"
    legend = (
        (_colour_of(1.0), "dearer by itself"),
        (_colour_of(-1.0), "cheaper by itself"),
        (_colour_of(0.0), "as before"),
    )
    return _picture(head, head_calls, _Style(title, subtitle, legend, colour, tell))


def _by_path(part: Part, calls: int) -> Mapping[_Path, Frame]:
    least = _least(part, calls) / 4  # a frame may have been narrower at the base
    frames = unfold(part, calls, least=least, deepest=_DEEPEST)
    return {tuple(map(alike, frame.path)): frame for frame in frames}


def _least(part: Part, calls: int) -> float:
    return max(part.total / calls * _NARROWEST / (WIDTH - 2 * _MARGIN), 1e-9)


def _picture(part: Part, calls: int, style: _Style) -> bytes:
    drawn: list[str] = []
    size = deepest = 0
    scale = 0.0
    for frame in unfold(part, calls, least=_least(part, calls), deepest=_DEEPEST):
        scale = scale or (WIDTH - 2 * _MARGIN) / frame.cost
        text = _frame(frame, scale, style.colour(frame), style.tell(frame))
        size += len(text.encode())
        if size > _MOST_BYTES:
            break
        drawn.append(text)
        deepest = max(deepest, len(frame.path))
    bottom = _HEADER + (deepest + 1) * _ROW
    height = bottom + _FOOTER
    box = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box}>',
        f"<title>{_clean(style.title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="{_PAPER}"/>',
        f'<g font-family="sans-serif" font-size="13" fill="{_TEXT}">',
        f'<text x="{_MARGIN}" y="25" font-size="17" font-weight="bold">{_fitting(style.title, 100)}</text>',
        f'<text x="{_MARGIN}" y="45">{_clean(style.subtitle)}</text>',
        *_legend(style.legend),
        "</g>",
        f'<g font-family="monospace" font-size="11" fill="{_TEXT}">',
        *drawn,
        "</g>",
        f'<g font-family="sans-serif" font-size="12" fill="{_QUIET}">',
        *_notes(bottom),
        "</g>",
        "</svg>",
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def _notes(bottom: int) -> list[str]:
    rows = enumerate(_NOTES.splitlines())
    return [f'<text x="{_MARGIN}" y="{bottom + 20 + 17 * row}">{_clean(text)}</text>' for row, text in rows]


def _legend(entries: tuple[tuple[str, str], ...]) -> list[str]:
    left, lines = _MARGIN, []
    for colour, name in entries:
        lines += [
            f'<rect x="{left}" y="54" width="13" height="13" rx="2" fill="{colour}"/>',
            f'<text x="{left + 19}" y="65" font-size="12">{_clean(name)}</text>',
        ]
        left += 42 + 6 * len(name)
    return lines


def _frame(frame: Frame, scale: float, colour: str, told: str) -> str:
    left, width = _MARGIN + frame.start * scale, frame.cost * scale
    top = _HEADER + len(frame.path) * _ROW
    name = told_of = label = "one call"
    if frame.path:
        function = frame.path[-1]
        python = function.object == PYTHON
        name = function.name.removeprefix("py::") if python else function.name
        where = alike(function).file if python else PurePosixPath(function.object).name
        told_of = f"{_clean(name)} in {_clean(where)}, {kind(function)}"
        label = f"{name} ({where})" if python else name
    places = int((width - 8) / _CHARACTER)
    shown = _fitting(label if _length(label) <= places else name, places)
    # A gap of half a pixel keeps neighbours of the same colour apart.
    box = f'x="{left:.2f}" y="{top}" width="{max(width - 0.5, 0.3):.2f}" height="{_ROW - 1}"'
    text = f'<text x="{left + 4:.2f}" y="{top + 12.5}">{shown}</text>' if shown else ""
    return f'<g><title>{told_of}: {_clean(told)}</title><rect {box} rx="1" fill="{colour}"/>{text}</g>'


def _fitting(text: str, places: int) -> str:
    """Return as much of the text as fits, escaped; nothing when that says nothing."""
    text = plain(text)
    if _length(text) <= places:
        return escape(text)
    if places < 4:
        return ""
    kept, left = "", places - 1
    for char in text:
        left -= _places(char)
        if left < 0:
            break
        kept += char
    return escape(f"{kept}…")


def _length(text: str) -> int:
    return sum(map(_places, plain(text)))


def _places(char: str) -> int:
    return 1 if char.isascii() else 2 if unicodedata.east_asian_width(char) in "WFA" else 1


def _clean(text: str) -> str:
    return escape(plain(text)[:_LONGEST])


def _count(cost: float) -> str:
    return f"{cost:,.0f} instructions"


def _colour_of(degree: float) -> str:
    """Return the colour from -1, much cheaper, over 0, as before, to 1, much dearer."""
    towards = _DEARER if degree > 0 else _CHEAPER
    # The root lets small differences show beside a large one.
    strength = min(abs(degree), 1.0) ** 0.5 if abs(degree) >= 0.005 else 0.0
    red, green, blue = (round(a + (b - a) * strength) for a, b in zip(_PLAIN, towards, strict=True))
    return f"#{red:02x}{green:02x}{blue:02x}"
