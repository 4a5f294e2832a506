"""The values of those fields of FIX 4.4 that have a list of them.

Generated from fix44.toml by `python -m nox -s dictionary`; edit the table, not this module.
"""

import enum


class AccountType(enum.Enum):
    """The values of AccountType (581)."""

    CARRIED_CUSTOMER_SIDE = "1"
    CARRIED_NON_CUSTOMER_SIDE = "2"
    HOUSE_TRADER = "3"
    FLOOR_TRADER = "4"
    CARRIED_NON_CUSTOMER_SIDE_CROSS_MARGINED = "6"
    HOUSE_TRADER_CROSS_MARGINED = "7"
    JOINT_BACK_OFFICE_ACCOUNT = "8"


class CommType(enum.Enum):
    """The values of CommType (13)."""

    PER_UNIT = "1"
    PERCENT = "2"
    ABSOLUTE = "3"
    PERCENTAGE_WAIVED_CASH_DISCOUNT = "4"
    PERCENTAGE_WAIVED_ENHANCED_UNITS = "5"
    POINTS_PER_BOND_OR_CONTRACT = "6"


class ExecType(enum.Enum):
    """The values of ExecType (150)."""

    NEW = "0"
    DONE_FOR_DAY = "3"
    CANCELED = "4"
    REPLACED = "5"
    PENDING_CANCEL = "6"
    STOPPED = "7"
    REJECTED = "8"
    SUSPENDED = "9"
    PENDING_NEW = "A"
    CALCULATED = "B"
    EXPIRED = "C"
    RESTATED = "D"
    PENDING_REPLACE = "E"
    TRADE = "F"
    TRADE_CORRECT = "G"
    TRADE_CANCEL = "H"
    ORDER_STATUS = "I"


class HandlInst(enum.Enum):
    """The values of HandlInst (21)."""

    AUTOMATED_EXECUTION_NO_INTERVENTION = "1"
    AUTOMATED_EXECUTION_INTERVENTION_OK = "2"
    MANUAL_ORDER = "3"


class LastLiquidityInd(enum.Enum):
    """The values of LastLiquidityInd (851)."""

    ADDED_LIQUIDITY = "1"
    REMOVED_LIQUIDITY = "2"
    LIQUIDITY_ROUTED_OUT = "3"


class MDEntryType(enum.Enum):
    """The values of MDEntryType (269)."""

    BID = "0"
    OFFER = "1"
    TRADE = "2"
    INDEX_VALUE = "3"
    OPENING_PRICE = "4"
    CLOSING_PRICE = "5"
    SETTLEMENT_PRICE = "6"
    TRADING_SESSION_HIGH_PRICE = "7"
    TRADING_SESSION_LOW_PRICE = "8"
    TRADING_SESSION_VWAP_PRICE = "9"
    IMBALANCE = "A"
    TRADE_VOLUME = "B"
    OPEN_INTEREST = "C"


class MiscFeeBasis(enum.Enum):
    """The values of MiscFeeBasis (891)."""

    ABSOLUTE = "0"
    PER_UNIT = "1"
    PERCENTAGE = "2"


class OrdRejReason(enum.Enum):
    """The values of OrdRejReason (103)."""

    BROKER_CREDIT = "0"
    UNKNOWN_SYMBOL = "1"
    EXCHANGE_CLOSED = "2"
    ORDER_EXCEEDS_LIMIT = "3"
    TOO_LATE_TO_ENTER = "4"
    UNKNOWN_ORDER = "5"
    DUPLICATE_ORDER = "6"
    DUPLICATE_OF_A_VERBALLY_COMMUNICATED_ORDER = "7"
    STALE_ORDER = "8"
    TRADE_ALONG_REQUIRED = "9"
    INVALID_INVESTOR_ID = "10"
    UNSUPPORTED_ORDER_CHARACTERISTIC = "11"
    INCORRECT_QUANTITY = "13"
    INCORRECT_ALLOCATED_QUANTITY = "14"
    UNKNOWN_ACCOUNT = "15"
    OTHER = "99"


class OrdStatus(enum.Enum):
    """The values of OrdStatus (39)."""

    NEW = "0"
    PARTIALLY_FILLED = "1"
    FILLED = "2"
    DONE_FOR_DAY = "3"
    CANCELED = "4"
    PENDING_CANCEL = "6"
    STOPPED = "7"
    REJECTED = "8"
    SUSPENDED = "9"
    PENDING_NEW = "A"
    CALCULATED = "B"
    EXPIRED = "C"
    ACCEPTED_FOR_BIDDING = "D"
    PENDING_REPLACE = "E"


class OrdType(enum.Enum):
    """The values of OrdType (40)."""

    MARKET = "1"
    LIMIT = "2"
    STOP = "3"
    STOP_LIMIT = "4"
    WITH_OR_WITHOUT = "6"
    LIMIT_OR_BETTER = "7"
    LIMIT_WITH_OR_WITHOUT = "8"
    ON_BASIS = "9"
    PREVIOUSLY_QUOTED = "D"
    PREVIOUSLY_INDICATED = "E"
    FOREX_SWAP = "G"
    FUNARI = "I"
    MARKET_IF_TOUCHED = "J"
    MARKET_WITH_LEFT_OVER_AS_LIMIT = "K"
    PREVIOUS_FUND_VALUATION_POINT = "L"
    NEXT_FUND_VALUATION_POINT = "M"
    PEGGED = "P"


class OrderCapacity(enum.Enum):
    """The values of OrderCapacity (528)."""

    AGENCY = "A"
    PROPRIETARY = "G"
    INDIVIDUAL = "I"
    PRINCIPAL = "P"
    RISKLESS_PRINCIPAL = "R"
    AGENT_FOR_OTHER_MEMBER = "W"


class PartyRole(enum.Enum):
    """The values of PartyRole (452)."""

    EXECUTING_FIRM = "1"
    BROKER_OF_CREDIT = "2"
    CLIENT_ID = "3"
    CLEARING_FIRM = "4"
    INVESTOR_ID = "5"
    INTRODUCING_FIRM = "6"
    ENTERING_FIRM = "7"
    LOCATE = "8"
    FUND_MANAGER_CLIENT_ID = "9"
    SETTLEMENT_LOCATION = "10"
    ORDER_ORIGINATION_TRADER = "11"
    EXECUTING_TRADER = "12"
    ORDER_ORIGINATION_FIRM = "13"
    GIVEUP_CLEARING_FIRM = "14"
    CORRESPONDENT_CLEARING_FIRM = "15"
    EXECUTING_SYSTEM = "16"
    CONTRA_FIRM = "17"
    CONTRA_CLEARING_FIRM = "18"
    SPONSORING_FIRM = "19"
    UNDERLYING_CONTRA_FIRM = "20"
    CLEARING_ORGANIZATION = "21"
    EXCHANGE = "22"
    CUSTOMER_ACCOUNT = "24"
    CORRESPONDENT_CLEARING_ORGANIZATION = "25"
    CORRESPONDENT_BROKER = "26"
    BUYER = "27"
    CUSTODIAN = "28"
    INTERMEDIARY = "29"
    AGENT = "30"
    SUB_CUSTODIAN = "31"
    BENEFICIARY = "32"
    INTERESTED_PARTY = "33"
    REGULATORY_BODY = "34"
    LIQUIDITY_PROVIDER = "35"
    ENTERING_TRADER = "36"
    CONTRA_TRADER = "37"
    POSITION_ACCOUNT = "38"


class PositionEffect(enum.Enum):
    """The values of PositionEffect (77)."""

    OPEN = "O"
    CLOSE = "C"
    ROLLED = "R"
    FIFO = "F"


class PutOrCall(enum.Enum):
    """The values of PutOrCall (201)."""

    PUT = "0"
    CALL = "1"


class Side(enum.Enum):
    """The values of Side (54)."""

    BUY = "1"
    SELL = "2"
    BUY_MINUS = "3"
    SELL_PLUS = "4"
    SELL_SHORT = "5"
    SELL_SHORT_EXEMPT = "6"
    UNDISCLOSED = "7"
    CROSS = "8"
    CROSS_SHORT = "9"
    CROSS_SHORT_EXEMPT = "A"
    AS_DEFINED = "B"
    OPPOSITE = "C"
    SUBSCRIBE = "D"
    REDEEM = "E"
    LEND = "F"
    BORROW = "G"


class TimeInForce(enum.Enum):
    """The values of TimeInForce (59)."""

    DAY = "0"
    GOOD_TILL_CANCEL = "1"
    AT_THE_OPENING = "2"
    IMMEDIATE_OR_CANCEL = "3"
    FILL_OR_KILL = "4"
    GOOD_TILL_CROSSING = "5"
    GOOD_TILL_DATE = "6"
    AT_THE_CLOSE = "7"


# fmt: off
_LISTED = (
    AccountType, CommType, ExecType, HandlInst, LastLiquidityInd, MDEntryType, MiscFeeBasis, OrdRejReason,
    OrdStatus, OrdType, OrderCapacity, PartyRole, PositionEffect, PutOrCall, Side, TimeInForce
)
# fmt: on
BY_FIELD: dict[str, type[enum.Enum]] = {kind.__name__: kind for kind in _LISTED}
"""Each enumeration by the name of its field."""
