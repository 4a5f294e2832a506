import pytest

from benchgate.latency.tiers import bounds_text, place
from tests.benchgate.latency.samples import TIERS, summary


@pytest.mark.parametrize(
    ("p50", "p95", "text"),
    [
        (310, 980, "p50 310 ns and p95 980 ns lie within tier A (Machine 1)"),
        (100, 110, "p50 100 ns and p95 110 ns lie within tier A (Machine 1)"),
        (
            450,
            900,
            "p50 450 ns and p95 900 ns lie within tier B (Machine 2) and C (Machine 3)",
        ),
        (650, 1400, "p50 650 ns and p95 1.40 us lie within tier C (Machine 3)"),
        (
            311,
            700,
            "p50 311 ns and p95 700 ns lie within no tier: p50 between tiers, p95 within A and B",
        ),
        (
            1300,
            2100,
            (
                "p50 1.30 us and p95 2.10 us lie within no tier: "
                "p50 2.00 x the highest, of C, p95 1.50 x the highest, of C"
            ),
        ),
        (
            300,
            1400,
            "p50 300 ns and p95 1.40 us lie within no tier: p50 within A, p95 within C",
        ),
    ],
)
def test_a_machine_is_placed_where_both_figures_fit(p50: int, p95: int, text: str) -> None:
    assert place(summary(p50=p50, p95=p95), TIERS) == text


def test_a_figure_below_all_tiers_of_two_is_told() -> None:
    tiers = {name: TIERS[name] for name in "BC"}
    placed = place(summary(p50=100, p95=750), tiers)
    assert placed.endswith("within no tier: p50 below all, p95 within B")


def test_bounds_are_written_as_they_were_published() -> None:
    assert [bounds_text(tier.p95) for tier in TIERS.values()][:2] == ["980 ns", "700 ns to 1.20 us"]
