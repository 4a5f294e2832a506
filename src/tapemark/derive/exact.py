"""The careful way to read JSON into a wire type: numbers keep their exact text, wherever they came as.

The venue writes most numerals as JSON strings, but any of them may arrive as a JSON number, and an integer
as a string. The fast decoders accept the usual form only; what they refuse comes here, where the standard
library parses it with every number kept as text, each number is settled by the type that stands at its place
(a `Numeral` keeps the digits as sent, an integer becomes one), and msgspec checks the result. Some ten times
slower than the fast path, and never less exact.

Whatever still does not fit raises `InvalidFrame`, which names the path, what was expected and what came.
"""

import json
import re
from typing import Any, NoReturn, TypeVar

import msgspec
from msgspec import inspect

from tapemark.errors import InvalidFrame
from tapemark.refusals import refused

T = TypeVar("T")

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,38})")
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")


class _Number(str):
    """The text of a JSON number, to tell it from a JSON string."""

    __slots__ = ()


def read(raw: bytes | msgspec.Raw, kind: type[T], path: str) -> T:
    """Decode JSON into a wire type without losing a digit.

    Args:
        raw: UTF-8 JSON.
        kind: A type of `tapemark.derive.wire`, or a list of one.
        path: Where `raw` stands in its frame, for errors; empty when it is the whole frame.

    Raises:
        InvalidFrame: `raw` is not JSON, or does not fit `kind`.
    """
    tree = _tree(bytes(raw), path)
    settled = _settled(tree, inspect.type_info(kind))
    try:
        return msgspec.convert(settled, kind)
    except msgspec.ValidationError as error:
        raise refused(error, settled, path) from None


def _tree(raw: bytes, path: str) -> Any:
    try:
        tree = json.loads(
            raw.decode("utf-8"), parse_float=_Number, parse_int=_Number, parse_constant=_refused_constant
        )
        if b"\\u" in raw:
            # The standard library lets an escape write half a surrogate pair, which is no text.
            json.dumps(tree, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise InvalidFrame(path or "frame", f"JSON in UTF-8 ({type(error).__name__})", raw) from None
    return tree


def _refused_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


def _settled(value: Any, kind: inspect.Type) -> Any:  # noqa: PLR0911 - one return for each kind of type
    """Give each number the form that the type at its place takes; leave all else to msgspec's check."""
    match kind:
        case inspect.Metadata(extra={"numeral": True}):
            return str(value) if isinstance(value, _Number) else value
        case inspect.Metadata(type=inner):
            return _settled(value, inner)
        case inspect.UnionType(types=kinds):
            return _settled_union(value, kinds)
        case inspect.IntType() if isinstance(value, str) and _INTEGER.fullmatch(value):
            return int(value)
        case inspect.FloatType() if isinstance(value, str) and _JSON_NUMBER.fullmatch(value):
            return float(value)
        case inspect.ListType(item_type=item) if isinstance(value, list):
            return [_settled(part, item) for part in value]
        case inspect.TupleType(item_types=items) if isinstance(value, list) and len(value) == len(items):
            return [_settled(part, item) for part, item in zip(value, items, strict=True)]
        case inspect.DictType(value_type=item) if isinstance(value, dict):
            return {key: _settled(part, item) for key, part in value.items()}
        case inspect.StructType(fields=fields) if isinstance(value, dict):
            known = {known.encode_name: known.type for known in fields}
            return {key: _settled(part, known[key]) for key, part in value.items() if key in known}
    return _plain(value)


def _settled_union(value: Any, kinds: tuple[inspect.Type, ...]) -> Any:
    """Settle by the one member that is not None; where text and integer both fit, numbers are integers."""
    if value is None:
        return None
    members = [kind for kind in kinds if not isinstance(kind, inspect.NoneType)]
    if len(members) == 1:
        return _settled(value, members[0])
    return _settled(value, inspect.IntType()) if isinstance(value, _Number) else value


def _plain(value: Any) -> Any:
    """Turn a number where none belongs into a Python one, so that the error names it as a number."""
    if isinstance(value, _Number):
        return int(value) if _INTEGER.fullmatch(value) else float(value)
    return value
