import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchgate.errors import CouldNotRun
from benchgate.files import replace_folder, require_writable, space_needed, write_whole


def test_replaces_the_content(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "data"
    write_whole(path, b"old")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("broken", ["os.fsync", "pathlib.Path.replace"])
@pytest.mark.parametrize("fault", [OSError("disk full"), KeyboardInterrupt()])
def test_interrupted_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str, fault: BaseException
) -> None:
    path = tmp_path / "data"
    write_whole(path, b"old")

    def fail(*_: object) -> None:
        raise fault

    monkeypatch.setattr(broken, fail)
    with pytest.raises(type(fault)):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_for_a_file_is_tried_and_left_as_it_was(tmp_path: Path) -> None:
    require_writable(tmp_path / "deep/er/data")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "data").write_bytes(b"old")
    require_writable(tmp_path / "data")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


@pytest.mark.parametrize("oddity", ["file", "link to nothing", "folder"])
def test_a_place_where_no_file_can_be_is_refused(tmp_path: Path, oddity: str) -> None:
    results = tmp_path / "results"
    match oddity:
        case "file":
            results.touch()
        case "link to nothing":
            results.symlink_to("nothing")
        case "folder":
            (results / "bench/data").mkdir(parents=True)
    with pytest.raises(CouldNotRun, match="data: cannot be written: "):
        require_writable(results / "bench/data")


def test_a_folder_is_replaced_whole(tmp_path: Path) -> None:
    folder = tmp_path / "deep/folder"
    replace_folder(folder, {"a": b"1", "below/b": b"2"})
    replace_folder(folder, {"c": b"3"})
    assert [path.read_bytes() for path in folder.iterdir()] == [b"3"]
    assert list(folder.parent.iterdir()) == [folder]


@pytest.mark.parametrize("fault", [OSError("disk full"), KeyboardInterrupt()])
def test_a_folder_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    folder = tmp_path / "folder"
    replace_folder(folder, {"a": b"old", "b": b"old"})

    def fail(path: Path, content: bytes) -> None:
        if path.name == "b":
            raise fault
        write_whole(path, content)

    monkeypatch.setattr("benchgate.files.write_whole", fail)
    with pytest.raises(type(fault)):
        replace_folder(folder, {"a": b"new", "b": b"new"})
    assert [path.read_bytes() for path in folder.iterdir()] == [b"old", b"old"]
    assert list(tmp_path.iterdir()) == [folder]


def test_of_two_that_replace_a_folder_at_a_time_the_later_one_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one is faster by a step: its folder is there when ours is to be renamed."""
    folder, others = tmp_path / "folder", [b"first", b"second"]
    replace_folder(folder, {"old": b""})
    rename = Path.rename

    def beaten(path: Path, target: Path) -> Path:
        if target == folder and others:
            (folder / "theirs").parent.mkdir()
            (folder / "theirs").write_bytes(others.pop())
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", beaten)
    replace_folder(folder, {"ours": b"new"})
    assert not others
    assert [path.name for path in folder.iterdir()] == ["ours"]
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.parametrize(
    ("fault", "faults"),
    [(CouldNotRun("it ended", ("line",)), ("line", "it ended")), (OSError("no file"), ("no file",))],
)
def test_a_full_disk_is_blamed_for_what_fails_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Exception, faults: tuple[str, ...]
) -> None:
    with pytest.raises(type(fault)) as unchanged, space_needed(tmp_path):
        raise fault
    assert unchanged.value is fault
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=123_456))
    with pytest.raises(CouldNotRun) as caught, space_needed(tmp_path):
        raise fault
    assert str(caught.value) == (
        f"{tmp_path}: 0.1 MB are left: free some space, or set TMPDIR to another disk"
    )
    assert caught.value.faults == faults
    with pytest.raises(KeyboardInterrupt), space_needed(tmp_path):
        raise KeyboardInterrupt
