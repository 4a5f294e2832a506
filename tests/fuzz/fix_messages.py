"""Draw valid FIX 4.4 messages of many types from a seed, framed with plain arithmetic.

The shapes below are cuts of the standard's messages: groups, nested ones too, data fields, tags that the
standard leaves to users. A message keeps its fields as drawn, so that nothing has to read its bytes to know
what they hold. Nothing here comes from `tapemark.fix`.
"""

import dataclasses
import functools
import random
import string
from collections.abc import Callable, Sequence

Field = tuple[int, bytes]

_HEADER = "49! 56! 34! 52! 115 128 90 50 142 57 143 116 144 129 145 43 97 122 212 347 369 (627: 628 629 630)"
_TRAILER = "93"
_PARTIES = "(453: 448 447 452 (802: 523 803))"
_INSTRUMENT = (
    "55! 65 48 22 (454: 455 456) 460 461 167 200 541 223 231 207 106 348 107 350 (864: 865 866 867 868)"
)
_UNDERLYINGS = "(711: 311 312 309 305 (457: 458 459) 316 362 364 (887: 888 889))"
_LEGS = "(555: 600 601 602 603 (604: 605 606) 608 616 618 621 623 624 556)"

BODIES = {
    "0": "112",
    "1": "112!",
    "2": "7! 16!",
    "3": "45! 371 372 373 58 354",
    "4": "123 36!",
    "5": "58 354",
    "8": f"37! 198 526 11 41 {_PARTIES} (382: 375 337 437 438 655) 17! 150! 39! 103 378 1 660 581 63 64 "
    f"{_INSTRUMENT} {_UNDERLYINGS} 54! (232: 233 234) 38 40 44 99 15 376 59 168 432 126 18 528 32 31 195 30 "
    "336 625 29 151! 14! 6! 424 425 426 75 60 113 12 13 381 157 159 118 119 120 155 21 110 111 77 210 58 354 "
    f"442 (518: 519 520 521) {_LEGS} 797 (136: 137 138 139 891)",
    "9": "37! 198 526 11! 41! 39! 1 660 581 60 434! 102 58 354",
    "A": "98! 108! 95 141 789 383 (384: 372 385) 464 553 554",
    "B": f"42 61 148! 358 (215: 216 217) (146: {_INSTRUMENT}) (33!: 58! 354) 149 95",
    "D": f"11! 526 {_PARTIES} 75 1 660 581 70 (78: 79 661 736 467 (539: 524 525 538 (804: 545 805)) 80) 63 "
    f"64 21 18 110 111 100 (386: 336 625) 81 {_INSTRUMENT} {_UNDERLYINGS} 140 54! 114 60! (232: 233 234) 38 "
    "152 40! 44 99 15 376 23 117 59 168 432 126 12 13 528 121 120 58 354 77 203 210 211 388 389",
    "E": f"66! 390 391 394! 415 433 69 352 68! (73!: 11! 67! 160 {_PARTIES} 1 (78: 79 661 80) 63 21 18 "
    "(386: 336) 81 55 65 48 22 (454: 455 456) 54! 60 38 40 44 99 15 59 168 432 58 354 77 211)",
    "F": f"41! 37 11! 526 66 1 660 581 {_PARTIES} {_INSTRUMENT} 54! 60! 38 58 354",
    "G": f"37 {_PARTIES} 41! 11! 526 66 1 (78: 79 661 80) 63 21 18 {_INSTRUMENT} {_UNDERLYINGS} 54! 60! 38 "
    "40! 44 99 15 59 168 432 126 58 354 210",
    "V": f"262! 263! 264! 265 266 286 (267!: 269!) (146!: {_INSTRUMENT} {_LEGS}) (386: 336 625)",
    "W": f"262 {_INSTRUMENT} {_LEGS} 291 451 (268!: 269! 270 15 271 272 273 274 336 276 282 59 432 126 110 "
    "37 299 346 290 58 354)",
    "X": "262 (268!: 279! 285 269 278 55 65 48 22 (454: 455 456) 270 15 271 272 273 276 336 290 58 354)",
    "j": "45 372! 379 380! 58 354",
    "AE": f"571! 487 856 570! 150 17 39 {_INSTRUMENT} 38 32! 31! 75! 6 60! {_LEGS} (768: 769 770) 63 64 "
    f"(552!: 54! 37! 198 11 {_PARTIES} 1 (576: 577) 15 376 (136: 137 138 139 891) 58 354 (78: 79 661 80))",
}
"""Fields of a message type in the standard's order: `!` is always there, `( : )` a group with its count. A
length field stands for its data field too."""

DATA_OF = {90: 91, 93: 89, 95: 96, 212: 213, 618: 619, 621: 622, 445: 446} | {
    tag: tag + 1 for tag in range(348, 366, 2)
}
"""The data field that each length field announces."""

_CHOICES = {
    13: "1 2 3 4 5 6",
    21: "1 2 3",
    22: "1 2 4 5 6 8 9 A H",
    39: "0 1 2 3 4 6 7 8 9 A B C D E",
    40: "1 2 3 4 6 7 8 9 D E G I J K L M P",
    54: "1 2 3 4 5 6 7 8 9 A B C D E F G",
    59: "0 1 2 3 4 5 6 7",
    63: "0 1 2 3 4 5 6 7 8 9",
    77: "O C R F",
    103: "0 1 2 3 10 11 99 007",
    150: "0 3 4 5 6 7 8 9 A B C D E F G H I",
    263: "0 1 2",
    269: "0 1 2 3 4 5 6 7 8 9 A B C",
    279: "0 1 2",
    434: "1 2",
    447: "B C D G P 1 9",
    452: "1 2 3 10 22 38 01",
    528: "A G I P R W",
    581: "1 2 3 4 6 7 8",
    891: "0 1 2",
}

_KINDS = {
    "seqnum": "34 369 630 7 16 36 45 789",
    "int": "68 67 394 415 108 98 103 157 203 210 264 265 216 290 346 373 371 380 383 452 460 538 487 856 624 "
    "660 581 661 803 805 865 102 378",
    "decimal": "6 14 31 32 38 44 99 140 110 111 151 152 12 118 119 137 155 159 195 211 223 231 270 271 316 "
    "381 389 424 425 426 437 451 520 566 623 80 867",
    "char": "29 61 81 139 160 274 385 388 433 442 525",
    "time": "52 122 60 126 168 629 42 438 769",
    "flag": "43 97 113 114 121 123 141 208 266 464 570 797",
    "date": "64 75 432 541 866 272",
    "month": "200",
    "clock": "273",
    "words": "18 276 286 291",
}
_KIND_OF = {int(tag): kind for kind, tags in _KINDS.items() for tag in tags.split()}

_PRINTABLE = (string.ascii_letters + string.digits + string.punctuation + " ").encode()
_INNER = (
    b"10=000\x01",
    b"\x0110=123\x01",
    b"8=FIX.4.4\x019=5\x0135=0\x01",
    b"\x01",
    b"=",
    b"\x01\x01",
    b"\x00",
)


@dataclasses.dataclass(frozen=True)
class Shape:
    """One field of a message type: its tag, whether it is always there, the members if it counts a group."""

    tag: int
    is_required: bool
    members: tuple["Shape", ...] = ()


@dataclasses.dataclass(frozen=True)
class Node:
    """A field as drawn; a count has its instances."""

    tag: int
    value: bytes
    instances: tuple[tuple["Node", ...], ...] = ()

    def flat(self) -> list[Field]:
        """List this field and those of its instances, as on the wire."""
        below = [field for instance in self.instances for node in instance for field in node.flat()]
        return [(self.tag, self.value), *below]


@dataclasses.dataclass(frozen=True)
class Drawn:
    """A message: its bytes and what they hold, from `8=` to `10=`."""

    frame: bytes
    header: tuple[Node, ...]
    body: tuple[Node, ...]
    trailer: tuple[Node, ...]

    @functools.cached_property
    def pairs(self) -> list[Field]:
        """All fields in order."""
        return [field for node in (*self.header, *self.body, *self.trailer) for field in node.flat()]


def sealed(body: bytes, *, length: int | None = None, total: int | None = None) -> bytes:
    """Put BeginString, BodyLength and CheckSum around a body from `35=` on; other numbers on request."""
    head = b"8=FIX.4.4\x019=%d\x01" % (len(body) if length is None else length) + body
    return head + b"10=%03d\x01" % (sum(head) % 256 if total is None else total)


def message(rng: random.Random, msg_type: str | None = None, *, depth: int = 0) -> Drawn:
    """Draw a message, of a random type unless one is given; XmlData holds another one, one level deep."""
    msg_type = msg_type or rng.choice(tuple(_SHAPES))
    density = rng.choice((0.03, 0.1, 0.3, 0.6))
    draw = _Draw(rng, density, depth)
    header = draw.nodes(_HEADER_SHAPE)
    body = draw.nodes(_SHAPES[msg_type])
    trailer = draw.nodes(_TRAILER_SHAPE) if rng.random() < 0.3 else []
    for _ in range(rng.choice((0, 0, 0, 1, 3))):
        custom = Node(rng.choice((5000, 9999, 20001, 999999, rng.randrange(5000, 40000))), draw.text())
        if custom.tag not in {node.tag for node in body}:
            body.append(custom)
    if rng.random() < 0.4:  # only 8, 9 and 35 have a place, and data comes after its length
        header, body = _shuffled(header, rng), _shuffled(body, rng)
    fields = [
        field for node in (Node(35, msg_type.encode()), *header, *body, *trailer) for field in node.flat()
    ]
    frame = sealed(joined(fields))
    first = (Node(8, b"FIX.4.4"), Node(9, str(len(joined(fields))).encode()), Node(35, msg_type.encode()))
    return Drawn(frame, (*first, *header), tuple(body), (*trailer, Node(10, frame[-4:-1])))


def joined(fields: Sequence[Field]) -> bytes:
    """Write fields as `tag=value` and SOH."""
    return b"".join(b"%d=%b\x01" % field for field in fields)


class _Draw:
    """Draw the fields of shapes."""

    def __init__(self, rng: random.Random, density: float, depth: int) -> None:
        self._rng, self._density, self._depth = rng, density, depth

    def nodes(self, shapes: Sequence[Shape], *, in_group: bool = False) -> list[Node]:
        """Draw fields in the shapes' order; the first of a group's always, the others by chance."""
        nodes: list[Node] = []
        for number, shape in enumerate(shapes):
            if not (shape.is_required or (in_group and number == 0) or self._rng.random() < self._density):
                continue
            if shape.members:
                count = self._rng.choice((1, 1, 2, 3) if shape.is_required else (0, 1, 1, 2, 2, 3, 5))
                instances = tuple(tuple(self.nodes(shape.members, in_group=True)) for _ in range(count))
                nodes.append(Node(shape.tag, str(count).encode(), instances))
            elif shape.tag in DATA_OF:
                data = self._data(shape.tag)
                nodes += [Node(shape.tag, str(len(data)).encode()), Node(DATA_OF[shape.tag], data)]
            else:
                nodes.append(Node(shape.tag, self.value(shape.tag)))
        return nodes

    def value(self, tag: int) -> bytes:
        """Draw a value of the tag's type."""
        if tag in _CHOICES:
            return self._rng.choice(_CHOICES[tag].split()).encode()
        return _DRAWS[_KIND_OF.get(tag, "text")](self)

    def text(self) -> bytes:
        """Draw printable text, seldom a long one, sometimes what a careless reader takes for fields."""
        rng = self._rng
        if rng.random() < 0.05:
            return rng.choice((b"10=123", b"a=b", b"8=FIX.4.4", b"=", b" ", b"|", b"9=1"))
        length = rng.choice((1, 3, 8, 8, 12, 20, 40)) if rng.random() < 0.995 else rng.randrange(500, 5000)
        return bytes(rng.choices(_PRINTABLE, k=length))

    def _data(self, tag: int) -> bytes:
        """Draw data: XmlData is often a whole message, encoded text sometimes UTF-8."""
        rng = self._rng
        if tag == 212 and self._depth == 0 and rng.random() < 0.6:
            return message(rng, rng.choice("0D8"), depth=1).frame
        if rng.random() < 0.2:
            return "Größe 数量 ≤ ½"[: rng.choice((5, 8, 12))].encode()
        parts = [rng.choice((self.text(), rng.choice(_INNER))) for _ in range(rng.randrange(1, 5))]
        if rng.random() < 0.04:
            parts.append(rng.randbytes(rng.randrange(1, 30)))
        return b"".join(parts)

    def _seqnum(self) -> bytes:
        return str(self._rng.randrange(1, 10 ** self._rng.randrange(1, 10))).encode()

    def _int(self) -> bytes:
        return self._rng.choice(
            (b"0", b"1", b"5", b"007", b"-1", b"-12", b"00", b"2147483647", self._seqnum())
        )

    def _decimal(self) -> bytes:
        rng = self._rng
        whole, part = (
            str(rng.randrange(10 ** rng.randrange(1, 12))),
            str(rng.randrange(10 ** rng.randrange(1, 9))),
        )
        forms = (
            whole,
            f"{whole}.{part}",
            f"{whole}.{part}",
            f".{part}",
            f"{whole}.",
            f"00{whole}.{part}0",
            "0",
            "0.0",
        )
        return (rng.choice(("", "", "", "-")) + rng.choice(forms)).encode()

    def _char(self) -> bytes:
        return self._rng.choice(string.ascii_letters + string.digits).encode()

    def _time(self) -> bytes:
        clock = self._clock()
        return b"%b-%b" % (self._date(), b"23:59:60" if self._rng.random() < 0.01 else clock)

    def _clock(self) -> bytes:
        rng = self._rng
        digits = rng.choice((0, 3, 3, 3, 6, 9))
        fraction = f".{rng.randrange(10**digits):0{digits}d}" if digits else ""
        return f"{rng.randrange(24):02d}:{rng.randrange(60):02d}:{rng.randrange(60):02d}{fraction}".encode()

    def _flag(self) -> bytes:
        return self._rng.choice((b"Y", b"N"))

    def _date(self) -> bytes:
        rng = self._rng
        return f"{rng.randrange(1960, 2100)}{rng.randrange(1, 13):02d}{rng.randrange(1, 29):02d}".encode()

    def _month(self) -> bytes:
        return self._date()[: self._rng.choice((6, 8))]

    def _words(self) -> bytes:
        return " ".join(self._rng.choices("ABCDEFGR0123456789", k=self._rng.randrange(1, 4))).encode()


_DRAWS: dict[str, Callable[[_Draw], bytes]] = {
    "text": _Draw.text,
    "seqnum": _Draw._seqnum,
    "int": _Draw._int,
    "decimal": _Draw._decimal,
    "char": _Draw._char,
    "time": _Draw._time,
    "clock": _Draw._clock,
    "flag": _Draw._flag,
    "date": _Draw._date,
    "month": _Draw._month,
    "words": _Draw._words,
}


def _shuffled(nodes: list[Node], rng: random.Random) -> list[Node]:
    """Put fields in another order, groups and data fields kept together."""
    units: list[list[Node]] = []
    for node in nodes:
        if units and units[-1][-1].tag in DATA_OF:
            units[-1].append(node)
        else:
            units.append([node])
    rng.shuffle(units)
    return [node for unit in units for node in unit]


def _shapes(text: str) -> tuple[Shape, ...]:
    """Read a line of the table."""
    levels: list[list[Shape]] = [[]]
    counts: list[str] = []
    for token in text.replace("(", "( ").replace(")", " )").split():
        if token == "(":
            levels.append([])
        elif token == ")":
            members, count = tuple(levels.pop()), counts.pop()
            levels[-1].append(Shape(int(count.rstrip("!")), count.endswith("!"), members))
        elif token.endswith(":"):
            counts.append(token[:-1])
        else:
            levels[-1].append(Shape(int(token.rstrip("!")), token.endswith("!")))
    return tuple(levels[0])


_SHAPES = {msg_type: _shapes(text) for msg_type, text in BODIES.items()}
_HEADER_SHAPE, _TRAILER_SHAPE = _shapes(_HEADER), _shapes(_TRAILER)
