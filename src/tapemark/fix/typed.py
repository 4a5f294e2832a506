"""Typed messages: an ExecutionReport or a NewOrderSingle with every field checked and converted.

Checked are: the message's type; that header, body and trailer follow each other; that required fields are
there; that no field occurs twice, or where its type of message does not have it; the order and number of the
entries of groups; the form of each value, and that it is one of those listed for its field. A tag that the
dictionary does not hold is kept as it came, in `extra`, also when it is repeated: it may be a group that only
the peer knows.

What can be told from the order of a message's tags alone is found out once for each order and remembered as a
plan (`tapemark.fix.plan`); after that only values are converted. At most `PLANS_KEPT` plans of together
`FIELDS_KEPT` fields are held.

Left to the caller: what the fields mean together, such as a price for a limit order; and the order of the
body's fields outside of groups, which the standard leaves open.

Source: FIX 4.4 with errata 20030618, volumes 1, 2 and 4.
"""

from typing import Any, get_args

from msgspec.structs import force_setattr

from tapemark.errors import InvalidArgument, RejectedMessage
from tapemark.fix.fix44 import Typed
from tapemark.fix.groups import MSG_TYPE, MSG_TYPE_PLACE, Tags, check_count
from tapemark.fix.message import Message
from tapemark.fix.plan import Filling, Plan, Planner
from tapemark.fix.syntax import Reason

PLANS_KEPT = 256
"""How many orders of tags are remembered; all are forgotten when one more comes."""

FIELDS_KEPT = 65_536
"""How many fields the remembered orders have together, at most; all are forgotten, too."""

_TYPES: dict[bytes, type[Typed]] = {kind.MSG_TYPE: kind for kind in get_args(Typed)}

_plans: dict[tuple[bytes, Tags], Plan] = {}


def decode(message: Message) -> Typed:
    """Check a message and convert its fields.

    Args:
        message: A message as a reader gives it.

    Raises:
        RejectedMessage: It is of another type, or a field is missing, out of place or wrong. The error says
            which tag and, as `reason`, the SessionRejectReason (373) to answer with.
        InvalidArgument: It is not a message.
    """
    try:
        tags, values = message.tags(), message.values()
        msg_type = values[MSG_TYPE_PLACE]
    except (AttributeError, IndexError):  # of what is no message, or an entry of one
        raise InvalidArgument("message", "a message as a reader gives it", message) from None
    plan = _plans.get((msg_type, tags))
    if plan is None:
        plan = _planned(msg_type, tags)
    try:
        header = _filled(plan.header, values, 0)
        typed: Typed = _filled(plan.message, values, 0)
    except (KeyError, ValueError, RejectedMessage):
        header = _filled(plan.header, values, 0, is_careful=True)
        typed = _filled(plan.message, values, 0, is_careful=True)
    force_setattr(typed, "header", header)
    if plan.extra:
        force_setattr(typed, "extra", tuple([(tag, values[place]) for tag, place in plan.extra]))
    return typed


def _filled(filling: Filling, values: tuple[bytes, ...], start: int, *, is_careful: bool = False) -> Any:
    """Fill a copy of a blank record: it is frozen, and its own checks would look at every field once more."""
    record: Any = filling.blank
    record = record.__copy__()
    for attribute, place, convert in filling.careful if is_careful else filling.quick:
        force_setattr(record, attribute, convert(values[start + place]))
    for attribute, count_tag, place, count, entries in filling.groups:
        if values[start + place] != count:
            check_count(values[start + place], count_tag, len(entries))
        filled = [_filled(entry, values, start + offset, is_careful=is_careful) for offset, entry in entries]
        force_setattr(record, attribute, tuple(filled))
    return record


def _planned(msg_type: bytes, tags: Tags) -> Plan:
    """Make the plan of a new order of tags, and remember it."""
    kind = _TYPES.get(msg_type)
    if kind is None:
        expected = "the type of a message that is decoded: " + " or ".join(key.decode() for key in _TYPES)
        raise RejectedMessage(MSG_TYPE, Reason.INVALID_MSG_TYPE, expected, msg_type)
    plan = Planner(kind, tags).plan()
    if len(tags) <= FIELDS_KEPT:
        held = sum(len(known) for _, known in _plans)
        if len(_plans) >= PLANS_KEPT or held + len(tags) > FIELDS_KEPT:
            _plans.clear()
        _plans[msg_type, tags] = plan
    return plan
