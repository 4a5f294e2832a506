"""What a run of distributions leaves in `results`: a CSV for each metric, pictures, and the summary.

A CSV has the samples in the order in which they were taken, one a line; the histogram's buckets instead when
there are more than `MOST_SAMPLES`. All are made before the first is written; each is then written whole or
not at all, the summary last.
"""

from collections.abc import Iterable
from pathlib import Path

from benchgate.files import write_whole
from benchgate.latency.measuring import LatencyRow, Measured
from benchgate.latency.picture import svg
from benchgate.published import Published
from benchgate.run import Run, save

FOLDER = Path("results")
SUMMARY_PATH = FOLDER / "summary.json"
MOST_SAMPLES = 100_000


def file_of(identity: str, ending: str) -> Path:
    """Return where a metric's file is, relative to the repository's root."""
    return FOLDER / f"{identity.replace('/', '_')}{ending}"


def write(root: Path, run: Run[LatencyRow], found: Iterable[Measured], published: Published) -> list[Path]:
    """Write the files of a run; return their paths below `root`."""
    contents: dict[Path, bytes] = {}
    for measured in found:
        row = measured.row
        contents[file_of(row.id, ".csv")] = csv(measured)
        if measured.picture:
            drawn = svg(row, measured.buckets, published.distributions.get(row.id, ()))
            contents[file_of(row.id, ".svg")] = drawn
    for path, content in contents.items():
        write_whole(root / path, content)
    save(run, root / SUMMARY_PATH)
    return [*contents, SUMMARY_PATH]


def csv(measured: Measured) -> bytes:
    """Return a metric's samples or buckets as CSV, with a heading."""
    if len(measured.samples_ns) > MOST_SAMPLES:
        lines = ["lowest_ns,highest_ns,count", *(f"{a},{b},{count}" for a, b, count in measured.buckets)]
    else:
        lines = ["ns", *map(str, measured.samples_ns)]
    return "".join(f"{line}\n" for line in lines).encode()
