from io import StringIO

import msgspec
import pytest
from rich.console import Console

from benchgate.latency.measuring import LatencyRow
from benchgate.latency.section import section
from benchgate.latency.table import CLOSING, print_matrix, print_notes
from benchgate.run import Run
from tests.benchgate.latency.samples import PUBLISHED, TIMER, latency_row, latency_run, summary
from tests.benchgate.samples import ENVIRONMENT

ROWS = (
    latency_row(
        "toy/parse/report",
        samples=summary(n=200_000, p99=1032),
        timer=msgspec.structs.replace(TIMER, max_ns=901),
        batch_ns=None,
        batches=0,
    ),
    latency_row("toy/state/ticker", note="One write."),
    latency_row("toy/state/parse", samples=summary(beyond=2)),
)
RUN = latency_run(*ROWS)


def printed(width: int, run: Run[LatencyRow] = RUN) -> str:
    file = StringIO()
    console = Console(file=file, width=width, force_terminal=True, color_system=None, highlight=False)
    print_matrix(console, run.rows, PUBLISHED)
    print_notes(console, run, PUBLISHED, "resolution: 1 ns.")
    return file.getvalue()


def test_matrix_sets_the_published_percentiles_below_ours_with_the_ratio() -> None:
    assert printed(120).split("\n\n")[0].splitlines() == [
        "metric                      n     p50     p90     p95      p99    p99.9      max   batch",
        "toy/parse  published: Rust, Machine 1",
        "  report              200,000  620 ns  700 ns  735 ns  1.03 us  20.0 us  8.00 ms       -",
        "    left                                                258 ns",
        "    here / left                                         4.00 x",
        "    right                                               784 ns",
        "    here / right                                        1.32 x",
        "toy/state  published: Rust, Machine 1",
        "  ticker               89,000  620 ns  700 ns  735 ns  1.00 us  20.0 us  8.00 ms  570 ns",
        "    published          89,033  310 ns                  1.95 us",
        "    here / published           2.00 x                   0.51 x",
        "  parse                89,000  620 ns  700 ns  735 ns  1.00 us  20.0 us  8.00 ms  570 ns",
    ]


@pytest.mark.parametrize(
    ("width", "heading", "left_out"),
    [
        (80, "metric                      n     p50     p95      p99    p99.9      max   batch", "p90"),
        (74, "metric                      n     p50      p99    p99.9      max   batch", "p90, p95"),
        (65, "metric                      n     p50      p99    p99.9   batch", "p90, p95, max"),
        (55, "metric                   p50      p99    p99.9   batch", "n, p90, p95, max"),
    ],
)
def test_columns_are_dropped_and_named_and_never_cut(width: int, heading: str, left_out: str) -> None:
    lines = printed(width).splitlines()
    assert lines[0] == heading
    assert f"left out at this width: {left_out}" in lines
    assert all(len(line) <= width for line in lines)


def test_percentiles_of_too_few_samples_and_their_ratios_are_not_shown() -> None:
    few = latency_run(latency_row("toy/state/ticker", samples=summary(n=99)))
    lines = printed(120, few).splitlines()
    assert [" ".join(line.split()) for line in lines[2:5]] == [
        "ticker 99 620 ns 700 ns 735 ns - - 8.00 ms 570 ns",
        "published 89,033 310 ns 1.95 us",
        "here / published 2.00 x",
    ]
    assert "too few samples (-): p99 needs 100, p99.9 needs 1,000." in lines
    text = section(few, PUBLISHED)
    assert "| `toy/state/ticker` | 99 | 620 ns | 700 ns | 735 ns | - | - | 8.00 ms |" in text
    assert "| `toy/state/ticker` | p99 |" not in text
    assert "too few samples" not in printed(120)


def test_what_must_be_known_of_the_ratios_stands_first_below_the_table() -> None:
    first, second = printed(120).split("\n\n")[1].splitlines()[:2]
    assert first == "ratios to Rust, Machine 1: Of others."
    assert second.startswith("bench: the same ids there repeat one call")


def test_a_quick_run_is_not_placed_among_tiers() -> None:
    assert "tiers:" in printed(120)
    assert "tiers:" not in printed(120, latency_run(*ROWS, pace="quick"))


def test_notes_say_what_each_figure_holds() -> None:
    text = " ".join(printed(120).split())
    for sentence in (
        "ticker: One write.",
        "timer: time.perf_counter_ns, p50 42.0 ns, p99 61.0 ns with nothing to time, 80,000 times before,",
        "Each sample holds it; nothing is subtracted.",
        "collector: on, with what was alive before frozen; it ran 24 + 2 + 0 times",
        "histogram: HDR, 3 digits, 1 ns to 60.0 s; 2 samples beyond.",
        "resolution: 1 ns.",
        "tiers: toy/state/ticker: p50, p95 of A at most 310 ns, at most 980 ns (Machine 1); B 350 ns to",
        "Here: no tier holds both: p50 620 ns only C, p95 735 ns only A, B.",
        "published: Someone's engine (Rust), percentiles of single calls; Machine 1, pinned.",
    ):
        assert sentence in text
    assert text.endswith(CLOSING)
    assert "Not a pinned machine" not in text


def test_what_disturbed_the_run_is_told() -> None:
    file = StringIO()
    elsewhere = msgspec.structs.replace(ENVIRONMENT, aslr="on")
    run = latency_run(*ROWS, environment=elsewhere, cpu_share=0.5)
    print_notes(Console(file=file), run, PUBLISHED, "")
    text = " ".join(file.getvalue().split())
    assert "Not a pinned machine (ASLR on): another run may differ, most of all beyond p99;" in text
    assert "This process had 50 % of a CPU while measuring: something else was running." in text


def test_section_has_the_matrix_the_ratios_and_the_tiers() -> None:
    text = section(RUN, PUBLISHED)
    for line in (
        "Measured on a pinned machine.\n",
        "| Metric | n | p50 | p90 | p95 | p99 | p99.9 | max | batch | timer p50 |\n",
        "| `toy/state/ticker` | 89,000 | 620 ns | 700 ns | 735 ns | 1.00 us | 20.0 us | 8.00 ms | 570 ns |",
        "| `toy/parse/report` | p99 | 1.03 us | right 784 ns | 1.32 x | Rust, Machine 1 |\n",
        "| `toy/state/ticker` | p50 | 620 ns | 310 ns | 2.00 x | Rust, Machine 1 |\n",
        "| Tiers of `toy/state/ticker` | p50 | p95 |\n",
        "| B: Machine 2 | 350 ns to 500 ns | 700 ns to 1.20 us |\n",
        "| here | 620 ns | 735 ns |\n",
        "- `toy/state/ticker`: One write.\n",
        "Ratios to Rust, Machine 1: Of others.\n",
        "- bench: the same ids there repeat one call",
        "- tiers: toy/state/ticker: no tier holds both: p50 620 ns only C,",
    ):
        assert line in text
    alone = section(latency_run(ROWS[2]), PUBLISHED)
    assert "Published" not in alone
    assert "Tiers" not in alone
