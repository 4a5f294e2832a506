"""An order book fed with the venue's texts, its best bid and ask read after each update, beside others.

Each contender takes the same updates, decoded anew for each call, so that its texts are new objects as on a
feed; decoding is off the clock, turning the texts into whatever the book keeps is not. Before a book is
measured, its best bid and ask are held against a plain model's (`benches.market.book_feed`) after every
update; when it was measured, against those of the snapshot, to which the updates lead back.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from benches.market.book_feed import Exact, feed
from benches.market.other_books import OTHERS
from benches.market.text_books import NAME, OURS, Book
from benchgate.comparison import Claim, Comparison, Contender, Staged

BOOKS = OURS | OTHERS


def _staged(book: Book, raw: Callable[[], list[Any]], call: Callable[[Any], None], last: Exact) -> Staged:
    """Give a call that takes a decoded copy of the updates each time, made before the round."""
    copies: list[Any] = []

    def prepare(calls: int) -> None:
        copies[:] = [raw() for _ in range(calls)]

    def check() -> None:
        assert book.exact(book.best()) == last

    return Staged(lambda: call(copies.pop()), prepare, check)


def _deltas(name: str, levels: int) -> Staged:
    book, source = BOOKS[name](), feed(levels)
    first, *bests = source.bests
    (snapshot,) = book.decoder([source.snapshot])()
    updates = book.decoder(source.updates)
    book.replace(*snapshot)
    assert book.exact(book.best()) == first
    for _ in range(2):
        for update, wanted in zip(updates(), bests, strict=True):
            book.apply(*update)
            assert book.exact(book.best()) == wanted

    apply, best = book.apply, book.best

    def call(copy: list[Any]) -> None:
        for bids, asks in copy:
            apply(bids, asks)
            best()

    return _staged(book, updates, call, first)


def _snapshots(name: str, levels: int) -> Staged:
    book, source, other = BOOKS[name](), feed(levels), feed(levels + 1)
    snapshot = book.decoder([source.snapshot])
    for each in (source, other, source):
        ((bids, asks),) = book.decoder([each.snapshot])()
        book.replace(bids, asks)
        assert book.exact(book.best()) == each.bests[0]

    def call(copy: list[Any]) -> None:
        ((bids, asks),) = copy
        book.replace(bids, asks)
        book.best()

    return _staged(book, snapshot, call, source.bests[0])


def _contender(name: str, load: Callable[[str, int], Staged], levels: int) -> Contender:
    return Contender(name, partial(load, name, levels))


_NOTE = (
    "tapemark keeps whole ticks and size steps, refuses a text that is no numeral or off the grid and a book"
    " that is crossed, and publishes an unchanging record for other threads; no other does all of this. Texts"
    " that it has seen are in a cache: in `new sizes` all sizes are new to it, in `nothing cached` all texts."
    " order-book is compiled C and sorts when it is read; nautilus_trader is compiled Rust, by either of its"
    " two bindings, its delta made from the texts. The way of lighter-sdk is written after its source and"
    " keeps texts, unsorted."
)


def _delta_comparison(levels: int, claims: tuple[Claim, ...] = (), note: str = "") -> Comparison:
    return Comparison(
        name=f"delta_{levels}",
        reference=NAME,
        contenders=tuple(_contender(name, _deltas, levels) for name in BOOKS),
        claims=claims,
        note=(
            f"100 updates of one level each in a book of {levels:,} levels a side, half of them at the"
            f" best or some three levels from it; best bid and ask are read after each.{note}"
        ),
    )


def _snapshot_comparison(levels: int) -> Comparison:
    return Comparison(
        name=f"snapshot_{levels}",
        reference=NAME,
        contenders=tuple(_contender(name, _snapshots, levels) for name in BOOKS),
        note=(
            f"A book of {levels:,} levels a side replaced by as many, then best bid and ask read. The way of"
            " lighter-sdk keeps the frame's own lists and converts nothing."
        ),
    )


PEERS = (
    _delta_comparison(10),
    _delta_comparison(100),
    _delta_comparison(1_000, tuple(Claim(name, at_least=1) for name in OTHERS), f" {_NOTE}"),
    Comparison(
        name="delta_by_depth",
        reference="10 levels",
        contenders=tuple(
            Contender(f"{levels:,} levels", partial(_deltas, NAME, levels)) for levels in (10, 100, 1_000)
        ),
        claims=(Claim("100 levels", at_most=1.5), Claim("1,000 levels", at_most=1.5)),
        note="tapemark's book alone: the same mix of updates in books of so many levels a side.",
    ),
    _snapshot_comparison(25),
    _snapshot_comparison(1_000),
)
