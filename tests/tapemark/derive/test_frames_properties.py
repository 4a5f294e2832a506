import random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.derive_frames import fuzz, seeds
from tests.fuzz.derive_model import check_frame
from tests.fuzz.mutation import mutated


@given(st.binary(max_size=200))
def test_random_bytes_are_refused_or_read_right(raw: bytes) -> None:
    check_frame(raw)


@settings(max_examples=300)
@given(st.randoms(use_true_random=False))
def test_a_mutated_frame_is_refused_or_read_right(rng: random.Random) -> None:
    check_frame(mutated(rng.choice(seeds()), rng))


def test_three_thousand_mutated_frames_end_in_every_way_there_is() -> None:
    outcomes = fuzz(3_000, seed=7)
    assert sum(outcomes.values()) == 3_000
    updates = {"TradesUpdate", "OrdersUpdate", "OwnTradesUpdate", "TickerUpdate", "BookUpdate"}
    assert set(outcomes) >= updates | {"refused", "UnknownChannel", "Response", "ErrorResponse"}


def test_the_seeds_themselves_are_all_accepted() -> None:
    assert "refused" not in {check_frame(raw) for raw in seeds()}
