"""Which libraries a figure depends on, and their versions.

The names come from the project under measurement: the run-time dependencies of its `pyproject.toml`, so that
a library cannot be used and left out of the record. The instruments themselves are added.
"""

import hashlib
import re
import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from benchgate.errors import Unreadable

INSTRUMENTS = ("pytest", "pytest-benchmark", "pytest-codspeed")
NOT_INSTALLED = "not installed"

_NAME = re.compile(
    r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
)  # the name at the head of a PEP 508 requirement


def measured_libraries(root: Path, groups: Iterable[str] = ()) -> tuple[str, ...]:
    """Name the libraries that figures of the project at `root` depend on; a project may declare none.

    Those of the named dependency groups (PEP 735) are added, without the groups that these include.

    Raises:
        Unreadable: `pyproject.toml` is not TOML, or a requirement in it does not begin with a name.
    """
    path = root / "pyproject.toml"
    try:
        declared = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return INSTRUMENTS
    except tomllib.TOMLDecodeError as fault:
        raise Unreadable(f"{path}: {fault}") from None
    requirements = [*declared.get("project", {}).get("dependencies", [])]
    for group in groups:
        members = declared.get("dependency-groups", {}).get(group, [])
        requirements += [member for member in members if isinstance(member, str)]
    names = []
    for requirement in requirements:
        match = _NAME.match(requirement)
        if match is None:
            raise Unreadable(f"{path}: expected a requirement, got {requirement!r}")
        names.append(match[0])
    return (*names, *INSTRUMENTS)


def versions(names: Iterable[str]) -> dict[str, str]:
    """Return the installed version of each distribution, `not installed` for those that are not."""
    return {name: _version(name) for name in sorted(names)}


def installed() -> frozenset[str]:
    """Return each distribution of this process's environment, as `name version`."""
    return frozenset(f"{found.name} {found.version}" for found in metadata.distributions())


def digest(packages: Iterable[str]) -> str:
    """Return 12 hexadecimal digits that stand for a set of packages."""
    return hashlib.sha256("\n".join(sorted(packages)).encode()).hexdigest()[:12]


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return NOT_INSTALLED
