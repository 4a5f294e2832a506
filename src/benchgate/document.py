"""Generated sections of a document written by hand.

A section stands between `<!-- begin generated: NAME -->` and `<!-- end generated: NAME -->`, each alone on
its line. What is outside is never touched.
"""

import re
from collections.abc import Mapping, Sequence

from benchgate.errors import Drift

_MARKER = re.compile(r"<!-- (begin|end) generated: (\S+) -->")


def sections(text: str) -> dict[str, str]:
    """Return the bodies of all sections, by name.

    Raises:
        Drift: A marker has no counterpart, stands inside another section, or a name occurs twice.
    """
    lines = text.splitlines(keepends=True)
    return {name: "".join(lines[first:end]) for name, (first, end) in _places(lines).items()}


def with_sections(text: str, bodies: Mapping[str, str], titles: Mapping[str, str]) -> str:
    """Return `text` with these sections replaced; those it does not have are appended under a heading.

    The heading is the section's title, or its name when it has none.

    Raises:
        Drift: The markers of `text` do not fit each other, or a body contains a marker.
    """
    for name, body in bodies.items():
        found = _MARKER.search(body)
        if found:
            raise Drift(f"section {name}: expected text without markers, got {found[0]}")
    lines = text.splitlines(keepends=True)
    places = _places(lines)
    # From the last section to the first, so that the places of those before it stay right.
    for name, (first, end) in reversed(places.items()):
        if name in bodies:
            lines[first:end] = [bodies[name]]
    text = "".join(lines)
    for name, body in bodies.items():
        if name not in places:
            begin, end_line = f"<!-- begin generated: {name} -->", f"<!-- end generated: {name} -->"
            text = f"{text.rstrip()}\n\n## {titles.get(name, name)}\n\n{begin}\n{body}{end_line}\n".lstrip()
    return text


def faults(text: str, bodies: Mapping[str, str]) -> tuple[str, ...]:
    """Return one line for each section that is missing, differs or is generated from nothing."""
    try:
        present = sections(text)
    except Drift as fault:
        return (str(fault),)
    return (
        *(f"section {name} is missing" for name in bodies if name not in present),
        *(
            f"section {name} differs from the data"
            for name in bodies
            if present.get(name, bodies[name]) != bodies[name]
        ),
        *(f"section {name} is generated from nothing" for name in present if name not in bodies),
    )


def _places(lines: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return, by name, where each section's body begins and where it has ended, as indices of `lines`."""
    places: dict[str, tuple[int, int]] = {}
    open_name, first = "", 0
    for index, line in enumerate(lines):
        match = _MARKER.fullmatch(line.strip())
        if match is None:
            continue
        if match[1] == "begin" and not open_name and match[2] not in places:
            open_name, first = match[2], index + 1
        elif match[1] == "end" and open_name == match[2]:
            places[open_name], open_name = (first, index), ""
        else:
            raise Drift(f"line {index + 1}: {line.strip()} does not fit the markers before it")
    if open_name:
        raise Drift(f"section {open_name} has no end")
    return places
