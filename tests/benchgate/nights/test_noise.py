import statistics
from pathlib import Path

import msgspec
import pytest

from benchgate.errors import Unreadable
from benchgate.nights import noise
from benchgate.nights.noise import Limits
from benchgate.nights.record import Night, of_passes
from tests.benchgate.nights.samples import night, passes

REPOSITORY = Path(__file__).parents[3]


def spreading(*shares: float, cpu_share: float | None = 0.99) -> Night:
    """A night whose rows differ between passes by these shares, in the order r0, r1, ..."""
    low = {f"toy/parts/r{place}": 100.0 - 50 * share for place, share in enumerate(shares)}
    high = {f"toy/parts/r{place}": 100.0 + 50 * share for place, share in enumerate(shares)}
    return of_passes(passes(low, dict.fromkeys(low, 100.0), high, cpu_share=cpu_share))


def test_a_calm_night_exceeds_nothing() -> None:
    assert noise.excess(spreading(0.019, 0.019, 0.099), Limits()) == ()


def test_one_disturbed_pass_of_many_rows_is_noise() -> None:
    shares = (0.01, 0.03, 0.021, 0.0, 0.09)
    found = spreading(*shares)
    assert noise.typical_spread(found) == pytest.approx(statistics.median(shares))
    assert noise.excess(found, Limits()) == (
        "the typical row differs by 2.1 % between passes, the limit is 2 %",
    )


def test_a_few_wide_rows_are_borne_and_more_are_listed_widest_first() -> None:
    few = spreading(*[0.0] * 19, 0.5)
    assert noise.excess(few, Limits()) == ()
    assert noise.widest(few, Limits()) == ("toy/parts/r19",)
    assert noise.excess(spreading(*[0.0] * 18, 0.11, 0.5), Limits()) == (
        "2 of 20 rows differ by more than 10 % between passes, the limit is 5 % of the rows",
        "toy/parts/r19 differs by 50 %",
        "toy/parts/r18 differs by 11 %",
    )


def test_a_pass_that_shared_its_cpu_is_named() -> None:
    calm = night({"toy/parts/r0": 100.0})
    busy = msgspec.structs.replace(calm.passes[1], cpu_share=0.94)
    found = msgspec.structs.replace(calm, passes=(calm.passes[0], busy, calm.passes[2]))
    assert noise.excess(found, Limits()) == (
        "pass 2 had 94 % of a CPU, the limit is 95 %: something else was running",
    )
    assert noise.excess(found, Limits(cpu_share=0.9)) == ()
    assert noise.excess(spreading(0.0, cpu_share=None), Limits()) == ()


def test_limits_are_those_of_the_file_and_defaults_without_them(tmp_path: Path) -> None:
    assert noise.limits(tmp_path) == Limits()
    path = tmp_path / "pyproject.toml"
    path.write_text("[tool.benchgate-nightly]\ntypical_spread_percent = 3\nwide_rows_percent = 12.5\n")
    assert noise.limits(tmp_path) == Limits(typical_spread=0.03, wide_rows=0.125)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("typical_spred_percent = 3", "typical_spred_percent"),
        ("typical_spread_percent = 0", "typical_spread_percent: expected per cent"),
        ("typical_spread_percent = true", "typical_spread_percent: expected per cent"),
        ('wide_rows_percent = "5"', "wide_rows_percent: expected per cent"),
        ("cpu_share_percent = 101", "cpu_share_percent: expected per cent"),
        ("wide_rows_percent = ", "expected TOML"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.benchgate-nightly]\n{line}\n")
    with pytest.raises(Unreadable, match=message):
        noise.limits(tmp_path)


def test_the_limits_of_this_repository_can_be_read() -> None:
    assert noise.limits(REPOSITORY).typical_spread <= 0.05
