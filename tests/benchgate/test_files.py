from pathlib import Path

import pytest

from benchgate.errors import CouldNotRun
from benchgate.files import require_writable, write_whole


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
