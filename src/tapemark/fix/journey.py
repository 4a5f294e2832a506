"""One contract, five implementations: from the parser that everybody writes first to the one that is public.

Each stage takes a whole message, checks it, and answers every question of `Message`; they agree on every
message and on every error. What changes is where the time goes:

0. `string_copies`: decode all to text, split, convert, keep a dictionary of copies.
1. `zero_copy_views`: walk the bytes, keep a view of each value, search the list of them.
2. `indexed_lookup`: the same walk, with a dictionary from tag to place.
3. `c_speed_scan`: one regular expression and an Adler-32 check the message, `bytes.find` finds a value.
4. `precomputed_layout`: the counterparty's order of fields known in advance: one match places every field.

Stages 3 and 4 are `tapemark.fix.reader` without and with samples. The stages before them are kept to be
measured and to hold the fast ones against: in a message they find hard (data fields, a fault), they take the
careful walk's word.
"""

from collections.abc import Callable, Iterable

from tapemark.fix import scan
from tapemark.fix.fields import spans
from tapemark.fix.frame import body_start, check
from tapemark.fix.message import Message, indexed
from tapemark.fix.reader import Reader
from tapemark.fix.syntax import DATA_TAG_OF, HEAD, MAX_TAG_DIGITS, TRAILER_BYTES

Parse = Callable[[bytes], Message]

_LENGTH_TAGS = frozenset(map(str, DATA_TAG_OF))


class CopiedMessage(Message, frozen=True, gc=False, eq=False):
    """A message as text: all values copied, in a dictionary by tag."""

    whole: bytes
    texts: dict[str, list[str]]

    @property
    def frame(self) -> bytes:
        """The whole message as it came."""
        return self.whole

    def every(self, tag: int) -> tuple[bytes, ...]:
        """Return the value of each occurrence of a tag, in order, also of those in groups."""
        return tuple(text.encode("latin-1") for text in self.texts.get(str(tag), ()))

    def tags(self) -> tuple[int, ...]:
        """Return the tag of each field, in order; the dictionary has lost it, so it is read again."""
        return tuple(int(part.partition(b"=")[0]) for part in self.whole[:-1].split(b"\x01"))

    def values(self) -> tuple[bytes, ...]:
        """Return the value of each field, in order: one for each of `tags`."""
        return tuple(part.partition(b"=")[2] for part in self.whole[:-1].split(b"\x01"))


class ViewedMessage(Message, frozen=True, gc=False, eq=False):
    """A message as a list of tags and views of their values."""

    view: memoryview
    fields: tuple[tuple[int, memoryview], ...]

    @property
    def frame(self) -> bytes:
        """The whole message as it came."""
        return bytes(self.view)

    def every(self, tag: int) -> tuple[bytes, ...]:
        """Return the value of each occurrence of a tag, in order, also of those in groups."""
        return tuple(bytes(value) for found, value in self.fields if found == tag)

    def tags(self) -> tuple[int, ...]:
        """Return the tag of each field, in order."""
        return tuple(tag for tag, _ in self.fields)

    def values(self) -> tuple[bytes, ...]:
        """Return the value of each field, in order: one for each of `tags`."""
        return tuple(bytes(value) for _, value in self.fields)


def string_copies(frame: bytes) -> Message:
    """Parse by decoding, splitting and copying every field.

    Raises:
        GarbledFrame: As `Reader.parse`.
        RejectedMessage: As `Reader.parse`.
        InvalidArgument: As `Reader.parse`.
    """
    start = _checked_by_sum(frame)
    texts: dict[str, list[str]] = {}
    for part in frame.decode("latin-1").split("\x01")[:-1]:
        tag, _, value = part.partition("=")
        if not (value and tag.isdecimal() and tag[0] != "0"):
            return indexed(frame, spans(frame, start))
        texts.setdefault(tag, []).append(value)
    if not _LENGTH_TAGS.isdisjoint(texts) or max(map(len, texts)) > MAX_TAG_DIGITS:
        return indexed(frame, spans(frame, start))
    return CopiedMessage(frame, texts)


def zero_copy_views(frame: bytes) -> Message:
    """Parse by walking the fields, with a view of each value.

    Raises:
        GarbledFrame: As `Reader.parse`.
        RejectedMessage: As `Reader.parse`.
        InvalidArgument: As `Reader.parse`.
    """
    start, view = _checked_by_sum(frame), memoryview(frame)
    return ViewedMessage(view, tuple((tag, view[value:after]) for tag, value, after in spans(frame, start)))


def indexed_lookup(frame: bytes) -> Message:
    """Parse by walking the fields, with the place of each by its tag.

    Raises:
        GarbledFrame: As `Reader.parse`.
        RejectedMessage: As `Reader.parse`.
        InvalidArgument: As `Reader.parse`.
    """
    return indexed(frame, spans(frame, _checked_by_sum(frame)))


def stages(samples: Iterable[bytes]) -> dict[str, Parse]:
    """Give the five stages by name, the last with the layouts of some messages.

    Raises:
        GarbledFrame: A sample is no FIX message.
        RejectedMessage: A sample has a wrong field.
        InvalidArgument: As `Reader`.
    """
    return {
        "0_string_copies": string_copies,
        "1_zero_copy_views": zero_copy_views,
        "2_indexed_lookup": indexed_lookup,
        "3_c_speed_scan": scan.read,
        "4_precomputed_layout": Reader(samples).parse,
    }


def _checked_by_sum(frame: bytes) -> int:
    """Check a whole message as one writes it first, byte by byte; return the offset of `35=`."""
    start = body_start(frame)
    trailer = frame[-TRAILER_BYTES:]
    if (
        int(frame[len(HEAD) : start - 1]) != len(frame) - start - TRAILER_BYTES
        or not frame.startswith(b"35=", start)
        or trailer != b"10=%03d\x01" % (sum(frame[:-TRAILER_BYTES]) % 256)
        or frame[-TRAILER_BYTES - 1 : -TRAILER_BYTES] != b"\x01"
    ):
        check(frame)  # which raises: it names what is wrong
    return start
