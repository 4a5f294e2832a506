import gc
from pathlib import Path

import pytest

from benchgate.errors import Unreadable
from benchgate.published import PATH, Figure, Percentiles, Tier, read
from tests.benchgate.samples import REPOSITORY, write

SOURCE = """
[source.one]
what = "Someone's benches"
language = "Rust"
machine = "Machine 1"
hardware = "Machine 1, cold"
statistic = "median"
covers = ["toy/"]
"""


def read_text(root: Path, text: str) -> object:
    write(root, {"published.toml": text})
    return read(root / "published.toml")


def test_figures_and_their_source(tmp_path: Path) -> None:
    write(tmp_path, {"p.toml": SOURCE + '[row."toy/parts"]\nsum = 12.5\nsort = { left = 3, right = 4.5 }\n'})
    found = read(tmp_path / "p.toml")
    assert found.of("toy/parts/sum") == (Figure("", 12.5),)
    assert found.of("toy/parts/sort") == (Figure("left", 3.0), Figure("right", 4.5))
    assert found.of("toy/parts/other") == ()
    assert found.source("toy/parts/sum").short == "Rust, Machine 1"


def test_a_rate_is_of_items_and_blocks_stand_apart(tmp_path: Path) -> None:
    text = SOURCE + '[rate."toy/parts"]\nsum = { left = 4_000_000, right = 500 }\n'
    write(tmp_path, {"p.toml": text + '[blocks."toy/parts"]\nsort = { left = 0, right = 12 }\nsum = 3\n'})
    found = read(tmp_path / "p.toml")
    left, right = found.of("toy/parts/sum")
    assert (left.text, right.text) == ("left 4.00 M/s", "right 500/s")
    assert (left.call_ns(1_000), right.call_ns(2)) == (250_000, 4_000_000)
    assert found.of("toy/parts/sort") == ()
    assert found.blocks == {"toy/parts/sort": {"left": 0, "right": 12}, "toy/parts/sum": {"": 3}}
    assert found.source("toy/parts/sort").language == "Rust"
    assert Figure("left", 12.5).text == "left 12.5 ns"
    assert Figure("left", 12.5).call_ns(1_000) == 12.5


def test_the_source_that_says_most_of_an_id_counts(tmp_path: Path) -> None:
    other = (
        SOURCE.replace("source.one", "source.two").replace('"toy/"', '"toy/parts/so"').replace("Rust", "Go")
    )
    write(tmp_path, {"p.toml": SOURCE + other + '[row."toy/parts"]\nsum = 12.5\nsort = 3\n'})
    found = read(tmp_path / "p.toml")
    assert found.source("toy/parts/sum").language == "Rust"
    assert found.source("toy/parts/sort").language == "Go"


def test_no_file_means_no_figures(tmp_path: Path) -> None:
    assert read(tmp_path / "p.toml").figures == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[row."toy/parts"]\nsum = 1\n', "expected one source that covers it, got none"),
        (SOURCE + SOURCE.replace("one", "two") + '[row."toy/parts"]\nsum = 1\n', "one.*two"),
        (SOURCE + '[row."toy/parts"]\nsum = 0\n', "sum|>= |> 0"),
        (SOURCE + '[row."toy/parts"]\nsum = "fast"\n', "Expected"),
        (SOURCE + "[rows]\n", "rows"),
        (SOURCE + '[rate."toy/parts"]\nsum = 0\n', "rate"),
        (SOURCE + '[blocks."toy/parts"]\nsum = -1\n', "blocks"),
        (SOURCE + '[blocks."toy/parts"]\nsum = 1.5\n', "blocks"),
        ('[blocks."toy/parts"]\nsum = 1\n', "expected one source that covers it, got none"),
        (SOURCE.replace('language = "Rust"\n', ""), "language"),
        ("[source", "published.toml"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(Unreadable, match=message):
        read_text(tmp_path, text)


DISTRIBUTION = SOURCE + '[distribution."toy/state"]\n'


def test_percentiles_and_tiers_are_read_beside_the_figures(tmp_path: Path) -> None:
    text = (
        DISTRIBUTION + "ticker = { n = 89033, p50 = 310, p99 = 1950 }\n"
        "report = { left = { p99 = 258 }, right = { p99_9 = 784.5, max = 900 } }\n"
        '[tiers."toy/state/ticker"]\n'
        'A = { hardware = "Machine 1", p50 = 310, p95 = [600, 980] }\n'
    )
    write(tmp_path, {"p.toml": text})
    found = read(tmp_path / "p.toml")
    gc.collect()  # a union of msgspec's that the collector cannot visit has been here before
    assert found.figures == {}
    assert found.distributions == {
        "toy/state/ticker": (Percentiles(n=89_033, p50=310, p99=1950),),
        "toy/state/report": (Percentiles("left", p99=258), Percentiles("right", p99_9=784.5, max=900)),
    }
    assert found.tiers == {"toy/state/ticker": {"A": Tier("Machine 1", 310, [600, 980])}}
    assert found.source("toy/state/report").language == "Rust"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (DISTRIBUTION + "ticker = { p51 = 3 }\n", "toy/state/ticker.*p51"),
        (DISTRIBUTION + "ticker = { p50 = 0 }\n", "toy/state/ticker.*> 0"),
        (DISTRIBUTION + "ticker = { n = 1.5, p50 = 3 }\n", "toy/state/ticker.*int"),
        (DISTRIBUTION + "ticker = { p50 = 3, left = { p50 = 3 } }\n", "toy/state/ticker"),
        (DISTRIBUTION + "ticker = { n = 3 }\n", "expected percentiles, got none"),
        (DISTRIBUTION + "ticker = {}\n", "expected percentiles, got none"),
        (DISTRIBUTION + "ticker = 3\n", "Expected"),
        (DISTRIBUTION.replace('covers = ["toy/"]', 'covers = ["x/"]') + "t = { p50 = 3 }\n", "got none"),
        (SOURCE + '[tiers."toy/x/y"]\nA = { hardware = "1", p50 = 3 }\n', "p95"),
        (SOURCE + '[tiers."toy/x/y"]\nA = { hardware = "1", p50 = [3, 2], p95 = 4 }\n', "from low to high"),
        (SOURCE + '[tiers."toy/x/y"]\nA = { hardware = "1", p50 = [3], p95 = 4 }\n', "from low to high"),
        (SOURCE + '[tiers."else/x/y"]\nA = { hardware = "1", p50 = 3, p95 = 4 }\n', "got none"),
    ],
)
def test_percentiles_and_tiers_that_do_not_fit_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(Unreadable, match=message):
        read_text(tmp_path, text)


def test_the_repository_s_figures() -> None:
    found = read(REPOSITORY / PATH)
    nautilus = [key for key in found.figures if found.source(key).what.startswith("NautilusTrader")]
    assert len(nautilus) == 35
    assert found.of("derive/signing/sign_trade_action") == (Figure("", 42000.0),)
    assert found.of("derive/parse_only/orderbook_deltas") == (Figure("", 49.9),)
    source = found.source("derive/atom/uuid4_new")
    assert (source.language, source.machine, source.statistic) == ("Rust", "Threadripper 9980X", "median")
    percentiles = found.distributions["fix/parse/execution_report_p99"]
    assert percentiles == (Percentiles("nexusfix", p99=258), Percentiles("quickfix", p99=784))
    assert found.source("fix/parse/execution_report_p99").language == "C++"
