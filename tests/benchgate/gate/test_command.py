"""The command gate in broken situations, on a repository of toys. What counts for real stands at the end."""

import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from benchgate import cli, perfmap, simulator
from benchgate.files import write_whole
from benchgate.gate import report as reports
from benchgate.gate.report import Report
from benchgate.run import utc_now
from tests.benchgate.gate.checkouts import Checkout, environment
from tests.benchgate.gate.toys import (
    BENCHES,
    HOLD,
    IDS,
    SLOWER,
    WORK,
    Ended,
    Place,
    count_by_text,
    list_of,
    pictures,
    require_clean,
    survey_by_list,
    toy,
)
from tests.benchgate.gate.waiting import wait_for
from tests.benchgate.samples import REPOSITORY, command, environment_variables, write
from tests.benchgate.test_counting import running_in

needs_valgrind = pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")

FIND = simulator.find
LOCK = "requirements/bench.txt"
MODELLED = """
import sys
from benchgate import cli
from benchgate.gate import command, passes
from tests.benchgate.gate import toys
command.simulator.find = lambda: toys.VALGRIND
command.survey, passes.count = toys.survey_by_list, toys.count_by_text
sys.exit(cli.main(sys.argv[1:]))
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Place:
    return Place(tmp_path / "temporary", monkeypatch, capsys)


@pytest.fixture
def quick(place: Place) -> Place:
    place.quick()
    return place


def told(report: Report) -> Mapping[str, tuple[str, str | None]]:
    """Return state and verdict of each row."""
    return {row.id: (row.state, row.verdict) for row in report.rows}


def require_failure(found: Ended, message: str) -> None:
    """Check that the gate could not run for one reason, which terminal, report and comment give alike."""
    assert found.code == 2
    assert message in found.complaint
    assert found.report.failure == found.complaint.removeprefix("benchgate: ")
    assert found.report.rows == ()
    assert found.files == {reports.REPORT, reports.COMMENT}
    assert "The gate could not run" in found.comment


# What it needs and does not find


def test_without_valgrind_it_says_how_to_install_it(
    quick: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = toy(tmp_path / "toy")
    git = shutil.which("git")
    assert git is not None
    write(tmp_path, {"bin/.keep": ""})
    (tmp_path / "bin/git").symlink_to(git)
    monkeypatch.setattr("benchgate.gate.command.simulator.find", FIND)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    found = quick.gate(made.root)
    require_failure(found, "valgrind is not installed: `apt-get install valgrind` or `dnf install valgrind`")
    assert len(found.err.splitlines()) == 1


def test_where_there_is_no_checkout_it_says_so(quick: Place, tmp_path: Path) -> None:
    write(tmp_path / "plain", list_of(*IDS))
    found = quick.gate(tmp_path / "plain")
    require_failure(found, "plain: expected a git checkout: not a git repository")
    assert len(found.err.splitlines()) == 1


def test_a_clone_that_is_too_shallow_says_what_to_fetch(quick: Place, tmp_path: Path) -> None:
    made = toy(tmp_path / "toy")
    made.commit({"src/toy.py": SLOWER})
    made.git("switch", "--quiet", "main")
    made.commit({"other.txt": ""})
    options = ("--branch=change", "--no-single-branch", "--depth=1")
    clone = Checkout(tmp_path / "clone", clone_of=made, options=options)
    require_failure(quick.gate(clone.root), "git fetch --unshallow, or in a workflow fetch-depth: 0")


def test_a_base_that_cannot_be_installed_is_an_error(
    quick: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    made = toy(tmp_path / "toy", {LOCK: f"none==9.0 --hash=sha256:{'0' * 64}\n"})
    made.commit({LOCK: f"none==9.1 --hash=sha256:{'0' * 64}\n"})
    found = quick.gate(made.root)
    require_failure(found, "the base's requirements cannot be installed: No matching distribution")
    assert found.report.faults
    # Other words for the same versions need no environment.
    made.commit({LOCK: f"# Why it is here.\nnone==9.0 --hash=sha256:{'0' * 64}\n"})
    found = quick.gate(made.root)
    assert (found.code, found.report.libraries) == (0, ())


# What the benches do


def test_a_bench_that_the_base_cannot_run_is_never_taken_for_compared(place: Place, tmp_path: Path) -> None:
    made = toy(
        tmp_path / "toy",
        {
            "src/toy.py": f"{WORK}\nSIZES = [1]\n\ndef fragile():\n    raise ValueError('broken there')\n",
            "benches/odd/bench_fragile.py": (
                "from toy import fragile\n\ndef bench_it(measure):\n    fragile()\n    measure(fragile)\n"
            ),
            "benches/odd/bench_moved.py": (
                "from toy import work\n\ndef bench_kept(measure):\n    measure(work, 5, calls=20)\n"
            ),
            **list_of(*IDS, "odd/fragile/it", "odd/moved/kept"),
        },
    )
    sizes = """
import pytest
from toy import SIZES, work

@pytest.mark.parametrize("size", SIZES)
def bench_it(measure, size):
    measure(work, size, calls=20)
"""
    moved = """
from toy import work_again

def bench_kept(measure):
    measure(work_again, 5, calls=20)

def bench_more(measure):
    measure(work_again, 5, calls=20)
"""
    added = "def work_again(number):\n    return work(number)\n"
    made.commit(
        {
            "src/toy.py": f"{WORK}\nSIZES = [1, 2]\n\ndef fragile():\n    pass\n\n{added}",
            "benches/odd/bench_moved.py": moved,
            "benches/odd/bench_sizes.py": sizes,
            **list_of(
                *IDS,
                *("odd/fragile/it", "odd/moved/kept", "odd/moved/more", "odd/sizes/it[1]", "odd/sizes/it[2]"),
            ),
        }
    )
    found = place.gate(made.root)
    assert told(found.report) == {
        **dict.fromkeys(IDS, ("compared", "not slower")),
        "odd/fragile/it": ("compared", "could not tell"),
        "odd/moved/kept": ("compared", "not slower"),
        "odd/moved/more": ("new", None),
        "odd/sizes/it[1]": ("compared", "not slower"),
        "odd/sizes/it[2]": ("new", None),
    }
    reasons = {row.id: row.reason for row in found.report.rows}
    assert reasons["odd/fragile/it"] == "it fails at the base: ValueError: broken there"
    assert "its own file" in reasons["odd/moved/kept"]
    assert "cannot be imported: ImportError: cannot import name 'work_again'" in reasons["odd/moved/more"]
    assert reasons["odd/sizes/it[2]"] == "the base cannot run it: no bench of this name is found there"
    assert found.code == 3
    passes = found.report.passes
    assert passes[:4] == ("base", "head", "base again", "base, its own benches")
    assert passes[-1] == "head, new benches"
    without = place.gate(made.root, "main", "odd/moved", "odd/sizes")
    assert (without.code, without.report.untold) == (0, ())
    assert set(told(without.report)) == {
        identity for identity in reasons if identity[:5] in {"odd/m", "odd/s"}
    }


def test_a_bench_that_fails_at_the_head_is_named_and_the_others_are_compared(
    place: Place, tmp_path: Path
) -> None:
    made = toy(tmp_path / "toy")
    words = "w" * 5000
    made.commit(
        {
            "benches/toy/bench_list.py": f"def bench_sort(measure):\n    raise ValueError({words!r})\n",
            "src/toy.py": SLOWER,
        }
    )
    found = place.gate(made.root)
    assert found.code == 2
    slower = ("compared", "slower")
    assert told(found.report) == {
        "toy/list/sort": ("failing", None),
        "toy/work/few": slower,
        "toy/work/many": slower,
    }
    assert found.report.failing[0].reason.startswith("ValueError: www")
    assert found.report.failure == ""
    assert found.err.splitlines()[0].startswith("toy/list/sort: ValueError: www")
    assert found.complaint == "benchgate: 1 bench fails"
    assert "toy/list/sort" in found.comment
    # When nothing is left to be compared, it says so as well.
    alone = place.gate(made.root, "main", "toy/list")
    assert (alone.code, alone.report.passes, alone.report.environment) == (2, (), None)
    assert told(alone.report) == {"toy/list/sort": ("failing", None)}


def test_benches_are_those_that_are_listed(place: Place, tmp_path: Path) -> None:
    made = toy(tmp_path / "toy")
    made.commit(list_of(*IDS[1:], "toy/work/vanished", "toy/work/gone"))
    found = place.gate(made.root)
    require_failure(found, "benches/ids.txt and the benches differ; `nox -s ids` mends it")
    assert found.report.faults == tuple(found.err.splitlines()[:-1])
    assert found.report.faults == (
        "toy/work/gone is listed in benches/ids.txt but missing from the benches",
        "toy/work/vanished is listed in benches/ids.txt but missing from the benches",
        "toy/list/sort is in the benches but not listed in benches/ids.txt",
    )
    require_failure(place.gate(made.root, "main", "toy/wrok"), "no bench is named toy/wrok; near names: ")
    made.commit(list_of())
    require_failure(place.gate(made.root), "benches/ids.txt lists no bench: there is nothing to compare")
    (made.root / "benches/ids.txt").unlink()
    require_failure(place.gate(made.root), "benches/ids.txt: no such file")


def test_a_base_that_can_run_nothing_leaves_nothing_to_compare_and_that_is_said(
    place: Place, tmp_path: Path
) -> None:
    """It has no benches; with the head's, only what needs nothing of its packages runs there."""
    made = Checkout(tmp_path / "toy")
    made.commit({".gitignore": "__pycache__/\n/results/\n"})
    whole = toy(tmp_path / "whole")
    for name in ("benches", "pyproject.toml", "src"):
        (whole.root / name).rename(made.root / name)
    made.git("switch", "--quiet", "--create=change")
    made.commit()
    found = place.gate(made.root, "main", "toy/work")
    assert found.code == 3
    assert told(found.report) == dict.fromkeys(IDS[1:], ("new", None))
    assert all("No module named 'toy'" in row.reason for row in found.report.rows)
    for text in (found.comment, found.out):
        assert "Nothing was compared" in text
        assert "no action needed" not in text


def test_benches_that_cannot_be_collected_on_the_base_run_there_as_they_were(
    place: Place, tmp_path: Path
) -> None:
    """The head's conftest.py imports what only its own packages have."""
    made = toy(tmp_path / "toy")
    bench = "from toy import work\n\ndef bench_it(measure):\n    measure(work, 3, calls=20)\n"
    made.commit(
        {
            "src/toy.py": f"{SLOWER}\ndef prepare():\n    pass\n",
            "benches/conftest.py": "from toy import prepare\n",
            "benches/toy/bench_new.py": bench,
            **list_of(*IDS, "toy/new/it"),
        }
    )
    found = place.gate(made.root)
    assert found.code == 1
    assert {row.id for row in found.report.slower} == set(IDS)
    new = next(row for row in found.report.rows if row.id == "toy/new/it")
    assert new.state == "new"
    assert "cannot import name 'prepare'" in new.reason
    assert found.report.passes[0] == "base, its own benches"
    # Nor can it be told when the base's own are broken, too.
    made.git("switch", "--quiet", "main")
    made.commit({"benches/conftest.py": "1 / 0\n"})
    made.git("switch", "--quiet", "change")
    made.git("merge", "--quiet", "--strategy=ours", "--no-edit", "main")
    found = place.gate(made.root)
    assert found.code == 3
    assert [row.id for row in found.report.untold] == list(IDS)
    assert all("ZeroDivisionError: division by zero" in row.reason for row in found.report.untold)


def test_a_folder_that_the_harness_cannot_name_is_refused(place: Place, tmp_path: Path) -> None:
    made = toy(tmp_path / "toy", folder="größer")
    found = place.gate(made.root / "größer")
    require_failure(found, "größer: expected a folder of the git repository with a name in ASCII")
    assert len(found.err.splitlines()) == 1
    assert len(made.worktrees()) == 1


# What the repository has decided


def test_the_policy_decides_what_a_slow_down_means(quick: Place, tmp_path: Path) -> None:
    made = toy(tmp_path / "toy")
    made.commit({"src/toy.py": SLOWER})
    found = quick.gate(made.root)
    assert found.code == 1
    assert set(told(found.report).values()) == {("compared", "slower")}
    assert not found.report.head.dirty
    assert "with uncommitted changes" not in found.comment
    today = utc_now().date()

    def accepted(expires: str) -> dict[str, str]:
        entries = (
            f'[[accepted]]\nid = "{identity}"\nlimit_percent = 100\nreason = "it does more"\n'
            f"expires = {expires}\n"
            for identity in IDS
        )
        return {"benches/accepted.toml": "\n".join(entries)}

    write(made.root, accepted(f"{today + timedelta(days=9)}"))
    found = quick.gate(made.root)
    assert (found.code, found.report.slower) == (0, ())
    assert found.report.notices == ("this change edits benches/accepted.toml, by which it is judged",)
    assert {row.accepted for row in found.report.rows} == {"it does more"}
    assert "it does more" in found.comment
    assert found.report.head.dirty
    assert "with uncommitted changes" in found.comment
    write(made.root, accepted(f"{today - timedelta(days=1)}"))
    found = quick.gate(made.root)
    assert (found.code, len(found.report.slower)) == (1, 3)
    assert sum("is no longer accepted" in notice for notice in found.report.notices) == 3
    write(made.root, {"benches/accepted.toml": "[[accepted]]\nid = 3\n"})
    require_failure(quick.gate(made.root), "benches/accepted.toml: accepted[0].id: expected")


def test_benches_that_were_renamed_or_removed_are_followed(quick: Place, tmp_path: Path) -> None:
    made = toy(tmp_path / "toy")
    made.commit(
        list_of("toy/work/few", "toy/work/plenty")
        | {"benches/aliases.toml": '[aliases]\n"toy/work/plenty" = "toy/work/many"\n'}
    )
    found = quick.gate(made.root)
    assert told(found.report) == {
        "toy/list/sort": ("removed", None),
        "toy/work/few": ("compared", "not slower"),
        "toy/work/plenty": ("compared", "not slower"),
    }
    assert {row.id: row.was for row in found.report.rows if row.was} == {"toy/work/plenty": "toy/work/many"}
    assert found.code == 0


# What it leaves


def test_an_earlier_report_is_never_taken_for_that_of_a_later_run(
    quick: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = toy(tmp_path / "toy")
    made.commit({"src/toy.py": SLOWER})
    assert len(quick.gate(made.root).files) == 3 * 3 + 2
    require_failure(quick.gate(made.root, "mian"), "no branch, tag or commit 'mian'")
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
    monkeypatch.setattr("benchgate.gate.command.installed", lambda: next(states))
    found = quick.gate(made.root)
    assert found.code == 3
    assert set(told(found.report).values()) == {("compared", "could not tell")}
    assert (
        "packages were installed or removed while it counted (a 1, a 2): run the gate again" in found.comment
    )


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
    assert (found.code, found.err) == (2, "benchgate: interrupted, nothing was written\n")
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


# With counts from valgrind

# Real callgrind, whose dumps of a bench's process are then spoilt.
WRAPPER = """#!/bin/sh
'{valgrind}' "$@"
code=$?
'{python}' -I '{spoil}' "$@" || exit
exit $code
"""
SPOIL = r"""
import sys
from pathlib import Path
outputs = [text.partition("=")[2] for text in sys.argv if text.startswith("--callgrind-out-file=")]
paths = [path for output in outputs for path in Path(output).parent.glob("callgrind.*")]
for path in paths:
    text = path.read_text()
    if "bench_sort" in text:
        parts = text.split("\npart: ")
        (index,) = (index for index, part in enumerate(parts) if "bench_sort" in part)
        {spoil}
        path.write_text(text)
"""


@pytest.fixture
def counted(place: Place) -> Place:
    place.really()
    return place


@needs_valgrind
@pytest.mark.valgrind
def test_a_slow_down_is_found_and_its_function_named_wherever_the_repository_lies(
    counted: Place, tmp_path: Path
) -> None:
    folder = "ein Ordner/Messung 1"
    same = "\n\ndef bench_same(measure):\n    measure(sorted, (3, 1, 2), calls=20)\n"
    name = "benches/toy/bench_work.py"
    more = {name: BENCHES[name] + same, **list_of(*IDS, "toy/work/same")}
    made = toy(tmp_path / "große Ablage", more, folder)
    made.commit({f"{folder}/src/toy.py": SLOWER})
    found = counted.gate(made.root / folder, "main", "toy/work")
    assert len(made.worktrees()) == 1
    assert (found.code, found.err) == (1, "")
    assert told(found.report) == {
        "toy/work/few": ("compared", "slower"),
        "toy/work/many": ("compared", "slower"),
        "toy/work/same": ("compared", "not slower"),
    }
    assert found.report.passes[:3] == ("base", "head", "base again")
    assert found.report.slower[0].id == "toy/work/many"
    for row in found.report.slower:
        assert 0.3 < (row.change or 0) < 2
        if sys.version_info >= (3, 12):  # before, a profile has functions of C alone
            assert (row.causes[0].name, row.causes[0].where) == ("work", "src/toy.py:2")
            assert row.causes[0].touched is True


@needs_valgrind
@pytest.mark.valgrind
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        ("text = text[: len(text) // 2]", "callgrind."),
        ("text += chr(10) + 'part: ' + parts[index]", "toy/list: toy/list/sort was counted twice"),
        ("del parts[index]; text = (chr(10) + 'part: ').join(parts)", "toy/list: not counted: toy/list/sort"),
    ],
    ids=["cut", "twice", "missing"],
)
def test_a_profile_that_is_not_whole_is_an_error(
    counted: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: str, message: str
) -> None:
    made = toy(tmp_path / "toy")
    script = tmp_path / "bin/valgrind"
    words = {"valgrind": shutil.which("valgrind"), "python": sys.executable, "spoil": tmp_path / "spoil.py"}
    write(tmp_path, {"bin/valgrind": WRAPPER.format(**words), "spoil.py": SPOIL.format(spoil=spoil)})
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(script.parent), prepend=os.pathsep)
    found = counted.gate(made.root, "main", "toy/list")
    require_failure(found, message)
    assert len(found.err.splitlines()) == 1


@needs_valgrind
@pytest.mark.valgrind
@pytest.mark.parametrize(
    ("moment", "number"),
    [("looking", signal.SIGTERM), ("pass 1", signal.SIGINT), ("pass 2", signal.SIGTERM)],
    ids=["survey", "first", "second"],
)
def test_an_interrupt_ends_what_runs_and_leaves_nothing(
    tmp_path: Path, moment: str, number: signal.Signals
) -> None:
    made = toy(tmp_path / "toy")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(  # noqa: S603 - our own command
        command("gate", "main", "toy/list"),
        cwd=made.root,
        env=environment_variables() | {"TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert any(line.startswith(moment) for line in process.stdout)
        sign = "ids.txt" if moment == "looking" else "pid"
        wait_for(lambda: any("base" not in path.parts for path in temporary.rglob(sign)))
        assert len(made.worktrees()) == 2
        pids = running_in(tmp_path) - {process.pid}
        assert pids
        process.send_signal(number)
        _, complaint = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, complaint) == (2, "benchgate: interrupted, nothing was written\n")
    assert list(temporary.iterdir()) == []
    assert len(made.worktrees()) == 1
    assert not (made.root / "results").exists()
    assert not any(perfmap.path_of(pid).exists() for pid in pids)
    wait_for(lambda: not running_in(tmp_path))
