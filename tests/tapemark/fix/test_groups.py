"""Groups are read back from messages that a plain model in this module has written."""

import random
import re
from typing import Any

import pytest

from tapemark.errors import InvalidArgument, RejectedMessage
from tapemark.fix import groups
from tapemark.fix.dictionary import Block, Dictionary, Group
from tapemark.fix.fix44 import DICTIONARY
from tapemark.fix.fix44_values import MDEntryType, Side
from tapemark.fix.reader import Reader, parse
from tapemark.fix.syntax import Reason
from tests.tapemark.fix.corpus import body, sealed

SNAPSHOT = parse(
    sealed(
        body(
            "W",
            "262=R1|55=EUR/USD|268=3|269=0|270=1.0842|15=USD|271=1000000|269=1|270=1.0844|271=2000000|346=4|269=2|270=.5|",
        )
    )
)
LIST = parse(
    sealed(
        body(
            "E",
            "66=L1|394=3|68=2|73=2|"
            "11=A|67=1|453=2|448=P1|447=D|452=1|802=2|523=S1|803=1|523=S2|448=P2|452=3|"
            "78=1|79=ACC|539=1|524=N1|804=1|545=NS1|80=7|55=X|54=1|40=1|"
            "11=B|67=2|453=0|55=Y|54=2|38=5|5001=custom|",
        )
    )
)


def test_a_snapshot_s_entries() -> None:
    bid, offer, trade = groups.entries(SNAPSHOT, 268)
    assert bid.pairs() == ((269, b"0"), (270, b"1.0842"), (15, b"USD"), (271, b"1000000"))
    assert [entry.choice(269, MDEntryType).name for entry in (bid, offer, trade)] == ["BID", "OFFER", "TRADE"]
    assert [str(entry.decimal(270)) for entry in (bid, offer, trade)] == ["1.0842", "1.0844", "0.5"]
    assert (bid.find(346), offer.integer(346), 15 in offer, 15 in bid) == (None, 4, False, True)
    assert bid.frame == SNAPSHOT.frame
    with pytest.raises(RejectedMessage) as caught:
        trade.raw(271)
    assert (caught.value.tag, caught.value.reason) == (271, Reason.REQUIRED_TAG_MISSING)


def test_groups_within_groups() -> None:
    first, second = groups.entries(LIST, 73)
    assert first.choice(54, Side) is Side.BUY
    parties = groups.entries(first, 453)
    assert [party.text(448) for party in parties] == ["P1", "P2"]
    assert [sub.pairs() for sub in groups.entries(parties[0], 802)] == [
        ((523, b"S1"), (803, b"1")),
        ((523, b"S2"),),
    ]
    assert groups.entries(parties[1], 802) == ()
    (alloc,) = groups.entries(first, 78)
    assert alloc.tags() == (79, 539, 524, 804, 545, 80)
    (nested,) = groups.entries(alloc, 539)
    assert [sub.text(545) for sub in groups.entries(nested, 804)] == ["NS1"]
    assert groups.entries(second, 453) == ()
    assert groups.entries(second, 78) == ()
    assert second.tags() == (11, 67, 453, 55, 54, 38)  # nobody knows whose the last tag is
    assert LIST.raw(5001) == b"custom"


def test_a_tag_of_groups_within_is_repeated_in_its_entry() -> None:
    first, _ = groups.entries(LIST, 73)
    assert first.every(448) == (b"P1", b"P2")
    for tag, getter in ((448, first.raw), (448, first.find)):
        with pytest.raises(RejectedMessage) as caught:
            getter(tag)
        assert (caught.value.tag, caught.value.reason) == (tag, Reason.TAG_APPEARS_MORE_THAN_ONCE)
    with pytest.raises(RejectedMessage) as caught:
        groups.entries(LIST, 453)
    assert (caught.value.tag, caught.value.reason) == (453, Reason.TAG_APPEARS_MORE_THAN_ONCE)


def test_a_tag_that_the_dictionary_does_not_hold_stays_within_its_entry() -> None:
    message = parse(sealed(body("D", "453=2|448=A|9001=x|447=D|9002=y|448=B|9003=z|55=X|")))
    one, two = groups.entries(message, 453)
    assert (one.tags(), two.tags()) == ((448, 9001, 447, 9002), (448,))


REFUSED = {
    "count too large": ("453=3|448=A|448=B|55=X|", 453, Reason.WRONG_NUM_IN_GROUP),
    "count too small": ("453=1|448=A|448=B|55=X|", 453, Reason.WRONG_NUM_IN_GROUP),
    "count without entries": ("453=1|55=X|", 453, Reason.WRONG_NUM_IN_GROUP),
    "entries in spite of 0": ("453=0|448=A|", 453, Reason.WRONG_NUM_IN_GROUP),
    "negative count": ("453=-1|448=A|", 453, Reason.WRONG_NUM_IN_GROUP),
    "count of letters": ("453=x|448=A|", 453, Reason.INCORRECT_FORMAT),
    "first field missing": ("453=1|447=D|448=A|", 447, Reason.GROUP_FIELDS_OUT_OF_ORDER),
    "repeated field": ("453=1|448=A|447=D|447=D|", 447, Reason.GROUP_FIELDS_OUT_OF_ORDER),
    "fields out of order": ("453=1|448=A|452=1|447=D|", 447, Reason.GROUP_FIELDS_OUT_OF_ORDER),
    "field after the group within": ("453=1|448=A|802=1|523=S|452=1|", 452, Reason.GROUP_FIELDS_OUT_OF_ORDER),
    "group within without its first field": (
        "453=1|448=A|802=1|803=1|",
        803,
        Reason.GROUP_FIELDS_OUT_OF_ORDER,
    ),
    "unknown tag before the first field": ("453=1|9001=x|448=A|", 453, Reason.WRONG_NUM_IN_GROUP),
    "two counts": ("453=1|448=A|55=X|453=1|448=B|", 453, Reason.TAG_APPEARS_MORE_THAN_ONCE),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_group_that_is_wrong_is_refused(name: str) -> None:
    text, tag, reason = REFUSED[name]
    with pytest.raises(RejectedMessage) as caught:
        groups.entries(parse(sealed(body("D", text))), 453)
    assert (caught.value.tag, caught.value.reason) == (tag, reason)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "fields out of order",
            "the order of an entry of NoPartyIDs (453), each field once, got 'PartyIDSource (447)'",
        ),
        (
            "group within without its first field",
            "PartySubID (523) as the first field of an entry of NoPartySubIDs (802), got",
        ),
    ],
)
def test_a_group_out_of_order_is_named(name: str, text: str) -> None:
    with pytest.raises(RejectedMessage, match=re.escape(text)):
        groups.entries(parse(sealed(body("D", REFUSED[name][0]))), 453)


def test_a_count_is_read_as_the_number_it_is() -> None:
    assert len(groups.entries(parse(sealed(body("D", "453=002|448=A|448=B|"))), 453)) == 2
    assert groups.entries(parse(sealed(body("8", "454=0|55=X|"))), 454) == ()
    assert groups.entries(parse(sealed(body("8", "55=X|"))), 454) == ()


def test_only_messages_and_entries_have_groups() -> None:
    with pytest.raises(InvalidArgument, match="message: expected a message or an entry"):
        groups.entries(SNAPSHOT.frame, 268)  # type: ignore[arg-type]  # what a wrong caller passes


def test_a_group_must_be_known() -> None:
    with pytest.raises(InvalidArgument, match="count_tag"):
        groups.entries(SNAPSHOT, 555)
    own = Dictionary(
        DICTIONARY.fields,
        DICTIONARY.header,
        DICTIONARY.trailer,
        {b"D": Block("555 54")},
        {555: Group(555, "legs", Block("600 601"))},
    )
    message = parse(sealed(body("D", "555=2|600=A|601=x|600=B|54=1|")))
    assert [leg.text(600) for leg in groups.entries(message, 555, own)] == ["A", "B"]


def test_another_type_of_message_may_have_another_group_of_the_same_count() -> None:
    refresh = parse(sealed(body("X", "627=1|628=H|268=1|279=0|269=0|270=1.5|15=USD|")))
    with pytest.raises(RejectedMessage, match="tag 35: expected a type of the dictionary: 8 D W E") as caught:
        groups.entries(refresh, 268)
    assert caught.value.reason == Reason.INVALID_MSG_TYPE
    assert groups.entries(refresh, 802) == ()
    assert [hop.text(628) for hop in groups.entries(refresh, 627)] == ["H"]


Written = list[tuple[int, bytes]]


def drawn_group(draw: random.Random, count_tag: int) -> tuple[Written, list[Any]]:
    """Write a random group; give its fields, and for each entry its fields and the groups within."""
    block = DICTIONARY.groups[count_tag].block
    entries: list[Any] = []
    flat: Written = []
    for _ in range(draw.choice((0, 1, 2, 5))):
        own: Written = []
        within: dict[int, Any] = {}
        for tag in block.tags:
            if tag != block.tags[0] and draw.random() < 0.5:
                continue
            if tag in DICTIONARY.groups:
                inner, parts = drawn_group(draw, tag)
                own += inner
                within[tag] = parts
            elif tag not in (354, 355):
                own.append((tag, b"%d" % draw.randrange(1000)))
        entries.append((own, within))
        flat += own
    return [(count_tag, b"%d" % len(entries)), *flat], entries


def check(message: Any, count_tag: int, expected: list[Any]) -> int:
    found = groups.entries(message, count_tag)
    assert [list(entry.pairs()) for entry in found] == [own for own, _ in expected]
    checked = len(found)
    for entry, (_, within) in zip(found, expected, strict=True):
        for tag, parts in within.items():
            if entry.tags().count(tag) == 1:
                checked += check(entry, tag, parts)
    return checked


@pytest.mark.parametrize("count_tag", [453, 78, 73, 268, 382, 627])
def test_random_groups_are_read_as_written(count_tag: int) -> None:
    draw, checked = random.Random(count_tag), 0
    for _ in range(40):
        flat, expected = drawn_group(draw, count_tag)
        text = "".join(f"{tag}={value.decode()}|" for tag, value in flat)
        frame = sealed(body("D", text + "5001=end|"))
        for read in (parse, Reader([frame]).parse):
            checked += check(read(frame), count_tag, expected)
    assert checked > 100


def test_many_entries() -> None:
    text = "268=5000|" + "".join(f"269={place % 2}|270={place}.5|271=1|" for place in range(5000))
    entries = groups.entries(parse(sealed(body("W", text))), 268)
    assert [entry.raw(270) for entry in entries] == [b"%d.5" % place for place in range(5000)]
