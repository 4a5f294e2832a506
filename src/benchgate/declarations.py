"""Find what the files of one kind below `benches` declare, and hold a record against it.

A file is `benches/<system>/<kind>_<group>.py` and has a tuple of declarations under a name of its kind.
"""

import importlib
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TypeVar

from benchgate.errors import BadBench, BenchgateError

T = TypeVar("T")


def found(root: Path, kind: str, name: str, types: tuple[type[T], ...]) -> Iterator[tuple[str, T]]:
    """Give each declaration in the files of a kind, with its `<system>/<group>`; `name` is that of the tuple.

    Raises:
        BadBench: A file cannot be imported, or has no such tuple.
    """
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    for path in sorted(root.glob(f"benches/*/{kind}_*.py")):
        system, group = path.parent.name, path.stem.removeprefix(f"{kind}_")
        try:
            declared = getattr(importlib.import_module(f"benches.{system}.{path.stem}"), name)
        except ImportError as fault:
            raise BadBench(f"{path}: {fault}; what may be missing is imported in `load`") from None
        except (AttributeError, BenchgateError) as fault:
            raise BadBench(f"{path}: {fault}") from None
        if not isinstance(declared, tuple) or not all(isinstance(item, types) for item in declared):
            expected = " or ".join(type_.__name__ for type_ in types)
            raise BadBench(f"{path}: {name}: expected a tuple of {expected}, got {type(declared).__name__}")
        for declaration in declared:
            yield f"{system}/{group}", declaration


def record_faults(recorded: Collection[str], declared: Collection[str], where: Path) -> tuple[str, ...]:
    """Return one line for each id that only the declarations or only the record at `where` has."""
    return (
        *(f"{key} is declared but missing from {where}" for key in declared if key not in recorded),
        *(f"{key} is in {where} but not declared" for key in recorded if key not in declared),
    )
