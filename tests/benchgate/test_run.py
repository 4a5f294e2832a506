import os
import subprocess
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import msgspec
import pytest

from benchgate import baseline, peers
from benchgate.errors import OtherEnvironment, Unreadable
from benchgate.gate import record
from benchgate.latency import measuring
from benchgate.rows import Items, WallclockRow
from benchgate.run import (
    OUTPUTS,
    GitState,
    load,
    local_changes,
    require_same_machine,
    save,
    utc_now,
)
from tests.benchgate.samples import ENVIRONMENT, row, run, write


def load_rows(path: Path) -> object:
    return load(path, "wallclock", WallclockRow)


def test_round_trip(tmp_path: Path) -> None:
    whole = run(row("a/b/c", items=Items(3, "frames"), components=("a/b/d",)), row("a/b/d"))
    save(whole, tmp_path / "deep/er/run.json")
    assert load_rows(tmp_path / "deep/er/run.json") == whole


def test_truncated_anywhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    save(run(row("a/b/c")), path)
    content = path.read_bytes().rstrip()
    for length in range(0, len(content), 3):
        path.write_bytes(content[:length])
        with pytest.raises(Unreadable, match="truncated or not a run"):
            load_rows(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"schema": 1', '"schema": 2', "written with schema 2, this version reads schema 1"),
        ('"kind": "wallclock"', '"kind": "peers"', "expected a run of kind wallclock, got peers"),
        ('"rounds": 40', '"rounds": "40"', "rounds"),
        ('"rounds": 40', '"rounds": 40, "extra": 1', "extra"),
        ('"rounds": 40', '"rounds": 0', "rounds"),
        ('"median_ns": 100.0', '"median_ns": 0', "median_ns"),
        ('"median_ns": 100.0', '"median_ns": -1.5', "median_ns"),
        ('"median_ns": 100.0', '"median_ns": 1e999', "out of range"),
        ('"median_ns": 100.0', '"median_ns": Infinity', "truncated or not a run"),
        ('Z"', '+01:00"', "UTC"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "run.json"
    save(run(row("a/b/c")), path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(Unreadable, match=message):
        load_rows(path)


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="no such file"):
        load_rows(tmp_path / "run.json")


def test_a_newer_schema_may_have_other_fields(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"schema": 7, "kind": "wallclock", "lines": []}')
    with pytest.raises(Unreadable, match="schema 7"):
        load_rows(path)


def test_construction_checks_time_and_ids() -> None:
    with pytest.raises(ValueError, match="UTC"):
        run(created=datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=1))))
    with pytest.raises(ValueError, match="each id once"):
        run(row("a/b/c"), row("a/b/c"))


def test_only_runs_of_one_machine_are_compared() -> None:
    elsewhere = run(environment=msgspec.structs.replace(ENVIRONMENT, kernel="7.0"))
    require_same_machine(run(row("a/b/c")), run())
    with pytest.raises(OtherEnvironment, match=r"kernel: 6.1.0 and 7.0") as caught:
        require_same_machine(run(), elsewhere)
    assert caught.value.exit_code == 3


def test_git_state(tmp_path: Path) -> None:
    assert GitState.read(tmp_path) == GitState("", dirty=False)
    assert str(GitState("", dirty=False)) == "no commit"
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-C", str(tmp_path)]
    for arguments in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "begin"]):
        subprocess.run([*git, *arguments], check=True)  # noqa: S603 - our own arguments
    clean = GitState.read(tmp_path)
    assert len(clean.commit) == 40
    assert str(clean) == clean.commit[:10]
    (tmp_path / "new").touch()
    assert GitState.read(tmp_path) == GitState(clean.commit, dirty=True)
    assert str(GitState.read(tmp_path)).endswith("with local changes")


def test_a_file_name_that_is_not_text_is_a_change(tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-C", str(tmp_path)]
    for arguments in (["init", "-q"], ["config", "core.quotepath", "false"]):
        subprocess.run([*git, *arguments], check=True)  # noqa: S603 - our own arguments
    try:
        Path(os.fsdecode(os.fsencode(tmp_path / "bad") + b"\xff")).touch()
    except OSError:
        pytest.skip("file names are text here")
    assert local_changes(tmp_path) == ("bad\N{REPLACEMENT CHARACTER}",)


def test_without_git_the_commit_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    state = GitState.read(tmp_path)
    assert str(state) == "commit unknown, git cannot be run"
    save(run(git=state), tmp_path / "run.json")
    assert load(tmp_path / "run.json", "wallclock", WallclockRow).git == state


def test_what_measuring_writes_does_not_make_a_tree_dirty(tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-C", str(tmp_path)]
    own = {str(path): "old" for path in OUTPUTS} | {"benches/a b.py": "", "gone.py": ""}
    write(tmp_path, own)
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "begin"]):
        subprocess.run([*git, *arguments], check=True)  # noqa: S603 - our own arguments
    write(tmp_path, {str(path): "new" for path in OUTPUTS})
    assert local_changes(tmp_path) == ()
    assert not GitState.read(tmp_path).dirty
    write(tmp_path, {"benches/a b.py": "x", "new/more.py": ""})
    (tmp_path / "gone.py").unlink()
    assert sorted(local_changes(tmp_path)) == ["benches/a b.py", "gone.py", "new/more.py"]
    assert GitState.read(tmp_path).dirty


def test_outputs_are_what_measuring_writes() -> None:
    documents = {baseline.DOCUMENT_PATH, baseline.README_PATH, baseline.METHOD_PATH}
    of_the_gate = {record.STEADINESS_PATH, record.SELFTEST_PATH, baseline.EXAMPLE_PATH}
    data = {baseline.DATA_PATH, peers.RECORD_PATH, measuring.RECORD_PATH}
    assert set(OUTPUTS) == data | of_the_gate | documents


def test_new_runs_are_stamped_in_utc_to_the_millisecond() -> None:
    now = utc_now()
    assert now.tzinfo is UTC
    assert now.microsecond % 1000 == 0
