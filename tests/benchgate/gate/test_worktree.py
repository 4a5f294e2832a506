import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from benchgate.errors import CouldNotRun
from benchgate.gate.worktree import known_as, merge_base, worktree
from benchgate.process import ends_as_interrupts
from tests.benchgate.gate.checkouts import ALONE, Checkout, environment
from tests.benchgate.gate.waiting import is_running, wait_for
from tests.benchgate.samples import REPOSITORY

IN_USE = """
import sys, time
from pathlib import Path
from benchgate.gate.worktree import worktree
from benchgate.process import ends_as_interrupts
with ends_as_interrupts(), worktree(Path(sys.argv[1]), sys.argv[2]) as base:
    (base / "new").write_text("x")
    Path(sys.argv[3]).write_text("0")
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ALONE.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """Two commits on main, of which the first is where `change` begins, checked out."""
    made = Checkout(tmp_path / "repository")
    made.commit({"a.txt": "1\n", "sub/b.txt": "1\n"})
    made.git("branch", "change")
    made.commit({"a.txt": "2\n"})
    made.git("switch", "--quiet", "change")
    made.commit({"a.txt": "3\n"})
    return made


def test_the_base_is_where_the_change_began(checkout: Checkout) -> None:
    began = checkout.git("rev-parse", "main~1")
    assert merge_base(checkout.root, "main") == began
    assert merge_base(checkout.root / "sub", "main") == began
    checkout.git("tag", "release", "main")
    assert merge_base(checkout.root, "release") == began
    assert merge_base(checkout.root, checkout.git("rev-parse", "main")[:12]) == began
    assert merge_base(checkout.root, "HEAD") == checkout.git("rev-parse", "HEAD")


def test_a_branch_that_is_only_at_the_remote_is_found_there(checkout: Checkout, tmp_path: Path) -> None:
    clone = Checkout(tmp_path / "clone", clone_of=checkout, options=("--branch=change",))
    assert clone.git("branch", "--list", "main") == ""
    assert known_as(clone.root, "main") == "origin/main"
    assert known_as(clone.root, "change") == "change"
    assert merge_base(clone.root, "main") == checkout.git("rev-parse", "main~1")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            "maim",
            r"no branch, tag or commit 'maim' here, nor origin/maim: is it main\? else git fetch origin",
        ),
        ("other", r"'other' here, nor origin/other: git fetch origin, or in a workflow fetch-depth: 0"),
        ("main:a.txt", "no branch, tag or commit"),
        ("main..change", "no branch, tag or commit"),
        ("0" * 40, "no branch, tag or commit"),
        ("--output=x", "expected a branch, a tag or a commit, got '--output=x'"),
        ("-h", "got '-h'"),
        ("", "got ''"),
        ("a\nb\x1b[2J", r"got 'a b\[2J'"),
        ("a\0b", "got 'ab'"),
    ],
)
def test_what_is_no_commit_is_refused_in_one_line(checkout: Checkout, asked: str, message: str) -> None:
    with pytest.raises(CouldNotRun, match=message) as caught:
        merge_base(checkout.root, asked)
    assert str(caught.value).isprintable()
    assert not (checkout.root / "x").exists()


def test_histories_without_a_common_commit_have_no_base(checkout: Checkout) -> None:
    checkout.git("switch", "--quiet", "--orphan", "alone")
    with pytest.raises(CouldNotRun, match="HEAD: expected a commit, got a branch without any"):
        merge_base(checkout.root, "main")
    checkout.commit({"c.txt": "1\n"})
    with pytest.raises(CouldNotRun, match="main and HEAD have no commit in common"):
        merge_base(checkout.root, "main")


def test_a_clone_that_is_too_shallow_says_what_to_fetch(checkout: Checkout, tmp_path: Path) -> None:
    options = ("--branch=change", "--no-single-branch")
    shallow = Checkout(tmp_path / "1", clone_of=checkout, options=(*options, "--depth=1"))
    with pytest.raises(CouldNotRun, match=r"too shallow to have.*git fetch --unshallow.*fetch-depth: 0"):
        merge_base(shallow.root, "main")
    enough = Checkout(tmp_path / "2", clone_of=checkout, options=(*options, "--depth=2"))
    assert merge_base(enough.root, "main") == merge_base(checkout.root, "main")
    shallow.git("fetch", "--quiet", "--unshallow")
    assert merge_base(shallow.root, "main") == merge_base(checkout.root, "main")


def test_a_shallow_clone_in_which_git_finds_an_older_base_is_refused(tmp_path: Path) -> None:
    """The change merges an old branch; with the way to the later common commit cut, git gives the older."""
    whole = Checkout(tmp_path / "whole")
    old = whole.commit({"a": "0"})
    later = whole.commit({"a": "1"})
    whole.commit({"a": "2"})
    whole.git("switch", "--quiet", "--create=change", later)
    for number in range(4):
        whole.commit({"b": f"{number}"})
    whole.git("switch", "--quiet", "--create=side", old)
    whole.commit({"c": "1"})
    whole.git("switch", "--quiet", "change")
    whole.git("merge", "--quiet", "--no-edit", "side")
    assert merge_base(whole.root, "main") == later
    options = ("--branch=change", "--no-single-branch", "--depth=3")
    shallow = Checkout(tmp_path / "shallow", clone_of=whole, options=options)
    assert shallow.git("merge-base", "origin/main", "HEAD") == old
    with pytest.raises(CouldNotRun, match="too shallow to be sure of the merge base of origin/main and HEAD"):
        merge_base(shallow.root, "main")
    shallow.git("fetch", "--quiet", "--unshallow")
    assert merge_base(shallow.root, "main") == later


def test_a_base_that_is_one_of_the_two_is_certain_in_any_clone(checkout: Checkout, tmp_path: Path) -> None:
    """As a workflow checks out a pull request: a merge of both, to a depth of two."""
    checkout.git("merge", "--quiet", "--strategy=ours", "--no-edit", "main")
    options = ("--branch=change", "--no-single-branch", "--depth=2")
    shallow = Checkout(tmp_path / "shallow", clone_of=checkout, options=options)
    assert merge_base(shallow.root, "main") == checkout.git("rev-parse", "main")


def test_where_there_is_no_checkout_it_says_so(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(CouldNotRun, match="empty: expected a git checkout: not a git repository"):
        merge_base(tmp_path / "empty", "main")
    with pytest.raises(CouldNotRun, match="expected a git checkout: this is a repository without one"):
        merge_base(checkout.root / ".git", "main")
    with pytest.raises(CouldNotRun, match="missing: expected a folder"):
        merge_base(tmp_path / "missing", "main")
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(CouldNotRun, match=r"git cannot be run: .*: install it"):
        merge_base(checkout.root, "main")


def test_the_base_s_files_stand_outside_and_are_gone_afterwards(checkout: Checkout, temporary: Path) -> None:
    base = merge_base(checkout.root, "main")
    before = checkout.git("for-each-ref"), checkout.git("status", "--porcelain"), checkout.worktrees()
    with worktree(checkout.root, base) as path:
        assert (path / "a.txt").read_text() == "1\n"
        assert path.is_relative_to(temporary)
        assert len(checkout.worktrees()) == 2
        (path / "a.txt").write_text("changed")
        (path / "new").mkdir(mode=0o500)
        with worktree(checkout.root, base) as beside:
            assert beside != path
    after = checkout.git("for-each-ref"), checkout.git("status", "--porcelain"), checkout.worktrees()
    assert after == before
    assert not list(temporary.iterdir())
    assert not (checkout.root / ".git/worktrees").exists()


def test_an_exception_within_leaves_nothing(checkout: Checkout, temporary: Path) -> None:
    with pytest.raises(ZeroDivisionError), worktree(checkout.root, merge_base(checkout.root, "main")):
        raise ZeroDivisionError
    with worktree(checkout.root, merge_base(checkout.root, "main")) as path:
        shutil.rmtree(path)
    assert len(checkout.worktrees()) == 1
    assert not list(temporary.iterdir())


def test_a_root_within_a_repository_has_its_folder_of_the_base(checkout: Checkout, temporary: Path) -> None:
    base = merge_base(checkout.root, "main")
    with worktree(checkout.root / "sub", base) as path:
        assert [entry.name for entry in path.iterdir()] == ["b.txt"]
    checkout.commit({"later/c.txt": "1\n"})
    with (
        pytest.raises(CouldNotRun, match=rf"later/: the base {base[:10]} has no such folder"),
        worktree(checkout.root / "later", base),
    ):
        pass
    assert len(checkout.worktrees()) == 1
    assert not list(temporary.iterdir())


def test_hooks_do_not_run(checkout: Checkout, temporary: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        hook = checkout.root / ".git/hooks" / name
        hook.write_text(f"#!/bin/sh\necho {name} >> '{ran}'\n")
        hook.chmod(0o700)
    checkout.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "other"))
    assert ran.exists(), "the hooks would run"
    ran.unlink()
    with worktree(checkout.root, merge_base(checkout.root, "main")):
        assert temporary.exists()
    assert not ran.exists()


def test_a_hook_s_own_repository_is_not_taken_for_ours(
    checkout: Checkout, temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Checkout(tmp_path / "other")
    other.commit({"main.txt": ""})
    base = merge_base(checkout.root, "main")
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.root / ".git/index"))
    monkeypatch.setenv("GIT_PREFIX", "x/")
    index = (other.root / ".git/index").read_bytes()
    assert merge_base(checkout.root, "main") == base
    with worktree(checkout.root, base) as path:
        assert (path / "a.txt").read_text() == "1\n"
    assert (other.root / ".git/index").read_bytes() == index
    assert not list(temporary.iterdir())


def test_a_checkout_that_fails_says_why_and_leaves_nothing(checkout: Checkout, temporary: Path) -> None:
    base = checkout.commit({".gitattributes": "full.txt filter=full\n", "full.txt": "x\n"})
    checkout.git("config", "filter.full.required", "true")
    checkout.git("config", "filter.full.clean", "cat")
    words = "error: unable to write file full.txt: No space left on device"
    for smudge, message in (
        (
            f"echo '{words}' >&2; false",
            r"full\.txt: No space left on device, with \d+ MB left: free some space",
        ),
        ("false", "external filter .false. failed"),
    ):
        checkout.git("config", "filter.full.smudge", smudge)
        with (
            pytest.raises(CouldNotRun, match=rf"cannot be checked out: .*{message}"),
            worktree(checkout.root, base),
        ):
            pass
        assert len(checkout.worktrees()) == 1
        assert not list(temporary.iterdir())


@pytest.mark.parametrize("commit", ["main", "--help", "0" * 40, "a" * 39])
def test_only_a_commit_that_exists_is_checked_out(checkout: Checkout, temporary: Path, commit: str) -> None:
    with pytest.raises(CouldNotRun, match="base"), worktree(checkout.root, commit):
        pass
    assert not list(temporary.iterdir())


def test_a_temporary_folder_within_the_repository_is_refused(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(checkout.root / "sub"))
    base = merge_base(checkout.root, "main")
    with pytest.raises(CouldNotRun, match="is in the repository: set TMPDIR"), worktree(checkout.root, base):
        pass
    monkeypatch.setattr(tempfile, "tempdir", str(checkout.root / "none"))
    monkeypatch.undo()


def test_entries_of_killed_runs_go_and_those_of_others_stay(
    checkout: Checkout, temporary: Path, tmp_path: Path
) -> None:
    base = merge_base(checkout.root, "main")
    left = [temporary / "benchgate-000/base", temporary / "benchgate-007/base"]
    others = [tmp_path / "removable/base", tmp_path / "kept", temporary / "benchgate-008/other"]
    for path in (*left, *others):
        checkout.git("worktree", "add", "--quiet", "--detach", str(path), base)
    checkout.git("worktree", "lock", str(left[0]))
    for path in (*left, others[0], others[2]):
        shutil.rmtree(path.parent)  # as when a disk is taken away, or a machine was started anew
    with worktree(checkout.root, base) as path:
        assert path == left[0]
        assert (path / "a.txt").exists()
    wanted = {str(path) for path in (checkout.root, *others)}
    assert {line.removeprefix("worktree ") for line in checkout.worktrees()} == wanted


def test_what_a_killed_run_left_is_removed_and_its_folder_used_again(
    checkout: Checkout, temporary: Path
) -> None:
    base = merge_base(checkout.root, "main")
    left = temporary / "benchgate-000/base"
    left.parent.mkdir(mode=0o700)
    checkout.git("worktree", "add", "--quiet", "--detach", str(left), base)
    (left / "new").write_text("x")
    with worktree(checkout.root, base) as path:
        assert path == left
        assert not (path / "new").exists()
        # And what is in use is not.
        with worktree(checkout.root, base) as beside:
            assert beside == temporary / "benchgate-001/base"
        assert (path / "a.txt").exists()
    assert list(temporary.iterdir()) == []
    assert len(checkout.worktrees()) == 1


def test_a_name_of_both_a_branch_and_a_tag_is_refused(checkout: Checkout) -> None:
    checkout.git("tag", "main", "main~1")
    with pytest.raises(CouldNotRun, match="are called main: say refs/heads/main or refs/tags/main"):
        merge_base(checkout.root, "main")
    assert merge_base(checkout.root, "refs/heads/main") == checkout.git("rev-parse", "refs/heads/main~1")
    checkout.git("tag", "--force", "main", "refs/heads/main")
    assert merge_base(checkout.root, "main") == checkout.git("rev-parse", "refs/heads/main~1")


@pytest.mark.parametrize("place", ["src/pkg", "src/pkg/inner/deep"])
def test_a_link_that_leads_out_of_the_base_is_refused(
    checkout: Checkout, temporary: Path, place: str
) -> None:
    assert temporary.exists()
    link = checkout.root / place
    link.parent.mkdir(parents=True)
    target = checkout.root / "sub"
    link.symlink_to(target)
    outside = checkout.commit()
    with pytest.raises(CouldNotRun, match=rf"^{place}: expected a link within .* got one to {target}, "):
        worktree(checkout.root, outside).__enter__()
    link.unlink()
    link.symlink_to("../" * place.count("/") + "sub")
    with worktree(checkout.root, checkout.commit()) as base:
        assert (base / place / "b.txt").read_text() == "1\n"


def test_an_interrupt_while_it_is_removed_waits_until_it_is(
    checkout: Checkout, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove, sent = shutil.rmtree, ["SIGTERM", "SIGINT"]

    def interrupted(path: Path, *, ignore_errors: bool = False) -> None:
        while sent:
            signal.raise_signal(getattr(signal, sent.pop()))
        remove(path, ignore_errors=ignore_errors)

    base = merge_base(checkout.root, "main")
    monkeypatch.setattr(shutil, "rmtree", interrupted)
    with (
        pytest.raises(KeyboardInterrupt, match="SIGINT"),
        ends_as_interrupts(),
        worktree(checkout.root, base),
    ):
        pass
    assert not sent
    assert len(checkout.worktrees()) == 1
    assert not list(temporary.iterdir())


@pytest.mark.parametrize("sent", ["SIGINT", "SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("while_adding", [True, False])
def test_an_interrupt_at_any_time_leaves_nothing(
    checkout: Checkout, temporary: Path, tmp_path: Path, sent: str, times: int, *, while_adding: bool
) -> None:
    base = checkout.commit({".gitattributes": "slow.txt filter=slow\n", "slow.txt": "x\n"})
    marker = tmp_path / "marker"
    if while_adding:
        smudge = f"echo $$ > '{marker}.tmp'; mv '{marker}.tmp' '{marker}'; exec sleep 60"
        checkout.git("config", "filter.slow.smudge", smudge)
    process = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-c", IN_USE, str(checkout.root), base, str(marker)],
        env=environment() | {"PYTHONPATH": str(REPOSITORY / "src"), "TMPDIR": str(temporary)},
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(marker.exists)
        assert list(temporary.iterdir())
        for _ in range(times):
            process.send_signal(getattr(signal, sent))
            time.sleep(0.02)
        assert process.wait(30) != 0
    finally:
        process.kill()
        process.wait()
    assert not list(temporary.iterdir())
    assert len(checkout.worktrees()) == 1
    assert not [*checkout.root.glob(".git/worktrees/*"), *checkout.root.glob(".git/*.lock")]
    if while_adding:
        slow = int(marker.read_text())
        wait_for(lambda: not is_running(slow))
