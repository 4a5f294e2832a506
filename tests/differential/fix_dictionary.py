"""Hold tapemark's dictionary of FIX 4.4 against the one that quickfix carries, entry by entry."""

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

from tapemark.fix.dictionary import Block
from tapemark.fix.fix44 import DICTIONARY

Compare = Callable[[str, object, object, object], None]
"""Takes what is compared, ours, theirs and the case."""


@dataclasses.dataclass(frozen=True)
class Members:
    """Fields of a message or of a group's entry: tags in order, those required, and the groups by count."""

    tags: list[int]
    required: set[int]
    groups: "dict[int, Members]"

    def all_tags(self) -> set[int]:
        """Return the tags, and those of all groups within."""
        return set(self.tags).union(*(group.all_tags() for group in self.groups.values()))


class Carried:
    """quickfix's dictionary."""

    def __init__(self, path: Path) -> None:
        root = ET.parse(path).getroot()  # noqa: S314 - it comes with the library
        self._fields = {field.attrib["name"]: field for field in root.iterfind("fields/field")}
        self._components = {part.attrib["name"]: part for part in root.iterfind("components/component")}
        self.field_of = {int(field.attrib["number"]): field for field in self._fields.values()}
        self.messages = {
            one.attrib["msgtype"]: self._members(one) for one in root.iterfind("messages/message")
        }
        self.header, self.trailer = (
            self._members(part) for part in root if part.tag in {"header", "trailer"}
        )

    def _members(self, part: ET.Element) -> Members:
        members = Members([], set(), {})
        for entry in self._entries(part):
            tag = int(self._fields[entry.attrib["name"]].attrib["number"])
            members.tags.append(tag)
            if entry.attrib["required"] == "Y":
                members.required.add(tag)
            if entry.tag == "group":
                members.groups[tag] = self._members(entry)
        return members

    def _entries(self, part: ET.Element) -> Iterator[ET.Element]:
        """List fields and groups, those of components among them."""
        for entry in part:
            if entry.tag == "component":
                yield from self._entries(self._components[entry.attrib["name"]])
            else:
                yield entry


def compare_dictionaries(carried: Carried, compare: Compare) -> None:
    """Compare names, types and values of fields, and what messages and groups hold of them."""
    for tag, field in DICTIONARY.fields.items():
        theirs = carried.field_of[tag]
        compare("dictionary, names", field.name, theirs.attrib["name"], tag)
        compare("dictionary, data types", field.data_type.value.upper(), theirs.attrib["type"], tag)
        if field.values is not None:
            listed = {value.attrib["enum"] for value in theirs.iterfind("value")}
            compare("dictionary, values", {member.value for member in field.values}, listed, tag)
    _compare_members("header", DICTIONARY.header, carried.header, compare)
    _compare_members("trailer", DICTIONARY.trailer, carried.trailer, compare)
    for msg_type, block in DICTIONARY.messages.items():
        _compare_members(msg_type.decode(), block, carried.messages[msg_type.decode()], compare)


def _compare_members(where: str, block: Block, theirs: Members, compare: Compare) -> None:
    known = [tag for tag in theirs.tags if tag in DICTIONARY.fields]
    compare("dictionary, members", sorted(block.tags), sorted(known), where)
    compare("dictionary, required", sorted(block.required), sorted(theirs.required & set(known)), where)
    for tag in block.tags:
        if tag in DICTIONARY.groups:
            _compare_group(f"{where}, {tag}", DICTIONARY.groups[tag].block, theirs.groups[tag], compare)
    # A field that the table knows may stand in a group that it leaves out: it is not to be refused there.
    left_out = {
        tag for count in theirs.groups.keys() - DICTIONARY.groups for tag in theirs.groups[count].all_tags()
    }
    compare("dictionary, unread", sorted(block.unread), sorted(left_out & DICTIONARY.fields.keys()), where)


def _compare_group(where: str, block: Block, theirs: Members, compare: Compare) -> None:
    known = [tag for tag in theirs.tags if tag in DICTIONARY.fields]
    compare("dictionary, order of groups", list(block.tags), known, where)
    # The first field opens each entry: it is required whatever the other side says of it.
    opened = dataclasses.replace(theirs, required=theirs.required | {known[0]})
    _compare_members(where, block, opened, compare)
