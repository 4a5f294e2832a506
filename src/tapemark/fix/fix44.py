"""FIX 4.4 as far as this package knows it: its dictionary and the typed messages.

Generated from fix44.toml by `python -m nox -s dictionary`; edit the table, not this module.
"""

import datetime as dt
from decimal import Decimal
from typing import ClassVar

from tapemark.fix import fix44_values as values
from tapemark.fix.dictionary import Block, Dictionary, Group, fields_of
from tapemark.fix.record import Extra, MessageRecord, Record, slots_of

# fmt: off
_FIELDS = """
1 Account String, 6 AvgPx Price, 8 BeginString String, 9 BodyLength Length, 10 CheckSum String,
11 ClOrdID String, 12 Commission Amt, 13 CommType char, 14 CumQty Qty, 15 Currency Currency, 17 ExecID String,
18 ExecInst MultipleValueString, 19 ExecRefID String, 21 HandlInst char, 22 SecurityIDSource String,
30 LastMkt Exchange, 31 LastPx Price, 32 LastQty Qty, 34 MsgSeqNum SeqNum, 35 MsgType String,
37 OrderID String, 38 OrderQty Qty, 39 OrdStatus char, 40 OrdType char, 41 OrigClOrdID String,
43 PossDupFlag Boolean, 44 Price Price, 48 SecurityID String, 49 SenderCompID String, 50 SenderSubID String,
52 SendingTime UTCTimestamp, 54 Side char, 55 Symbol String, 56 TargetCompID String, 57 TargetSubID String,
58 Text String, 59 TimeInForce char, 60 TransactTime UTCTimestamp, 63 SettlType char,
64 SettlDate LocalMktDate, 65 SymbolSfx String, 66 ListID String, 67 ListSeqNo int, 68 TotNoOrders int,
73 NoOrders NumInGroup, 75 TradeDate LocalMktDate, 77 PositionEffect char, 78 NoAllocs NumInGroup,
79 AllocAccount String, 80 AllocQty Qty, 89 Signature data, 90 SecureDataLen Length, 91 SecureData data,
93 SignatureLength Length, 97 PossResend Boolean, 99 StopPx Price, 100 ExDestination Exchange,
103 OrdRejReason int, 107 SecurityDesc String, 110 MinQty Qty, 111 MaxFloor Qty, 115 OnBehalfOfCompID String,
116 OnBehalfOfSubID String, 122 OrigSendingTime UTCTimestamp, 126 ExpireTime UTCTimestamp,
128 DeliverToCompID String, 129 DeliverToSubID String, 136 NoMiscFees NumInGroup, 137 MiscFeeAmt Amt,
138 MiscFeeCurr Currency, 139 MiscFeeType String, 142 SenderLocationID String, 143 TargetLocationID String,
144 OnBehalfOfLocationID String, 145 DeliverToLocationID String, 150 ExecType char, 151 LeavesQty Qty,
152 CashOrderQty Qty, 167 SecurityType String, 168 EffectiveTime UTCTimestamp, 198 SecondaryOrderID String,
200 MaturityMonthYear MonthYear, 201 PutOrCall int, 202 StrikePrice Price, 207 SecurityExchange Exchange,
212 XmlDataLen Length, 213 XmlData data, 262 MDReqID String, 268 NoMDEntries NumInGroup, 269 MDEntryType char,
270 MDEntryPx Price, 271 MDEntrySize Qty, 272 MDEntryDate UTCDateOnly, 273 MDEntryTime UTCTimeOnly,
274 TickDirection char, 275 MDMkt Exchange, 276 QuoteCondition MultipleValueString,
277 TradeCondition MultipleValueString, 282 MDEntryOriginator String, 283 LocationID String,
284 DeskID String, 286 OpenCloseSettlFlag MultipleValueString, 287 SellerDays int, 288 MDEntryBuyer String,
289 MDEntrySeller String, 290 MDEntryPositionNo int, 299 QuoteEntryID String, 336 TradingSessionID String,
337 ContraTrader String, 346 NumberOfOrders int, 347 MessageEncoding String, 354 EncodedTextLen Length,
355 EncodedText data, 369 LastMsgSeqNumProcessed SeqNum, 375 ContraBroker String, 381 GrossTradeAmt Amt,
382 NoContraBrokers NumInGroup, 386 NoTradingSessions NumInGroup, 390 BidID String, 391 ClientBidID String,
394 BidType int, 432 ExpireDate LocalMktDate, 437 ContraTradeQty Qty, 438 ContraTradeTime UTCTimestamp,
447 PartyIDSource char, 448 PartyID String, 452 PartyRole int, 453 NoPartyIDs NumInGroup,
454 NoSecurityAltID NumInGroup, 455 SecurityAltID String, 456 SecurityAltIDSource String, 461 CFICode String,
467 IndividualAllocID String, 479 CommCurrency Currency, 523 PartySubID String, 524 NestedPartyID String,
525 NestedPartyIDSource char, 526 SecondaryClOrdID String, 528 OrderCapacity char, 538 NestedPartyRole int,
539 NoNestedPartyIDs NumInGroup, 541 MaturityDate LocalMktDate, 545 NestedPartySubID String,
546 Scope MultipleValueString, 581 AccountType int, 625 TradingSessionSubID String, 627 NoHops NumInGroup,
628 HopCompID String, 629 HopSendingTime UTCTimestamp, 630 HopRefID SeqNum, 636 WorkingIndicator Boolean,
655 ContraLegRefID String, 661 AllocAcctIDSource int, 736 AllocSettlCurrency Currency,
802 NoPartySubIDs NumInGroup, 803 PartySubIDType int, 804 NoNestedPartySubIDs NumInGroup,
805 NestedPartySubIDType int, 811 PriceDelta float, 851 LastLiquidityInd int, 891 MiscFeeBasis int,
893 LastFragment Boolean
"""
DICTIONARY = Dictionary(
    fields=fields_of(_FIELDS, values.BY_FIELD),
    header=Block("""
8! 9! 35! 49! 56! 115 128 90 91 34! 50 142 57 143 116 144 129 145 43 97 52! 122 212 213 347 369 627
"""),
    trailer=Block("93 89 10!"),
    messages={
        b"8": Block("""
37! 17! 150! 39! 54! 151! 14! 6! 198 526 11 41 453 382 66 19 636 103 1 581 63 64 55 65 48 22 454 461 167 200
541 201 202 207 107 38 152 40 44 99 15 59 168 432 126 18 528 32 31 30 336 625 75 60 12 13 479 381 21 110 111
77 58 354 355 851 136
""", unread="539 524 525 538 804 545 805"),
        b"D": Block("""
11! 526 453 75 1 581 78 63 64 21 18 110 111 100 386 55 65 48 22 454 461 167 200 541 201 202 207 107 54! 60! 38
152 40! 44 99 15 59 168 432 126 12 13 479 528 58 354 355 77
"""),
        b"W": Block("""
262 55 65 48 22 454 461 167 200 541 201 202 207 107 268!
"""),
        b"E": Block("66! 390 391 394! 68! 893 73!"),
    },
    groups={
        627: Group(627, "hops", Block("628! 629 630")),
        453: Group(453, "parties", Block("448! 447 452 802")),
        802: Group(802, "sub_ids", Block("523! 803")),
        382: Group(382, "contra_brokers", Block("375! 337 437 438 655")),
        454: Group(454, "security_alt_ids", Block("455! 456")),
        136: Group(136, "misc_fees", Block("137! 138 139 891")),
        78: Group(78, "allocs", Block("79! 661 736 467 539 80")),
        539: Group(539, "nested_parties", Block("524! 525 538 804")),
        804: Group(804, "sub_ids", Block("545! 805")),
        386: Group(386, "trading_sessions", Block("336! 625")),
        268: Group(268, "md_entries", Block("""
269! 270 15 271 272 273 274 275 336 625 276 277 282 283 284 286 59 432 126 110 18 287 37 299 288 289 346 290
546 811 58 354 355
""")),
        73: Group(73, "orders", Block("""
11! 526 67! 453 75 1 581 78 63 64 21 18 110 111 100 386 55 65 48 22 454 461 167 200 541 201 202 207 107 54! 60
38 152 40 44 99 15 59 168 432 126 12 13 479 528 58 354 355 77
""")),
    },
)
"""The fields, messages and groups of the table."""
# fmt: on


class Hop(Record, frozen=True, gc=False, kw_only=True):
    """One entry of NoHops (627)."""

    SLOTS: ClassVar = slots_of(DICTIONARY, DICTIONARY.groups[627].block, {})

    hop_comp_id: str
    hop_sending_time_ns: int | None = None
    hop_ref_id: int | None = None


class Header(Record, frozen=True, gc=False, kw_only=True):
    """The header of a message."""

    SLOTS: ClassVar = slots_of(DICTIONARY, DICTIONARY.header, {627: Hop})

    sender_comp_id: str
    target_comp_id: str
    on_behalf_of_comp_id: str | None = None
    deliver_to_comp_id: str | None = None
    secure_data: bytes | None = None
    msg_seq_num: int
    sender_sub_id: str | None = None
    sender_location_id: str | None = None
    target_sub_id: str | None = None
    target_location_id: str | None = None
    on_behalf_of_sub_id: str | None = None
    on_behalf_of_location_id: str | None = None
    deliver_to_sub_id: str | None = None
    deliver_to_location_id: str | None = None
    poss_dup_flag: bool | None = None
    poss_resend: bool | None = None
    sending_time_ns: int
    orig_sending_time_ns: int | None = None
    xml_data: bytes | None = None
    message_encoding: str | None = None
    last_msg_seq_num_processed: int | None = None
    hops: tuple[Hop, ...] | None = None


class PartySubID(Record, frozen=True, gc=False, kw_only=True):
    """One entry of NoPartySubIDs (802)."""

    SLOTS: ClassVar = slots_of(DICTIONARY, DICTIONARY.groups[802].block, {})

    party_sub_id: str
    party_sub_id_type: int | None = None


class Party(Record, frozen=True, gc=False, kw_only=True):
    """One entry of NoPartyIDs (453)."""

    SLOTS: ClassVar = slots_of(DICTIONARY, DICTIONARY.groups[453].block, {802: PartySubID})

    party_id: str
    party_id_source: str | None = None
    party_role: values.PartyRole | None = None
    sub_ids: tuple[PartySubID, ...] | None = None


class ContraBroker(Record, frozen=True, gc=False, kw_only=True):
    """One entry of NoContraBrokers (382)."""

    SLOTS: ClassVar = slots_of(DICTIONARY, DICTIONARY.groups[382].block, {})

    contra_broker: str
    contra_trader: str | None = None
    contra_trade_qty: Decimal | None = None
    contra_trade_time_ns: int | None = None
    contra_leg_ref_id: str | None = None


class SecurityAltID(Record, frozen=True, gc=False, kw_only=True):
    """One entry of NoSecurityAltID (454)."""

    SLOTS: ClassVar = slots_of(DICTIONARY, DICTIONARY.groups[454].block, {})

    security_alt_id: str
    security_alt_id_source: str | None = None


class MiscFee(Record, frozen=True, gc=False, kw_only=True):
    """One entry of NoMiscFees (136)."""

    SLOTS: ClassVar = slots_of(DICTIONARY, DICTIONARY.groups[136].block, {})

    misc_fee_amt: Decimal
    misc_fee_curr: str | None = None
    misc_fee_type: str | None = None
    misc_fee_basis: values.MiscFeeBasis | None = None


class NestedPartySubID(Record, frozen=True, gc=False, kw_only=True):
    """One entry of NoNestedPartySubIDs (804)."""

    SLOTS: ClassVar = slots_of(DICTIONARY, DICTIONARY.groups[804].block, {})

    nested_party_sub_id: str
    nested_party_sub_id_type: int | None = None


class NestedParty(Record, frozen=True, gc=False, kw_only=True):
    """One entry of NoNestedPartyIDs (539)."""

    SLOTS: ClassVar = slots_of(DICTIONARY, DICTIONARY.groups[539].block, {804: NestedPartySubID})

    nested_party_id: str
    nested_party_id_source: str | None = None
    nested_party_role: int | None = None
    sub_ids: tuple[NestedPartySubID, ...] | None = None


class Alloc(Record, frozen=True, gc=False, kw_only=True):
    """One entry of NoAllocs (78)."""

    SLOTS: ClassVar = slots_of(DICTIONARY, DICTIONARY.groups[78].block, {539: NestedParty})

    alloc_account: str
    alloc_acct_id_source: int | None = None
    alloc_settl_currency: str | None = None
    individual_alloc_id: str | None = None
    nested_parties: tuple[NestedParty, ...] | None = None
    alloc_qty: Decimal | None = None


class TradingSession(Record, frozen=True, gc=False, kw_only=True):
    """One entry of NoTradingSessions (386)."""

    SLOTS: ClassVar = slots_of(DICTIONARY, DICTIONARY.groups[386].block, {})

    trading_session_id: str
    trading_session_sub_id: str | None = None


class ExecutionReport(MessageRecord, frozen=True, gc=False, kw_only=True):
    """MsgType 8."""

    SLOTS: ClassVar = slots_of(
        DICTIONARY,
        DICTIONARY.messages[b"8"],
        {453: Party, 382: ContraBroker, 454: SecurityAltID, 136: MiscFee},
    )
    MSG_TYPE: ClassVar = b"8"
    DICTIONARY: ClassVar = DICTIONARY
    HEADER: ClassVar = Header
    SIGNATURE: ClassVar = slots_of(DICTIONARY, DICTIONARY.trailer, {})[0]

    header: Header
    order_id: str
    exec_id: str
    exec_type: values.ExecType
    ord_status: values.OrdStatus
    side: values.Side
    leaves_qty: Decimal
    cum_qty: Decimal
    avg_px: Decimal
    secondary_order_id: str | None = None
    secondary_cl_ord_id: str | None = None
    cl_ord_id: str | None = None
    orig_cl_ord_id: str | None = None
    parties: tuple[Party, ...] | None = None
    contra_brokers: tuple[ContraBroker, ...] | None = None
    list_id: str | None = None
    exec_ref_id: str | None = None
    working_indicator: bool | None = None
    ord_rej_reason: values.OrdRejReason | None = None
    account: str | None = None
    account_type: values.AccountType | None = None
    settl_type: str | None = None
    settl_date: dt.date | None = None
    symbol: str | None = None
    symbol_sfx: str | None = None
    security_id: str | None = None
    security_id_source: str | None = None
    security_alt_ids: tuple[SecurityAltID, ...] | None = None
    cfi_code: str | None = None
    security_type: str | None = None
    maturity_month_year: str | None = None
    maturity_date: dt.date | None = None
    put_or_call: values.PutOrCall | None = None
    strike_price: Decimal | None = None
    security_exchange: str | None = None
    security_desc: str | None = None
    order_qty: Decimal | None = None
    cash_order_qty: Decimal | None = None
    ord_type: values.OrdType | None = None
    price: Decimal | None = None
    stop_px: Decimal | None = None
    currency: str | None = None
    time_in_force: values.TimeInForce | None = None
    effective_time_ns: int | None = None
    expire_date: dt.date | None = None
    expire_time_ns: int | None = None
    exec_inst: str | None = None
    order_capacity: values.OrderCapacity | None = None
    last_qty: Decimal | None = None
    last_px: Decimal | None = None
    last_mkt: str | None = None
    trading_session_id: str | None = None
    trading_session_sub_id: str | None = None
    trade_date: dt.date | None = None
    transact_time_ns: int | None = None
    commission: Decimal | None = None
    comm_type: values.CommType | None = None
    comm_currency: str | None = None
    gross_trade_amt: Decimal | None = None
    handl_inst: values.HandlInst | None = None
    min_qty: Decimal | None = None
    max_floor: Decimal | None = None
    position_effect: values.PositionEffect | None = None
    text: str | None = None
    encoded_text: bytes | None = None
    last_liquidity_ind: values.LastLiquidityInd | None = None
    misc_fees: tuple[MiscFee, ...] | None = None
    signature: bytes | None = None
    extra: Extra = ()


class NewOrderSingle(MessageRecord, frozen=True, gc=False, kw_only=True):
    """MsgType D."""

    SLOTS: ClassVar = slots_of(
        DICTIONARY,
        DICTIONARY.messages[b"D"],
        {453: Party, 78: Alloc, 386: TradingSession, 454: SecurityAltID},
    )
    MSG_TYPE: ClassVar = b"D"
    DICTIONARY: ClassVar = DICTIONARY
    HEADER: ClassVar = Header
    SIGNATURE: ClassVar = slots_of(DICTIONARY, DICTIONARY.trailer, {})[0]

    header: Header
    cl_ord_id: str
    secondary_cl_ord_id: str | None = None
    parties: tuple[Party, ...] | None = None
    trade_date: dt.date | None = None
    account: str | None = None
    account_type: values.AccountType | None = None
    allocs: tuple[Alloc, ...] | None = None
    settl_type: str | None = None
    settl_date: dt.date | None = None
    handl_inst: values.HandlInst | None = None
    exec_inst: str | None = None
    min_qty: Decimal | None = None
    max_floor: Decimal | None = None
    ex_destination: str | None = None
    trading_sessions: tuple[TradingSession, ...] | None = None
    symbol: str | None = None
    symbol_sfx: str | None = None
    security_id: str | None = None
    security_id_source: str | None = None
    security_alt_ids: tuple[SecurityAltID, ...] | None = None
    cfi_code: str | None = None
    security_type: str | None = None
    maturity_month_year: str | None = None
    maturity_date: dt.date | None = None
    put_or_call: values.PutOrCall | None = None
    strike_price: Decimal | None = None
    security_exchange: str | None = None
    security_desc: str | None = None
    side: values.Side
    transact_time_ns: int
    order_qty: Decimal | None = None
    cash_order_qty: Decimal | None = None
    ord_type: values.OrdType
    price: Decimal | None = None
    stop_px: Decimal | None = None
    currency: str | None = None
    time_in_force: values.TimeInForce | None = None
    effective_time_ns: int | None = None
    expire_date: dt.date | None = None
    expire_time_ns: int | None = None
    commission: Decimal | None = None
    comm_type: values.CommType | None = None
    comm_currency: str | None = None
    order_capacity: values.OrderCapacity | None = None
    text: str | None = None
    encoded_text: bytes | None = None
    position_effect: values.PositionEffect | None = None
    signature: bytes | None = None
    extra: Extra = ()


Typed = ExecutionReport | NewOrderSingle
"""A message that has a type here."""
