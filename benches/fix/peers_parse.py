"""The published ExecutionReport, checked and parsed and four of its fields read, beside others doing so.

Each contender gives OrderID, Symbol, OrderQty and Price in the form in which it holds them: bytes, quickfix
text. What a contender does not check of a message, the note says; it was found by giving it such messages.
"""

import zlib
from collections.abc import Callable, Collection
from functools import partial

from benches.fix import checks, four_fields, plain
from benches.inputs import message
from benchgate.comparison import Call, Claim, Comparison, Contender
from tapemark.errors import InvalidFrame
from tapemark.fix.journey import stages
from tapemark.fix.reader import Reader

_NAME = "fix/execution_report"

_TRIED_FIELDS = {
    "data with SOH": b"95=3\x0196=a\x01b\x01",
    "tag zero": b"0=x\x01",
    "negative tag": b"-58=x\x01",
    "tag of ten digits": b"1234567890=x\x01",
    "tag with a leading zero": b"058=x\x01",
    "tag that is no number": b"5A=x\x01",
    "empty value": b"58=\x01",
    "data length of letters": b"95=x\x0196=abc\x01",
    "data length beyond the message": b"95=500\x0196=abc\x01",
    "data length too large": b"95=4\x0196=abc\x0158=x\x01",
    "data length too small": b"95=2\x0196=abc\x01",
    "data length without data": b"95=3\x0158=abc\x01",
}
_WRONG_FIELDS = _TRIED_FIELDS.keys() - {"data with SOH"}


def _reading(parse: checks.Parse) -> Call:
    frame = message(_NAME)

    # The tags are literals here, too: a name costs a look-up, which the other contenders do not pay.
    def read() -> four_fields.Raw:
        value = parse(frame).raw
        return value(37), value(55), value(38), value(44)

    assert checks.reads(parse, frame)
    _require_refusals(parse, InvalidFrame, _WRONG_FIELDS)
    assert read() == four_fields.plain_raw(frame)
    return read


def _ours() -> Call:
    return _reading(Reader([message(_NAME)]).parse)


def _ours_unlearned() -> Call:
    return _reading(Reader().parse)


def _ours_parse_alone() -> Call:
    frame = message(_NAME)
    parse = Reader([frame]).parse
    assert checks.reads(parse, frame)
    return partial(parse, frame)


def _floor() -> Call:
    frame = message(_NAME)

    def split_and_sum() -> tuple[list[bytes], int]:
        return frame.split(b"\x01"), zlib.adler32(frame)

    parts, summed = split_and_sum()
    assert len(parts) == len(plain.fields(frame)) + 1
    assert (summed & 0xFFFF) - 1 == sum(frame)
    return split_and_sum


def _dict() -> Call:
    frame = message(_NAME)

    def read() -> four_fields.Raw:
        values = dict(part.split(b"=", 1) for part in frame[:-1].split(b"\x01"))
        return values[b"37"], values[b"55"], values[b"38"], values[b"44"]

    assert read() == four_fields.plain_raw(frame)
    return read


def _checked_dict() -> Call:
    frame = message(_NAME)

    def read() -> four_fields.Raw:
        values = dict(part.split(b"=", 1) for part in frame[:-1].split(b"\x01"))
        if int(values[b"10"]) != sum(frame[:-7]) & 0xFF:
            raise ValueError(values[b"10"])
        if int(values[b"9"]) != len(frame) - frame.index(b"\x0135=") - 8:
            raise ValueError(values[b"9"])
        return values[b"37"], values[b"55"], values[b"38"], values[b"44"]

    assert read() == four_fields.plain_raw(frame)
    return read


def _require_refusals(
    parse: Callable[[bytes], object],
    refusal: type[Exception],
    fields: Collection[str],
    *,
    framing: bool = True,
) -> None:
    """Fail if a contender refuses other wrong messages than the note says.

    Args:
        parse: Reads a message.
        refusal: What it raises for a wrong one.
        fields: Those of `_TRIED_FIELDS` that it refuses.
        framing: Whether it refuses a wrong BodyLength and a wrong CheckSum.
    """
    frame = message(_NAME)
    wrong = dict.fromkeys(checks.spoilt_forms(frame), framing)
    wrong |= {checks.with_field(frame, field): name in fields for name, field in _TRIED_FIELDS.items()}
    for spoilt, is_wanted in wrong.items():
        try:
            parse(spoilt)
        except refusal:
            is_refused = True
        else:
            is_refused = False
        if is_refused != is_wanted:
            raise AssertionError(f"{parse!r} {'refuses' if is_refused else 'takes'} {spoilt!r}")


def _refix() -> Call:
    from refix import Tokenizer  # noqa: PLC0415 - each contender imports what it needs
    from refix.errors import TokenizeError  # noqa: PLC0415 - the same

    frame = message(_NAME)
    tokenize = Tokenizer().tokenize
    _require_refusals(tokenize, TokenizeError, ())

    def read() -> tuple[object, ...]:
        value = tokenize(frame).get
        return value(37), value(55), value(38), value(44)

    assert read() == four_fields.plain_raw(frame)
    return read


def _quickfix() -> Call:
    import quickfix  # noqa: PLC0415 - the same

    text = message(_NAME).decode("ascii")
    _require_refusals(
        lambda spoilt: quickfix.Message(spoilt.decode("ascii"), True),  # noqa: FBT003 - as in C++: validate
        quickfix.InvalidMessage,
        {"tag that is no number", "data with SOH"},
    )

    def read() -> tuple[str, str, str, str]:
        value = quickfix.Message(text, True).getField  # noqa: FBT003 - the same
        return value(37), value(55), value(38), value(44)

    assert tuple(field.encode("ascii") for field in read()) == four_fields.plain_raw(message(_NAME))
    return read


def _simplefix() -> Call:
    from simplefix import FixParser  # noqa: PLC0415 - the same
    from simplefix.errors import ParsingError  # noqa: PLC0415 - the same

    frame = message(_NAME)
    parser = FixParser()

    def parsed(spoilt: bytes) -> None:
        fresh = FixParser()
        fresh.append_buffer(spoilt)
        if fresh.get_message() is None:
            raise ParsingError("no message")

    lengths = {f"data length {fault}" for fault in ("of letters", "beyond the message", "too small")}
    refused = {"tag that is no number", "empty value"} | lengths
    _require_refusals(parsed, ParsingError, refused, framing=False)

    def read() -> tuple[object, ...]:
        parser.append_buffer(frame)
        value = parser.get_message().get
        return value(37), value(55), value(38), value(44)

    assert read() == four_fields.plain_raw(frame)
    return read


def _stage(name: str) -> Callable[[], Call]:
    return lambda: _reading(stages([message(_NAME)])[name])


_OURS = Contender("tapemark", _ours)
_QUICKFIX = Contender("quickfix", _quickfix)
_SIMPLEFIX = Contender("simplefix", _simplefix)
_REFIX = Contender("refix", _refix)
_FLOOR = Contender("split and adler32", _floor)
_ALONE = Contender("tapemark, parse alone", _ours_parse_alone)
_STAGES = tuple(Contender(name, _stage(name)) for name in stages([]))

PEERS = (
    Comparison(
        name="four_fields",
        reference=_OURS.name,
        contenders=(
            _OURS,
            Contender("tapemark, no layout known", _ours_unlearned),
            _REFIX,
            _QUICKFIX,
            _SIMPLEFIX,
            Contender("dict(split), length and sum checked", _checked_dict),
            Contender("dict(split)", _dict),
        ),
        claims=(
            Claim(_QUICKFIX.name, at_least=4),
            Claim(_SIMPLEFIX.name, at_least=25),
            Claim(_OURS.name, at_most=3.5, of=_REFIX.name),
        ),
        note=(
            "A whole message to four fields as bytes, as text in quickfix, which is given text and spared"
            " the decoding. tapemark, refix and quickfix check BodyLength and CheckSum; simplefix checks"
            " neither, nor does the second dict(split). Of the wrong fields tried, tapemark takes none;"
            " refix, quickfix and simplefix take a tag that is 0, negative, of ten digits or with a leading"
            " zero, and a data length that is too large or has no data behind it. refix and quickfix also"
            " take any other wrong data length and an empty value, refix even a tag that is no number. Of a"
            " repeated tag tapemark gives no value, the others the first, a dict the last. refix is compiled"
            " Rust, quickfix C++, here without a data dictionary, so that data ends at its first SOH."
        ),
    ),
    Comparison(
        name="floor",
        reference=_FLOOR.name,
        contenders=(_FLOOR, _ALONE),
        claims=(Claim(_ALONE.name, at_most=2.2),),
        note=(
            "The floor cuts the same bytes at each SOH and sums them, one call of C each: it looks at no tag"
            " and compares no number."
        ),
    ),
    Comparison(
        name="journey",
        reference="4_precomputed_layout",
        contenders=_STAGES,
        claims=(Claim("0_string_copies", at_least=3),),
        note="Each stage of the journey parses, checks and gives the same four fields.",
    ),
)
