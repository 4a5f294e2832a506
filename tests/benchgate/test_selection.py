import pytest

from benchgate.errors import NoMatch
from benchgate.selection import select

IDS = (
    "derive/signing/sign_trade_action",
    "derive/signing/nonce_next",
    "derive/atom/uuid4_new",
    "derive/sizes/book[10]",
    "derive/sizes/book[100]",
    "eth/signing/sign_digest",
)


@pytest.mark.parametrize(
    ("wanted", "positions"),
    [
        ([], [0, 1, 2, 3, 4, 5]),
        (["derive/signing"], [0, 1]),
        (["derive/signing/sign"], [0]),
        (["*/signing/*"], [0, 1, 5]),
        (["*uuid?_new"], [2]),
        (["derive/sizes/book[10]"], [3]),
        (["derive/sizes/book[1*]"], [3, 4]),
        (["eth", "derive/atom"], [2, 5]),
        (["derive", "derive/atom"], [0, 1, 2, 3, 4]),
    ],
)
def test_selected_in_the_order_of_the_ids(wanted: list[str], positions: list[int]) -> None:
    assert select(IDS, wanted) == tuple(IDS[position] for position in positions)


@pytest.mark.parametrize(
    ("wanted", "near"),
    [
        ("derive/signin_", "derive/signing"),
        ("derive/atom/uuid_new", "derive/atom/uuid4_new"),
        ("sign_trade_action", "derive/signing/sign_trade_action"),
        ("derive/sign/nonce_nxt", "derive/signing/nonce_next"),
    ],
)
def test_unmatched_selection_lists_near_names(wanted: str, near: str) -> None:
    with pytest.raises(NoMatch) as caught:
        select(IDS, ["derive/atom", wanted])
    first, _, names = str(caught.value).partition("; near names: ")
    assert first == f"no bench is named {wanted}"
    assert near in names.split(", ")


def test_nothing_near_says_only_that() -> None:
    with pytest.raises(NoMatch) as caught:
        select(IDS, ["@@@@"])
    assert str(caught.value) == "no bench is named @@@@"


def test_a_part_of_an_id_in_the_middle_does_not_select() -> None:
    with pytest.raises(NoMatch):
        select(IDS, ["signing"])
