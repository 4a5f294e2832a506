"""Bench ids: how a test's address becomes one, and the list of all of them.

`benches/<system>/bench_<group>.py::bench_<name>[<parameter>]` is `<system>/<group>/<name>[<parameter>]`. Ids
are public names: histories, published figures and thresholds hang on them. `benches/ids.txt` lists them all,
sorted, one a line, so that an id cannot appear or vanish without a reviewed change of that file.
"""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from benchgate.errors import BadBench, Unreadable

LIST_PATH = Path("benches/ids.txt")

_NODE = re.compile(
    r"benches/(?P<system>[a-z0-9_]+)/bench_(?P<group>[a-z0-9_]+)\.py"
    r"::bench_(?P<name>[a-z0-9_]+)(?P<parameter>\[[^\[\]\s]+\])?"
)


def bench_id(nodeid: str) -> str:
    """Turn a pytest node id, relative to the repository's root, into a bench id.

    Raises:
        BadBench: The node does not stand where a bench must stand, or is not named like one.
    """
    match = _NODE.fullmatch(nodeid)
    if match is None:
        raise BadBench(
            f"{nodeid}: expected benches/<system>/bench_<group>.py::bench_<name>, lower case, "
            f"with an optional parameter id without blanks or brackets"
        )
    return f"{match['system']}/{match['group']}/{match['name']}{match['parameter'] or ''}"


def system_of(identity: str) -> str:
    """Return the `<system>` of a bench id."""
    return identity.split("/", 1)[0]


def group_of(identity: str) -> str:
    """Return the `<system>/<group>` of a bench id."""
    return "/".join(identity.split("/", 2)[:2])


def path_of(group: str) -> Path:
    """Return the file of a `<system>/<group>`, relative to the repository's root."""
    system, name = group.split("/")
    return Path("benches") / system / f"bench_{name}.py"


def name_of(identity: str) -> str:
    """Return the `<name>[<parameter>]` of a bench id."""
    return identity.split("/", 2)[-1]


def refuse_duplicates(ids: Iterable[str]) -> None:
    """Check that no id occurs twice.

    Raises:
        BadBench: One does; the message names them all.
    """
    repeated = sorted(identity for identity, count in Counter(ids).items() if count > 1)
    if repeated:
        raise BadBench(f"bench ids must be unique, these are not: {', '.join(repeated)}")


def listed(path: Path) -> tuple[str, ...]:
    """Read the list of ids.

    Raises:
        Unreadable: There is no such file that can be read, or it is not sorted or names an id twice.
    """
    ids = _lines(path)
    if list(ids) != sorted(set(ids)):
        raise Unreadable(f"{path}: expected sorted ids without repeats; `nox -s ids` mends it")
    return ids


def once_listed(path: Path) -> tuple[str, ...]:
    """Read a list of ids that is no longer to be mended, in any order; none where there is no file.

    Raises:
        Unreadable: It cannot be read.
    """
    return tuple(sorted(set(_lines(path)))) if path.exists() else ()


def _lines(path: Path) -> tuple[str, ...]:
    try:
        return tuple(path.read_text(encoding="utf-8").splitlines())
    except FileNotFoundError:
        raise Unreadable(f"{path}: no such file; `nox -s ids` makes it") from None
    except OSError as fault:
        raise Unreadable(f"{path}: expected a list of ids: {fault.strerror}") from None
    except UnicodeDecodeError as fault:
        raise Unreadable(f"{path}: expected ids in UTF-8, got byte {fault.start} otherwise") from None


def text_of(ids: Iterable[str]) -> str:
    """Return what the list of these ids looks like as a file."""
    return "".join(f"{identity}\n" for identity in sorted(ids))


def differences(expected: Iterable[str], found: Iterable[str], where: str) -> tuple[str, ...]:
    """Return one line for each id that only one side has; `where` names the side of `found`."""
    wanted, present = set(expected), set(found)
    return (
        *(
            f"{identity} is listed in {LIST_PATH} but missing from {where}"
            for identity in sorted(wanted - present)
        ),
        *(f"{identity} is in {where} but not listed in {LIST_PATH}" for identity in sorted(present - wanted)),
    )
