"""Figures that others published, read from `benches/published.toml`.

A `[source.<key>]` says who measured, in which language, on which machine and when, and which ids it covers.
A `[row."<system>/<group>"]` holds figures by bench name: nanoseconds of one call, or a table of labelled
figures when the source gives several for one row. A `[rate."<system>/<group>"]` holds items per second in the
same way, a `[blocks."<system>/<group>"]` the blocks of memory that one call allocates. A
`[distribution."<system>/<group>"]` holds percentiles by metric, or a table of labelled ones;
`[tiers."<system>/<group>/<metric>"]` what the source measured or expects on several machines. All are shown
beside ours and never decide anything.
"""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from benchgate import figures as written
from benchgate.errors import Unreadable

PATH = Path("benches/published.toml")

_T = TypeVar("_T")

Nanoseconds = Annotated[float, msgspec.Meta(gt=0)]
PerSecond = Annotated[float, msgspec.Meta(gt=0)]
Blocks = Annotated[int, msgspec.Meta(ge=0)]
Bounds = Nanoseconds | list[Nanoseconds]


class Source(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who published figures, and what they were measured on.

    Attributes:
        machine: The machine in two or three words; `hardware` is the source's own description.
        covers: The beginnings of the ids whose figures are from this source; the longest that fits counts.
        url: Where the figures stand.
        caveat: What a reader must know before comparing.
    """

    what: str
    language: str
    machine: str
    hardware: str
    statistic: str
    covers: tuple[str, ...]
    measured: str = ""
    url: str = ""
    caveat: str = ""

    @property
    def short(self) -> str:
        """Language and machine."""
        return f"{self.language}, {self.machine}"

    @property
    def line(self) -> str:
        """What was published, with its language, statistic, date, hardware and caveat."""
        date = f", {self.measured}" if self.measured else ""
        caveat = f" {self.caveat}" if self.caveat else ""
        return f"published: {self.what} ({self.language}), {self.statistic}{date}; {self.hardware}.{caveat}"


class Figure(msgspec.Struct, frozen=True):
    """One published figure of a row; the label is empty when it is the only one.

    Attributes:
        ns: Of one call, or of one item where items per second were published.
    """

    label: str
    ns: float
    is_rate: bool = False

    @property
    def text(self) -> str:
        """The label, and the figure as it was published: a time, or items per second."""
        figure = f"{written.amount(1e9 / self.ns)}/s" if self.is_rate else written.duration(self.ns)
        return f"{self.label} {figure}".strip()

    def call_ns(self, items: int) -> float:
        """Return what it says of a call that handles so many items."""
        return self.ns * items if self.is_rate else self.ns


class Percentiles(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Published percentiles of one metric, in nanoseconds; None where the source gives none.

    Attributes:
        label: Empty when they are the only ones of the metric.
        n: The number of samples.
        p99_9: The percentile 99.9.
    """

    label: str = ""
    n: Annotated[int, msgspec.Meta(gt=0)] | None = None
    p50: Nanoseconds | None = None
    p90: Nanoseconds | None = None
    p95: Nanoseconds | None = None
    p99: Nanoseconds | None = None
    p99_9: Nanoseconds | None = None
    max: Nanoseconds | None = None

    @property
    def name(self) -> str:
        """The label, or `published` where there is none."""
        return self.label or "published"


class Tier(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a source measured or expects on one kind of machine: one figure, or two, from and to."""

    hardware: str
    # Not a tuple of two: beside a number with limits that crashes the collector (msgspec 0.23.0).
    p50: Bounds
    p95: Bounds

    def __post_init__(self) -> None:
        """Check what the types do not say."""
        for bounds in (self.p50, self.p95):
            if isinstance(bounds, list) and not (len(bounds) == 2 and bounds[0] <= bounds[1]):
                raise ValueError(f"expected one figure, or two from low to high, got {bounds}")


class Published(msgspec.Struct, frozen=True):
    """All published figures, by bench id or metric, and the source of each.

    Attributes:
        distributions: By metric, the percentiles.
        tiers: By metric, kinds of machines by name.
        blocks: By bench id, labels and the blocks that one call allocates.
    """

    figures: dict[str, tuple[Figure, ...]]
    sources: dict[str, Source]
    distributions: dict[str, tuple[Percentiles, ...]] = {}
    tiers: dict[str, dict[str, Tier]] = {}
    blocks: dict[str, dict[str, int]] = {}

    def of(self, identity: str) -> tuple[Figure, ...]:
        """Return the figures of a row, none when nobody published any."""
        return self.figures.get(identity, ())

    def source(self, identity: str) -> Source:
        """Return the source of a row that has figures."""
        return self.sources[identity]


class _File(msgspec.Struct, forbid_unknown_fields=True):
    source: dict[str, Source] = {}
    row: dict[str, dict[str, Nanoseconds | dict[str, Nanoseconds]]] = {}
    rate: dict[str, dict[str, PerSecond | dict[str, PerSecond]]] = {}
    blocks: dict[str, dict[str, Blocks | dict[str, Blocks]]] = {}
    distribution: dict[str, dict[str, dict[str, Any]]] = {}
    tiers: dict[str, dict[str, Tier]] = {}


def read(path: Path) -> Published:
    """Read the published figures; there may be none at all.

    Raises:
        Unreadable: The file is not TOML, its fields do not fit, or a row is covered by no source or by two
            alike.
    """
    try:
        content = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _File)
    except FileNotFoundError:
        return Published({}, {})
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as fault:
        raise Unreadable(f"{path}: {fault}") from None
    figures: dict[str, tuple[Figure, ...]] = {}
    for identity, labelled in _labelled(content.row):
        figures[identity] = tuple(Figure(label, float(ns)) for label, ns in labelled.items())
    for identity, labelled in _labelled(content.rate):
        figures[identity] = tuple(Figure(label, 1e9 / rate, is_rate=True) for label, rate in labelled.items())
    blocks = dict(_labelled(content.blocks))
    distributions = {
        f"{group}/{name}": _percentiles(f"{group}/{name}", value, path)
        for group, metrics in content.distribution.items()
        for name, value in metrics.items()
    }
    identities = (*figures, *blocks, *distributions, *content.tiers)
    sources = {identity: _only_source(identity, content.source, path) for identity in identities}
    return Published(figures, sources, distributions, content.tiers, blocks)


def _labelled(groups: Mapping[str, Mapping[str, _T | dict[str, _T]]]) -> Iterator[tuple[str, dict[str, _T]]]:
    """Give each row's id, and its figures by label."""
    for group, rows in groups.items():
        for name, value in rows.items():
            yield f"{group}/{name}", value if isinstance(value, dict) else {"": value}


def _percentiles(identity: str, value: dict[str, Any], path: Path) -> tuple[Percentiles, ...]:
    labelled = value if all(isinstance(part, dict) for part in value.values()) else {"": value}
    try:
        found = tuple(
            msgspec.convert(part | {"label": label}, Percentiles) for label, part in labelled.items()
        )
    except msgspec.ValidationError as fault:
        raise Unreadable(f"{path}: distribution {identity}: {fault}") from None
    if not found or any(figures == Percentiles(figures.label, figures.n) for figures in found):
        raise Unreadable(f"{path}: distribution {identity}: expected percentiles, got none")
    return found


def _only_source(identity: str, sources: dict[str, Source], path: Path) -> Source:
    lengths = {
        key: max(len(beginning) for beginning in source.covers if identity.startswith(beginning))
        for key, source in sources.items()
        if identity.startswith(source.covers)
    }
    closest = [key for key, length in lengths.items() if length == max(lengths.values())]
    if len(closest) != 1:
        raise Unreadable(f"{path}: {identity}: expected one source that covers it, got {closest or 'none'}")
    return sources[closest[0]]
