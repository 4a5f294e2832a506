from pathlib import Path

import pytest

from benchgate.errors import Unreadable
from benchgate.published import PATH, Figure, read
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
        (SOURCE.replace('language = "Rust"\n', ""), "language"),
        ("[source", "published.toml"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, text: str, message: str) -> None:
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
