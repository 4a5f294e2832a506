"""How a distribution is declared, in `benches/<system>/latency_<group>.py` as `DISTRIBUTIONS`.

A distribution is one call, made many times and timed each time::

    def load() -> Calls:
        assert parse(FRAME).text(55) == "AAPL"
        return steady(parse, FRAME)

    DISTRIBUTIONS = (Distribution(name="execution_report", load=load, calls=200_000),)

A replay is a program that does its own timing, since one pass over a session gives samples of several
metrics. It takes the clock and a lane for each metric before its loop, and hands samples over after the last
clock reading of a frame, so that no sample holds another's recording::

    def play(recorder: Recorder) -> None:
        clock_ns, parsed, written = recorder.clock_ns, recorder.lane("parse"), recorder.lane("ticker")
        for frame in FRAMES:
            received = clock_ns()
            update = parse(frame)
            decoded = clock_ns()
            state.write(update)
            done = clock_ns()
            parsed(decoded - received)
            written(done - decoded)

    def load(*, quick: bool) -> Play:
        return Play(play, room=len(FRAMES), batches={"parse": Batch(lambda: parse_all, len(FRAMES))})

    DISTRIBUTIONS = (Replay(metrics=(Metric("parse"), Metric("ticker", picture=True)), load=load),)

A metric's id is `<system>/<group>/<name>`. It need not be a bench's, and has figures of its own in
`benches/published.toml`.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import repeat
from typing import Any, Protocol

import msgspec

from benchgate.errors import BadBench
from benchgate.measure import Arguments

FEWEST_CALLS = 1_000
"""The fewest calls of a distribution, also in a quick run: ten of them lie beyond its 99th percentile."""

_NAME = re.compile(r"[a-z0-9_]+")


class Calls(msgspec.Struct, frozen=True):
    """A function to time, and what it is called with.

    Attributes:
        fn: The function. What it returns is freed before the clock is read again.
        arguments: Given a number of calls, returns the arguments of each, as tuples of one length. It is
            called off the clock, before the warm-up and before each stretch of calls.
        check: Called once, after the last call; it raises what was wrong with any of them.
    """

    fn: Callable[..., object]
    arguments: Callable[[int], Iterable[Arguments]]
    check: Callable[[], object] = lambda: None


def steady(fn: Callable[..., object], *arguments: Any) -> Calls:
    """Call `fn` with the same arguments every time."""
    return Calls(fn, lambda calls: repeat(arguments, calls))


class Metric(msgspec.Struct, frozen=True):
    """One distribution of a replay.

    Attributes:
        name: The last part of its id.
        note: What the reader must know: what exactly is timed.
        picture: Whether its histogram is drawn.
    """

    name: str
    note: str = ""
    picture: bool = False

    def __post_init__(self) -> None:
        """Check the name.

        Raises:
            BadBench: It could not be the last part of an id.
        """
        if not _NAME.fullmatch(self.name):
            raise BadBench(f"{self.name!r}: expected a name of lower-case letters, digits and underscores")


class Distribution(msgspec.Struct, frozen=True, kw_only=True):
    """One call, made many times.

    Attributes:
        name: The last part of its id.
        load: Imports what is measured, checks its result and returns the calls.
        calls: How many calls are timed; in a quick run a tenth of it, but at least `FEWEST_CALLS`.
        note: What the reader must know: what exactly is timed.
        picture: Whether its histogram is drawn.
    """

    name: str
    load: Callable[[], Calls]
    calls: int
    note: str = ""
    picture: bool = False

    def __post_init__(self) -> None:
        """Check name and number.

        Raises:
            BadBench: The name could not be the last part of an id, or `calls` is not an integer of at least
                `FEWEST_CALLS`.
        """
        Metric(self.name)
        if type(self.calls) is not int or self.calls < FEWEST_CALLS:
            raise BadBench(f"{self.name}: calls: expected at least {FEWEST_CALLS}, got {self.calls!r}")

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The one metric."""
        return (Metric(self.name, self.note, self.picture),)


class Recorder(Protocol):
    """What takes the samples of one pass."""

    @property
    def clock_ns(self) -> Callable[[], int]:
        """The clock to read."""

    def lane(self, metric: str) -> Callable[[int], None]:
        """Return what takes a metric's samples, in nanoseconds; to be asked for before the loop.

        Raises:
            BadBench: No metric is named so.
        """


class Batch(msgspec.Struct, frozen=True):
    """The same work without a clock inside, timed as a whole.

    Attributes:
        load: Called off the clock, before each pass; returns what does the work.
        calls: How many of the metric's calls that is.
    """

    load: Callable[[], Callable[[], object]]
    calls: int

    def __post_init__(self) -> None:
        """Check the number.

        Raises:
            BadBench: There are no calls to divide by.
        """
        if type(self.calls) is not int or self.calls < 1:
            raise BadBench(f"batch: calls: expected a positive integer, got {self.calls!r}")


class Play(msgspec.Struct, frozen=True):
    """A replay that is ready to run.

    Attributes:
        run: Makes one pass, from its own fresh state, and checks what came of it.
        room: The most samples that any metric has in a pass: memory for them is taken beforehand.
        batches: By metric, the same work in a batch. A metric whose batch would be other work has none, and
            none whose calls differ so much that the mean of a batch says nothing of their median.
    """

    run: Callable[[Recorder], object]
    room: int
    batches: Mapping[str, Batch] = {}


class Load(Protocol):
    """What prepares the passes of a replay."""

    def __call__(self, *, quick: bool) -> Play:
        """Import what is measured, build the inputs, fewer of them for a quick run, and return the passes."""


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """A program that gives samples of several metrics in each pass.

    Attributes:
        metrics: In the order in which they are shown.
        load: Prepares the passes.
        passes: How many passes are recorded, after one that is not; one in a quick run.
    """

    metrics: tuple[Metric, ...]
    load: Load
    passes: int = 1

    def __post_init__(self) -> None:
        """Check that there is something to record.

        Raises:
            BadBench: There are no metrics, one is named twice, or there are no passes.
        """
        names = [metric.name for metric in self.metrics]
        if not names or len(set(names)) != len(names):
            raise BadBench(
                f"replay: expected metrics with names of their own, got {', '.join(names) or 'none'}"
            )
        if type(self.passes) is not int or self.passes < 1:
            raise BadBench(f"replay of {names[0]}: passes: expected a positive integer, got {self.passes!r}")
