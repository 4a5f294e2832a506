"""Expected values are written by hand; times and dates come from the standard library's calendar."""

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from tapemark.errors import InvalidArgument, RejectedMessage
from tapemark.fix import fix44_values as values
from tapemark.fix import typed
from tapemark.fix.encode import encode
from tapemark.fix.fix44 import (
    Alloc,
    ContraBroker,
    ExecutionReport,
    Header,
    Hop,
    MiscFee,
    NestedParty,
    NestedPartySubID,
    NewOrderSingle,
    Party,
    PartySubID,
    SecurityAltID,
    TradingSession,
)
from tapemark.fix.fix44_values import ExecType, MiscFeeBasis, OrdStatus, OrdType, PartyRole, Side, TimeInForce
from tapemark.fix.groups import entries
from tapemark.fix.reader import Reader, parse
from tapemark.fix.syntax import Reason
from tests.tapemark.fix.corpus import EXECUTION_REPORT, NEW_ORDER_SINGLE, sealed


def ns(text: str) -> int:
    return int(dt.datetime.fromisoformat(text + "+00:00").timestamp()) * 10**9


TIME = "2024-01-15T10:30:00"
ORDER: dict[str, Any] = {
    "header": Header(
        sender_comp_id="SENDER", target_comp_id="TARGET", msg_seq_num=100, sending_time_ns=ns(TIME)
    ),
    "cl_ord_id": "CLORD001",
    "symbol": "AAPL",
    "side": Side.BUY,
    "transact_time_ns": ns(TIME),
    "order_qty": Decimal(1000),
    "ord_type": OrdType.LIMIT,
    "price": Decimal("150.00"),
    "time_in_force": TimeInForce.DAY,
}
REPORT: dict[str, Any] = {
    "header": Header(
        sender_comp_id="SENDER",
        target_comp_id="TARGET",
        msg_seq_num=12345,
        sending_time_ns=ns(TIME) + 123_000_000,
    ),
    "order_id": "ORD123456",
    "exec_id": "EXEC789012",
    "exec_type": ExecType.NEW,
    "ord_status": OrdStatus.NEW,
    "side": Side.BUY,
    "leaves_qty": Decimal(1000),
    "cum_qty": Decimal(0),
    "avg_px": Decimal(0),
    "symbol": "AAPL",
    "order_qty": Decimal(1000),
    "price": Decimal("150.50"),
}
HEAD = "49=S|56=T|34=1|52=20240115-10:30:00|"
DUTIES = "11=C|54=1|60=20240115-10:30:00|40=2|"


def order(rest: str, head: str = HEAD, kind: str = "D") -> bytes:
    return sealed(f"35={kind}|{head}{rest}")


def decoded(frame: bytes) -> Any:
    """Decode a message by every way there is; they must agree."""
    message = parse(frame)
    first = typed.decode(message)
    assert typed.decode(message) == first
    if not {90, 93, 95, 212, 348, 354} & set(message.tags()):
        assert typed.decode(Reader([frame]).parse(frame)) == first
    return first


def test_the_published_messages() -> None:
    report, new_order = decoded(EXECUTION_REPORT), decoded(NEW_ORDER_SINGLE)
    assert type(report) is ExecutionReport
    assert report == ExecutionReport(**REPORT)
    assert type(new_order) is NewOrderSingle
    assert new_order == NewOrderSingle(**ORDER)
    # Decimals that are equal may still have other digits.
    assert [str(report.price), str(report.leaves_qty), str(new_order.price)] == ["150.50", "1000", "150.00"]
    assert (report.cl_ord_id, report.parties, report.signature, report.extra) == (None, None, None, ())


def test_another_message_of_the_same_order_of_tags_has_its_own_values() -> None:
    first = decoded(EXECUTION_REPORT)
    text = EXECUTION_REPORT[16:-7].decode().replace("\x01", "|")
    second = decoded(
        sealed(text.replace("150=0|39=0|54=1", "150=F|39=2|54=2").replace("44=150.50", "44=-.25"))
    )
    assert (second.exec_type, second.ord_status, second.side) == (ExecType.TRADE, OrdStatus.FILLED, Side.SELL)
    assert (str(second.price), str(first.price)) == ("-0.25", "150.50")


def test_every_data_type() -> None:
    found = decoded(
        order(
            "37=O|17=E|150=F|39=1|54=5|151=90|14=10|6=1.5|636=Y|103=99|581=1|64=20240229|200=202412w3|201=0|"
            "126=20231231-23:59:59.000000001|18=1 G|15=EUR|32=.5|30=XEUR|75=20240115|12=5.|13=3|58=a=b|"
            "354=5|355=a|b=c|851=2|",
            head="49=S|56=T|90=2|91=|x|34=007|43=N|97=Y|52=20240115-10:30:00.123456|212=3|213=<|>|347=UTF-8|",
            kind="8",
        )
    )
    assert found == ExecutionReport(
        header=Header(
            sender_comp_id="S",
            target_comp_id="T",
            secure_data=b"\x01x",
            msg_seq_num=7,
            poss_dup_flag=False,
            poss_resend=True,
            sending_time_ns=ns(TIME) + 123_456_000,
            xml_data=b"<\x01>",
            message_encoding="UTF-8",
        ),
        order_id="O",
        exec_id="E",
        exec_type=ExecType.TRADE,
        ord_status=OrdStatus.PARTIALLY_FILLED,
        side=Side.SELL_SHORT,
        leaves_qty=Decimal(90),
        cum_qty=Decimal(10),
        avg_px=Decimal("1.5"),
        working_indicator=True,
        ord_rej_reason=values.OrdRejReason.OTHER,
        account_type=values.AccountType.CARRIED_CUSTOMER_SIDE,
        settl_date=dt.date(2024, 2, 29),
        maturity_month_year="202412w3",
        put_or_call=values.PutOrCall.PUT,
        expire_time_ns=ns("2023-12-31T23:59:59") + 1,
        exec_inst="1 G",
        currency="EUR",
        last_qty=Decimal("0.5"),
        last_mkt="XEUR",
        trade_date=dt.date(2024, 1, 15),
        commission=Decimal(5),
        comm_type=values.CommType.ABSOLUTE,
        text="a=b",
        encoded_text=b"a\x01b=c",
        last_liquidity_ind=values.LastLiquidityInd.REMOVED_LIQUIDITY,
    )


def test_groups() -> None:
    found = decoded(
        order(
            "37=O|17=E|150=0|39=0|54=1|151=0|14=0|6=0|"
            "453=2|448=A|447=D|452=1|802=2|523=x|803=4|523=y|448=B|382=1|375=C|438=20240115-10:30:00.5|"
            "454=0|136=1|137=1.25|138=USD|891=2|".replace("00.5|", "00.500|"),
            head="49=S|56=T|34=1|52=20240115-10:30:00|627=2|628=H|630=3|628=I|",
            kind="8",
        )
    )
    assert found.header.hops == (Hop(hop_comp_id="H", hop_ref_id=3), Hop(hop_comp_id="I"))
    assert found.parties == (
        Party(
            party_id="A",
            party_id_source="D",
            party_role=PartyRole.EXECUTING_FIRM,
            sub_ids=(PartySubID(party_sub_id="x", party_sub_id_type=4), PartySubID(party_sub_id="y")),
        ),
        Party(party_id="B"),
    )
    assert found.contra_brokers == (
        ContraBroker(contra_broker="C", contra_trade_time_ns=ns(TIME) + 500_000_000),
    )
    assert found.security_alt_ids == ()
    assert found.misc_fees == (
        MiscFee(misc_fee_amt=Decimal("1.25"), misc_fee_curr="USD", misc_fee_basis=MiscFeeBasis.PERCENTAGE),
    )
    new_order = decoded(
        order(
            "11=C|78=1|79=ACC|539=1|524=N|804=1|545=s|80=7|386=1|336=DAY|454=1|455=ISIN|456=4|"
            "54=1|60=20240115-10:30:00|40=1|"
        )
    )
    assert new_order.allocs == (
        Alloc(
            alloc_account="ACC",
            nested_parties=(
                NestedParty(nested_party_id="N", sub_ids=(NestedPartySubID(nested_party_sub_id="s"),)),
            ),
            alloc_qty=Decimal(7),
        ),
    )
    assert new_order.trading_sessions == (TradingSession(trading_session_id="DAY"),)
    assert new_order.security_alt_ids == (SecurityAltID(security_alt_id="ISIN", security_alt_id_source="4"),)


def test_unknown_tags_are_kept_in_order_also_when_repeated() -> None:
    found = decoded(order("5001=a|" + DUTIES + "555=2|600=L1|600=L2|95=3|96=a|b|8999=z|93=1|89=s|10000=y|"))
    assert found.extra == (
        (5001, b"a"),
        (555, b"2"),
        (600, b"L1"),
        (600, b"L2"),
        (95, b"3"),
        (96, b"a\x01b"),
        (8999, b"z"),
        (10000, b"y"),
    )


def test_unknown_tags_may_stand_within_the_header_and_after_the_signature() -> None:
    frame = order(DUTIES + "93=2|89=s||10000=y|", head="49=S|9001=v|56=T|34=1|52=20240115-10:30:00|")
    found = decoded(frame)
    assert (found.extra, found.signature) == (((9001, b"v"), (10000, b"y")), b"s\x01")


def test_nested_parties_of_legs_are_kept_as_the_legs_are() -> None:
    fields = "37=O|17=E|150=0|39=0|54=1|151=0|14=0|6=0|"
    legs = "555=2|600=A|539=1|524=N|600=B|539=1|524=M|"
    found = decoded(order(fields + legs, kind="8"))
    assert [tag for tag, _ in found.extra] == [555, 600, 539, 524, 600, 539, 524]
    assert decoded(encode(found)) == found


def test_the_order_of_a_body_is_free() -> None:
    assert decoded(order("40=2|54=1|11=C|60=20240115-10:30:00|")) == decoded(order(DUTIES))


def test_a_listed_int_may_have_leading_zeros() -> None:
    found = decoded(order("453=01|448=A|452=012|201=01|" + DUTIES))
    assert found.parties[0].party_role is PartyRole.EXECUTING_TRADER
    assert found.put_or_call is values.PutOrCall.CALL


REFUSED = {
    "message of another type": (sealed("35=0|" + HEAD), 35, Reason.INVALID_MSG_TYPE),
    "type that is no type": (sealed("35=ZZ|" + HEAD), 35, Reason.INVALID_MSG_TYPE),
    "group case that has no type": (sealed("35=W|" + HEAD + "268=1|269=0|"), 35, Reason.INVALID_MSG_TYPE),
    "required header field missing": (order(DUTIES, head="49=S|56=T|34=1|"), 52, Reason.REQUIRED_TAG_MISSING),
    "required field missing": (order(DUTIES.replace("11=C|", "")), 11, Reason.REQUIRED_TAG_MISSING),
    "first of three missing": (order("11=C|"), 54, Reason.REQUIRED_TAG_MISSING),
    "data without its length": (order(DUTIES + "355=abc|"), 354, Reason.REQUIRED_TAG_MISSING),
    "field of other messages": (order(DUTIES + "37=O|"), 37, Reason.TAG_NOT_DEFINED_FOR_MESSAGE),
    "group of other messages": (order(DUTIES + "382=1|375=C|"), 382, Reason.TAG_NOT_DEFINED_FOR_MESSAGE),
    "field of an absent group": (order(DUTIES + "448=A|"), 448, Reason.TAG_NOT_DEFINED_FOR_MESSAGE),
    "unknown tag within an entry": (
        order("453=1|448=A|9001=x|452=1|" + DUTIES),
        9001,
        Reason.TAG_NOT_DEFINED_FOR_MESSAGE,
    ),
    "side that is not listed": (order(DUTIES.replace("54=1", "54=Z")), 54, Reason.VALUE_OUT_OF_RANGE),
    "role that is not listed": (order("453=1|448=A|452=23|" + DUTIES), 452, Reason.VALUE_OUT_OF_RANGE),
    "sequence number of 0": (order(DUTIES, head=HEAD.replace("34=1", "34=0")), 34, Reason.VALUE_OUT_OF_RANGE),
    "quantity with a plus": (order(DUTIES + "38=+200.00|"), 38, Reason.INCORRECT_FORMAT),
    "quantity with an exponent": (order(DUTIES + "38=2e2|"), 38, Reason.INCORRECT_FORMAT),
    "time without a date": (order(DUTIES.replace("20240115-", "")), 60, Reason.INCORRECT_FORMAT),
    "header's time": (order(DUTIES, head=HEAD.replace("10:30", "10:99")), 52, Reason.INCORRECT_FORMAT),
    "day that there is not": (order(DUTIES + "75=20230229|"), 75, Reason.INCORRECT_FORMAT),
    "day with a time": (order(DUTIES + "75=20240115-00:00:00|"), 75, Reason.INCORRECT_FORMAT),
    "month 13": (order(DUTIES + "200=202413|"), 200, Reason.INCORRECT_FORMAT),
    "two spaces": (order("18=1  G|" + DUTIES), 18, Reason.INCORRECT_FORMAT),
    "char of two": (order("453=1|448=A|447=DD|" + DUTIES), 447, Reason.INCORRECT_FORMAT),
    "role of letters": (order("453=1|448=A|452=x|" + DUTIES), 452, Reason.INCORRECT_FORMAT),
    "flag of one": (order(DUTIES, head="43=1|" + HEAD), 43, Reason.INCORRECT_FORMAT),
    "text beyond ASCII": (order(DUTIES + "58=\xe9|"), 58, Reason.INCORRECT_FORMAT),
    "repeated field": (order(DUTIES + "11=D|"), 11, Reason.TAG_APPEARS_MORE_THAN_ONCE),
    "repeated header field": (order(DUTIES, head=HEAD + "49=S|"), 49, Reason.TAG_APPEARS_MORE_THAN_ONCE),
    "second type": (order(DUTIES, head="35=D|" + HEAD), 35, Reason.TAG_APPEARS_MORE_THAN_ONCE),
    "repeated group": (order("453=1|448=A|453=1|448=B|" + DUTIES), 453, Reason.TAG_APPEARS_MORE_THAN_ONCE),
    "header field after the body": (order(DUTIES + "50=sub|"), 50, Reason.TAG_OUT_OF_ORDER),
    "required header field after the body": (
        order(DUTIES + "52=20240115-10:30:00|", head="49=S|56=T|34=1|"),
        52,
        Reason.TAG_OUT_OF_ORDER,
    ),
    "body field in the trailer": (order(DUTIES + "93=1|89=s|58=t|"), 58, Reason.TAG_OUT_OF_ORDER),
    "sum in the body": (order("11=C|10=000|" + DUTIES[5:]), 54, Reason.TAG_OUT_OF_ORDER),
    "group without its first field": (
        order("453=1|447=D|448=A|" + DUTIES),
        447,
        Reason.GROUP_FIELDS_OUT_OF_ORDER,
    ),
    "entry out of order": (order("453=1|448=A|452=1|447=D|" + DUTIES), 447, Reason.GROUP_FIELDS_OUT_OF_ORDER),
    "entry after its group": (
        order("453=1|448=A|" + DUTIES + "448=B|"),
        448,
        Reason.GROUP_FIELDS_OUT_OF_ORDER,
    ),
    "unknown tag before the first entry": (
        order("453=1|9001=x|448=A|" + DUTIES),
        448,
        Reason.GROUP_FIELDS_OUT_OF_ORDER,
    ),
    "count too large": (order("453=2|448=A|" + DUTIES), 453, Reason.WRONG_NUM_IN_GROUP),
    "count too small": (order("453=1|448=A|448=B|" + DUTIES), 453, Reason.WRONG_NUM_IN_GROUP),
    "count of a group within": (order("453=1|448=A|802=2|523=x|" + DUTIES), 802, Reason.WRONG_NUM_IN_GROUP),
    "entries in spite of 0": (order("453=0|448=A|" + DUTIES), 453, Reason.WRONG_NUM_IN_GROUP),
    "header's count": (order(DUTIES, head=HEAD + "627=2|628=H|"), 627, Reason.WRONG_NUM_IN_GROUP),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_refused(name: str) -> None:
    frame, tag, reason = REFUSED[name]
    message = parse(frame)
    for _ in range(2):  # the second time the order of tags may be known
        with pytest.raises(RejectedMessage) as caught:
            typed.decode(message)
        assert (caught.value.tag, caught.value.reason, caught.value.field) == (tag, reason, f"tag {tag}")


def test_a_wrong_value_is_told_also_when_the_order_of_tags_is_known() -> None:
    decoded(order(DUTIES + "44=1.5|"))
    with pytest.raises(RejectedMessage) as caught:
        typed.decode(parse(order(DUTIES + "44=1.5.|")))
    assert (caught.value.tag, caught.value.reason) == (44, Reason.INCORRECT_FORMAT)
    assert str(caught.value) == "tag 44: expected a decimal number, got b'1.5.'"


def test_a_reject_says_what_was_expected() -> None:
    with pytest.raises(
        RejectedMessage, match=r"tag 37: expected a field of NewOrderSingle, got 'OrderID \(37\)'"
    ):
        typed.decode(parse(order(DUTIES + "37=O|")))
    with pytest.raises(RejectedMessage, match=r"tag 453: expected 1, the entries that follow, got b'2'"):
        typed.decode(parse(order("453=2|448=A|" + DUTIES)))


def test_the_plans_that_are_kept_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    plans: dict[Any, Any] = {}
    monkeypatch.setattr(typed, "_plans", plans)
    most = 0
    for tag in range(10_000, 10_000 + typed.PLANS_KEPT + 10):
        assert decoded(order(DUTIES + f"{tag}=x|")).extra == ((tag, b"x"),)
        most = max(most, len(plans))
    assert (most, len(plans)) == (typed.PLANS_KEPT, 10)
    plans.clear()
    monkeypatch.setattr(typed, "FIELDS_KEPT", 100)
    for count in (1, 40, 50, 90, 200):
        found = decoded(order(DUTIES + "".join(f"{10_000 + place}=x|" for place in range(count))))
        assert len(found.extra) == count
        assert sum(len(tags) for _, tags in plans) <= 100


def test_a_large_group_is_decoded() -> None:
    text = "".join(f"448=P{place}|452={place % 9 + 1}|" for place in range(2000))
    found = decoded(order(f"453=2000|{text}" + DUTIES))
    assert [party.party_id for party in found.parties] == [f"P{place}" for place in range(2000)]
    assert [int(party.party_role.value) for party in found.parties] == [
        place % 9 + 1 for place in range(2000)
    ]


@pytest.mark.parametrize(
    "message", [NEW_ORDER_SINGLE, None, *entries(parse(order("453=1|448=A|" + DUTIES)), 453)]
)
def test_only_whole_messages_are_decoded(message: Any) -> None:
    with pytest.raises(InvalidArgument, match="message: expected a message as a reader gives it"):
        typed.decode(message)


def test_messages_are_frozen() -> None:
    found = decoded(NEW_ORDER_SINGLE)
    with pytest.raises(AttributeError):
        found.price = Decimal(1)
    assert hash(found) == hash(NewOrderSingle(**ORDER))
