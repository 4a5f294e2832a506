import pytest

from benchgate.latency.tiers import bounds_text, place, ranges_text
from tests.benchgate.latency.samples import TIERS, summary


@pytest.mark.parametrize(
    ("p50", "p95", "text"),
    [
        (310, 980, "p50 310 ns and p95 980 ns fall into the ranges of A, which is no verdict on this CPU"),
        (100, 110, "p50 100 ns and p95 110 ns fall into the ranges of A, which is no verdict on this CPU"),
        (
            450,
            900,
            "p50 450 ns and p95 900 ns fall into the ranges of B, C, which is no verdict on this CPU",
        ),
        (650, 1400, "p50 650 ns and p95 1.40 us fall into the ranges of C, which is no verdict on this CPU"),
        (
            311,
            700,
            "no tier holds both: p50 311 ns between tiers, p95 700 ns only A, B",
        ),
        (
            1300,
            2100,
            (
                "no tier holds both: "
                "p50 1.30 us is 2.00 x the highest, of C, p95 2.10 us is 1.50 x the highest, of C"
            ),
        ),
        (
            300,
            1400,
            "no tier holds both: p50 300 ns only A, p95 1.40 us only C",
        ),
    ],
)
def test_a_machine_is_placed_where_both_figures_fit(p50: int, p95: int, text: str) -> None:
    assert place(summary(p50=p50, p95=p95), TIERS) == text


def test_a_figure_below_all_tiers_of_two_is_told() -> None:
    tiers = {name: TIERS[name] for name in "BC"}
    placed = place(summary(p50=100, p95=750), tiers)
    assert placed == "no tier holds both: p50 100 ns below all, p95 750 ns only B"


def test_bounds_are_written_as_they_were_published() -> None:
    assert [bounds_text(tier.p95) for tier in TIERS.values()][:2] == [
        "at most 980 ns",
        "700 ns to 1.20 us",
    ]
    assert ranges_text(TIERS).startswith(
        "A at most 310 ns, at most 980 ns (Machine 1); B 350 ns to 500 ns, 700 ns to 1.20 us (Machine 2); C "
    )
