"""The fuzzing of FIX messages and streams, a little of it, with what it draws and what becomes of it."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapemark.fix.journey import stages
from tapemark.fix.stream import MAX_MESSAGE_BYTES
from tests.fuzz import fix_model
from tests.fuzz.fix_answers import check_parse, check_stream, expected_of
from tests.fuzz.fix_frames import check, fuzz, fuzz_streams
from tests.fuzz.fix_messages import BODIES, message, sealed
from tests.fuzz.fix_mutation import mutated, pieces_of, stream_of
from tests.fuzz.fix_typed import check_drawn
from tests.tapemark.fix.stream_cases import MAX_BYTES, STREAMS

seeded = st.integers(0, 2**64).map(random.Random)


@settings(max_examples=100)
@given(seeded)
def test_a_drawn_message_is_read_as_it_was_drawn(rng: random.Random) -> None:
    drawn = message(rng)
    assert expected_of(drawn.frame) == drawn.pairs
    check(drawn.frame, stages([]), rng)
    check_drawn(drawn)


@settings(max_examples=150)
@given(seeded)
def test_a_mutated_message_is_refused_or_read_right_by_every_stage(rng: random.Random) -> None:
    raw = mutated(message(rng), message(rng), rng)
    expected = expected_of(raw)
    for parse in stages([]).values():
        check_parse(parse, raw, expected, rng)


@given(st.binary(max_size=60), st.randoms(use_true_random=False))
def test_a_body_of_random_bytes_is_refused_or_read_right(body: bytes, rng: random.Random) -> None:
    raw = sealed(b"35=0\x01" + body)
    check_parse(stages([])["3_c_speed_scan"], raw, expected_of(raw), rng)


@settings(max_examples=100)
@given(seeded)
def test_a_stream_in_pieces_gives_the_messages_that_are_in_it(rng: random.Random) -> None:
    stream = stream_of([message(rng) for _ in range(4)], rng)
    check_stream(stream, pieces_of(stream, rng), rng.choice((MAX_MESSAGE_BYTES, 1_000, 40)))


@pytest.mark.parametrize("name", STREAMS)
def test_the_fuzzing_agrees_with_each_stream_of_the_tests(name: str) -> None:
    check_stream(STREAMS[name], pieces_of(STREAMS[name], random.Random(name)), MAX_BYTES)


def test_a_thousand_mutated_messages_end_in_every_way_there_is() -> None:
    outcomes = fuzz(1_000, seed=7)
    assert set(outcomes) >= {"garbled", "decoded"} | {
        f"rejected for reason {reason}" for reason in (0, 4, 6, 14)
    }
    assert set(outcomes) >= {f"read as {kind}Message" for kind in ("Scanned", "Indexed", "LaidOut")}
    outcomes = fuzz_streams(60, seed=7)
    assert outcomes["messages found"] > 60
    assert set(outcomes) >= {f"reports of {field}" for field in ("header", "BodyLength (9)", "CheckSum (10)")}
    assert outcomes["reports of a length that took in the next message"] > 0


@pytest.mark.parametrize("msg_type", BODIES)
def test_each_type_of_message_is_drawn_and_valid(msg_type: str) -> None:
    rng = random.Random(msg_type)
    for _ in range(5):
        drawn = message(rng, msg_type)
        assert fix_model.read(drawn.frame) == drawn.pairs
        assert drawn.pairs[2] == (35, msg_type.encode())
