"""The command gate in broken situations, on a repository of toys; what it leaves is in another module."""

import os
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from benchgate import cli, simulator
from benchgate.run import utc_now
from tests.benchgate.gate.checkouts import Checkout
from tests.benchgate.gate.toys import IDS, SLOWER, WORK, Place, list_of, require_failure, told, toy
from tests.benchgate.samples import write

FIND = simulator.find
LOCK = "requirements/bench.txt"


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


def test_a_cause_that_is_reached_through_a_link_is_where_the_change_names_it(
    quick: Place, tmp_path: Path
) -> None:
    made = toy(tmp_path / "toy", {"lib/toy.py": WORK})
    (made.root / "src/toy.py").unlink()
    (made.root / "src/toy.py").symlink_to("../lib/toy.py")
    made.commit()
    made.git("branch", "--force", "main")
    made.commit({"lib/toy.py": SLOWER})
    found = quick.gate(made.root)
    (cause, *_) = found.report.slower[0].causes
    assert (cause.where.partition(":")[0], cause.touched) == ("lib/toy.py", True)


def test_submodules_that_the_base_lacks_are_told(quick: Place, tmp_path: Path) -> None:
    made = toy(tmp_path / "toy")
    made.commit({"other.txt": ""})
    assert quick.gate(made.root).report.notices == ()
    made.commit({".gitmodules": ""})
    assert "submodules are not checked out at the base" in quick.gate(made.root).comment


def test_output_that_nobody_reads_is_named(
    quick: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = toy(tmp_path / "toy")

    def closed(*_: object, **__: object) -> None:
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr("benchgate.gate.passes.count", closed)
    require_failure(quick.gate(made.root), "what it prints to was closed")


def test_a_commit_against_itself_is_told(quick: Place, tmp_path: Path) -> None:
    made = toy(tmp_path / "toy")
    same = "base and head are the same commit: nothing was changed"
    assert quick.gate(made.root).report.notices == (same,)
    write(made.root, {"other.txt": ""})
    assert quick.gate(made.root).report.notices == ()


def test_without_a_base_it_says_what_to_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = toy(tmp_path / "toy")
    assert cli.main(["--root", str(made.root), "gate"]) == 2
    assert "base: which one? For example" in capsys.readouterr().err
    assert not (made.root / "results").exists()


def test_an_empty_selection_is_none(quick: Place, tmp_path: Path) -> None:
    made = toy(tmp_path / "toy")
    assert quick.gate(made.root, "main", "").report.selected == ()


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
