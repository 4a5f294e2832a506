"""The two published messages as typed ones: what decoding each must give, worked out plainly."""

import enum
from collections.abc import Callable

from msgspec.structs import asdict

from benches.fix import plain
from tapemark.fix.record import Record


def _text(value: bytes) -> str:
    return value.decode()


Said = dict[str, object]

_HEADER: dict[str, tuple[int, Callable[[bytes], object]]] = {
    "sender_comp_id": (49, _text),
    "target_comp_id": (56, _text),
    "msg_seq_num": (34, int),
    "sending_time_ns": (52, plain.utc_ns),
}
_ORDER: dict[str, tuple[int, Callable[[bytes], object]]] = {
    "symbol": (55, _text),
    "side": (54, _text),
    "order_qty": (38, plain.price),
    "price": (44, plain.price),
}
EXECUTION_REPORT = _ORDER | {
    "order_id": (37, _text),
    "exec_id": (17, _text),
    "exec_type": (150, _text),
    "ord_status": (39, _text),
    "leaves_qty": (151, plain.price),
    "cum_qty": (14, plain.price),
    "avg_px": (6, plain.price),
}
NEW_ORDER_SINGLE = _ORDER | {
    "cl_ord_id": (11, _text),
    "transact_time_ns": (60, plain.utc_ns),
    "ord_type": (40, _text),
    "time_in_force": (59, _text),
}


def said(record: Record) -> Said:
    """Give the attributes of a record that say something, enumerations by their values."""
    found: Said = {}
    for name, value in asdict(record).items():
        if isinstance(value, Record):
            found[name] = said(value)
        elif isinstance(value, enum.Enum):
            found[name] = value.value
        elif value is not None and value != ():
            found[name] = value
    return found


def plainly_said(frame: bytes, body: dict[str, tuple[int, Callable[[bytes], object]]]) -> Said:
    """Give what `said` must give of a frame."""
    values = plain.by_tag(frame)
    assert len(values) == len(body) + len(_HEADER) + 4  # 8, 9, 35 and 10 have no attribute
    header: Said = {name: read(values[tag]) for name, (tag, read) in _HEADER.items()}
    return {"header": header} | {name: read(values[tag]) for name, (tag, read) in body.items()}
