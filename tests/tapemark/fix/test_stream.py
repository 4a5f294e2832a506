"""The FIX stream: what comes out for which bytes, however they are split."""

import itertools
from collections.abc import Callable

import pytest

from tapemark.errors import CallerError, GarbledFrame, InvalidArgument, RejectedMessage
from tapemark.fix import fields, frame, syntax
from tapemark.fix.stream import FrameStream, Garbled
from tests.tapemark.fix import stream_model
from tests.tapemark.fix.corpus import EXECUTION_REPORT, GARBLED, GOOD, body, sealed, soh
from tests.tapemark.fix.stream_cases import (
    HEARTBEAT,
    MAX_BYTES,
    ORDER,
    STREAMS,
    WITH_MESSAGE_INSIDE,
    messages,
    pieces_of,
    plain,
    run,
    taking_in,
    xml,
)


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_gives_what_the_plain_model_gives(name: str) -> None:
    assert plain(run([STREAMS[name]])) == stream_model.events(STREAMS[name], MAX_BYTES)


@pytest.mark.parametrize("name", STREAMS)
def test_every_split_gives_the_same(name: str) -> None:
    data = STREAMS[name]
    whole = run([data])
    for at in range(0, len(data) + 1, 7 if name == "all" else 1):
        assert run([data[:at], data[at:]]) == whole, at
    for size in (1, 2, 3, 7, 25, 26, 100):
        assert run(pieces_of(data, size)) == whole, size


def test_the_corpus_passes_whole_in_pieces_of_all_sizes() -> None:
    data = b"".join(GOOD.values())
    for size in (1, 7, 64, 1448, len(data)):
        assert run(pieces_of(data, size), 6000) == list(GOOD.values())


def test_every_split_of_the_corpus_gives_its_messages() -> None:
    corpus = [message for message in GOOD.values() if len(message) < 1000]
    data = b"".join(corpus)
    for at in range(len(data) + 1):
        assert run([data[:at], data[at:]]) == corpus, at


@pytest.mark.parametrize("name", GARBLED)
def test_a_garbled_message_of_the_corpus_does_not_stop_the_next(name: str) -> None:
    bad, _ = GARBLED[name]
    if name == "two messages":
        assert run([bad]) == [EXECUTION_REPORT, EXECUTION_REPORT]
        return
    events = run([bad + HEARTBEAT])
    assert events[-1] == HEARTBEAT
    assert all(isinstance(event, Garbled) for event in events[:-1]) or name == "one byte more"
    assert plain(events) == stream_model.events(bad + HEARTBEAT, MAX_BYTES)


@pytest.mark.parametrize("name", STREAMS)
def test_each_byte_stands_in_one_message_or_in_one_report(name: str) -> None:
    at = 0
    for event in run([STREAMS[name]]):
        if isinstance(event, bytes):
            assert STREAMS[name].startswith(event, at)
            at += len(event)
        else:
            assert event.offset == at
            assert 0 < event.size <= MAX_BYTES
            at += event.size
    assert at == len(STREAMS[name])


@pytest.mark.parametrize("first", [b"", b"noise", *(bad for bad, _ in GARBLED.values())])
def test_a_message_comes_with_its_last_byte(first: bytes) -> None:
    framing = FrameStream(MAX_BYTES)
    framing.feed(first)
    # A cut head may claim bytes of what follows it: beyond the bound none can.
    framing.feed(b"x" * MAX_BYTES)
    shortest = sealed("35=\x01")
    for message in (HEARTBEAT, shortest, ORDER, shortest, shortest):
        *before, last = (framing.feed(message[at : at + 1]) for at in range(len(message)))
        assert not messages([event for events in before for event in events])
        assert last == [message]


@pytest.mark.parametrize("size", [180, 220, 240, 300, 520, 1000])
def test_the_sum_of_high_bytes_is_right_for_every_length(size: int) -> None:
    message = sealed(soh("35=B|58=") + b"\xff" * size + b"\x01")
    assert run([message], 2000) == [message]
    assert messages(run([message.replace(b"\xff", b"\xfe", 1)], 2000)) == []


def test_an_only_message_is_not_copied() -> None:
    assert FrameStream().feed(ORDER)[0] is ORDER


def test_data_that_is_cut_just_before_its_last_soh_is_waited_for() -> None:
    message = sealed(body("A", "95=5|96=ab|cd|98=0|"))
    at = message.index(b"cd") + 2
    framing = FrameStream()
    assert framing.feed(message[:at]) == []
    assert framing.feed(message[at:]) == [message]


def test_a_message_inside_data_is_data() -> None:
    message = sealed(WITH_MESSAGE_INSIDE)
    assert run([message + ORDER]) == [message, ORDER]


def test_a_data_length_that_is_too_large_is_left_to_the_fields_and_reaches_no_further() -> None:
    message = sealed(body("A", "95=500|96=abc|98=0|"))
    assert run([message + HEARTBEAT]) == [message, HEARTBEAT]
    with pytest.raises(RejectedMessage, match=r"at most 8, the bytes that are left, got 500"):
        fields.walk(message, frame.check(message), len(message) - 7)


@pytest.mark.parametrize(
    "name", ["384 after 383", "tags of 512 and above", "two-letter type", "repeated tag", "second CheckSum"]
)
def test_what_is_no_affair_of_the_stream_passes(name: str) -> None:
    assert run([ORDER + GOOD[name] + ORDER]) == [ORDER, GOOD[name], ORDER]


def test_a_length_of_letters_costs_one_message() -> None:
    bad = soh("8=FIX.4.4|9=02A|35=0|10=000|")
    report = Garbled(len(ORDER), len(bad), "BodyLength (9)", "1 to 9 digits", "b'02A'")
    assert run([ORDER + bad + HEARTBEAT]) == [ORDER, report, HEARTBEAT]


def test_a_length_that_reaches_into_the_next_message_does_not_swallow_it() -> None:
    bad = sealed(body("0", ""), length=90)
    framing = FrameStream()
    assert framing.feed(bad) == []
    (report, message) = framing.feed(HEARTBEAT)
    assert message == HEARTBEAT
    assert isinstance(report, Garbled)
    assert (report.offset, report.size, report.field) == (0, len(bad), "BodyLength (9)")
    assert report.expected == "CheckSum (10) after 90 bytes"
    assert report.got == repr((bad + HEARTBEAT)[15 + 90 - 1 :][:8])


def test_a_length_that_takes_in_the_next_message_exactly_does_not_swallow_it() -> None:
    bad = taking_in(ORDER)
    expected = f"a message of {len(bad)} bytes, as CheckSum (10) shows"
    report = Garbled(0, len(bad), "BodyLength (9)", expected, str(len(bad + ORDER)))
    assert run([bad + ORDER + HEARTBEAT]) == [report, ORDER, HEARTBEAT]
    # Where nothing proves a nearer end, the bytes up to the far one are one garbled message.
    unproven = bad[:-4] + b"%03d\x01" % ((int(bad[-4:-1]) + 1) % 256)
    assert messages(run([unproven + ORDER + HEARTBEAT])) == [HEARTBEAT]


def test_a_length_beyond_the_bound_is_not_waited_for() -> None:
    bad = sealed(body("0", ""), length=MAX_BYTES)
    expected = f"at most {MAX_BYTES - 16 - 7}, for {MAX_BYTES} bytes in all"
    report = Garbled(0, len(bad), "BodyLength (9)", expected, str(MAX_BYTES))
    assert FrameStream(MAX_BYTES).feed(bad + HEARTBEAT) == [report, HEARTBEAT]


def test_the_bound_is_the_longest_message() -> None:
    longest = sealed("35=0|58=" + "x" * 468 + "|")
    assert len(longest) == 500
    assert run([longest + HEARTBEAT], 500) == [longest, HEARTBEAT]
    assert messages(run([longest + HEARTBEAT], 499)) == [HEARTBEAT]
    assert run(pieces_of(longest, 100), 500) == [longest]
    assert len(FrameStream(25).feed(sealed("35=\x01"))) == 1


def test_no_message_inside_data_passes_for_a_real_one_though_the_length_is_wrong() -> None:
    good = sealed(WITH_MESSAGE_INSIDE)
    for length in range(MAX_BYTES):
        bad = sealed(WITH_MESSAGE_INSIDE, length=length)
        assert messages(run([bad + EXECUTION_REPORT])) in ([EXECUTION_REPORT], [good, EXECUTION_REPORT])


@pytest.mark.parametrize("pair", syntax.DATA_TAG_OF.items())
def test_each_data_field_hides_what_is_inside(pair: tuple[int, int]) -> None:
    bad = sealed(soh("35=0|") + b"%d=%d\x01%d=%b\x01" % (pair[0], len(ORDER), pair[1], ORDER), length=30)
    assert messages(run([bad + HEARTBEAT])) == [HEARTBEAT]
    other = bad.replace(b"\x01%d=" % pair[1], b"\x01%d=" % (pair[1] + 7000))
    assert messages(run([other + HEARTBEAT])) == [ORDER, HEARTBEAT]


def test_a_data_length_that_lies_hides_nothing() -> None:
    for length in range(1, MAX_BYTES):
        bad = sealed(xml(b"abc", length), length=9)
        after = bad.index(b"213=") + 4 + length
        is_true = (bad + ORDER + HEARTBEAT)[after : after + 1] in (b"\x01", b"")
        assert is_true or messages(run([bad + ORDER + HEARTBEAT])) == [ORDER, HEARTBEAT]


def test_a_wrong_sum_costs_the_whole_message_and_what_it_holds() -> None:
    for text in (WITH_MESSAGE_INSIDE, WITH_MESSAGE_INSIDE.replace(b"212=", b"2X2=")):
        bad = sealed(text, total=0)
        (report, message) = run([bad + HEARTBEAT])
        assert message == HEARTBEAT
        assert report == Garbled(0, len(bad), "CheckSum (10)", f"{sum(bad[:-7]) % 256:03d}", "b'000'")


def test_another_version_is_named() -> None:
    bad = soh("8=FIX.4.2|9=5|35=0|10=161|")
    assert run([bad + HEARTBEAT]) == [
        Garbled(0, 26, "BeginString (8)", "FIX.4.4", repr(b"8=FIX.4.2\x01")),
        HEARTBEAT,
    ]


def test_a_report_says_what_check_says() -> None:
    bad = sealed("49=SENDER|35=0|56=TARGET|")
    with pytest.raises(GarbledFrame) as caught:
        frame.check(bad)
    fault = caught.value
    assert run([bad]) == [Garbled(0, len(bad), fault.field, fault.expected, fault.got)]


def test_the_end_of_the_stream_gives_what_a_cut_message_had_in_front_of_it() -> None:
    framing = FrameStream()
    assert framing.feed(EXECUTION_REPORT[:80] + HEARTBEAT) == []
    assert framing.pending_bytes == 80 + len(HEARTBEAT)
    expected = f"a message of {len(EXECUTION_REPORT)} bytes before the stream ends"
    report = Garbled(0, 80, "BodyLength (9)", expected, str(80 + len(HEARTBEAT)))
    assert framing.close() == [report, HEARTBEAT]
    assert framing.pending_bytes == 0


@pytest.mark.parametrize("size", range(1, len(HEARTBEAT)))
def test_a_message_cut_by_the_end_is_one_report(size: int) -> None:
    (report,) = run([HEARTBEAT[:size]])
    assert isinstance(report, Garbled)
    assert (report.offset, report.size) == (0, size)


def test_data_cut_by_the_end_gives_up_nothing() -> None:
    cut = sealed(WITH_MESSAGE_INSIDE)[: -len("58=after|10=000|") - 1]
    assert ORDER in cut
    assert messages(run([cut])) == []


def test_long_garbage_is_reported_as_it_comes() -> None:
    framing = FrameStream(100)
    reports = [event for _ in range(1000) for event in framing.feed(b"x")]
    assert [(report.offset, report.size) for report in reports if isinstance(report, Garbled)] == [
        (at, 100) for at in range(0, 900, 100)
    ]
    assert plain(framing.close()) == [(900, 100, "BeginString (8)")]


def test_the_fault_that_is_skipped_for_holds_nothing_else() -> None:
    framing = FrameStream()
    framing.feed(b"x" * 100)
    assert framing._fault is not None
    assert framing._fault.__traceback__ is None
    assert framing._fault.__context__ is None


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, type("Kind", (bytes,), {})])
def test_bytes_come_as_any_of_three_types(kind: Callable[[bytes], bytes]) -> None:
    framing = FrameStream()
    events = framing.feed(kind(ORDER[:50])) + framing.feed(kind(ORDER[50:] + ORDER))
    assert events == [ORDER, ORDER]
    assert [type(event) for event in events] == [bytes, bytes]


def test_a_buffer_may_be_used_again() -> None:
    framing, buffer = FrameStream(), bytearray(ORDER + ORDER[:50])
    events = framing.feed(memoryview(buffer))
    buffer[:] = bytes(len(buffer))
    buffer.clear()
    assert events + framing.feed(ORDER[50:]) == [ORDER, ORDER]


@pytest.mark.parametrize("data", ["8=FIX.4.4", None, 7, [56], (56,)])
def test_what_is_no_bytes_is_refused(data: bytes) -> None:
    framing = FrameStream()
    framing.feed(ORDER[:50])
    with pytest.raises(InvalidArgument, match="data: expected bytes, a bytearray or a memoryview"):
        framing.feed(data)
    assert framing.feed(ORDER[50:]) == [ORDER]


def test_nothing_is_taken_after_the_end() -> None:
    framing = FrameStream()
    framing.feed(b"x" * 100)
    assert len(framing.close()) == 1
    assert framing.close() == []
    for data in (b"", ORDER):
        with pytest.raises(CallerError, match="was closed"):
            framing.feed(data)


@pytest.mark.parametrize("bound", [24, 0, -1, True, 65_536.0, "65536", None])
def test_a_bound_that_fits_no_message_is_refused(bound: int) -> None:
    with pytest.raises(InvalidArgument, match="max_message_bytes"):
        FrameStream(bound)


def test_all_pairs_of_streams_give_what_the_plain_model_gives() -> None:
    for first, second in itertools.product(STREAMS.values(), repeat=2):
        if len(first) + len(second) < 1000:
            assert plain(run([first + second])) == stream_model.events(first + second, MAX_BYTES)
