import random
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.campaign import throw
from tests.fuzz.derive_frames import begin, fuzz, seeds
from tests.fuzz.derive_model import check_frame
from tests.fuzz.derive_route import check_route
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


def test_three_thousand_mutated_frames_end_in_every_way_there_is() -> None:
    outcomes = fuzz(3_000, seed=7)
    assert sum(outcomes.values()) == 3_000
    updates = {"TradesUpdate", "OrdersUpdate", "OwnTradesUpdate", "TickerUpdate", "BookUpdate"}
    assert set(outcomes) >= updates | {"refused", "UnknownChannel", "Response", "ErrorResponse"}


def test_the_seeds_themselves_are_all_accepted() -> None:
    assert "refused" not in {check_frame(raw) for raw in seeds()}


def test_some_thousand_mutated_frames_leave_a_route_in_every_way_there_is() -> None:
    begun = begin()
    outcomes = throw(lambda raw: check_route(raw, begun), seeds(), 5_000, seed=7)
    assert set(outcomes) == {"written", "late", "skipped", "InvalidFrame", "CrossedBook", "IllegalTransition"}


def test_of_the_seeds_a_route_writes_those_of_the_state() -> None:
    outcomes = Counter(check_route(raw, begin()) for raw in seeds())
    assert outcomes == {"written": 4, "late": 1, "skipped": 6}
