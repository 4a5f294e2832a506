"""Figures that others published, read from `benches/published.toml`.

A `[source.<key>]` says who measured, in which language, on which machine and when, and which ids it covers.
A `[row."<system>/<group>"]` holds figures by bench name: nanoseconds of one call, or a table of labelled
figures when the source gives several for one row. They are shown beside ours and never decide anything.
"""

import tomllib
from pathlib import Path
from typing import Annotated

import msgspec

from benchgate.errors import Unreadable

PATH = Path("benches/published.toml")

Nanoseconds = Annotated[float, msgspec.Meta(gt=0)]


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


class Figure(msgspec.Struct, frozen=True):
    """One published figure of a row; the label is empty when it is the only one."""

    label: str
    ns: float


class Published(msgspec.Struct, frozen=True):
    """All published figures, by bench id, and the source of each."""

    figures: dict[str, tuple[Figure, ...]]
    sources: dict[str, Source]

    def of(self, identity: str) -> tuple[Figure, ...]:
        """Return the figures of a row, none when nobody published any."""
        return self.figures.get(identity, ())

    def source(self, identity: str) -> Source:
        """Return the source of a row that has figures."""
        return self.sources[identity]


class _File(msgspec.Struct, forbid_unknown_fields=True):
    source: dict[str, Source] = {}
    row: dict[str, dict[str, Nanoseconds | dict[str, Nanoseconds]]] = {}


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
    sources: dict[str, Source] = {}
    for group, rows in content.row.items():
        for name, value in rows.items():
            identity = f"{group}/{name}"
            labelled = value if isinstance(value, dict) else {"": value}
            figures[identity] = tuple(Figure(label, float(ns)) for label, ns in labelled.items())
            sources[identity] = _only_source(identity, content.source, path)
    return Published(figures, sources)


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
