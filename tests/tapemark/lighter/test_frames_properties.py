import random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.campaign import throw
from tests.fuzz.lighter_frames import begin, fuzz, seeds
from tests.fuzz.lighter_model import check_frame
from tests.fuzz.lighter_route import check_route
from tests.fuzz.mutation import mutated


@given(st.binary(max_size=200))
def test_random_bytes_are_refused_or_read_right(raw: bytes) -> None:
    check_frame(raw)
    check_route(raw, begin())


@settings(max_examples=300)
@given(st.randoms(use_true_random=False))
def test_a_mutated_frame_is_refused_or_read_right(rng: random.Random) -> None:
    raw = mutated(rng.choice(seeds()), rng)
    check_frame(raw)
    check_route(raw, begin())


def test_some_thousand_mutated_frames_end_in_every_way_there_is() -> None:
    outcomes = fuzz(6_000, seed=7)
    assert sum(outcomes.values()) == 6_000
    assert set(outcomes) == {"refused", "UnknownFrame", "APPLIED", "CROSSED", "GAP", "bad level"}


def test_of_the_seeds_only_the_answer_without_a_type_is_refused() -> None:
    outcomes = [check_frame(raw) for raw in seeds()]
    assert outcomes == [*["APPLIED"] * 3, "CROSSED", *["APPLIED"] * 3, *["UnknownFrame"] * 3, "refused"]


def test_some_thousand_mutated_frames_leave_a_route_in_every_way_there_is() -> None:
    begun = begin()
    outcomes = throw(lambda raw: check_route(raw, begun), seeds(), 3_000, seed=7)
    assert set(outcomes) == {"APPLIED", "CROSSED", "GAP", "refused", "bad level", "skipped"}


def test_of_the_seeds_a_route_applies_those_of_a_book() -> None:
    outcomes = [check_route(raw, begin()) for raw in seeds()]
    assert outcomes == [*["APPLIED"] * 3, "CROSSED", *["APPLIED"] * 3, *["skipped"] * 3, "refused"]
