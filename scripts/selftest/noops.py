"""Changes that cost nothing, on which the gate must stay silent: a bench executes the same before and after.

They are what unrelated pull requests are made of, and what moves the figures of a careless instrument: other
addresses and line numbers, other names and so other hashes, more or fewer objects in the heap before the
first bench begins, other folders to list, other paths and surroundings.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from scripts.selftest.functions import insert, quoted_returns, rename_local, reversed_imports, swap
from scripts.selftest.tree_edits import (
    Edit,
    added,
    appended,
    edited,
    empty_folders,
    everywhere,
    listed,
    older,
    renamed,
    replaced,
    spread,
    together,
    unparsed,
    with_comments,
    with_short_docstrings,
    with_windows_line_ends,
    without_comments,
)

_DERIVE, _ETH = "src/tapemark/derive", "src/tapemark/eth"
_DECODE, _PARSE, _ORDERS = f"{_DERIVE}/decode.py", f"{_DERIVE}/parse.py", f"{_DERIVE}/orders.py"
_DISPATCH, _COMMANDS, _KECCAK = f"{_DERIVE}/dispatch.py", f"{_DERIVE}/commands.py", f"{_ETH}/keccak.py"
_NUMERALS, _MODEL = "src/tapemark/numerals.py", "src/tapemark/model.py"

_LOCALS = {
    _DECODE: (("frame", "route", "chosen_route"), ("frame", "update", "u")),
    _PARSE: (("book_deltas", "deltas", "d"), ("book_deltas", "append", "append_one_more_delta")),
    _ORDERS: (("OrderEncoder._signed", "params", "order_params"),),
    _KECCAK: (("_one_shot.<locals>.keccak256", "digest", "answer"),),
    _DISPATCH: (("Dispatcher.flush", "pending", "waiting"), ("Dispatcher._parsed", "parsed", "done")),
}
_UNRELATED = '''"""A module that no other module needs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Ladder:
    """Rungs at even distances."""

    rungs: int
    distance: float

    def height(self) -> float:
        """Return how far up it reaches."""
        return self.rungs * self.distance


NAMES = {f"ladder-{number}": Ladder(number, 0.3) for number in range(200)}
'''
_BENCH = '''

def _added(left: int, right: int) -> int:
    return left + right


def bench_added(measure: Measure) -> None:
    """Add two numbers."""
    assert _added(2, 3) == 5
    measure(_added, 2, 3)
'''
_BENCH_FILE = f'"""A bench of nothing else."""\n\nfrom benchgate.measure import Measure\n{_BENCH}'
_TEST_FILE = '"""One more test."""\n\n\ndef test_sums() -> None:\n    assert sum((1, 2)) == 3\n'
_PRIVATE = '''

def _spread(quote: Quote) -> Decimal | None:
    """Return the distance between the best prices."""
    if quote.bid_price is None or quote.ask_price is None:
        return None
    return quote.ask_price - quote.bid_price
'''
_CLASS = '''

class Settlement(msgspec.Struct, frozen=True, gc=False):
    """The price that an instrument is settled at."""

    symbol: str
    price: Decimal
    event_ms: int
'''
_TABLE = '\n_NAMES = {f"instrument-{number}": Decimal(number) for number in range(1000)}\n'


@dataclass(frozen=True)
class NoOp:
    """A change that costs nothing.

    Attributes:
        name: What it is called.
        edit: Makes the change, in a copy of the repository.
        environment: Variables to set for the gate, beside those that are set.
        folder: Where to put the copy, below a temporary folder.
    """

    name: str
    edit: Edit
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: str = "copy"


def _nothing(_root: Path) -> None:
    """Change nothing."""


def _renamed_locals(path: str) -> Edit:
    def change(text: str) -> str:
        for name, old, new in _LOCALS[path]:
            text = rename_local(text, name, old, new)
        return text

    return edited(path, change)


def _commented(path: str, name: str, comment: str) -> Edit:
    return edited(path, lambda text: insert(text, name, [comment]))


NOOPS = (
    NoOp("nothing at all", _nothing),
    NoOp(
        "a comment in a hot function", _commented(_DECODE, "frame", "# The usual frame takes the fast way.")
    ),
    NoOp("a comment in another script", _commented(_PARSE, "quote", "# Найкращі ціни, 最良気配.")),
    NoOp("comments in every module", everywhere("src/tapemark", with_comments)),
    NoOp("no comments in two modules", together(*(edited(p, without_comments) for p in (_KECCAK, _PARSE)))),
    NoOp(
        "a longer docstring",
        replaced(_DECODE, "Decode one WebSocket frame.", "Decode one frame." + " More." * 9),
    ),
    NoOp("shorter docstrings in every module", everywhere("src/tapemark", with_short_docstrings)),
    NoOp("renamed locals of the decoder", _renamed_locals(_DECODE)),
    NoOp("renamed locals of the parser", _renamed_locals(_PARSE)),
    NoOp("renamed locals of the encoder", _renamed_locals(_ORDERS)),
    NoOp("renamed locals of the hash", _renamed_locals(_KECCAK)),
    NoOp("renamed locals of the dispatcher", _renamed_locals(_DISPATCH)),
    NoOp("functions in another order", edited(_PARSE, partial(swap, first="quote", second="bar"))),
    NoOp(
        "methods in another order",
        edited(_DISPATCH, partial(swap, first="Dispatcher.on_orders", second="Dispatcher.flush")),
    ),
    NoOp(
        "imports in another order",
        together(*(edited(path, reversed_imports) for path in (_DECODE, _ORDERS, _DISPATCH))),
    ),
    NoOp("an import of a further module", replaced(_NUMERALS, "import re\n", "import bisect\nimport re\n")),
    NoOp("a module that nothing imports", added("src/tapemark/ladder.py", _UNRELATED)),
    NoOp(
        "a module that the package imports",
        together(
            added("src/tapemark/ladder.py", _UNRELATED),
            appended("src/tapemark/__init__.py", "\nimport tapemark.ladder\n"),
        ),
    ),
    NoOp(
        "a bench in a file of its own",
        together(added("benches/derive/bench_sums.py", _BENCH_FILE), listed("derive/sums/added")),
    ),
    NoOp(
        "a bench beside others",
        together(appended("benches/derive/bench_decode_only.py", _BENCH), listed("derive/decode_only/added")),
    ),
    NoOp(
        "a bench's docstring",
        replaced("benches/eth/bench_keccak.py", "Hash so many bytes by", "Hash bytes by"),
    ),
    NoOp("a test", added("tests/tapemark/test_sums.py", _TEST_FILE)),
    NoOp("100 empty folders in the root", empty_folders(".", 100)),
    NoOp("100 empty folders in the package", empty_folders("src/tapemark", 100)),
    NoOp("100 empty folders beside the benches", empty_folders("benches", 100)),
    NoOp("a paragraph in the README", appended("README.md", "\nOne more paragraph.\n")),
    NoOp("a line in the change log", appended("CHANGELOG.md", "\n- One more line.\n")),
    NoOp("a comment in pyproject.toml", appended("pyproject.toml", "\n# The end.\n")),
    NoOp("another version", replaced("pyproject.toml", 'version = "0.1.0"', 'version = "0.2.0rc1"')),
    NoOp("blank lines in every module", everywhere("src/tapemark", spread)),
    NoOp(
        "another layout of the code",
        together(*(edited(p, unparsed) for p in (_DISPATCH, f"{_DERIVE}/lifecycle.py"))),
    ),
    NoOp("another kind of line ends", edited(_PARSE, with_windows_line_ends)),
    NoOp("quoted annotations", together(*(edited(p, quoted_returns) for p in (_DECODE, _PARSE)))),
    NoOp(
        "an annotated local", replaced(_PARSE, "deltas = [_CLEAR]\n", "deltas: list[BookDelta] = [_CLEAR]\n")
    ),
    NoOp("a renamed constant", renamed(_DECODE, "_MAX_MET", "_MOST_CHANNELS_THAT_ARE_REMEMBERED")),
    NoOp("a renamed function of the module", renamed(_COMMANDS, "_check_order", "_check")),
    NoOp("an unused private function", appended(_PARSE, _PRIVATE)),
    NoOp("an unused type", appended(_MODEL, _CLASS)),
    NoOp("an unused table", appended(_NUMERALS, _TABLE)),
    NoOp("a list of public names", appended(_NUMERALS, '\n__all__ = ["plain_text", "UnsignedNumerals"]\n')),
    NoOp(
        "a reworded f-string of an error", replaced(_COMMANDS, "a positive Decimal of {", "a Decimal from {")
    ),
    NoOp(
        "a reworded error", replaced(f"{_ETH}/abi.py", '"an int of uint256"', '"a whole number of 256 bits"')
    ),
    NoOp(
        "a reworded sidecar",
        replaced("fixtures/derive/trades_1.toml", "Public trades in one frame: 1.", "One public trade."),
    ),
    NoOp("older files", older("src")),
    NoOp(
        "a larger environment",
        _nothing,
        environment={f"SELFTEST_{number}": f"{number}" * 100 for number in range(50)},
    ),
    NoOp(
        "a longer path",
        _nothing,
        folder="a folder/with-a-much-longer-name-than-the-others-have/" * 2 + "copy",
    ),
)
