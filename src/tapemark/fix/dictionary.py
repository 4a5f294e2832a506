"""What a dictionary says of fields, messages and groups: which there are, and where each may stand.

`tapemark.fix.fix44` holds the one of FIX 4.4, generated from the table beside it. Only what a dictionary
knows can be judged: a tag that it does not hold is some other field of the standard, or one that two parties
agreed upon.

Source: FIX 4.4 with errata 20030618, volume 1, "Data types" and "Repeating groups".
"""

import enum
import re

import msgspec

from tapemark.fix.syntax import DATA_TAG_OF

LENGTH_TAG_OF = {data_tag: length_tag for length_tag, data_tag in DATA_TAG_OF.items()}
"""The length field that stands before each data field."""

_WORD_START = re.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class DataType(enum.Enum):
    """The data types of FIX 4.4, under the standard's names."""

    AMT = "Amt"
    BOOLEAN = "Boolean"
    CHAR = "char"
    COUNTRY = "Country"
    CURRENCY = "Currency"
    DATA = "data"
    EXCHANGE = "Exchange"
    FLOAT = "float"
    INT = "int"
    LENGTH = "Length"
    LOCAL_MKT_DATE = "LocalMktDate"
    MONTH_YEAR = "MonthYear"
    MULTIPLE_VALUE_STRING = "MultipleValueString"
    NUM_IN_GROUP = "NumInGroup"
    PERCENTAGE = "Percentage"
    PRICE = "Price"
    PRICE_OFFSET = "PriceOffset"
    QTY = "Qty"
    SEQ_NUM = "SeqNum"
    STRING = "String"
    UTC_DATE_ONLY = "UTCDateOnly"
    UTC_TIME_ONLY = "UTCTimeOnly"
    UTC_TIMESTAMP = "UTCTimestamp"


class Field(msgspec.Struct, frozen=True):
    """One field of the standard.

    Attributes:
        tag: Its number.
        name: The standard's name of it.
        data_type: What its values are.
        values: The enumeration of its values, whose values are the texts as sent; None where any will do.
    """

    tag: int
    name: str
    data_type: DataType
    values: type[enum.Enum] | None = None

    def __str__(self) -> str:
        """Name the field as errors do."""
        return f"{self.name} ({self.tag})"

    @property
    def attribute(self) -> str:
        """Its name as an attribute of a typed message: `TransactTime` is `transact_time_ns`."""
        unit = "_ns" if self.data_type is DataType.UTC_TIMESTAMP else ""
        return _WORD_START.sub("_", self.name).lower() + unit


class Block:
    """The fields of a message, or of one entry of a group.

    Attributes:
        tags: In canonical order.
        places: Each tag's place in that order.
        required: Those that may not be missing, in the same order.
        unread: Those that it has only within groups that the dictionary does not hold.
    """

    __slots__ = ("places", "required", "tags", "unread")

    def __init__(self, fields: str, unread: str = "") -> None:
        """Read tags as `"448! 447 452"`: separated by spaces, `!` after a required one."""
        self.unread = frozenset(map(int, unread.split()))
        words = fields.split()
        self.tags = tuple(int(word.removesuffix("!")) for word in words)
        self.places = {tag: place for place, tag in enumerate(self.tags)}
        self.required = tuple(int(word[:-1]) for word in words if word.endswith("!"))


class Group(msgspec.Struct, frozen=True):
    """One repeating group.

    Attributes:
        count_tag: The NumInGroup field that introduces it.
        attribute: Its name as an attribute of a typed message.
        block: The fields of one entry; the first opens each.
    """

    count_tag: int
    attribute: str
    block: Block


class Dictionary(msgspec.Struct, frozen=True):
    """What is known of the fields, the messages and the groups of a version of FIX.

    Attributes:
        fields: By tag.
        header: Fields of the header of every message.
        trailer: The same of the trailer.
        messages: The body's fields, by MsgType.
        groups: By the tag of their NumInGroup.
    """

    fields: dict[int, Field]
    header: Block
    trailer: Block
    messages: dict[bytes, Block]
    groups: dict[int, Group]

    def label(self, tag: int) -> str:
        """Name a field for an error."""
        return str(self.fields[tag]) if tag in self.fields else f"tag {tag}"


def fields_of(rows: str, values: dict[str, type[enum.Enum]]) -> dict[int, Field]:
    """Read rows such as `54 Side char`, separated by commas; enumerations come by the name of their field."""
    parsed = [row.split() for row in rows.split(",")]
    return {
        int(tag): Field(int(tag), name, DataType(data_type), values.get(name))
        for tag, name, data_type in parsed
    }
