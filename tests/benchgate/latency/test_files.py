import csv as standard_csv
from array import array
from pathlib import Path

import pytest

from benchgate.latency import files
from benchgate.latency.histogram import Histogram
from benchgate.latency.measuring import KIND, LatencyRow, Measured
from benchgate.run import load
from tests.benchgate.latency.samples import PUBLISHED, latency_row, latency_run


def measured(identity: str, samples_ns: list[int], *, picture: bool = False) -> Measured:
    histogram = Histogram(samples_ns)
    row = latency_row(identity, samples=histogram.summary)
    return Measured(row, array("q", samples_ns), histogram.buckets, picture)


FEW = measured("toy/state/ticker", [500, 100, 100], picture=True)
MANY = measured("toy/parse/report", [100, 5000, 100_000, 100] * (files.MOST_SAMPLES // 4 + 1))


def read(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(standard_csv.reader(file))


def test_samples_are_kept_in_order_and_many_as_buckets(tmp_path: Path) -> None:
    run = latency_run(FEW.row, MANY.row)
    written = files.write(tmp_path, run, [FEW, MANY], PUBLISHED)
    assert [str(path) for path in written] == [
        "results/toy_state_ticker.csv",
        "results/toy_state_ticker.svg",
        "results/toy_parse_report.csv",
        "results/summary.json",
    ]
    assert read(tmp_path / written[0]) == [["ns"], ["500"], ["100"], ["100"]]
    heading, *rows = read(tmp_path / written[2])
    assert heading == ["lowest_ns", "highest_ns", "count"]
    assert rows[0] == ["100", "100", str(files.MOST_SAMPLES // 2 + 2)]
    assert sum(int(row[2]) for row in rows) == len(MANY.samples_ns)
    assert load(tmp_path / files.SUMMARY_PATH, KIND, LatencyRow) == run
    assert sorted(path.name for path in (tmp_path / "results").iterdir()) == sorted(
        path.name for path in written
    )


def test_an_interrupted_write_leaves_whole_files_and_the_old_summary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write(tmp_path, latency_run(FEW.row), [FEW], PUBLISHED)
    before = {path: path.read_bytes() for path in (tmp_path / "results").iterdir()}

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        files.write(tmp_path, latency_run(MANY.row), [MANY], PUBLISHED)
    assert {path: path.read_bytes() for path in (tmp_path / "results").iterdir()} == before


def test_nothing_is_written_before_all_can_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "svg", fail)
    with pytest.raises(KeyboardInterrupt):
        files.write(tmp_path, latency_run(MANY.row, FEW.row), [MANY, FEW], PUBLISHED)
    assert not list(tmp_path.iterdir())
