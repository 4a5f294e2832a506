"""Repeating groups: which fields of a message belong to which entry, by a dictionary.

A group is a NumInGroup field and that many entries, each opened by the group's first field, the others after
it in the dictionary's order, each at most once. A count of 0 is legal. Groups stand within groups: an entry
is read like a message, with the same getters, and `entries` gives the groups within it.

A tag that the dictionary does not hold belongs to the entry that it stands in when another field of the group
follows it, and else to what surrounds the group: where the last entry ends, nobody can tell it apart.

Without a dictionary `Message.every` gives all occurrences of a tag. Source: FIX 4.4 with errata 20030618,
volume 1, "Repeating groups"; volume 2, session tests 2 and 14.
"""

from typing import NamedTuple

from tapemark.errors import InvalidArgument, RejectedMessage
from tapemark.fix import values
from tapemark.fix.dictionary import Dictionary, Group
from tapemark.fix.fix44 import DICTIONARY
from tapemark.fix.message import Message
from tapemark.fix.syntax import Reason

Tags = tuple[int, ...]

MSG_TYPE, MSG_TYPE_PLACE = 35, 2
"""The field that says a message's type, and its place: after 8 and 9, as every frame is checked."""


class Instance(NamedTuple):
    """Where one entry stands among the fields of its message; an `Entry` is what can be read there.

    Attributes:
        start: Place of its first field.
        end: Place after its last one.
        fields: Tag and place of each of its fields but those of groups within it.
        groups: The same of the count of each group within it, and its entries.
    """

    start: int
    end: int
    fields: list[tuple[int, int]]
    groups: "list[tuple[int, int, list[Instance]]]"


class Entry(Message, frozen=True, gc=False, eq=False):
    """One entry of a group, with the getters of a message; `frame` is the whole message that it stands in.

    Its fields include those of the groups within it: a tag that several entries of such a group hold is
    repeated.
    """

    whole: bytes
    own_tags: Tags
    own_values: tuple[bytes, ...]

    @property
    def frame(self) -> bytes:
        """The whole message that the entry stands in."""
        return self.whole

    def find(self, tag: int) -> bytes | None:
        """Return the value of a tag, None when the entry does not hold it.

        Raises:
            RejectedMessage: The tag occurs more than once.
        """
        tags = self.own_tags
        if tags.count(tag) > 1:
            return super().find(tag)
        return self.own_values[tags.index(tag)] if tag in tags else None

    def every(self, tag: int) -> tuple[bytes, ...]:
        """Return the value of each occurrence of a tag, in order, also of those in groups within."""
        pairs = zip(self.own_tags, self.own_values, strict=True)
        return tuple(value for found, value in pairs if found == tag)

    def tags(self) -> Tags:
        """Return the tag of each field, in order."""
        return self.own_tags

    def values(self) -> tuple[bytes, ...]:
        """Return the value of each field, in order: one for each of `tags`."""
        return self.own_values


def entries(message: Message, count_tag: int, dictionary: Dictionary = DICTIONARY) -> tuple[Entry, ...]:
    """Return the entries of one group of a message, or of a group within an entry.

    Args:
        message: A message, or an entry of a group.
        count_tag: The tag of the group's NumInGroup, such as 453.
        dictionary: What is known of groups.

    Returns:
        The entries in order; none when the count is 0, or is not in the message.

    Raises:
        RejectedMessage: The dictionary does not hold this type of message, whose groups may be others. Or the
            count is no number, occurs more than once (ask the entry that holds it) or is not the number of
            entries that follow. Or the fields of an entry are out of order.
        InvalidArgument: It is not a message, or the dictionary knows no such group.
    """
    if not isinstance(message, Message):
        raise InvalidArgument("message", "a message or an entry of a group", message)
    group = dictionary.groups.get(count_tag)
    if group is None:
        raise InvalidArgument("count_tag", "a NumInGroup of the dictionary", count_tag)
    count = message.find(count_tag)
    if count is None:
        return ()
    tags, found = message.tags(), message.values()
    if not isinstance(message, Entry) and count_tag not in dictionary.header.places:
        _check_type(found[MSG_TYPE_PLACE], dictionary)
    instances, _ = instances_of(tags, tags.index(count_tag) + 1, group, dictionary)
    check_count(count, count_tag, len(instances))
    whole = message.frame
    return tuple(Entry(whole, tags[one.start : one.end], found[one.start : one.end]) for one in instances)


def _check_type(msg_type: bytes, dictionary: Dictionary) -> None:
    """Refuse a type whose groups may be others of the same count: those of 268 differ between W and X."""
    if msg_type not in dictionary.messages:
        known = " ".join(key.decode("latin-1") for key in dictionary.messages)
        expected = f"a type of the dictionary: {known}"
        raise RejectedMessage(MSG_TYPE, Reason.INVALID_MSG_TYPE, expected, msg_type)


def check_count(count: bytes, count_tag: int, found: int) -> None:
    """Refuse a NumInGroup that is not the number of entries found.

    Raises:
        RejectedMessage: It is not, or is no number.
    """
    if values.integer(count, count_tag) != found:
        expected = f"{found}, the entries that follow"
        raise RejectedMessage(count_tag, Reason.WRONG_NUM_IN_GROUP, expected, count)


def instances_of(tags: Tags, at: int, group: Group, dictionary: Dictionary) -> tuple[list[Instance], int]:
    """Find the entries of a group, in one pass over its fields.

    Args:
        tags: The tag of each field of a message.
        at: The place after the group's count.
        group: Which group it is.
        dictionary: What is known of fields and of groups within.

    Returns:
        The entries, and the place after the last field of the last one.

    Raises:
        RejectedMessage: The first field of an entry is not the group's first, or one is repeated or out of
        order.
    """
    places = group.block.places
    found: list[Instance] = []
    start, end, last = at, at, 0
    fields: list[tuple[int, int]] = []
    groups: list[tuple[int, int, list[Instance]]] = []
    while at < len(tags):
        tag = tags[at]
        place = places.get(tag)
        if place is None:
            if tag in dictionary.fields or not fields:
                break
            at += 1  # the entry's own, when another field of the group follows
            continue
        if place == 0:
            if fields:
                found.append(Instance(start, at, fields, groups))
            start, fields, groups = at, [], []
        elif not fields or place <= last:
            raise _out_of_order(tag, group, dictionary, is_first=not fields)
        last = place
        if tag in dictionary.groups:
            inner, end = instances_of(tags, at + 1, dictionary.groups[tag], dictionary)
            groups.append((tag, at, inner))
        else:
            fields.append((tag, at))
            end = at + 1
        at = end
    if fields:
        found.append(Instance(start, end, fields, groups))
    return found, end


def _out_of_order(tag: int, group: Group, dictionary: Dictionary, *, is_first: bool) -> RejectedMessage:
    count, first = dictionary.label(group.count_tag), dictionary.label(group.block.tags[0])
    expected = (
        f"{first} as the first field of an entry of {count}"
        if is_first
        else f"the order of an entry of {count}, each field once"
    )
    return RejectedMessage(tag, Reason.GROUP_FIELDS_OUT_OF_ORDER, expected, dictionary.label(tag))
