import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchgate.errors import CouldNotRun, CouldNotTell, Unreadable
from benchgate.nights import passes
from benchgate.nights.record import NIGHT, RUN
from benchgate.rows import WallclockRow
from benchgate.run import GitState, Run
from benchgate.run import save as save_run
from tests.benchgate.nights import samples
from tests.benchgate.nights.samples import IDS
from tests.benchgate.samples import ENVIRONMENT, row

LOOSE = msgspec.structs.replace(ENVIRONMENT, aslr="on", hypervisor="yes")
WARM_UP = {IDS[0]: 9000.0, IDS[1]: 9000.0}


def measured(*medians: dict[str, float], **more: Any) -> Iterator[Run[WallclockRow]]:
    return iter(samples.passes(*medians, **more))


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    command = ["git", *identity, *arguments]
    done = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)  # noqa: S603 - own
    return done.stdout.strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with a commit."""
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "First")
    return tmp_path


def saved(root: Path) -> Path:
    """A night of the commit at `root`, in a folder; its second pass is the middle one."""
    here = GitState.read(root)
    assert here.commit
    runs = measured(WARM_UP, {IDS[0]: 104}, {IDS[0]: 102}, {IDS[0]: 100}, git=here)
    night, middle = passes.measure_night(lambda: next(runs), lambda _: None, unpinned=False)
    folder = root.parent / f"{root.name}-night"
    passes.save(night, middle, folder)
    return folder


def test_the_warm_up_s_figures_are_dropped_and_the_middle_pass_is_one_as_it_was() -> None:
    said: list[str] = []
    runs = list(measured(WARM_UP, {IDS[0]: 104}, {IDS[0]: 102}, {IDS[0]: 100}))
    left = iter(runs)
    night, middle = passes.measure_night(lambda: next(left), said.append, unpinned=False)
    assert night.rows[0].median_ns == 102
    assert middle is runs[2]
    assert [len(said), said[0]] == [4, "Warm-up pass: its figures are dropped."]


def test_a_machine_that_is_not_pinned_is_refused_after_one_pass_unless_it_may_be() -> None:
    runs = measured(*[{IDS[0]: 100.0}] * 4, environment=LOOSE)
    with pytest.raises(CouldNotTell, match="not pinned") as caught:
        passes.measure_night(lambda: next(runs), lambda _: None, unpinned=False)
    assert caught.value.faults == ("ASLR on", "virtual machine")
    assert len(list(runs)) == 3
    runs = measured(*[{IDS[0]: 100.0}] * 4, environment=LOOSE)
    night, _ = passes.measure_night(lambda: next(runs), lambda _: None, unpinned=True)
    assert not night.environment.pinned


def test_passes_without_a_common_row_are_no_night() -> None:
    runs = measured({}, {IDS[0]: 1}, {IDS[1]: 1}, {IDS[1]: 1})
    with pytest.raises(CouldNotRun, match="no bench has a figure of every pass") as caught:
        passes.measure_night(lambda: next(runs), lambda _: None, unpinned=False)
    assert caught.value.faults == (
        f"{IDS[0]}: measured in 1 of 3 passes",
        f"{IDS[1]}: measured in 2 of 3 passes",
    )


def test_a_night_is_read_back_with_its_middle_pass(root: Path) -> None:
    night, middle = passes.load(saved(root), root)
    assert night.rows[0].median_ns == 102
    assert middle.rows[0].median_ns == 102


def test_a_night_of_another_commit_is_refused(root: Path) -> None:
    folder = saved(root)
    git(root, "commit", "--quiet", "--allow-empty", "--message", "Second")
    with pytest.raises(CouldNotTell, match="the night is of another commit"):
        passes.load(folder, root)


def test_a_night_is_refused_where_files_differ_from_the_commit(root: Path) -> None:
    folder = saved(root)
    (root / "new.py").write_text("")
    with pytest.raises(CouldNotTell, match="with local changes"):
        passes.load(folder, root)


@pytest.mark.parametrize(
    ("altered", "named"),
    [
        ({"git": GitState("ab" * 20, dirty=False)}, "git differ"),
        ({"environment": LOOSE}, "environment differ"),
        ({"pace": "quick"}, "pace differ"),
        ({"cpu_share": 0.5}, "rows differ"),
        ({"rows": (row(IDS[0], 102.1, 1.02),)}, "rows differ"),
        ({"rows": ()}, "rows differ"),
    ],
)
def test_a_run_that_is_not_the_middle_pass_is_refused(
    root: Path, altered: dict[str, object], named: str
) -> None:
    folder = saved(root)
    _, middle = passes.load(folder, root)
    save_run(msgspec.structs.replace(middle, **altered), folder / RUN)
    with pytest.raises(Unreadable, match=rf"not the middle pass of night\.json: .*{named}"):
        passes.load(folder, root)


def test_a_run_whose_texts_are_not_plain_is_refused(root: Path) -> None:
    folder = saved(root)
    _, middle = passes.load(folder, root)
    save_run(msgspec.structs.replace(middle, collector="off\n\n# A heading"), folder / RUN)
    with pytest.raises(Unreadable, match="expected one plain line"):
        passes.load(folder, root)


@pytest.mark.parametrize("name", [NIGHT, RUN])
def test_a_missing_file_is_named(root: Path, name: str) -> None:
    folder = saved(root)
    (folder / name).unlink()
    with pytest.raises(Unreadable, match=name):
        passes.load(folder, root)
