from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from benchgate.errors import BadBench
from benchgate.latency.declaration import Calls, Distribution, Metric, Play, Recorder, Replay, steady
from benchgate.latency.measuring import Entry, LatencyRow, declared, measure, metrics_of, record_faults
from benchgate.published import Published
from tests.benchgate.latency.samples import PUBLISHED, Clock, latency_row
from tests.benchgate.samples import write

DECLARED = """
from benchgate.latency.declaration import Distribution, Metric, Play, Replay, steady

DISTRIBUTIONS = (
    Distribution(name="report", load=lambda: steady(sorted, (3, 1, 2)), calls=2_000, note="Three numbers."),
    Replay(metrics=(Metric("parse"), Metric("ticker")), load=lambda *, quick: Play(print, 1)),
)
"""


def entry(declaration: Distribution | Replay) -> Entry:
    return Entry(declaration, {f"toy/state/{metric.name}": metric for metric in declaration.metrics})


def single(clock: Clock, *costs_ns: int, **more: object) -> Entry:
    facts: dict[str, object] = {
        "name": "report",
        "load": lambda: steady(clock.taking(costs_ns)),
        "calls": 20_000,
    }
    return entry(Distribution(**(facts | more)))  # type: ignore[arg-type]  # a test may pass any field


def test_declarations_are_found_by_their_files(tmp_path: Path) -> None:
    write(tmp_path, {"benches/found/latency_state.py": DECLARED, "benches/found/bench_x.py": "1 / 0"})
    entries = declared(tmp_path)
    assert [type(found.declaration) for found in entries] == [Distribution, Replay]
    metrics = metrics_of(entries)
    assert list(metrics) == ["found/state/report", "found/state/parse", "found/state/ticker"]
    assert metrics["found/state/report"].note == "Three numbers."
    assert declared(tmp_path / "benches") == ()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("missing", "", "has no attribute 'DISTRIBUTIONS'"),
        ("many", "DISTRIBUTIONS = []", "expected a tuple of Distribution or Replay, got list"),
        ("others", "DISTRIBUTIONS = (1,)", "expected a tuple of Distribution or Replay, got tuple"),
        ("library", "import no_such_library", "no_such_library"),
        ("wrong", DECLARED.replace("2_000", "2"), "calls: expected at least 1000, got 2"),
        ("twice", DECLARED.replace('"ticker"', '"report"'), "must be unique.*latency_twice|twice/report"),
    ],
)
def test_a_file_that_declares_nothing_usable_is_named(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    write(tmp_path, {f"benches/bad/latency_{name}.py": text})
    with pytest.raises(BadBench, match=message):
        declared(tmp_path)


def test_a_row_holds_the_samples_and_the_timer_beside_them() -> None:
    clock = Clock(reading_ns=40)
    (found,) = measure(single(clock, 100, 300, note="Three."), quick=False, clock_ns=clock)
    assert found.row.id == "toy/state/report"
    assert sorted(set(found.samples_ns)) == [140, 340]
    assert (found.row.samples.n, found.row.samples.p50, found.row.samples.p90) == (20_000, 140, 340)
    assert (found.row.timer.p50, found.row.timer.max_ns) == (40, 40)
    assert found.row.batch_ns == pytest.approx(200, abs=0.1)
    assert found.row.batches == 40
    assert found.row.note == "Three."
    assert sum(bucket.samples for bucket in found.buckets) == 20_000
    again = msgspec.json.decode(msgspec.json.encode(found.row), type=LatencyRow)
    assert again == found.row


def test_a_quick_run_makes_a_tenth_of_the_calls_and_no_fewer_than_a_thousand() -> None:
    clock = Clock()
    (found,) = measure(single(clock, 1), quick=True, clock_ns=clock)
    assert found.row.samples.n == 2_000
    (found,) = measure(single(clock, 1, calls=3_000), quick=True, clock_ns=clock)
    assert found.row.samples.n == 1_000


def test_a_replay_gives_a_row_for_each_metric_in_their_order() -> None:
    clock = Clock(reading_ns=10)
    asked: list[bool] = []

    def run(recorder: Recorder) -> None:
        for _ in range(5):
            before = recorder.clock_ns()
            recorder.lane("ticker")(recorder.clock_ns() - before)
        recorder.lane("parse")(70)

    def load(*, quick: bool) -> Play:
        asked.append(quick)
        return Play(run, 5)

    replay = Replay(metrics=(Metric("parse"), Metric("ticker", picture=True)), load=load, passes=2)
    found = measure(entry(replay), quick=False, clock_ns=clock)
    assert [one.picture for one in found] == [False, True]
    parse, ticker = (one.row for one in found)
    assert (parse.id, parse.samples.n, parse.samples.p50, parse.batch_ns) == ("toy/state/parse", 2, 70, None)
    assert (ticker.samples.n, ticker.samples.p50) == (10, 10)
    parse, ticker = (one.row for one in measure(entry(replay), quick=True, clock_ns=clock))
    assert (parse.samples.n, ticker.samples.n) == (1, 5)
    assert asked == [False, True]


def failing(fault: Exception) -> Callable[..., Calls]:
    def load(*_: object) -> Calls:
        raise fault

    return load


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"load": failing(AssertionError("6 is not 7"))}, "toy/state/report: AssertionError: 6 is not 7"),
        ({"load": failing(ModuleNotFoundError("No module named 'x'"))}, "No module named 'x'"),
        ({"load": lambda: steady(int, "x")}, "toy/state/report: ValueError: invalid literal"),
        ({"load": lambda: Calls(len, lambda n: [("",)] * n, lambda: int("dry"))}, "literal .* 'dry'"),
    ],
)
def test_a_distribution_that_fails_is_named(changed: dict[str, object], message: str) -> None:
    with pytest.raises(BadBench, match=message):
        measure(single(Clock(), 1, **changed), quick=True)


def test_a_clock_that_goes_backwards_is_told() -> None:
    clock = Clock()
    with pytest.raises(BadBench, match="toy/state/report: expected times of at least 0 ns, got -1"):
        measure(single(clock, 5, -1), quick=True, clock_ns=clock)


def test_a_metric_that_was_never_recorded_is_named() -> None:
    replay = Replay(metrics=(Metric("parse"),), load=lambda *, quick: Play(lambda _: None, 5 - quick))
    with pytest.raises(BadBench, match="toy/state/parse: expected samples, got none"):
        measure(entry(replay), quick=False)


def test_record_that_differs_from_what_is_declared_is_told() -> None:
    metrics = {"toy/state/ticker": Metric("ticker", "So."), "toy/parse/report": Metric("report")}
    rows = [latency_row("toy/state/ticker", note="So."), latency_row("toy/parse/report")]
    assert record_faults(rows, metrics, PUBLISHED) == ()
    assert record_faults(rows[:1], metrics, PUBLISHED) == (
        "toy/parse/report is declared but missing from benches/latency.json",
    )
    assert record_faults(rows, {"toy/state/ticker": Metric("ticker", "Or so.")}, Published({}, {})) == (
        "toy/parse/report is in benches/latency.json but not declared",
        "toy/state/ticker: note: benches/latency.json has So., declared is Or so.",
    )
    assert record_faults((), {}, PUBLISHED) == tuple(
        f"{key} has published percentiles or tiers but is missing from benches/latency.json"
        for key in ("toy/state/ticker", "toy/parse/report")
    )
