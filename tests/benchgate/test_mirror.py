import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

import benchgate
from benchgate.errors import CouldNotRun
from benchgate.mirror import mirror, pass_folder, scratch_folder
from benchgate.process import ends_as_interrupts
from tests.benchgate.samples import write

FILES = {
    "pyproject.toml": "",
    "README.md": "",
    ".gitignore": "/results/\n.cache/\n__pycache__/\n",
    ".cache/x": "",
    "results/x": "",
    "benches/a/bench_b.py": "",
    "fixtures/x.json": "{}",
    "src/benchgate/__init__.py": "raise RuntimeError\n",
    "src/toy/__init__.py": "",
    "src/__pycache__/x.pyc": "",
    "__pycache__/x.pyc": "",
}


def test_a_mirror_has_what_git_does_not_ignore_and_the_running_benchgate(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, FILES)
    subprocess.run(["git", "init", "-q", str(root)], check=True)  # noqa: S603, S607 - the user's git
    made = mirror(root, tmp_path / "made")
    assert {entry.name for entry in made.iterdir()} == {"pyproject.toml", "benches", "fixtures", "src"}
    assert {entry.name for entry in (made / "src").iterdir()} == {"benchgate", "toy"}
    assert (made / "src/benchgate").resolve() == Path(benchgate.__file__).parent
    assert (made / "src/toy").resolve() == root / "src/toy"
    assert (made / "fixtures/x.json").read_text() == "{}"


def test_a_folder_whose_name_is_not_text_is_mirrored_or_ignored_like_any(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, {"benches/a/bench_b.py": "", ".gitignore": "/ignored*\n"})
    kept, ignored = (os.fsdecode(name) for name in (b"kept\xff", b"ignored\xff"))
    try:
        for name in (kept, ignored):
            (root / name).mkdir()
    except OSError:
        pytest.skip("file names are text here")
    subprocess.run(["git", "init", "-q", str(root)], check=True)  # noqa: S603, S607 - the user's git
    made = mirror(root, tmp_path / "made")
    assert {entry.name for entry in made.iterdir()} == {"benches", kept, "src"}


def test_a_root_without_git_or_sources_has_a_mirror_too(tmp_path: Path) -> None:
    write(tmp_path / "root", {"benches/a/bench_b.py": "", "tools/x": "", "results/x": ""})
    made = mirror(tmp_path / "root", tmp_path / "made")
    assert {entry.name for entry in made.iterdir()} == {"benches", "tools", "src"}
    assert {entry.name for entry in (made / "src").iterdir()} == {"benchgate"}


def test_runs_one_after_the_other_get_the_same_folder_and_leave_the_linked_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchgate.mirror.gettempdir", lambda: str(tmp_path))
    write(tmp_path, {"linked/x": "kept"})
    with scratch_folder() as first, scratch_folder() as beside:
        assert first != beside
        (first / "tree").symlink_to(tmp_path / "linked")
    interrupted = scratch_folder()
    again = interrupted.__enter__()
    (again / "x").write_text("x")
    interrupted.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert again == first
    assert {entry.name for entry in tmp_path.iterdir()} == {"linked"}
    assert (tmp_path / "linked/x").read_text() == "kept"


def test_only_what_a_killed_run_of_ours_left_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchgate.mirror.gettempdir", lambda: str(tmp_path / "temporary"))
    write(tmp_path, {"theirs/x": "kept", "temporary/benchgate-001/tree/x": "", "temporary/benchgate-002": ""})
    (tmp_path / "temporary/benchgate-000").symlink_to(tmp_path / "theirs")
    (tmp_path / "temporary/benchgate-001/link").symlink_to(tmp_path / "theirs")
    with scratch_folder() as folder:
        assert folder.name == "benchgate-001"
        assert list(folder.iterdir()) == []
        with scratch_folder() as beside:
            assert beside.name == "benchgate-003"
    assert (tmp_path / "theirs/x").read_text() == "kept"
    monkeypatch.setattr("os.getuid", lambda: 12345)
    with pytest.raises(CouldNotRun, match="are all taken"), scratch_folder():
        pass


@pytest.mark.parametrize("name", ["a:b", "100%", "\u00fc", "it's", 'a"b', "a\nb"])
def test_a_folder_for_temporary_files_that_programs_misread_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / name).mkdir()
    monkeypatch.setattr("benchgate.mirror.gettempdir", lambda: str(tmp_path / name))
    with pytest.raises(CouldNotRun, match="set TMPDIR to another") as caught, scratch_folder():
        pass
    assert len(str(caught.value).splitlines()) == 1
    assert list((tmp_path / name).iterdir()) == []


def test_an_interrupt_while_a_folder_is_removed_waits_until_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second one is common while the first is served."""
    remove, sent = shutil.rmtree, ["SIGTERM", "SIGINT"]

    def interrupted(path: Path) -> None:
        if sent:
            signal.raise_signal(getattr(signal, sent.pop()))
        remove(path)

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(shutil, "rmtree", interrupted)
    with (
        pytest.raises(KeyboardInterrupt),
        ends_as_interrupts(),
        scratch_folder() as folder,
        pass_folder(folder),
    ):
        raise KeyboardInterrupt
    assert not sent
    assert list(tmp_path.iterdir()) == []
