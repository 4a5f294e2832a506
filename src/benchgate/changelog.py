"""CHANGELOG.md, and which benches it names.

The form is Keep a Changelog's (https://keepachangelog.com/en/1.1.0/): `## [<version>] - <date>` or
`## [Unreleased]`, below it `### <kind>`, below that the entries. Text in HTML comments is none.

A bench is named by its id, with or without the parameter in brackets, by `<system>/<group>`, by `<system>/`
or by a pattern with `*` or `?` that begins with a system. Whether an entry is true is for its reader.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from benchgate.ids import group_of, system_of
from benchgate.selection import fits_pattern

PATH = Path("CHANGELOG.md")
UNRELEASED = "Unreleased"
CHANGED_BENCHES = "Changed benches"

_RELEASE = re.compile(r"## \[?([^\]\s]+)")
_KIND = re.compile(r"###\s+(.*?)\s*")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_NAME = re.compile(r"(?<![\w/.*?-])[a-z0-9_]+/[a-z0-9_*?/]*(?:\[[^\[\]\s]+\])?")


class Changelog:
    """The entries of a changelog, by release and kind."""

    def __init__(self, text: str) -> None:
        self._entries: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        release = kind = ""
        for line in _COMMENT.sub("", text).splitlines():
            if title := _RELEASE.match(line):
                release, kind = title[1], ""
            elif heading := _KIND.fullmatch(line):
                kind = heading[1]
            elif line.strip():
                self._entries[release, kind].append(line)

    def has_entries(self, release: str) -> bool:
        """Whether anything stands under `release`."""
        return any(title == release for title, _ in self._entries)

    def changed_benches(self, releases: Iterable[str]) -> "Named":
        """Return what the entries under `Changed benches` of these releases name."""
        text = "\n".join(
            line for release in releases for line in self._entries.get((release, CHANGED_BENCHES), ())
        )
        return Named(
            frozenset(name.rstrip("/") if name.count("/") > 1 else name for name in _NAME.findall(text))
        )


class Named:
    """The names of benches in a text: ids, groups, systems, patterns."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names

    def bench(self, identity: str) -> bool:
        """Whether the bench is named, alone or with its group or system."""
        whole = {identity, identity.split("[", 1)[0], group_of(identity)}
        return f"{system_of(identity)}/" in self._names or self._fit(whole)

    def group(self, group: str) -> bool:
        """Whether `<system>/<group>` is named, its system or any bench of it."""
        inside = any(name.startswith(f"{group}/") for name in self._names)
        return f"{system_of(group)}/" in self._names or inside or self._fit({group})

    def system(self, system: str) -> bool:
        """Whether a system is named, or anything of it."""
        return any(system_of(name) == system for name in self._names)

    def _fit(self, texts: Iterable[str]) -> bool:
        return any(fits_pattern(text, name) for text in texts for name in self._names)
