"""What the order of a message's tags says: whether each may stand there, and which attribute it becomes.

`Planner` goes over the tags once, in order, and refuses the first that is repeated, out of place or unknown
to its message; then what is missing. Values are not looked at: a plan only says how to convert them.

Source: FIX 4.4 with errata 20030618, volume 1, "Message format"; volume 2, session tests 2 and 14.
"""

import functools
from collections.abc import Callable
from typing import Any

import msgspec

from tapemark.errors import RejectedMessage
from tapemark.fix.dictionary import LENGTH_TAG_OF, Block, DataType
from tapemark.fix.fix44 import DICTIONARY, Header, Typed
from tapemark.fix.groups import Instance, Tags, instances_of
from tapemark.fix.record import MessageRecord, Record, Slot
from tapemark.fix.syntax import Reason

Steps = tuple[tuple[str, int, Callable[[bytes], Any]], ...]
"""Attribute, place and conversion of each field."""

_PARTS = ("header", "body", "trailer")


class Filling(msgspec.Struct, frozen=True, gc=False):
    """How one record is filled from the values of a message, by places counted from the record's first field.

    Attributes:
        blank: A record of its kind. What the message holds replaces a field of it, the required ones among
            them; the others are as in every record that does not have them.
        quick: Its fields.
        careful: The same, with conversions that name the tag that fails.
        groups: Attribute, tag, place and value of each group's count; where each entry starts and how it is
            filled.
    """

    blank: Record
    quick: Steps
    careful: Steps
    groups: tuple[tuple[str, int, int, bytes, tuple[tuple[int, "Filling"], ...]], ...]


class Plan(msgspec.Struct, frozen=True, gc=False):
    """How a message of one order of tags is decoded; `extra` is what the dictionary does not hold."""

    header: Filling
    message: Filling
    extra: tuple[tuple[int, int], ...]


class Planner:
    """Goes over the tags of one message.

    Args:
        kind: What the message is to become.
        tags: All its tags, from 8 to 10.
    """

    def __init__(self, kind: type[Typed], tags: Tags) -> None:
        self._kind, self._tags = kind, tags
        self._parts = (DICTIONARY.header, DICTIONARY.messages[kind.MSG_TYPE], DICTIONARY.trailer)
        self._seen: set[int] = set()
        self._fields: list[tuple[int, int]] = []
        self._groups: list[tuple[int, int, list[Instance]]] = []
        self._extra: list[tuple[int, int]] = []

    def plan(self) -> Plan:
        """Read the tags.

        Raises:
            RejectedMessage: A tag may not stand where it stands, or one is missing.
        """
        tags, at, part = self._tags, 0, 0
        unread = self._parts[1].unread
        while at < len(tags):
            tag = tags[at]
            if tag not in DICTIONARY.fields or tag in unread:
                self._extra.append((tag, at))
                at += 1
                continue
            part = self._part(tag, part)
            if tag in self._seen:
                expected = f"one {DICTIONARY.label(tag)}"
                raise RejectedMessage(tag, Reason.TAG_APPEARS_MORE_THAN_ONCE, expected, "another one")
            self._seen.add(tag)
            at = self._field(tag, at)
        for block in self._parts:
            _require(block, self._seen)
        whole = Instance(0, len(tags), self._fields, self._groups)
        return Plan(
            _filling(Header, whole, Header.SLOTS),
            _filling(self._kind, whole, (*self._kind.SLOTS, self._kind.SIGNATURE)),
            tuple(self._extra),
        )

    def _part(self, tag: int, part: int) -> int:
        """Say whether a tag is of the header (0), the body (1) or the trailer (2): it must not go down."""
        header, body, trailer = self._parts
        now = 0 if tag in header.places else 2 if tag in trailer.places else 1
        if now == 1 and tag not in body.places:
            raise self._misplaced(tag)
        if now < part:
            expected = f"{DICTIONARY.label(tag)} in the {_PARTS[now]}"
            raise RejectedMessage(tag, Reason.TAG_OUT_OF_ORDER, expected, f"in the {_PARTS[part]}")
        return now

    def _misplaced(self, tag: int) -> RejectedMessage:
        label = DICTIONARY.label(tag)
        groups = [one for one in DICTIONARY.groups.values() if tag in one.block.places]
        if any(one.count_tag in self._seen for one in groups):
            expected = f"{label} in an entry of its group"
            return RejectedMessage(tag, Reason.GROUP_FIELDS_OUT_OF_ORDER, expected, "after the group")
        expected = f"a field of {self._kind.__name__}"
        return RejectedMessage(tag, Reason.TAG_NOT_DEFINED_FOR_MESSAGE, expected, label)

    def _field(self, tag: int, at: int) -> int:
        """Note a field, or a group with its entries; return the place after it."""
        if tag not in DICTIONARY.groups:
            _check_data(self._tags, at)
            self._fields.append((tag, at))
            return at + 1
        instances, after = instances_of(self._tags, at + 1, DICTIONARY.groups[tag], DICTIONARY)
        self._groups.append((tag, at, instances))
        self._check_entries(instances, tag)
        return after

    def _check_entries(self, instances: list[Instance], count_tag: int) -> None:
        group = DICTIONARY.groups[count_tag]
        for instance in instances:
            for tag in self._tags[instance.start : instance.end]:
                if tag not in DICTIONARY.fields:
                    expected = f"a field of {DICTIONARY.label(count_tag)}"
                    raise RejectedMessage(tag, Reason.TAG_NOT_DEFINED_FOR_MESSAGE, expected, f"tag {tag}")
            for _, at in instance.fields:
                _check_data(self._tags, at)
            for tag, _, inner in instance.groups:
                self._check_entries(inner, tag)
            held = [tag for tag, _ in instance.fields] + [tag for tag, _, _ in instance.groups]
            _require(group.block, set(held))


def _check_data(tags: Tags, at: int) -> None:
    """Refuse a data field without its length before it."""
    tag = tags[at]
    if DICTIONARY.fields[tag].data_type is DataType.DATA and tags[at - 1] != LENGTH_TAG_OF[tag]:
        length_tag = LENGTH_TAG_OF[tag]
        expected = f"{DICTIONARY.label(length_tag)} before {DICTIONARY.label(tag)}"
        raise RejectedMessage(length_tag, Reason.REQUIRED_TAG_MISSING, expected, "no such tag")


def _require(block: Block, seen: set[int]) -> None:
    for tag in block.required:
        if tag not in seen:
            expected = DICTIONARY.label(tag)
            raise RejectedMessage(tag, Reason.REQUIRED_TAG_MISSING, expected, "no such tag")


def _filling(kind: type[Record], instance: Instance, slots: tuple[Slot, ...]) -> Filling:
    """Work out how a record is filled from the fields that were found for it."""
    slot_of = {slot.tag: slot for slot in slots}
    quick, careful, groups = [], [], []
    for tag, place in instance.fields:
        slot = slot_of.get(tag)
        if slot is not None and slot.codec is not None:
            offset = place - instance.start
            quick.append((slot.attribute, offset, slot.codec.quick))
            careful.append((slot.attribute, offset, _named(slot.codec.read, tag)))
    for tag, place, instances in instance.groups:
        slot = slot_of.get(tag)
        if slot is not None and slot.entry is not None:
            entry = slot.entry
            entries = tuple(
                (one.start - instance.start, _filling(entry, one, entry.SLOTS)) for one in instances
            )
            groups.append((slot.attribute, tag, place - instance.start, b"%d" % len(entries), entries))
    return Filling(_blank(kind), tuple(quick), tuple(careful), tuple(groups))


def _named(read: Callable[[bytes, int], Any], tag: int) -> Callable[[bytes], Any]:
    return lambda raw: read(raw, tag)


@functools.cache
def _blank(kind: type[Record]) -> Record:
    """Build a record with any values in its required fields, to be copied and filled."""
    given = {slot.attribute: slot.codec.sample for slot in kind.SLOTS if slot.is_required and slot.codec}
    return kind(**given, header=_blank(Header)) if issubclass(kind, MessageRecord) else kind(**given)
