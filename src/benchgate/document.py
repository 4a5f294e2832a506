"""Generated sections of a document written by hand.

A section stands between `<!-- begin generated: NAME -->` and `<!-- end generated: NAME -->`, each alone on
its line. What is outside is never touched.
"""

import re
from collections.abc import Mapping

from benchgate.errors import Drift

_MARKER = re.compile(r"<!-- (begin|end) generated: (\S+) -->")


def sections(text: str) -> dict[str, str]:
    """Return the bodies of all sections, by name.

    Raises:
        Drift: A marker has no counterpart, stands inside another section, or a name occurs twice.
    """
    bodies: dict[str, str] = {}
    open_name, body = "", []
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        match = _MARKER.fullmatch(line.strip())
        if match is None:
            body.append(line)
        elif match[1] == "begin" and not open_name and match[2] not in bodies:
            open_name, body = match[2], []
        elif match[1] == "end" and open_name == match[2]:
            bodies[open_name], open_name = "".join(body), ""
        else:
            raise Drift(f"line {number}: {line.strip()} does not fit the markers before it")
    if open_name:
        raise Drift(f"section {open_name} has no end")
    return bodies


def with_sections(text: str, bodies: Mapping[str, str], titles: Mapping[str, str]) -> str:
    """Return `text` with these sections replaced; those it does not have are appended under a heading.

    The heading is the section's title, or its name when it has none.

    Raises:
        Drift: The markers of `text` do not fit each other.
    """
    present = sections(text)
    for name, body in bodies.items():
        begin, end = f"<!-- begin generated: {name} -->", f"<!-- end generated: {name} -->"
        if name in present:
            head, _, rest = text.partition(begin)
            text = f"{head}{begin}\n{body}{end}{rest.partition(end)[2]}"
        else:
            text = f"{text.rstrip()}\n\n## {titles.get(name, name)}\n\n{begin}\n{body}{end}\n".lstrip()
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
