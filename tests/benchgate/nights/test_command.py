"""The command from end to end: on benches that are really measured, and on passes that are given."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from benchgate import baseline
from benchgate.cli import main
from benchgate.nights import passes, record, store
from benchgate.rows import WallclockRow
from benchgate.run import Failure, GitState, Run, load
from tests.benchgate.nights import samples
from tests.benchgate.nights.samples import IDS
from tests.benchgate.samples import ENVIRONMENT, command, environment_variables, make_repository, write
from tests.benchgate.test_published import SOURCE

LIMITS = "[tool.benchgate-nightly]\n" + "".join(
    f"{name}_percent = {percent}\n"
    for name, percent in {"typical_spread": 100, "wide_spread": 100, "wide_rows": 100, "cpu_share": 1}.items()
)
CALM = ({IDS[0]: 102.4, IDS[1]: 50.2}, {IDS[0]: 102.0, IDS[1]: 50.0}, {IDS[0]: 101.0, IDS[1]: 49.9})


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    command = ["git", *identity, *arguments]
    subprocess.run(command, cwd=root, check=True, capture_output=True)  # noqa: S603 - our own command


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A committed repository with an older baseline."""
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    root = tmp_path / "repository"
    write(
        root,
        {
            ".gitignore": "/results/\n",
            "pyproject.toml": "",
            "benches/ids.txt": "".join(f"{identity}\n" for identity in sorted(IDS)),
            "benches/published.toml": SOURCE,
            "BENCHMARKS.md": "# Benchmarks\n",
        },
    )
    [old, *_] = samples.passes({IDS[0]: 300.0, IDS[1]: 300.0})
    baseline.record(old, root)
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "First")
    return root


@pytest.fixture
def history(tmp_path: Path) -> Path:
    return tmp_path / "kept" / "nights.jsonl"


def night_of(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    medians: Sequence[dict[str, float]] = CALM,
    *,
    day: int = 0,
    failures: tuple[Failure, ...] = (),
    **more: object,
) -> None:
    """Let the next night have these passes, after a warm-up."""
    facts = {"git": GitState.read(root), "failures": failures, **more}
    runs: Iterator[Run[WallclockRow]] = iter(samples.passes(medians[0], *medians, day=day, **facts))
    monkeypatch.setattr(passes, "passes_of", lambda *_: lambda: next(runs))


def nightly(root: Path, *options: str | Path) -> int:
    return main(["--root", str(root), "nightly", *map(str, options)])


def tracked(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and not {".git", "results"} & set(path.parts)
    }


def test_a_calm_night_becomes_the_baseline_and_joins_the_history(
    root: Path, history: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    night_of(root, monkeypatch)
    assert nightly(root, "--write", "--history", history) == 0
    written = load(root / baseline.DATA_PATH, "wallclock", WallclockRow)
    [expected] = samples.passes(CALM[1])
    assert written.rows == expected.rows
    assert written.created == expected.created.replace(minute=expected.created.minute + 2)
    assert baseline.faults(root) == ()
    [kept] = store.read(history).nights
    assert kept == record.load(root / "results/nightly/night.json")
    assert [row.median_ns for row in kept.rows] == [102, 50]
    assert "No change can be told yet" in capsys.readouterr().out
    assert "No change can be told yet" in (root / "results/nightly/summary.md").read_text()


def test_alone_it_measures_and_keeps_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tracked(root)
    night_of(root, monkeypatch)
    assert nightly(root) == 0
    assert tracked(root) == before
    names = {path.name for path in (root / "results/nightly").iterdir()}
    assert names == {"night.json", "run.json", "summary.md"}


def test_a_step_is_reported_on_the_fourth_night(
    root: Path, history: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    heads = []
    for day in range(19):
        slower = 1.06 if day >= 15 else 1.0
        medians = [found | {IDS[0]: found[IDS[0]] * slower} for found in CALM]
        night_of(root, monkeypatch, medians, day=day, git=samples.commit(day))
        assert nightly(root, "--history", history) == 0
        text = (root / "results/nightly/summary.md").read_text()
        heads.append(next(line for line in text.splitlines() if line.startswith("**")))
    assert heads[9:] == [
        "**No change can be told yet: 9 nights of this machine before, 10 are needed.**",
        *["**No row changed.**"] * 8,
        "**1 row changed: 1 slower, 0 faster.**",
    ]
    assert f"+6.0 %  {IDS[0]}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("medians", "more", "code", "message"),
    [
        ((CALM[0], CALM[1], {IDS[0]: 106.0, IDS[1]: 60.0}), {}, 3, "noisier than its limits"),
        (CALM, {"cpu_share": 0.9}, 3, "pass 1 had 90 % of a CPU"),
        (
            ({IDS[0]: 1.0},) * 3,
            {},
            2,
            "toy/parts/sum is listed in benches/ids.txt but missing from the night",
        ),
        (CALM, {"failures": (Failure("toy/parts/x", "E"),)}, 2, "toy/parts/x: E"),
        (CALM, {"environment": msgspec.structs.replace(ENVIRONMENT, boost="on")}, 3, "clock boost on"),
        (CALM, {"pace": "quick"}, 2, "a quick night"),
    ],
)
def test_a_night_that_cannot_be_kept_leaves_everything_as_it_was(  # noqa: PLR0917 - fixtures and parameters
    root: Path,
    history: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    medians: Sequence[dict[str, float]],
    more: dict[str, object],
    code: int,
    message: str,
) -> None:
    night_of(root, monkeypatch)
    assert nightly(root, "--history", history) == 0
    before, kept = tracked(root), history.read_bytes()
    night_of(root, monkeypatch, medians, day=1, **more)  # type: ignore[arg-type]  # a test may pass any fact
    assert nightly(root, "--write", "--history", history) == code
    assert message in capsys.readouterr().err
    assert tracked(root) == before
    assert history.read_bytes() == kept


def test_local_changes_and_quickness_are_refused_before_anything_is_measured(
    root: Path, history: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(passes, "passes_of", lambda *_: pytest.fail("measured"))
    assert nightly(root, "--quick", "--history", history) == 2
    (root / "new.py").write_text("")
    for keep in (["--write"], ["--history", history]):
        assert nightly(root, *keep) == 2
        assert "new.py\nbenchgate: a night is of a commit" in capsys.readouterr().err
    history.parent.mkdir(parents=True)
    history.write_text("damaged\n")
    assert nightly(root, "--history", history) == 2
    assert "line 1: not a night" in capsys.readouterr().err


def test_a_night_measured_elsewhere_is_kept_as_if_it_had_been_measured_here(
    root: Path, history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    night_of(root, monkeypatch)
    assert nightly(root) == 0
    folder = (root / "results/nightly").rename(tmp_path / "night")
    monkeypatch.setattr(passes, "passes_of", lambda *_: pytest.fail("measured"))
    for _ in range(2):  # a job may run again
        assert nightly(root, "--from", folder, "--write", "--history", history) == 0
    assert len(store.read(history).nights) == 1
    assert baseline.faults(root) == ()
    assert load(root / baseline.DATA_PATH, "wallclock", WallclockRow).rows[0].median_ns == 102


def test_elsewhere_is_no_way_past_the_limits(
    root: Path, history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpinned = msgspec.structs.replace(ENVIRONMENT, hypervisor="yes")
    before = tracked(root)
    for name, medians, more in (
        ("noisy", (CALM[0], CALM[1], {IDS[0]: 120.0, IDS[1]: 60.0}), {}),
        ("unpinned", CALM, {"environment": unpinned}),
    ):
        night_of(root, monkeypatch, medians, **more)  # type: ignore[arg-type]  # a test may pass any fact
        nightly(root, "--unpinned")
        folder = (root / "results/nightly").rename(tmp_path / name)
        assert nightly(root, "--from", folder, "--write", "--history", history) == 3
    assert tracked(root) == before
    assert not history.exists()


def test_the_job_s_summary_is_added_to_also_when_the_night_is_refused(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("Before.\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    night_of(root, monkeypatch, (CALM[0], CALM[1], {IDS[0]: 120.0, IDS[1]: 60.0}))
    assert nightly(root) == 3
    assert summary.read_text() == "Before.\n" + (root / "results/nightly/summary.md").read_text()
    assert "### Noisier than the limits" in summary.read_text()


def test_real_benches_are_measured_in_four_passes(tmp_path: Path) -> None:
    root = make_repository(tmp_path)
    with (root / "pyproject.toml").open("a") as file:
        file.write(LIMITS)
    variables = environment_variables() | {"GITHUB_STEP_SUMMARY": os.devnull}
    done = subprocess.run(  # noqa: S603 - our own command
        command("nightly", "--quick", "--unpinned"),
        cwd=root,
        env=variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    # A busy machine may make rows differ by more than all that can be allowed.
    assert done.returncode in {0, 3}, done.stdout + done.stderr
    assert done.stdout.count("[4/4] toy/") == 4
    night = record.load(root / "results/nightly/night.json")
    middle = load(root / "results/nightly/run.json", "wallclock", WallclockRow)
    assert sorted(row.id for row in night.rows) == (root / "benches/ids.txt").read_text().splitlines()
    assert middle.created in [one.created for one in night.passes]
    assert night.pace == "quick"
    assert len({one.created for one in night.passes}) == 3


def test_real_benches_on_a_machine_that_is_not_pinned_are_refused_after_the_warm_up(tmp_path: Path) -> None:
    done = subprocess.run(  # noqa: S603 - our own command
        command("nightly", "--quick"),
        cwd=make_repository(tmp_path),
        env=environment_variables(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if "Measured pass 1" in done.stdout:
        pytest.skip("this machine is pinned")
    assert done.returncode == 3
    assert "benchgate: the machine is not pinned, scripts/pinned.sh pins one\n" in done.stderr
    assert not (tmp_path / "results").exists()
