"""Slow-downs to plant in a copy of the repository: a function, and work to add to it in small units.

A plant changes what a function costs and nothing of what it does, so that every bench still agrees with its
oracle. Its work stands in the function itself: as often as the amount says, or once with the amount in it.
What a unit costs is for `scripts.selftest.calibration` to find out, since it differs between interpreters.

The other way round, from a planted base to the clean head, a plant is a speed-up of known size.
"""

from dataclasses import dataclass
from pathlib import Path

from scripts.selftest.functions import insert

AMOUNT = "{amount}"

_STORE = "_planted = None"  # two bytecode instructions, some 40 of the processor's under callgrind
# Each turn costs the same; over a range it costs twice as much from 257 on, where numbers are made anew.
_LOOP = 'for _planted in "." * {amount}: pass'
_ALLOCATION = "_planted = [None]"


@dataclass(frozen=True)
class Plant:
    """Work to add to one function.

    Attributes:
        name: What the plant is called.
        layer: The part of the code that it slows down.
        path: The module, relative to the repository.
        function: The function, by its qualified name.
        groups: The groups of benches that it is tried on; all where there are none.
        unit: One line of work. With `{amount}` in it the line is written once, else as often as the amount.
        before: How the statement begins that the work goes before; empty for the function's first.
    """

    name: str
    layer: str
    path: str
    function: str
    groups: tuple[str, ...] = ()
    unit: str = _STORE
    before: str = ""

    def edit(self, text: str, amount: int) -> str:
        """Return the module's text with `amount` units of work added.

        Raises:
            ValueError: The amount is not positive.
            NotFound: The text has no such function or statement.
        """
        if amount < 1:
            raise ValueError(f"amount: expected 1 or more, got {amount}")
        once = AMOUNT in self.unit
        lines = [self.unit.replace(AMOUNT, str(amount))] if once else [self.unit] * amount
        return insert(text, self.function, lines, self.before)

    def apply(self, root: Path, amount: int) -> None:
        """Edit the module in the copy of the repository at `root`; arguments and errors as for `edit`."""
        path = root / self.path
        path.write_text(self.edit(path.read_text(encoding="utf-8"), amount), encoding="utf-8")


PLANTS = (
    Plant(
        "decode",
        "decode",
        "src/tapemark/derive/decode.py",
        "frame",
        groups=("derive/decode_only/", "derive/inbound_pipeline/"),
    ),
    Plant(
        "quote",
        "parse",
        "src/tapemark/derive/parse.py",
        "quote",
        groups=("derive/parse_only/", "derive/inbound_pipeline/"),
    ),
    Plant(
        "report",
        "parse",
        "src/tapemark/derive/reports.py",
        "order_report",
        groups=("derive/parse_only/", "derive/dispatch/"),
    ),
    Plant(
        "numeral",
        "numerals",
        "src/tapemark/numerals.py",
        "UnsignedNumerals.__missing__",
        groups=("derive/sizes/",),
    ),
    Plant(
        "order",
        "encode",
        "src/tapemark/derive/orders.py",
        "OrderEncoder._signed",
        groups=("derive/exec_pipeline/",),
    ),
    Plant(
        "words",
        "encode",
        "src/tapemark/derive/actions.py",
        "trade_module_data",
        groups=("derive/signing/", "derive/exec_pipeline/"),
    ),
    Plant(
        "check", "check", "src/tapemark/derive/commands.py", "_check_order", groups=("derive/exec_pipeline/",)
    ),
    Plant(
        "keccak",
        "keccak",
        "src/tapemark/eth/keccak.py",
        "_one_shot.<locals>.keccak256",
        groups=("eth/keccak/", "derive/signing/"),
    ),
    Plant(
        "fill",
        "dispatch",
        "src/tapemark/derive/lifecycle.py",
        "OrderLifecycles.on_fill",
        groups=("derive/dispatch/",),
    ),
    Plant(
        "delivery",
        "dispatch",
        "src/tapemark/derive/dispatch.py",
        "Dispatcher.flush",
        groups=("derive/dispatch/",),
    ),
    Plant(
        "book_loop",
        "pure-Python loop",
        "src/tapemark/derive/parse.py",
        "book_deltas",
        unit=_LOOP,
        groups=("derive/parse_only/", "derive/inbound_pipeline/"),
    ),
    Plant(
        "trade_lists",
        "added allocation",
        "src/tapemark/derive/parse.py",
        "trades",
        unit=_ALLOCATION,
        groups=("derive/inbound_pipeline/",),
    ),
    Plant(
        "json",
        "slower dependency call",
        "src/tapemark/derive/requests.py",
        "request_bytes",
        groups=("derive/exec_pipeline/",),
        unit="_planted = _encode(None)",
    ),
    Plant(
        "curve",
        "slower dependency call",
        "src/tapemark/eth/secp256k1.py",
        "sign",
        groups=("eth/sign/", "derive/signing/"),
        unit="_serialize(_CONTEXT, compact, recovery_id, signature)",
        before="signed: bytes",
    ),
)

SPEED_UPS = ("decode", "order", "keccak", "book_loop")
"""The plants that are also tried the other way round."""
