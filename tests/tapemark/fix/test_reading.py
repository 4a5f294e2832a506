"""Whole messages read in five ways: the right fields, the right errors, and the same from all of them."""

import pytest

from tapemark.errors import GarbledFrame, InvalidArgument, RejectedMessage
from tapemark.fix import journey, reader
from tapemark.fix.layout import LaidOutMessage, Layout
from tapemark.fix.message import IndexedMessage
from tapemark.fix.reader import MAX_LAYOUTS, Reader
from tapemark.fix.scan import ScannedMessage
from tapemark.fix.syntax import DATA_TAG_OF, MAX_KEPT, Reason, checksum
from tests.tapemark.fix import corpus
from tests.tapemark.fix.corpus import (
    EXECUTION_REPORT,
    GARBLED,
    GOOD,
    NEW_ORDER_SINGLE,
    REJECTED,
    body,
    sealed,
)

WITH_DATA = {"raw data", "data that ends in SOH", "data of one SOH", "message inside XmlData"} | {
    "signature before the sum",
    "length that is zero-padded",
}
STAGES = journey.stages(frame for name, frame in GOOD.items() if name not in WITH_DATA)


def plain_fields(frame: bytes) -> list[tuple[int, bytes]]:
    """Read the fields of a good message by the rules of the standard, byte by byte."""
    found: list[tuple[int, bytes]] = []
    at = 0
    while at < len(frame):
        equals = frame.index(b"=", at)
        tag = int(frame[at:equals])
        end = frame.index(b"\x01", equals)
        if found and DATA_TAG_OF.get(found[-1][0]) == tag:
            end = equals + 1 + int(found[-1][1])
        found.append((tag, frame[equals + 1 : end]))
        at = end + 1
    return found


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", GOOD)
def test_every_stage_gives_the_fields_of_a_good_message(name: str, stage: str) -> None:
    frame = GOOD[name]
    expected = plain_fields(frame)
    STAGES[stage](frame)  # a reader remembers how a message starts
    message = STAGES[stage](frame)
    assert list(message.pairs()) == expected
    assert message.frame == frame
    assert message.tags() == tuple(tag for tag, _ in expected)
    for tag in {tag for tag, _ in expected} | {1, 7, 77, 4, 553}:
        values = tuple(value for found, value in expected if found == tag)
        assert message.every(tag) == values
        assert (tag in message) == bool(values)
        if len(values) == 1:
            assert message.raw(tag) == message.find(tag) == values[0]
        elif values:
            for ask in (message.raw, message.find):
                with pytest.raises(RejectedMessage, match=f"tag {tag}: expected one occurrence") as caught:
                    ask(tag)
                assert (caught.value.tag, caught.value.reason) == (tag, Reason.TAG_APPEARS_MORE_THAN_ONCE)
        else:
            assert message.find(tag) is None
            with pytest.raises(RejectedMessage, match=f"tag {tag}: expected a value") as caught:
                message.raw(tag)
            assert (caught.value.tag, caught.value.reason) == (tag, Reason.REQUIRED_TAG_MISSING)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", GARBLED)
def test_every_stage_refuses_what_is_no_message(name: str, stage: str) -> None:
    frame, field = GARBLED[name]
    with pytest.raises(GarbledFrame) as caught:
        STAGES[stage](frame)
    assert caught.value.field == field
    with pytest.raises(GarbledFrame) as first:
        journey.string_copies(frame)
    assert str(caught.value) == str(first.value)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", REJECTED)
def test_every_stage_names_the_field_that_is_wrong(name: str, stage: str) -> None:
    frame, tag, reason = REJECTED[name]
    with pytest.raises(RejectedMessage) as caught:
        STAGES[stage](frame)
    assert (caught.value.field, caught.value.tag, caught.value.reason) == (f"tag {tag}", tag, reason)


def test_an_empty_field_is_said_to_be_one() -> None:
    with pytest.raises(RejectedMessage, match="expected a tag, = and a value, got 'an empty field'"):
        reader.parse(REJECTED["two SOH"][0])


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_refuses_each_changed_byte_of_a_message(stage: str) -> None:
    # The sum sees each single change, except one of the sum's own digits, which then does not fit.
    for at in range(len(EXECUTION_REPORT)):
        changed = bytearray(EXECUTION_REPORT)
        changed[at] ^= 1
        with pytest.raises(GarbledFrame):
            STAGES[stage](bytes(changed))


def test_data_that_is_too_long_is_told_with_both_numbers() -> None:
    with pytest.raises(RejectedMessage, match="tag 95: expected at most 3, the bytes that are left, got 500"):
        reader.parse(sealed(body("A", "95=500|96=abc|")))


def test_the_published_messages_have_the_length_and_sum_they_were_published_with() -> None:
    for frame, length, total in ((EXECUTION_REPORT, "146", "216"), (NEW_ORDER_SINGLE, "135", "193")):
        message = reader.parse(frame)
        assert (message.text(9), message.text(10)) == (length, total)


def test_a_reader_lays_out_what_it_has_learned_and_scans_the_rest() -> None:
    one = Reader([EXECUTION_REPORT])
    assert isinstance(one.parse(EXECUTION_REPORT), LaidOutMessage)
    assert isinstance(one.parse(NEW_ORDER_SINGLE), ScannedMessage)
    assert isinstance(one.parse(GOOD["raw data"]), IndexedMessage)
    other_order = sealed(corpus.EXECUTION_REPORT_BODY.replace("14=0|6=0|", "6=0|14=0|"))
    assert isinstance(one.parse(other_order), ScannedMessage)
    one.learn(other_order)
    for frame in (EXECUTION_REPORT, other_order, EXECUTION_REPORT, other_order):
        assert isinstance(one.parse(frame), LaidOutMessage)


@pytest.mark.parametrize("value_bytes", [1, 9, 50, 100, 200, 900, 9000])
def test_a_layout_holds_for_values_of_any_length(value_bytes: int) -> None:
    one = Reader([EXECUTION_REPORT])
    frame = sealed(corpus.EXECUTION_REPORT_BODY.replace("37=ORD123456", "37=" + "~" * value_bytes))
    for _ in range(2):
        message = one.parse(frame)
        assert isinstance(message, LaidOutMessage)
        assert message.raw(37) == b"~" * value_bytes
    with pytest.raises(GarbledFrame, match="CheckSum"):
        one.parse(frame.replace(b"~", b"}", 1))


def test_a_start_seen_before_does_not_vouch_for_a_shorter_message() -> None:
    one = Reader([EXECUTION_REPORT])
    one.parse(EXECUTION_REPORT)
    shorter = EXECUTION_REPORT[:-7].replace(b"44=150.50\x01", b"44=150.5\x01")
    with pytest.raises(GarbledFrame, match="BodyLength"):
        one.parse(shorter + b"10=%03d\x01" % (sum(shorter) % 256))


def test_a_start_seen_before_does_not_vouch_for_the_form_of_the_checksum() -> None:
    # As long as the sample, and its last bytes have the right sum, but they are the end of a longer field.
    sample = sealed("35=0|58=abcd|")
    one = Reader([sample])
    one.parse(sample)
    head = sample[: sample.index(b"bcd")] + b"\x0110="
    with pytest.raises(GarbledFrame, match="10= and three digits as the last field"):
        one.parse(head + b"10=%03d\x01" % checksum(head))


@pytest.mark.parametrize("view", [memoryview(EXECUTION_REPORT), memoryview(bytearray(EXECUTION_REPORT))])
def test_a_start_seen_before_does_not_make_a_view_bytes(view: memoryview) -> None:
    one = Reader([EXECUTION_REPORT])
    one.parse(EXECUTION_REPORT)
    with pytest.raises(InvalidArgument, match="frame: expected bytes"):
        one.parse(view)  # type: ignore[arg-type]  # what a wrong caller passes


def test_a_sample_with_a_data_field_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"sample: expected no length of a data field, got \[95\]"):
        Reader([GOOD["raw data"]])
    with pytest.raises(InvalidArgument, match=r"tags: .*95"):
        Layout((8, 9, 35, 95, 96, 10))


def test_a_reader_keeps_a_bounded_number_of_layouts() -> None:
    one = Reader(sealed(body("D", f"{tag}=x|")) for tag in range(1000, 1000 + MAX_LAYOUTS))
    one.learn(sealed(body("D", "1000=y|")))  # known, so nothing is added
    with pytest.raises(InvalidArgument, match="sample: expected one of the 64 layouts that are kept"):
        one.learn(sealed(body("D", "5000=x|")))


def test_a_reader_remembers_a_bounded_number_of_starts() -> None:
    one = Reader([sealed("35=0|58=x|")])
    for size in range(1, 5000):
        assert one.parse(sealed(f"35=0|58={'x' * size}|")).raw(58) == b"x" * size
    assert len(one._starts) <= MAX_KEPT


@pytest.mark.parametrize(
    "frame", ["8=FIX.4.4", bytearray(EXECUTION_REPORT), memoryview(EXECUTION_REPORT), None]
)
def test_a_frame_is_bytes(frame: object) -> None:
    one = Reader([EXECUTION_REPORT])
    for read, argument in ((one.parse, "frame"), (one.learn, "sample")):
        with pytest.raises(InvalidArgument, match=f"{argument}: expected bytes"):
            read(frame)  # type: ignore[arg-type]  # what a wrong caller passes
    for stage in journey.stages([EXECUTION_REPORT]).values():
        with pytest.raises(InvalidArgument, match="frame: expected bytes"):
            stage(frame)  # type: ignore[arg-type]  # the same


@pytest.mark.parametrize("samples", [None, 1])
def test_samples_are_messages(samples: object) -> None:
    with pytest.raises(InvalidArgument, match="samples: expected messages"):
        Reader(samples)  # type: ignore[arg-type]  # what a wrong caller passes


def test_a_message_is_searched_unless_it_holds_a_length_of_data() -> None:
    for tag in range(1, 1000):
        data = b"%d=x\x01" % DATA_TAG_OF[tag] if tag in DATA_TAG_OF else b""
        message = reader.parse(sealed(b"35=0\x01%d=1\x01" % tag + data))
        assert type(message) is (IndexedMessage if data else ScannedMessage), tag


@pytest.mark.parametrize("size", [0, 1, 2, 255, 256, 257, 511, 512, 513, 70_001])
def test_the_checksum_is_the_plain_sum(size: int) -> None:
    for data in (b"\xff" * size, bytes(at * 7 % 256 for at in range(size)), b"\x00" * size):
        assert checksum(data) == sum(data) % 256
