"""A counterparty's recurring order of fields, prepared once: one regular expression places every field.

An engine writes the fields of a kind of message in the same order every time. Known in advance, that order
becomes one pattern with a group for each value; a match proves that the message has exactly these fields and
says where each stands, without copying any. A message with other fields does not match, and is read the
slower way with the same answers.
"""

import re
from collections import Counter

from tapemark.errors import InvalidArgument
from tapemark.fix.message import Message
from tapemark.fix.syntax import BEGIN_STRING, DATA_TAG_OF, HEAD

_BEGIN_STRING_TAG = 8


class Layout(dict[int, int]):
    """The place of each tag: the group that holds its value, where it occurs once and is not 8.

    Attributes:
        tags: The tag of each field, in order: 8 first, 10 last.
        pattern: Matches a whole message that has these fields. Group n is the value of `tags[n]`; none is
            for 8, whose value is always the same.
    """

    __slots__ = ("pattern", "tags")

    def __init__(self, tags: tuple[int, ...]) -> None:
        """Prepare the pattern.

        Raises:
            InvalidArgument: There is a data field among them, whose end a pattern cannot know.
        """
        if lengths := sorted(DATA_TAG_OF.keys() & set(tags)):
            raise InvalidArgument("tags", "no length of a data field", lengths)
        occurrences = Counter(tags)
        super().__init__((tag, group) for group, tag in enumerate(tags) if group and occurrences[tag] == 1)
        self.tags = tags
        fields = b"".join(rb"%d=([^\x01]++)\x01" % tag for tag in tags[1:-1])
        self.pattern = re.compile(re.escape(HEAD[:-2]) + fields + rb"10=([0-9]{3})\x01")


class LaidOutMessage(Message, frozen=True, gc=False, eq=False):
    """A message that matched a layout."""

    match: re.Match[bytes]
    layout: Layout

    @property
    def frame(self) -> bytes:
        """The whole message as it came."""
        return self.match.string

    def raw(self, tag: int) -> bytes:
        """Return the value of a tag that the message must hold.

        Raises:
            RejectedMessage: The tag is missing, or occurs more than once.
        """
        try:
            return self.match[self.layout[tag]]
        except KeyError:
            return super().raw(tag)

    def find(self, tag: int) -> bytes | None:
        """Return the value of a tag, None when the message does not hold it.

        Raises:
            RejectedMessage: The tag occurs more than once.
        """
        group = self.layout.get(tag)
        return super().find(tag) if group is None else self.match[group]

    def every(self, tag: int) -> tuple[bytes, ...]:
        """Return the value of each occurrence of a tag, in order, also of those in groups."""
        if tag == _BEGIN_STRING_TAG:
            return (BEGIN_STRING, *self._every(tag))
        return self._every(tag)

    def _every(self, tag: int) -> tuple[bytes, ...]:
        tags = self.layout.tags
        return tuple(self.match[group] for group in range(1, len(tags)) if tags[group] == tag)

    def tags(self) -> tuple[int, ...]:
        """Return the tag of each field, in order."""
        return self.layout.tags

    def values(self) -> tuple[bytes, ...]:
        """Return the value of each field, in order: one for each of `tags`."""
        return (BEGIN_STRING, *self.match.groups())
