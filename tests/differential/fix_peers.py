"""What simplefix and quickfix read in FIX messages, in shapes that can be compared.

Without quickfix, which has to be compiled, `QuickFix` cannot be made.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import files
from pathlib import Path
from typing import Any

import simplefix

from tests.fuzz.fix_messages import Drawn, Field, Node

try:
    import quickfix
except ImportError:
    quickfix = None

IS_QUICKFIX_THERE = quickfix is not None
DICTIONARY = "FIX44.xml"

Tree = list[Any]
"""Fields as [tag, value], sorted, then each group's instances as such lists, by the group's count tag."""


def simplefix_of(pieces: Iterable[bytes]) -> list[list[Field] | str]:
    """Read a stream with simplefix: the fields of each message, up to the first error."""
    parser = simplefix.FixParser()
    found: list[list[Field] | str] = []
    for piece in pieces:
        parser.append_buffer(piece)
        try:
            while (read := parser.get_message()) is not None:
                found.append([(int(tag), value) for tag, value in read.pairs])
        except simplefix.errors.ParsingError as error:
            return [*found, f"{type(error).__name__}: {error}"]
    return found


class QuickFix:
    """quickfix's parser with its own dictionary."""

    def __init__(self) -> None:
        carried = [file for file in files("quickfix") or () if file.name == DICTIONARY]
        self.path = Path(str(carried[0].locate())).resolve()
        self.dictionary = quickfix.DataDictionary(str(self.path))

    def read(self, frame: bytes) -> Any:
        """Parse and check a message; the error's text if there is one."""
        try:
            return quickfix.Message(frame.decode(), self.dictionary, True)  # noqa: FBT003 - SWIG takes no names
        except (quickfix.FIXException, RuntimeError) as error:
            return f"{type(error).__name__}: {error}"

    def refusal(self, frame: bytes) -> str:
        """Say why quickfix refuses a message, on parsing it or by its dictionary; empty if it does not."""
        read = self.read(frame)
        if isinstance(read, str):
            return read
        try:
            self.dictionary.validate(read)
        except quickfix.FIXException as error:
            return f"{type(error).__name__}: {error}"
        return ""

    def number_fields(self) -> dict[int, Any]:
        """Give fields of quickfix that read a number, by their tags."""
        kinds = ("Price", "OrderQty", "AvgPx", "LastPx", "CumQty", "StopPx")
        return {field.getTag(): field for field in (getattr(quickfix, kind)() for kind in kinds)}


_FIELD = re.compile(rb'\s*<field number="(\d+)"><!\[CDATA\[(.*?)\]\]></field>\n', re.DOTALL)
_OPEN, _CLOSE = re.compile(rb"\s*<(\w+)>\n"), re.compile(rb"\s*</(\w+)>\n?")


def quickfix_tree(read: Any) -> Tree:
    """Read all fields from a quickfix message, group by group, from what it shows as XML."""
    if isinstance(read, str):
        return [read]
    shown = read.toXML().encode("utf-8", "surrogateescape")
    levels: list[Tree] = [[]]
    at = 0
    while at < len(shown):
        if field := _FIELD.match(shown, at):
            levels[-1].append([int(field[1]), field[2]])
            at = field.end()
        elif opened := _OPEN.match(shown, at):
            levels.append([])
            at = opened.end()
        elif closed := _CLOSE.match(shown, at):
            part = levels.pop()
            levels[-1].append(_sorted(part))
            at = closed.end()
        else:
            raise ValueError(f"quickfix shows a message in a way unknown here: {shown[at:][:80]!r}")
    return list(levels[0][0])


def _sorted(part: Tree) -> Tree:
    fields = [entry for entry in part if entry and isinstance(entry[0], int)]
    return sorted(fields) + [entry for entry in part if not entry or not isinstance(entry[0], int)]


def tree_of(fields: Sequence[Field], drawn: Drawn) -> Tree:
    """Arrange fields in the way that quickfix shows them: in the groups that the message was drawn with."""
    following = iter(fields)
    return [_nodes_tree(nodes, following) for nodes in (drawn.header, drawn.body, drawn.trailer)]


def _nodes_tree(nodes: Sequence[Node], following: Iterator[Field]) -> Tree:
    own: Tree = []
    groups: dict[int, Tree] = {}
    for node in nodes:
        own.append(list(next(following)))
        groups[node.tag] = [_nodes_tree(instance, following) for instance in node.instances]
    return sorted(own) + [instance for tag in sorted(groups) for instance in groups[tag]]


def has_deep_data(nodes: Sequence[Node], depth: int = 0) -> bool:
    """Tell whether a group within a group has a data field with a SOH in it."""
    return any(
        (depth > 1 and b"\x01" in node.value)
        or any(has_deep_data(instance, depth + 1) for instance in node.instances)
        for node in nodes
    )


def is_utf8(frame: bytes) -> bool:
    """Tell whether the binding can be given these bytes."""
    try:
        frame.decode()
    except UnicodeDecodeError:
        return False
    return True
