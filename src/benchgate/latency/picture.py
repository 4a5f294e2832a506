"""Draw a metric's histogram as SVG: times on a logarithmic axis, how many samples took each.

Bars are of equal width on that axis, so a bar is a range of times, a fiftieth of a decade or more. Upright
lines mark percentiles, ours and, dashed, the published ones. The axis ends just beyond p99.9 or the last
line; how many samples lie beyond, and up to where, is told in words. A picture is complete in itself: no
script, no style sheet, no link, nothing fetched.
"""

import math
from collections.abc import Sequence
from html import escape

from benchgate import figures
from benchgate.latency.histogram import Bucket
from benchgate.latency.measuring import LatencyRow
from benchgate.published import Percentiles
from benchgate.terminal import plain

WIDTH, HEIGHT = 960, 420

_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 170, 150, 58  # at the right, the last label
_LABELS, _LABEL = 70, 13  # where they begin, and how tall each is
_PER_DECADE = 50
_MOST_BARS = 200
_SHORT_DECADES = 3
_PAPER, _TEXT, _QUIET, _BAR, _OURS, _THEIRS = "#ffffff", "#1f2328", "#57606a", "#7fb8e6", "#0b4f8a", "#c0392b"


def svg(row: LatencyRow, buckets: Sequence[Bucket], published: Sequence[Percentiles]) -> bytes:
    """Draw the histogram of `row`, whose samples are in `buckets`."""
    marks: list[tuple[str, float, str]] = [("p50", row.samples.p50, _OURS), ("p99", row.samples.p99, _OURS)]
    for theirs in published:
        marks += [(f"{theirs.name} {name}", ns, _THEIRS) for name, ns in _told(theirs) if ns is not None]
    axis = _Axis([row.samples.min_ns, row.samples.p99_9, *(ns for _, ns, _ in marks)])
    counts, beyond = axis.bars(buckets)
    most = max(counts)
    floor = HEIGHT - _BOTTOM
    shapes = [
        f'<rect x="{axis.edge(at):.1f}" y="{floor - _tall(count, most):.1f}" '
        f'width="{axis.bar_width:.2f}" height="{_tall(count, most):.1f}" fill="{_BAR}">'
        f"<title>{escape(axis.told(at))}: {count:,}</title></rect>"
        for at, count in enumerate(counts)
        if count
    ]
    for ns in axis.ticks():
        shapes.append(_line(axis.x(ns), floor, floor + 6, _QUIET))
        shapes.append(_text(axis.x(ns), floor + 22, figures.duration(ns), _QUIET, "middle"))
    shapes.append(f'<line x1="{_LEFT}" y1="{floor}" x2="{WIDTH - _RIGHT}" y2="{floor}" stroke="{_QUIET}"/>')
    shapes.append(_text(_LEFT - 8, _TOP + 8, f"{most:,}", _QUIET, "end"))
    shapes.append(_text(_LEFT - 8, floor + 4, "0", _QUIET, "end"))
    # From left to right each label is lower, so that no line crosses one.
    for position, (label, ns, colour) in enumerate(sorted(marks, key=lambda mark: mark[1])):
        x, y = axis.x(ns), _LABELS + _LABEL * position
        shapes.append(_line(x, y - 9, floor, colour, dashed=colour == _THEIRS))
        shapes.append(_text(x + 4, y, f"{label} {figures.duration(ns)}", colour, "start"))
    most_ns = figures.duration(row.samples.max_ns)
    subtitle = (
        f"{row.samples.n:,} samples, the timer's cost in each (p50 {figures.duration(row.timer.p50)}); "
        f"logarithmic axis; {f'{beyond:,} beyond it, up to {most_ns}' if beyond else f'slowest {most_ns}'}"
    )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">\n'
        f"<title>{escape(plain(row.id))}</title>\n"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{_PAPER}"/>\n'
        f'<text x="{_LEFT}" y="26" font-size="17" fill="{_TEXT}">{escape(plain(row.id))}</text>\n'
        f"{_text(_LEFT, 46, subtitle, _QUIET, 'start')}\n"
    )
    return (head + "\n".join(shapes) + "\n</svg>\n").encode()


class _Axis:
    """The logarithmic axis of times, from `low` to `high` in powers of ten, and its bars."""

    def __init__(self, shown_ns: Sequence[float]) -> None:
        self.low = math.log10(max(1.0, min(shown_ns))) - 0.05
        self.high = math.log10(max(1.0, *shown_ns)) + 0.05
        self._bars = min(_MOST_BARS, math.ceil((self.high - self.low) * _PER_DECADE))
        self.bar_width = (WIDTH - _LEFT - _RIGHT) / self._bars

    def x(self, ns: float) -> float:
        """Return the place of a time."""
        share = (math.log10(max(1.0, ns)) - self.low) / (self.high - self.low)
        return _LEFT + share * (WIDTH - _LEFT - _RIGHT)

    def ticks(self) -> list[float]:
        """Return the times to name: powers of ten, and twice and five times these on a short axis."""
        steps = (1, 2, 5) if self.high - self.low < _SHORT_DECADES else (1,)
        decades = range(math.floor(self.low), math.ceil(self.high))
        named = (step * 10.0**decade for decade in decades for step in steps)
        return [ns for ns in named if self.low <= math.log10(ns) <= self.high]

    def edge(self, bar: int) -> float:
        """Return the left edge of a bar."""
        return _LEFT + bar * self.bar_width

    def bars(self, buckets: Sequence[Bucket]) -> tuple[list[int], int]:
        """Count the samples of each bar, and those beyond; a bucket belongs where its middle is."""
        counts, beyond = [0] * self._bars, 0
        for bucket in buckets:
            at = int((self.x((bucket.lowest_ns + bucket.highest_ns) / 2) - _LEFT) / self.bar_width)
            if at < self._bars:
                counts[at] += bucket.samples
            else:
                beyond += bucket.samples
        return counts, beyond

    def told(self, bar: int) -> str:
        """Write the times of a bar."""
        step = (self.high - self.low) / self._bars
        ends = (10 ** (self.low + step * (bar + more)) for more in (0, 1))
        return " to ".join(map(figures.duration, ends))


def _told(theirs: Percentiles) -> tuple[tuple[str, float | None], ...]:
    return ("p50", theirs.p50), ("p99", theirs.p99)


def _tall(count: int, most: int) -> float:
    return max(1.0, count / most * (HEIGHT - _TOP - _BOTTOM))


def _line(x: float, top: float, bottom: float, colour: str, *, dashed: bool = False) -> str:
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return f'<line x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{bottom:.1f}" stroke="{colour}"{dash}/>'


def _text(x: float, y: float, text: str, colour: str, anchor: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}">{escape(plain(text))}</text>'
    )
