"""The one exception tree, so that a caller can tell whose fault a failure was.

::

    TapemarkError
    ├── CallerError           what this process passed in is wrong; also a ValueError
    │   └── InvalidArgument   one argument, named, with what was expected and what came
    └── PeerError             what the venue sent is wrong
        └── InvalidFrame      one field of a frame, named by its path, expected, and what came
            ├── CrossedBook       an order book whose best bid is not below its best ask: the book was dropped
            ├── IllegalTransition a step that no order can take: the order stays what it was
            ├── GarbledFrame      no FIX message at all: to be ignored, the sequence stays
            └── RejectedMessage   a FIX message with a wrong field: to be rejected, the sequence goes on

Secrets are never arguments of an error: a signer reports a bad key by its length alone.
"""

from typing import Self, TypeVar

_SHOWN_CHARS = 80


class TapemarkError(Exception):
    """The root of everything that tapemark raises on purpose."""


class CallerError(TapemarkError, ValueError):
    """What this process passed in is wrong; the same call will fail again."""


class PeerError(TapemarkError):
    """What the venue sent is wrong; the connection may go on with the next frame."""


class _FieldFault(TapemarkError):  # noqa: N818 - the part that the two below share
    """The three facts of every fault: the field, what was expected there and what came."""

    def __init__(self, field: str, expected: str, got: object) -> None:
        try:
            shown = repr(got)
        except ValueError:  # an int of more digits than the interpreter is willing to write
            shown = f"{type(got).__name__} without a repr"
        if len(shown) > _SHOWN_CHARS:
            length = len(got) if isinstance(got, (bytes, str)) else len(shown)
            unit = "bytes" if isinstance(got, bytes) else "characters"
            shown = f"{shown[:_SHOWN_CHARS]}… ({length} {unit})"
        super().__init__(f"{field}: expected {expected}, got {shown}")
        self.field, self.expected, self.got = field, expected, shown

    def at(self, field: str) -> Self:
        """Return the same fault under another name, for a caller who knows better where the value stood."""
        return _restore(type(self), field, self.expected, self.got)

    def __reduce__(self) -> tuple[object, ...]:
        """Rebuild from the facts, so that the error survives a trip between processes."""
        return (_restore, (type(self), self.field, self.expected, self.got))


class InvalidArgument(_FieldFault, CallerError):  # noqa: N818 - named for what is invalid
    """An argument does not fit.

    Attributes:
        field: The argument's name, dotted for a field of a value type.
        expected: What would have been accepted.
        got: The `repr` of what came, cut after 80 characters.
    """


class InvalidFrame(_FieldFault, PeerError):  # noqa: N818 - the same
    """A frame from the venue does not fit.

    Attributes:
        field: Path in the frame, such as `params.data.bids[0][1]`; `frame` when it is not JSON at all.
        expected: What would have been accepted.
        got: The `repr` of what came, cut after 80 characters.
    """

    def of(self, symbol: str) -> Self:
        """Return the same fault with the symbol that it concerns, for a caller who knows; '' adds nothing."""
        fault = self.at(self.field)
        if symbol:
            fault.expected = f"{self.expected} for {symbol}"
            fault.args = (f"{self.field}: expected {fault.expected}, got {self.got}",)
        return fault


class CrossedBook(InvalidFrame):
    """An update after which a book is crossed: the book was dropped, since no level of it can be trusted.

    Attributes:
        field: `book`.
    """


class IllegalTransition(InvalidFrame):
    """A report by which an order would take a step that no order can take; the order stays what it was.

    Attributes:
        field: What of the report does not fit, such as `status` or `filled_size`.
    """


class GarbledFrame(InvalidFrame):
    """Bytes that are no FIX message: a receiver ignores them and does not advance its sequence.

    Attributes:
        field: `BeginString (8)`, `BodyLength (9)`, `CheckSum (10)`, or `header` for their order.
    """


class RejectedMessage(InvalidFrame):
    """A FIX message that is framed well, but wrong in one field: a receiver answers with a Reject.

    Attributes:
        field: `tag` and its number.
        tag: That number, the RefTagID (371) of a Reject; 0 where the tag itself cannot be read.
        reason: The SessionRejectReason (373) of a Reject; see `tapemark.fix.syntax.Reason`.
    """

    def __init__(self, tag: int, reason: int, expected: str, got: object) -> None:
        super().__init__(f"tag {tag}", expected, got)
        self.tag, self.reason = tag, reason

    def at(self, field: str) -> Self:
        """Return the same fault under another name, for a caller who knows better where the value stood."""
        return _restore_rejected(type(self), self.tag, self.reason, (field, self.expected, self.got))

    def __reduce__(self) -> tuple[object, ...]:
        """Rebuild from the facts, so that the error survives a trip between processes."""
        facts = (self.field, self.expected, self.got)
        return (_restore_rejected, (type(self), self.tag, self.reason, facts))


_Fault = TypeVar("_Fault", bound=_FieldFault)


def _restore(kind: type[_Fault], field: str, expected: str, shown: str) -> _Fault:
    error = kind.__new__(kind)
    error.args = (f"{field}: expected {expected}, got {shown}",)
    error.field, error.expected, error.got = field, expected, shown
    return error


_Rejected = TypeVar("_Rejected", bound=RejectedMessage)


def _restore_rejected(kind: type[_Rejected], tag: int, reason: int, facts: tuple[str, str, str]) -> _Rejected:
    error = _restore(kind, *facts)
    error.tag, error.reason = tag, reason
    return error
