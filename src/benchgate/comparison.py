"""How a comparison with peers is declared, in `benches/<system>/peers_<group>.py` as `PEERS`.

A comparison lets several contenders do the same work and gives each one's time as a multiple of the
reference's. It may state claims about those multiples, which are checked and reported whenever it runs::

    PEERS = (
        Comparison(
            name="keccak256_32_bytes",
            reference="floor",
            contenders=(
                Contender("floor", load_floor),
                Contender("tapemark", load_ours),
                Contender("eth-hash", load_eth_hash),
                Worker("venue SDK", "benches/derive/worker_signing.py"),
            ),
            claims=(Claim("tapemark", at_most=1.45),),
        ),
    )

A contender's `load` imports its library, checks that its result is the right one, and returns the call to
measure. When the library is not installed, `load` raises ImportError and the contender is listed as such.
A call that uses something up is `Staged`: prepared before each round and checked after the last.
"""

from collections.abc import Callable

import msgspec

from benchgate.errors import BadBench

Call = Callable[[], object]


class Staged(msgspec.Struct, frozen=True):
    """A call to measure, and what is done off the clock.

    Attributes:
        prepare: Called before each round with the number of calls that it will make.
        check: Called once, after the last round; it raises what was wrong with any of them.
    """

    call: Call
    prepare: Callable[[int], object] = lambda _: None
    check: Callable[[], object] = lambda: None


class Contender(msgspec.Struct, frozen=True):
    """One way to do the work, in this interpreter."""

    name: str
    load: Callable[[], Call | Staged]


class Worker(msgspec.Struct, frozen=True):
    """One way to do the work, in an interpreter of its own.

    Attributes:
        script: A file, relative to the repository's root, that calls `benchgate.worker.serve`.
    """

    name: str
    script: str


class Claim(msgspec.Struct, frozen=True):
    """What a comparison says about one contender's multiple of another's time: one of the two bounds.

    Attributes:
        of: The other contender; the reference when it is empty.
    """

    contender: str
    at_most: float | None = None
    at_least: float | None = None
    of: str = ""

    def __post_init__(self) -> None:
        """Check that there is one bound.

        Raises:
            BadBench: There are none or two, or it is not positive.
        """
        bounds = [bound for bound in (self.at_most, self.at_least) if bound is not None]
        if len(bounds) != 1 or bounds[0] <= 0:
            raise BadBench(f"claim about {self.contender}: expected one positive bound, got {bounds}")

    def holds(self, p25: float, ratio: float, p75: float) -> bool | None:
        """Tell whether the contender's multiple of the other keeps to the bound.

        None when it is too close to tell: the bound lies between the quartiles, so that the next run may see
        the opposite.
        """
        bound = self.at_most if self.at_most is not None else self.at_least
        assert bound is not None
        if p25 < bound < p75:
            return None
        return ratio <= bound if self.at_most is not None else ratio >= bound

    def text(self, reference: str) -> str:
        """Write the claim as a sentence without its end."""
        bound = f"at most {self.at_most:g}" if self.at_most is not None else f"at least {self.at_least:g}"
        return f"{self.contender} takes {bound} x the time of {self.of or reference}"


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Several ways to do the same work.

    Attributes:
        name: The last part of the comparison's id; system and group come from the file.
        reference: The name of the contender whose time is 1.
        note: What the reader must know: what exactly is done, or left out by some.
    """

    name: str
    reference: str
    contenders: tuple[Contender | Worker, ...]
    note: str = ""
    claims: tuple[Claim, ...] = ()

    def __post_init__(self) -> None:
        """Check that the parts name each other.

        Raises:
            BadBench: A contender is named twice, or the reference or a claim names none.
        """
        names = [contender.name for contender in self.contenders]
        if len(set(names)) != len(names):
            raise BadBench(
                f"{self.name}: expected contenders with names of their own, got {', '.join(names)}"
            )
        claimed = (name for claim in self.claims for name in (claim.contender, claim.of) if name)
        for name in (self.reference, *claimed):
            if name not in names:
                raise BadBench(f"{self.name}: no contender is named {name}")
