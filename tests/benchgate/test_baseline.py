import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchgate import baseline, document
from benchgate.cli import main
from benchgate.errors import Incomplete, Unreadable
from benchgate.gate import record
from benchgate.interleave import Standing
from benchgate.peers import ClaimResult, PeersRow
from benchgate.rows import Items, WallclockRow
from benchgate.run import Failure, Run, load, save
from benchgate.wallclock import unsteady
from tests.benchgate.conftest import RunCli
from tests.benchgate.gate.records import case, noop, selftest, spread, steadiness
from tests.benchgate.samples import ENVIRONMENT, REPOSITORY, WHOLE, row, run, write
from tests.benchgate.test_published import SOURCE

RUN = run(
    row("toy/parts/sum", 98.7, 0.5),
    row("toy/parts/sort", 40_000, 300, items=Items(40, "numbers")),
    row("toy/pipe/x", 42_100, 400, components=("toy/parts/sum", "toy/parts/sort")),
    row("toy/pipe/y", 50_000, 400, components=("toy/parts/sort",)),
)
FIGURES = SOURCE + '[row."toy/parts"]\nsum = 50\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(
        tmp_path,
        {
            "benches/ids.txt": "toy/parts/sort\ntoy/parts/sum\ntoy/pipe/x\ntoy/pipe/y\n",
            "benches/published.toml": FIGURES,
            "BENCHMARKS.md": "# Benchmarks\n\nWritten by hand.\n",
        },
    )
    baseline.record(RUN, tmp_path)
    return tmp_path


def section(root: Path, name: str) -> str:
    return document.sections((root / "BENCHMARKS.md").read_text())[name]


def test_recorded_document_agrees_with_the_data(root: Path) -> None:
    assert baseline.faults(root) == ()
    assert (root / "BENCHMARKS.md").read_text().startswith("# Benchmarks\n\nWritten by hand.\n")


def test_tables_hold_both_figures_their_ratio_and_the_source(root: Path) -> None:
    assert "| `sum` | 98.7 ns | 1.00 ns | 50.0 ns | 1.97 x | Rust, Machine 1 |\n" in section(
        root, "toy/parts"
    )
    assert "Published: Someone's benches (Rust), median; Machine 1, cold.\n" in section(root, "toy/parts")
    assert "| `toy/parts/sort` | 40.0 us | 600 ns | 1.00 M numbers |\n" in section(root, "extra")
    assert "toy/parts/sum" not in section(root, "extra")
    assert "| `toy/pipe/x` | 42.1 us | 95 % | parts/sum 98.7 ns + parts/sort 40.0 us |\n" in section(
        root, "explained"
    )
    assert section(root, "explained").endswith("|\n\n- x, y share toy/parts/sort\n")


def test_environment_is_told(root: Path) -> None:
    text = section(root, "environment")
    assert text.startswith(
        "Measured on a pinned machine. 0 of 4 rows have an IQR above 10 % of the median.\n"
    )
    for fact in (
        "2026-03-01 12:30 UTC",
        "Imaginary 9000",
        "6.1.0",
        "performance",
        "CPython 3.11.9",
        "msgspec 0.20.0",
    ):
        assert fact in text
    assert "0123456789" in text


def test_a_run_that_had_its_cpu_is_recorded_with_its_share(root: Path) -> None:
    baseline.record(run(*RUN.rows, cpu_share=0.95), root)
    assert "| CPU time | 95 % of the time measured |\n" in section(root, "environment")


def test_a_pipe_in_code_does_not_end_its_cell(root: Path) -> None:
    extra = row("toy/more/x[a|b]", 100, 1)
    write(root, {"benches/ids.txt": "toy/more/x[a|b]\n" + (root / "benches/ids.txt").read_text()})
    baseline.record(run(*RUN.rows, extra), root)
    assert r"| `toy/more/x[a\|b]` | 100 ns |" in section(root, "extra")


def test_unpinned_machine_is_labelled_first(root: Path) -> None:
    elsewhere = msgspec.structs.replace(ENVIRONMENT, aslr="on")
    baseline.record(run(*RUN.rows, environment=elsewhere), root)
    assert section(root, "environment").startswith("> **Not measured on a pinned machine** (ASLR on)")


def test_rows_with_wide_quartiles_are_counted_first(root: Path) -> None:
    wide = (row("toy/parts/sort", 100, 5), row("toy/parts/sum", 100, 5.1), *RUN.rows[2:])
    baseline.record(run(*wide), root)
    paragraph = section(root, "environment").split("\n\n")[0]
    assert "1 of 4 rows have an IQR above 10 % of the median." in paragraph
    assert unsteady(wide) == ("toy/parts/sum",)


def test_peers_are_shown_with_their_claims(root: Path) -> None:
    assert section(root, "peers") == "No comparison has been recorded.\n"
    standings = (
        Standing(name="floor", median_ns=100, ratio=1.0, p25=1.0, p75=1.0, calls=9),
        Standing(name="ours", median_ns=140, ratio=1.4, p25=1.38, p75=1.43, calls=9),
        Standing(name="theirs", absent="not installed: theirs"),
    )
    claims = (
        ClaimResult("ours takes at most 1.3 x the time of floor", ratio=1.5, holds=False),
        ClaimResult("ours takes at most 1.39 x the time of floor", 1.4, holds=None, p25=1.38, p75=1.43),
    )
    peers_row = PeersRow(
        id="toy/parts/sum",
        reference="floor",
        note="All the same.",
        rounds=9,
        standings=standings,
        claims=claims,
    )
    recorded: Any = msgspec.structs.replace(run(), kind="peers", rows=(peers_row,))
    save(recorded, root / "benches/peers.json")
    assert baseline.faults(root) == (
        "toy/parts/sum is in benches/peers.json but not declared",
        "BENCHMARKS.md: section peers differs from the data",
    )
    baseline.write_document(root)
    text = section(root, "peers")
    assert "| ours | 140 ns | 1.40 x | 1.38 to 1.43 |\n" in text
    assert "| floor | 100 ns | 1.00 x | - |\n" in text
    assert "| theirs | - | - | not installed: theirs |\n" in text
    assert "- ours takes at most 1.3 x the time of floor: does not hold (1.50 x)\n" in text
    assert "of floor: too close to tell (1.40 x, quartiles 1.38 to 1.43)\n" in text


def test_what_is_recorded_of_the_gate_is_shown_once_there_is_a_record(root: Path) -> None:
    records: dict[Path, record.Steadiness | record.SelfTest] = {
        record.STEADINESS_PATH: steadiness(spread("toy/parts/sum", 0.0012)),
        record.SELFTEST_PATH: selftest(case(), noops=(noop(),)),
    }
    assert (
        not {"gate-steadiness", "gate-selftest"}
        & document.sections((root / "BENCHMARKS.md").read_text()).keys()
    )
    for path, recorded in records.items():
        record.save(recorded, root / path)
    assert baseline.faults(root) == (
        "BENCHMARKS.md: section gate-steadiness is missing",
        "BENCHMARKS.md: section gate-selftest is missing",
    )
    baseline.write_document(root)
    assert baseline.faults(root) == ()
    assert (
        "## What the gate finds\n\n<!-- begin generated: gate-selftest -->"
        in (root / "BENCHMARKS.md").read_text()
    )
    assert "| `toy/parts/sum` | 12,345 | 0.12 % |" in section(root, "gate-steadiness")
    record.save(steadiness(spread("toy/parts/sum", 0.0013)), root / record.STEADINESS_PATH)
    assert baseline.faults(root) == ("BENCHMARKS.md: section gate-steadiness differs from the data",)
    baseline.write_document(root)
    (root / record.SELFTEST_PATH).unlink()
    assert baseline.faults(root) == ("BENCHMARKS.md: section gate-selftest is generated from nothing",)
    (root / record.STEADINESS_PATH).write_text("{")
    with pytest.raises(Unreadable, match=r"steadiness\.json: truncated"):
        baseline.faults(root)


def test_each_drift_is_one_line(root: Path) -> None:
    path = root / "BENCHMARKS.md"
    path.write_text(path.read_text().replace("98.7 ns", "88.7 ns"))
    assert baseline.faults(root) == (
        "BENCHMARKS.md: section toy/parts differs from the data",
        "BENCHMARKS.md: section explained differs from the data",
    )


def test_ids_and_published_rows_must_be_in_the_data(root: Path) -> None:
    write(root, {"benches/ids.txt": "toy/parts/new\ntoy/parts/sort\ntoy/parts/sum\ntoy/pipe/y\n"})
    write(root, {"benches/published.toml": FIGURES + "absent = 3\n"})
    assert baseline.faults(root) == (
        "toy/parts/new is listed in benches/ids.txt but missing from benches/baseline.json",
        "toy/pipe/x is in benches/baseline.json but not listed in benches/ids.txt",
        "toy/parts/absent has a published figure but is missing from benches/baseline.json",
    )


@pytest.mark.parametrize(
    "incomplete",
    [
        run(*RUN.rows, failures=(Failure("toy/parts/sum", "AssertionError"),)),
        run(*RUN.rows[:2]),
        run(*RUN.rows, cpu_share=0.9499),
    ],
)
def test_incomplete_run_leaves_everything_as_it_was(root: Path, incomplete: Run[WallclockRow]) -> None:
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    with pytest.raises(Incomplete):
        baseline.record(incomplete, root)
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def test_interrupted_document_leaves_the_old_one_whole(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (root / "BENCHMARKS.md").read_bytes()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        baseline.write_document(root)
    assert (root / "BENCHMARKS.md").read_bytes() == before


def test_without_data_there_is_nothing_to_check(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match=r"baseline\.json: no such file"):
        baseline.faults(tmp_path)


def test_baseline_is_measured_checked_and_drifts(
    repository: Path, cli: RunCli, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (repository / "benches/toy/bench_whole.py").unlink()
    readme = "<!-- begin generated: run -->\n<!-- end generated: run -->\n"
    write(repository, {"benches/ids.txt": "toy/parts/sort\ntoy/parts/sum\n", "README.md": readme})
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY / "src"))
    monkeypatch.setattr("benchgate.wallclock.WHOLE_CPU", 0.0)  # the machine that tests may be busy
    code = main(["--root", str(repository), "baseline"])
    output, complaint = capfd.readouterr()
    assert code == 0, output + complaint
    assert "of 2 rows have an IQR above 10 % of the median" in output
    assert output.endswith("Written to benches/baseline.json, BENCHMARKS.md and README.md.\n")
    made = load(repository / "benches/baseline.json", "wallclock", WallclockRow)
    assert ("Not a pinned machine (" in output) is not made.environment.pinned
    assert made.pace == "full"
    assert cli("baseline", "--check").returncode == 0
    path = repository / "BENCHMARKS.md"
    path.write_text(path.read_text().replace("| `toy/parts/sum` |", "| `toy/parts/som` |"))
    drifted = cli("baseline", "--check")
    assert drifted.returncode == 1
    assert drifted.stderr.splitlines() == [
        "BENCHMARKS.md: section extra differs from the data",
        "benchgate: the baseline is out of date",
    ]
    assert cli("baseline", "--write").returncode == 0
    assert cli("baseline", "--check").returncode == 0
    data = repository / "benches/baseline.json"
    data.write_bytes(data.read_bytes()[:-20])
    damaged = cli("baseline", "--check")
    assert damaged.returncode == 2
    assert "truncated" in damaged.stderr


def test_baseline_of_a_tree_with_changes_is_refused(repository: Path, cli: RunCli) -> None:
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-C", str(repository)]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "begin"]):
        subprocess.run([*git, *arguments], check=True)  # noqa: S603 - our own arguments
    write(repository, {"benches/toy/bench_more.py": WHOLE, "BENCHMARKS.md": "# Mine\n"})
    refused = cli("baseline")
    assert refused.returncode == 2
    assert refused.stderr.splitlines() == [
        "benches/toy/bench_more.py",
        "benchgate: a baseline is of a commit: commit these files first, or remove them",
    ]
    assert not (repository / "benches/baseline.json").exists()
