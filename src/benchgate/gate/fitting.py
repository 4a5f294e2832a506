"""Cut a text of blocks to a length, from the bottom, so that what is left is whole and says what is missing.

A block is a heading, items (the lines of a table or a list) and an ending, such as the tag that closes a
fold. Items go first, those of blocks that repeat what others say, then those of the lowest block before those
of the one above it; when no items are left to take, whole blocks go, the lowest first. The first block always
stays.
"""

from collections.abc import Sequence

import msgspec

from benchgate.escape import units

_GAP = "\n\n"


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a comment.

    Attributes:
        title: What it is called when it has to be left out as a whole.
        before: What stands before the items, such as the head of a table.
        items: Lines that can be left out from the end.
        after: What stands after the items.
        noun: What an item is, in the plural.
        repeats: Whether the items stand elsewhere, in short, and so go first.
    """

    title: str
    before: str = ""
    items: tuple[str, ...] = ()
    after: str = ""
    noun: str = "rows"
    repeats: bool = False

    def text(self, kept: int) -> str:
        """Return the block with its first `kept` items."""
        lines = "\n".join(filter(None, (self.before, *self.items[:kept])))
        missing = len(self.items) - kept
        note = f"... {missing:,} {self.noun} left out, see `report.json`." if missing else ""
        return _GAP.join(filter(None, (lines, note, self.after)))


def fitted(blocks: Sequence[Block], limit: int) -> str:
    """Return the blocks as one text of at most `limit` UTF-16 units.

    Raises:
        ValueError: The first block alone is longer.
    """
    kept = [len(block.items) for block in blocks]
    for place in sorted(range(len(blocks)), key=lambda place: (not blocks[place].repeats, -place)):
        kept[place] = _most(blocks, kept, place, limit)
    for count in range(len(blocks), 0, -1):
        text = _joined(blocks[:count], kept, blocks[count:])
        if units(text) <= limit:
            return text
    raise ValueError(f"limit: expected at least {units(_joined(blocks[:1], kept, blocks[1:]))}, got {limit}")


def _most(blocks: Sequence[Block], kept: list[int], place: int, limit: int) -> int:
    """Return how many items of a block can stay, none when even that is not enough."""
    low, high = 0, kept[place]
    while low < high:
        middle = (low + high + 1) // 2
        if units(_joined(blocks, [*kept[:place], middle, *kept[place + 1 :]], ())) <= limit:
            low = middle
        else:
            high = middle - 1
    return low


def _joined(blocks: Sequence[Block], kept: Sequence[int], dropped: Sequence[Block]) -> str:
    texts = [block.text(count) for block, count in zip(blocks, kept[: len(blocks)], strict=True)]
    if dropped:
        titles = ", ".join(block.title for block in dropped)
        texts.append(f"... Left out for length, see `report.json`: {titles}.")
    return _GAP.join(texts) + "\n"
