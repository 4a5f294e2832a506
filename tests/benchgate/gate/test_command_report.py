"""What the command gate leaves in a repository of toys: one whole report of the last run, or none."""

import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchgate import cli
from benchgate.counting import Counted
from benchgate.files import write_whole
from benchgate.gate import report as reports
from tests.benchgate.gate.checkouts import environment
from tests.benchgate.gate.toys import (
    HOLD,
    IDS,
    SLOWER,
    Place,
    count_by_text,
    pictures,
    require_clean,
    require_failure,
    survey_by_list,
    told,
    toy,
)
from tests.benchgate.samples import REPOSITORY

MODELLED = """
import sys
from benchgate import cli
from benchgate.gate import command, passes
from tests.benchgate.gate import toys
command.simulator.find = lambda: toys.VALGRIND
command.survey, passes.count = toys.survey_by_list, toys.count_by_text
sys.exit(cli.main(sys.argv[1:]))
"""


def test_an_earlier_report_is_never_taken_for_that_of_a_later_run(
    quick: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = toy(tmp_path / "toy")
    made.commit({"src/toy.py": SLOWER})
    assert len(quick.gate(made.root).files) == 3 * 3 + 2
    require_failure(quick.gate(made.root, "mian"), "no branch, tag or commit 'mian'")
    require_failure(quick.gate(made.root, "nain"), "no branch, tag or commit 'nain'")
    # What took minutes is not lost over a slip of the hand, nor over two.
    previous = made.root / reports.FOLDER.with_name(reports.PREVIOUS)
    assert len(reports.load(previous / reports.REPORT).slower) == 3
    assert len(list((previous / "flames").iterdir())) == 9
    assert quick.gate(made.root).code == 1
    # It may be elsewhere, by a link; what the link leads to is not ours.
    elsewhere = tmp_path / "elsewhere"
    (made.root / reports.FOLDER).rename(elsewhere)
    (made.root / reports.FOLDER).symlink_to(elsewhere)
    require_failure(quick.gate(made.root, "mian"), "no branch, tag or commit 'mian'")
    assert (elsewhere / reports.REPORT).exists()
    remove = shutil.rmtree

    def refuse(path: Path, *, ignore_errors: bool = False) -> None:
        if path != made.root / reports.FOLDER:
            remove(path, ignore_errors=ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", refuse)
    assert cli.main(["--root", str(made.root), "gate", "main"]) == 2
    assert capsys.readouterr().err.endswith("cannot be removed: remove it by hand\n")


def test_the_comment_goes_to_a_workflow_s_summary_as_well(
    quick: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = toy(tmp_path / "toy")
    summary = tmp_path / "summary.md"
    summary.write_text("Before.\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    first = quick.gate(made.root).comment
    assert summary.read_text(encoding="utf-8") == f"Before.\n{first}"
    second = quick.gate(made.root, "mian").comment
    assert summary.read_text(encoding="utf-8") == f"Before.\n{first}{second}"
    # The verdict stands where the summary cannot be written.
    made.commit({"src/toy.py": SLOWER})
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "no/folder"))
    found = quick.gate(made.root)
    assert (found.code, len(found.report.slower)) == (1, 3)
    assert (
        found.err == f"benchgate: GITHUB_STEP_SUMMARY: {tmp_path / 'no/folder'}: No such file or directory\n"
    )
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "")
    assert quick.gate(made.root).err == ""


FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("number", [1, 3, 11])
def test_a_report_that_does_not_fit_on_the_disk_is_not_left_in_part(
    quick: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    made = toy(tmp_path / "toy")
    made.commit({"src/toy.py": SLOWER})
    written: list[Path] = []

    def write_until_full(path: Path, content: bytes) -> None:
        written.append(path)
        write_whole(path, content if len(written) < number else content[:1])
        if len(written) == number:
            raise FULL

    monkeypatch.setattr("benchgate.files.write_whole", write_until_full)
    found = quick.gate(made.root)
    assert (found.code, len(written)) == (2, number)
    where = made.root / reports.FOLDER
    assert found.err == f"benchgate: {where}: the report cannot be written: No space left on device\n"
    assert not where.exists()


@pytest.mark.parametrize("limit", [1_000, 2_000])
def test_a_report_that_the_system_cuts_off_is_not_left_in_part(
    quick: Place, tmp_path: Path, limit: int
) -> None:
    """Really refused by the system, as on a full disk, in the middle of a file; Python ignores the signal."""
    made = toy(tmp_path / "toy")
    made.commit({"src/toy.py": SLOWER})
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        found = quick.gate(made.root)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    where = made.root / reports.FOLDER
    assert (found.code, found.err) == (
        2,
        f"benchgate: {where}: the report cannot be written: File too large\n",
    )
    assert not where.exists()


def test_a_full_disk_beside_the_report_is_named(
    quick: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = toy(tmp_path / "toy")

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(quick.temporary / "benchgate-000/x"))

    monkeypatch.setattr("benchgate.gate.passes.count", fail)
    found = quick.gate(made.root)
    require_failure(found, "benchgate-000/x: No space left on device: free some space, or set TMPDIR")
    # What went wrong first is still said when the report has no space either.
    monkeypatch.setattr("benchgate.files.write_whole", fail)
    found = quick.gate(made.root)
    assert "the report cannot be written: No space left on device" in found.err.splitlines()[0]
    assert "free some space" in found.complaint
    assert found.files == set()


def test_what_was_counted_while_packages_were_installed_tells_nothing(
    quick: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = toy(tmp_path / "toy")
    made.commit({"src/toy.py": SLOWER})
    states = iter([frozenset({"a 1", "b 1"}), frozenset({"a 2", "b 1"})])
    monkeypatch.setattr("benchgate.gate.meanwhile.installed", lambda: next(states))
    found = quick.gate(made.root)
    assert found.code == 3
    assert set(told(found.report).values()) == {("compared", "could not tell")}
    assert (
        "packages were installed or removed while it counted (a 1, a 2): run the gate again" in found.comment
    )


@pytest.mark.parametrize(
    ("edited", "is_noticed"),
    [
        ("src/toy.py", True),
        ("src/new.py", True),
        ("benches/toy/bench_work.py", True),
        ("fixtures/toy/input.json", True),
        ("pyproject.toml", True),
        ("README.md", False),
        ("tests/test_toy.py", False),
        ("src/.toy.py.swp", False),
        ("results/note.txt", False),
    ],
)
def test_what_was_counted_while_files_were_edited_tells_nothing(
    quick: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edited: str, *, is_noticed: bool
) -> None:
    made = toy(tmp_path / "toy")
    passes = []

    def edit_and_count(*arguments: Any, **more: Any) -> Counted:
        passes.append(more["layout"])
        if len(passes) == 2:
            path = made.root / edited
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{path.read_text() if path.exists() else ''}\n# more\n")
        return count_by_text(*arguments, **more)

    monkeypatch.setattr("benchgate.gate.passes.count", edit_and_count)
    monkeypatch.setattr("tests.benchgate.gate.toys.require_clean", lambda _: None)
    found = quick.gate(made.root)
    verdict = "could not tell" if is_noticed else "not slower"
    assert found.code == (3 if is_noticed else 0)
    assert set(told(found.report).values()) == {("compared", verdict)}
    reason = f"files were edited while it counted ({edited}): run the gate again"
    assert [reason in row.reason for row in found.report.rows] == [is_noticed] * 3


def test_what_could_not_be_told_is_a_warning_of_the_workflow(
    quick: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = toy(tmp_path / "toy")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert "::warning" not in quick.gate(made.root).out
    states = iter([{"a 1%0A"}, set(), {"a 1%0A"}, set()])
    monkeypatch.setattr("benchgate.gate.meanwhile.installed", lambda: frozenset(next(states)))
    found = quick.gate(made.root)
    assert found.code == 3
    last = found.out.splitlines()[-1]
    assert last.startswith(
        "::warning title=Gate::Could not tell about 3 rows, please read. First: toy/list/sort"
    )
    assert "(a 1%250A)" in last  # GitHub would read %0A as a line end
    monkeypatch.delenv("GITHUB_ACTIONS")
    assert "::warning" not in quick.gate(made.root).out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["interrupt", "terminate"])
@pytest.mark.parametrize("moment", ["survey", "pass 1", "pass 2", "writing", "written"])
def test_an_interrupt_leaves_no_report(
    quick: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str, number: signal.Signals
) -> None:
    """A signal is raised here and now, so each of these moments is met exactly."""
    made = toy(tmp_path / "toy")
    made.commit({"src/toy.py": SLOWER})
    assert quick.gate(made.root).code == 1
    met: list[str] = []

    def at(name: str, before: int, call: Callable[..., object]) -> Callable[..., object]:
        def interrupted(*arguments: object, **more: object) -> object:
            met.append(name)
            if name == moment and met.count(name) > before:
                signal.raise_signal(number)
            return call(*arguments, **more)

        return interrupted

    name = "pass" if moment.startswith("pass") else moment
    moment, before = name, {"pass 2": 1, "writing": 4, "written": 10}.get(moment, 0)
    monkeypatch.setattr("benchgate.gate.command.survey", at("survey", before, survey_by_list))
    monkeypatch.setattr("benchgate.gate.passes.count", at("pass", before, count_by_text))
    for_file = "written" if moment == "written" else "writing"
    monkeypatch.setattr("benchgate.files.write_whole", at(for_file, before, write_whole))
    found = quick.gate(made.root)
    assert met[-1] == moment
    assert met.count(moment) == before + 1
    assert (found.code, found.err) == (2, "benchgate: interrupted; no file is half written\n")
    assert not found.folder.exists()


def test_of_two_gates_in_one_repository_the_later_one_s_report_is_there_whole(tmp_path: Path) -> None:
    made = toy(tmp_path / "toy")
    made.commit({"src/toy.py": SLOWER})
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    variables = environment() | {
        "PYTHONPATH": os.pathsep.join((str(REPOSITORY / "src"), str(REPOSITORY))),
        "TMPDIR": str(temporary),
    }
    variables.pop("GITHUB_STEP_SUMMARY", None)

    def start(select: str, **more: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-c", MODELLED, "--root", str(made.root), "gate", "main", select],
            env=variables | more,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    processes = [start("toy/work/many", **{HOLD: str(tmp_path / "go")})]
    try:
        lines = processes[0].stdout
        assert lines is not None
        assert any(line.startswith("pass 1") for line in lines)
        processes.append(start("toy/"))
        answer = processes[1].communicate(timeout=60)
        assert (processes[1].returncode, answer[1]) == (1, "")
        both = reports.load(made.root / reports.FOLDER / reports.REPORT)
        assert {row.id for row in both.slower} == set(IDS)
        assert len(made.worktrees()) == 2
        (tmp_path / "go").touch()
        answer = processes[0].communicate(timeout=60)
        assert (processes[0].returncode, answer[1]) == (1, "")
    finally:
        for process in processes:
            process.kill()
            process.wait()
    folder = made.root / reports.FOLDER
    one = reports.load(folder / reports.REPORT)
    assert [row.id for row in one.rows] == ["toy/work/many"]
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert there == pictures(one) | {reports.REPORT, reports.COMMENT}
    assert list(temporary.iterdir()) == []
    require_clean(made.root)
