"""Put foreign text into a comment on GitHub, where it is shown and does nothing else.

Names, reasons and commits come from an unreviewed change. Inside a code span GitHub renders no markup, no
HTML, no emoji and no mathematics, and links no mention, no issue, no commit and no address, so whatever is
not an ordinary word stands in one. Control and format characters are dropped, as in a terminal; what would
turn the order of writing or stack upon its neighbours is written as its code point. Whoever puts the result
into a table escapes its pipes with `cell`, since a table is split before code spans are seen.

Sources: GitHub Flavored Markdown, "Code spans", "Tables (extension)", "Autolinks (extension)"; GitHub's
documentation, "Autolinked references and URLs" and "Writing mathematical expressions".
"""

import re
import unicodedata

from benchgate.terminal import plain

NAME = 160
"""To how many UTF-16 units a name is cut."""
PROSE = 400
"""The same for a reason."""
EMPTY = "(empty)"

# cmark knows no fence of more than 80 backticks, so a longer one would let out what it holds.
_LONGEST_RUN = 16
_WORD = re.compile(r"[(\"']?[^\W\d_]+(?:['-][^\W\d_]+)*[\"')]?[.,;:!?]*")
_NUMBER = re.compile(r"[(+-]?\d{1,6}(?:,\d{3})*(?:\.\d{1,6})?%?\)?[.,;:]?|%[.,;:]?")
_COMMIT = re.compile(r"[0-9a-fA-F]{7,}")
_ENDING = re.compile(r"[.,;:]*$")
_TURNING = {"R", "AL", "AN"}


def code(data: str, most: int = NAME) -> str:
    """Return `data` as a code span, cut to `most` UTF-16 units with an ellipsis."""
    content = shortened(clean(data), most)
    if not content:
        return EMPTY
    longest = max(map(len, re.findall("`+", content)), default=0)
    if longest > _LONGEST_RUN:
        content, longest = content.replace("`", "'"), 0
    fence = "`" * (longest + 1)
    pad = " " if content[0] == "`" or content[-1] == "`" else ""
    return f"{fence}{pad}{content}{pad}{fence}"


def prose(data: str, most: int = PROSE) -> str:
    """Return `data` as a sentence in which all but ordinary words and numbers stands in code spans."""
    tokens = shortened(clean(data), most).split()
    if not tokens:
        return EMPTY
    shown: list[str] = []
    held: list[str] = []
    for place, token in enumerate(tokens):
        number = place > 0 and _number(token, tokens[place + 1 : place + 2], inside=bool(held))
        if number or _word(token):
            if held:
                shown.append(_span(held))
                held = []
            shown.append(token)
        else:
            held.append(token)
    if held:
        shown.append(_span(held))
    return " ".join(shown)


def cell(markdown: str) -> str:
    """Return Markdown for a cell of a table."""
    return markdown.replace("|", r"\|")


def clean(data: str) -> str:
    """Return `data` as one line of visible characters in the order in which they are written."""
    line = unicodedata.normalize("NFC", plain(data))
    return " ".join("".join(map(_visible, line)).split())


def shortened(text: str, most: int) -> str:
    """Return `text`, cut with an ellipsis where it is longer than `most` UTF-16 units."""
    if units(text) <= most:
        return text
    kept = text[: most - 1]
    while units(kept) > most - 1:
        kept = kept[:-1]
    return f"{kept}…"


def units(text: str) -> int:
    """Return how long `text` is in UTF-16 units, of which GitHub allows 65,536."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def quoted(data: str) -> str:
    """Return `data` as a basic string of TOML, which stands for exactly that text and is one visible line."""
    return '"' + "".join(map(_quoted, data)) + '"'


def _word(token: str) -> bool:
    return _WORD.fullmatch(token) is not None and not _COMMIT.search(token)


def _number(token: str, following: list[str], *, inside: bool) -> bool:
    """Say whether a token is a number that can stand as it is; amid what cannot, it is left where it is."""
    if not _NUMBER.fullmatch(token):
        return False
    return not (inside and following and not _WORD.fullmatch(following[0]))


def _span(tokens: list[str]) -> str:
    joined = " ".join(tokens)
    ending = _ENDING.search(joined)
    assert ending is not None
    content = joined[: ending.start()]
    return f"{code(content, PROSE)}{ending[0]}" if content else code(joined)


def _visible(char: str) -> str:
    if unicodedata.bidirectional(char) in _TURNING or unicodedata.category(char).startswith("M"):
        return _point(char)
    return char


def _quoted(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    hidden = unicodedata.category(char)[0] in "CM" or (char.isspace() and char != " ")
    return _point(char) if hidden or unicodedata.bidirectional(char) in _TURNING else char


def _point(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}"
