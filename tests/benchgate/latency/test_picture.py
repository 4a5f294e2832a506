import re
from xml.etree import ElementTree as ET

from benchgate.latency.histogram import Histogram
from benchgate.latency.picture import HEIGHT, WIDTH, svg
from benchgate.published import Percentiles
from tests.benchgate.latency.samples import PUBLISHED, latency_row

SAMPLES = [*([100] * 40 + [150] * 30 + list(range(200, 2200, 10))) * 10, 9_000_000]
HISTOGRAM = Histogram(SAMPLES)


def drawn(identity: str = "toy/state/ticker") -> str:
    row = latency_row(identity, samples=HISTOGRAM.summary)
    return svg(row, HISTOGRAM.buckets, PUBLISHED.distributions["toy/state/ticker"]).decode()


def test_bars_hold_every_sample_but_those_that_are_told_to_be_beyond() -> None:
    text = drawn()
    counts = [int(found.replace(",", "")) for found in re.findall(r"s: ([\d,]+)</title>", text)]
    assert sum(counts) == len(SAMPLES) - 1
    assert max(counts) == 400
    assert "axis; 1 beyond it, up to 9.00 ms" in text


def test_percentiles_are_marked_ours_and_theirs() -> None:
    labels = re.findall(r">((?:published )?p\d+ [^<]*)</text>", drawn())
    assert labels == ["published p50 310 ns", "p50 850 ns", "published p99 1.95 us", "p99 2.17 us"]


def test_published_percentiles_with_a_label_are_marked_by_it() -> None:
    row = latency_row("toy/state/ticker", samples=HISTOGRAM.summary)
    text = svg(row, HISTOGRAM.buckets, [Percentiles("fastlib", p99=258)]).decode()
    assert ">fastlib p99 258 ns</text>" in text


def test_a_picture_is_well_formed_stays_within_its_frame_and_fetches_nothing() -> None:
    text = drawn("toy/state/<script>&\x1b[31m")
    root = ET.fromstring(text)  # noqa: S314 - our own text
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags == {"svg", "title", "rect", "text", "line"}
    assert "\x1b" not in text
    assert text.count("http") == 1  # the namespace
    for element in root.iter():
        for name, most in (("x", WIDTH), ("x1", WIDTH), ("x2", WIDTH), ("y", HEIGHT), ("y1", HEIGHT)):
            assert 0 <= float(element.get(name, "0")) <= most


def test_samples_of_one_time_can_be_drawn() -> None:
    one = Histogram([5] * 1000)
    text = svg(latency_row("a/b/c", samples=one.summary), one.buckets, ()).decode()
    assert "slowest 5.00 ns" in text
    assert ">p99 5.00 ns</text>" in text
    zero = Histogram([0] * 10)
    assert svg(latency_row("a/b/c", samples=zero.summary), zero.buckets, ())
