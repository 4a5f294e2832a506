"""A clock that only what is timed moves on, rows to begin from, and published percentiles."""

from collections.abc import Callable, Iterable
from itertools import cycle

from benchgate.latency.histogram import Summary
from benchgate.latency.measuring import KIND, LatencyRow
from benchgate.latency.sampling import COLLECTOR
from benchgate.published import Percentiles, Published, Tier
from benchgate.run import Run
from tests.benchgate.samples import run, source

RUST = source(
    what="Someone's engine",
    hardware="Machine 1, pinned",
    statistic="percentiles of single calls",
    caveat="Of others.",
)
TIERS = {
    "A": Tier("Machine 1", 310, 980),
    "B": Tier("Machine 2", [350, 500], [700, 1200]),
    "C": Tier("Machine 3", [400, 650], [800, 1400]),
}
PUBLISHED = Published(
    {},
    {"toy/state/ticker": RUST, "toy/parse/report": RUST},
    {
        "toy/state/ticker": (Percentiles(n=89_033, p50=310, p99=1950),),
        "toy/parse/report": (Percentiles("left", p99=258), Percentiles("right", p99=784)),
    },
    {"toy/state/ticker": TIERS},
)


class Clock:
    """A clock of which each reading takes `reading_ns`, and which calls move on."""

    def __init__(self, reading_ns: int = 0) -> None:
        self.now_ns, self.reading_ns = 0, reading_ns

    def __call__(self) -> int:
        self.now_ns += self.reading_ns
        return self.now_ns

    def taking(self, costs_ns: Iterable[int]) -> Callable[..., None]:
        """Return a function whose calls cost these times, one after the other and again."""
        costs = cycle(costs_ns)

        def call(*_: object) -> None:
            self.now_ns += next(costs)

        return call


def summary(**more: object) -> Summary:
    facts: dict[str, object] = {
        "n": 89_000,
        "beyond": 0,
        "min_ns": 300,
        "p50": 620,
        "p90": 700,
        "p95": 735,
        "p99": 1000,
        "p99_9": 20_000,
        "max_ns": 8_000_000,
        "mean_ns": 640.5,
    }
    return Summary(**(facts | more))  # type: ignore[arg-type]  # a test may pass any field


TIMER = summary(n=40_000, min_ns=30, p50=42, p90=44, p95=45, p99=61, p99_9=70, max_ns=900, mean_ns=42.5)


def latency_row(identity: str, **more: object) -> LatencyRow:
    facts: dict[str, object] = {
        "id": identity,
        "samples": summary(),
        "timer": TIMER,
        "batch_ns": 570.0,
        "batches": 50,
        "collections": (12, 1, 0),
    }
    return LatencyRow(**(facts | more))  # type: ignore[arg-type]  # a test may pass any field


def latency_run(*rows: LatencyRow, **more: object) -> Run[LatencyRow]:
    return run(**({"kind": KIND, "collector": COLLECTOR, "pace": "full", "rows": rows} | more))  # type: ignore[return-value]  # of other rows
