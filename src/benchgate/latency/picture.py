"""Draw a metric's histogram as SVG: times on a logarithmic axis, how many samples took each.

Bars are of equal width on that axis, so a bar is a range of times, a fiftieth of a decade or more. Upright
lines mark percentiles, ours and the published ones. A picture is complete in itself: no script, no style
sheet, no link, nothing fetched.
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

_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 24, 96, 58
_PER_DECADE = 50
_MOST_BARS = 200
_PAPER, _TEXT, _QUIET, _BAR, _OURS, _THEIRS = "#ffffff", "#1f2328", "#57606a", "#7fb8e6", "#0b4f8a", "#c0392b"


def svg(row: LatencyRow, buckets: Sequence[Bucket], published: Sequence[Percentiles]) -> bytes:
    """Draw the histogram of `row`, whose samples are in `buckets`."""
    marks: list[tuple[str, float, str]] = [("p50", row.samples.p50, _OURS), ("p99", row.samples.p99, _OURS)]
    for theirs in published:
        label = f"published {theirs.label}".strip()
        marks += [(f"{label} {name}", ns, _THEIRS) for name, ns in _told(theirs) if ns is not None]
    axis = _Axis([row.samples.min_ns, row.samples.max_ns, *(ns for _, ns, _ in marks)])
    counts = axis.bars(buckets)
    most = max(counts)
    floor = HEIGHT - _BOTTOM
    shapes = [
        f'<rect x="{axis.edge(at):.1f}" y="{floor - _tall(count, most):.1f}" '
        f'width="{axis.bar_width:.2f}" height="{_tall(count, most):.1f}" fill="{_BAR}">'
        f"<title>{escape(axis.told(at))}: {count:,}</title></rect>"
        for at, count in enumerate(counts)
        if count
    ]
    for decade in range(math.ceil(axis.low), math.floor(axis.high) + 1):
        x = axis.x(10.0**decade)
        shapes.append(_line(x, floor, floor + 6, _QUIET))
        shapes.append(_text(x, floor + 22, figures.duration(10.0**decade), _QUIET, "middle"))
    shapes.append(f'<line x1="{_LEFT}" y1="{floor}" x2="{WIDTH - _RIGHT}" y2="{floor}" stroke="{_QUIET}"/>')
    shapes.append(_text(_LEFT - 8, _TOP + 8, f"{most:,}", _QUIET, "end"))
    shapes.append(_text(_LEFT - 8, floor + 4, "0", _QUIET, "end"))
    for position, (label, ns, colour) in enumerate(marks):
        x, y = axis.x(ns), _TOP - 24 + 13 * (position % 3)
        anchor = "end" if x > WIDTH * 0.8 else "start"
        shapes.append(_line(x, y - 9, floor, colour, dashed=colour == _THEIRS))
        shapes.append(
            _text(x + (-4 if anchor == "end" else 4), y, f"{label} {figures.duration(ns)}", colour, anchor)
        )
    subtitle = (
        f"{row.samples.n:,} samples, the timer's cost in each (p50 {figures.duration(row.timer.p50)}); "
        f"samples for each range of times, logarithmic axis"
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

    def edge(self, bar: int) -> float:
        """Return the left edge of a bar."""
        return _LEFT + bar * self.bar_width

    def bars(self, buckets: Sequence[Bucket]) -> list[int]:
        """Count the samples of each bar; a bucket belongs where its middle is."""
        counts = [0] * self._bars
        for bucket in buckets:
            at = int((self.x((bucket.lowest_ns + bucket.highest_ns) / 2) - _LEFT) / self.bar_width)
            counts[min(at, self._bars - 1)] += bucket.samples
        return counts

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
