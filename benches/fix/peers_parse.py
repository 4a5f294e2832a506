"""The published ExecutionReport, checked and parsed and four of its fields read, beside others doing so.

Each contender gives OrderID, Symbol, OrderQty and Price in the form in which it holds them: bytes, quickfix
text. What a contender does not check of a message, the note says; it was found by giving it such messages.
"""

import zlib
from collections.abc import Callable
from functools import partial

from benches.fix import checks, four_fields, plain
from benches.inputs import message
from benchgate.comparison import Call, Claim, Comparison, Contender
from tapemark.fix.journey import stages
from tapemark.fix.reader import Reader

_NAME = "fix/execution_report"


def _reading(parse: checks.Parse) -> Call:
    frame = message(_NAME)

    # The tags are literals here, too: a name costs a look-up, which the other contenders do not pay.
    def read() -> four_fields.Raw:
        value = parse(frame).raw
        return value(37), value(55), value(38), value(44)

    assert checks.reads(parse, frame)
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


def _require_refusals(parse: Callable[[bytes], object], refusal: type[Exception]) -> None:
    """Fail if a peer takes a wrong BodyLength or CheckSum, of which the note says that it is refused."""
    for spoilt in checks.spoilt_forms(message(_NAME)):
        try:
            parse(spoilt)
        except refusal:
            continue
        raise AssertionError(f"{parse!r} takes {spoilt!r}")


def _refix() -> Call:
    from refix import Tokenizer  # noqa: PLC0415 - each contender imports what it needs
    from refix.errors import TokenizeError  # noqa: PLC0415 - the same

    frame = message(_NAME)
    tokenize = Tokenizer().tokenize
    _require_refusals(tokenize, TokenizeError)

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
    )

    def read() -> tuple[str, str, str, str]:
        value = quickfix.Message(text, True).getField  # noqa: FBT003 - the same
        return value(37), value(55), value(38), value(44)

    assert tuple(field.encode("ascii") for field in read()) == four_fields.plain_raw(message(_NAME))
    return read


def _simplefix() -> Call:
    from simplefix import FixParser  # noqa: PLC0415 - the same

    frame = message(_NAME)
    parser = FixParser()

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
            "A whole message to four fields as bytes, as text in quickfix, which is given text and spared the"
            " decoding. tapemark, refix and quickfix check BodyLength and CheckSum; simplefix checks neither,"
            " nor does the second dict(split). Of wrong fields, refix refuses none, quickfix a tag that is no"
            " number, simplefix also an empty value, tapemark also a leading zero in a tag. Of a repeated"
            " tag tapemark gives no value, the others the first, a dict the last. refix is compiled Rust,"
            " quickfix C++, without a data dictionary."
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
