"""What typed messages, their headers and the entries of their groups have in common: how fields are held.

A record is a frozen value. Built by a user, it checks every field and names the first that does not fit;
built by `tapemark.fix.typed` from a message that was checked on the way, it does not check a second time.

A group is a tuple of its entries: None when it is absent, empty when its count is 0. A field that the
dictionary does not know stands in `extra` of its message, as tag and bytes.
"""

from collections.abc import Callable
from typing import ClassVar

import msgspec

from tapemark.errors import InvalidArgument
from tapemark.fix.codec import Codec, codec_of
from tapemark.fix.dictionary import LENGTH_TAG_OF, Block, DataType, Dictionary
from tapemark.fix.syntax import DATA_TAG_OF, MAX_LENGTH_DIGITS, MAX_TAG_DIGITS, SOH

Extra = tuple[tuple[int, bytes], ...]
"""Fields that the dictionary does not know, in order."""

_FRAMING = (8, 9, 10, 35)


class Slot(msgspec.Struct, frozen=True):
    """One attribute of a record.

    Attributes:
        tag: Its field; of a group that of its count.
        attribute: Its name.
        is_required: Whether a record must have it.
        prefix: What stands before its value: tag and `=`; of a data field those of its length.
        codec: How its value is read, checked and written; None for a group.
        entry: The type of a group's entries; None for a field.
    """

    tag: int
    attribute: str
    is_required: bool
    prefix: bytes
    codec: Codec | None
    entry: "type[Record] | None"

    def check(self, value: object, owner: str) -> None:
        """Refuse a value that does not fit.

        Raises:
            InvalidArgument: It does not; it is named by `owner` and attribute.
        """
        if value is None and not self.is_required:
            return
        if self.codec is not None:
            expected, fits = self.codec.expected, self.codec.accepts(value)
        else:
            expected = f"a tuple of {self.entry.__name__}" if self.entry else ""
            fits = type(value) is tuple and all(type(entry) is self.entry for entry in value)
        if not fits:
            raise InvalidArgument(f"{owner}.{self.attribute}", expected, value)


def slots_of(dictionary: Dictionary, block: Block, entries: "dict[int, type[Record]]") -> tuple[Slot, ...]:
    """Work out the attributes of a record from a dictionary.

    Length fields have none, since the data after them says how long it is; nor have 8, 9, 10 and 35, which
    say how a message is framed and what it is.

    Args:
        dictionary: What is known of the fields.
        block: The record's fields.
        entries: The type of the entries of each group, by the tag of its count.
    """
    slots = []
    for tag in block.tags:
        field = dictionary.fields[tag]
        if field.data_type is DataType.LENGTH or tag in _FRAMING:
            continue
        is_group = field.data_type is DataType.NUM_IN_GROUP
        slots.append(
            Slot(
                tag,
                dictionary.groups[tag].attribute if is_group else field.attribute,
                tag in block.required,
                b"%d=" % LENGTH_TAG_OF.get(tag, tag),
                None if is_group else codec_of(field),
                entries[tag] if is_group else None,
            )
        )
    return tuple(slots)


class Record(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Fields of a message, of a header, or of one entry of a group.

    Raises:
        InvalidArgument: A field does not fit; it is named by type and attribute.
    """

    SLOTS: ClassVar[tuple[Slot, ...]] = ()

    def __post_init__(self) -> None:
        """Check each field."""
        owner = type(self).__name__
        for slot in self.SLOTS:
            slot.check(getattr(self, slot.attribute), owner)


class MessageRecord(Record, frozen=True, gc=False, kw_only=True):
    """A whole typed message: the fields of its body, beside its header, signature and extra fields."""

    MSG_TYPE: ClassVar[bytes]
    DICTIONARY: ClassVar[Dictionary]
    HEADER: ClassVar[type[Record]]
    SIGNATURE: ClassVar[Slot]

    def __post_init__(self) -> None:
        """Check each field, the header and the fields that the dictionary does not know."""
        super().__post_init__()
        owner = type(self).__name__
        header: object = getattr(self, "header", None)
        if type(header) is not self.HEADER:
            raise InvalidArgument(f"{owner}.header", f"a {self.HEADER.__name__}", header)
        self.SIGNATURE.check(getattr(self, self.SIGNATURE.attribute), owner)
        known = self.DICTIONARY.fields.keys()
        unread = self.DICTIONARY.messages[self.MSG_TYPE].unread
        _check_extra(
            getattr(self, "extra", None), f"{owner}.extra", lambda tag: tag in known and tag not in unread
        )


def _check_extra(extra: object, owner: str, is_attribute: Callable[[int], bool]) -> None:
    if type(extra) is not tuple:
        raise InvalidArgument(owner, "a tuple of tags and bytes", extra)
    introduced, length = 0, 0
    for place, pair in enumerate(extra):
        field = f"{owner}[{place}]"
        if (
            type(pair) is not tuple
            or len(pair) != 2
            or type(pair[0]) is not int
            or type(pair[1]) is not bytes
        ):
            raise InvalidArgument(field, "a tag and bytes", pair)
        tag, value = pair
        if not 0 < tag < 10**MAX_TAG_DIGITS or is_attribute(tag):
            raise InvalidArgument(
                field, f"a tag from 1 to {10**MAX_TAG_DIGITS - 1:,} that is no attribute", tag
            )
        if introduced and (tag != introduced or len(value) != length):
            raise InvalidArgument(field, f"tag {introduced} with {length} bytes, as its length says", pair)
        if not value or (SOH in value and not introduced):
            raise InvalidArgument(field, "a value without SOH, not empty", value)
        introduced = DATA_TAG_OF.get(tag, 0)
        if introduced:
            if not value.isdigit() or len(value) > MAX_LENGTH_DIGITS or int(value) == 0:
                raise InvalidArgument(field, "the length of the data after it", value)
            length = int(value)
    if introduced:
        raise InvalidArgument(owner, f"tag {introduced} after its length", extra[-1])
