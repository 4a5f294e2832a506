from pathlib import Path

import pytest

from benchgate.files import write_whole


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
