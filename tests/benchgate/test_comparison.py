import pytest

from benchgate.comparison import Claim, Comparison, Contender
from benchgate.errors import BadBench


def contender(name: str) -> Contender:
    return Contender(name, lambda: lambda: None)


@pytest.mark.parametrize(
    ("claim", "quartiles", "holds"),
    [
        (Claim("ours", at_most=1.45), (1.43, 1.44, 1.45), True),
        (Claim("ours", at_most=1.45), (1.43, 1.44, 1.47), None),
        (Claim("ours", at_most=1.45), (1.43, 1.46, 1.47), None),
        (Claim("ours", at_most=1.45), (1.45, 1.46, 1.47), False),
        (Claim("theirs", at_least=20), (20.0, 20.1, 21.0), True),
        (Claim("theirs", at_least=20), (19.0, 20.1, 21.0), None),
        (Claim("theirs", at_least=20), (19.0, 19.9, 21.0), None),
        (Claim("theirs", at_least=20), (19.0, 19.9, 20.0), False),
    ],
)
def test_claims_are_told_when_the_bound_is_not_between_the_quartiles(
    claim: Claim,
    quartiles: tuple[float, float, float],
    holds: bool | None,  # noqa: FBT001 - a case
) -> None:
    assert claim.holds(*quartiles) is holds


def test_claims_read_as_sentences() -> None:
    assert Claim("ours", at_most=1.45).text("floor") == "ours takes at most 1.45 x the time of floor"
    assert Claim("theirs", at_least=20).text("ours") == "theirs takes at least 20 x the time of ours"
    assert Claim("ours", at_most=2, of="theirs").text("floor") == "ours takes at most 2 x the time of theirs"


@pytest.mark.parametrize(("at_most", "at_least"), [(None, None), (1.0, 1.0), (0.0, None), (None, -1.0)])
def test_a_claim_has_one_positive_bound(at_most: float | None, at_least: float | None) -> None:
    with pytest.raises(BadBench, match="one positive bound"):
        Claim("ours", at_most=at_most, at_least=at_least)


def test_contenders_have_names_of_their_own() -> None:
    with pytest.raises(BadBench, match="names of their own"):
        Comparison(name="x", reference="a", contenders=(contender("a"), contender("a")))


def test_reference_and_claims_name_contenders() -> None:
    with pytest.raises(BadBench, match="no contender is named b"):
        Comparison(name="x", reference="b", contenders=(contender("a"),))
    with pytest.raises(BadBench, match="no contender is named c"):
        Comparison(name="x", reference="a", contenders=(contender("a"),), claims=(Claim("c", at_most=1),))


def test_a_claim_names_contenders() -> None:
    with pytest.raises(BadBench, match="no contender is named b"):
        Comparison(
            name="x", reference="a", contenders=(contender("a"),), claims=(Claim("a", at_most=1, of="b"),)
        )
