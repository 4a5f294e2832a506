from pathlib import Path

import pytest

from benchgate.errors import CouldNotRun, Unreadable
from benchgate.nights import store
from benchgate.nights.record import Night, encode
from tests.benchgate.nights.samples import nights

NIGHTS = nights([100, 101, 102])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A history of two nights."""
    path = tmp_path / "nights" / "nights.jsonl"
    assert [store.append(path, night) for night in NIGHTS[:2]] == [True, True]
    return path


def test_no_file_is_no_nights(tmp_path: Path) -> None:
    assert store.read(tmp_path / "none") == store.Nights()


def test_nights_come_back_as_they_were_one_line_each(path: Path) -> None:
    assert store.read(path) == store.Nights(tuple(NIGHTS[:2]))
    assert path.read_bytes().count(b"\n") == 2


def test_a_line_cut_anywhere_is_dropped_alone_and_said(path: Path) -> None:
    whole, line = path.read_bytes(), encode(NIGHTS[2]) + b"\n"
    for cut in range(1, len(line), 41):
        path.write_bytes(whole + line[:cut])
        found = store.read(path)
        assert found.nights == tuple(NIGHTS[:2])
        assert found.dropped == f"{path}: line 3 was cut off while it was written: dropped"
    path.write_bytes(whole + line[:-1])
    assert store.append(path, NIGHTS[2])
    assert path.read_bytes() == whole + line
    assert store.read(path) == store.Nights(tuple(NIGHTS))


@pytest.mark.parametrize("damaged", [0, 1])
@pytest.mark.parametrize("damage", [b"", b"{}", b"not json", b"\xff", encode(NIGHTS[0])[:-9]])
def test_another_line_that_is_not_a_night_is_an_error(path: Path, damaged: int, damage: bytes) -> None:
    lines = path.read_bytes().split(b"\n")
    lines[damaged] = damage
    path.write_bytes(b"\n".join(lines))
    before = path.read_bytes()
    with pytest.raises(Unreadable, match=rf"nights\.jsonl: line {damaged + 1}: not a night"):
        store.read(path)
    with pytest.raises(Unreadable):
        store.append(path, NIGHTS[2])
    assert path.read_bytes() == before


@pytest.mark.parametrize("order", [(1, 0), (0, 0)])
def test_nights_out_of_order_are_an_error(path: Path, order: tuple[int, int]) -> None:
    path.write_bytes(b"".join(encode(NIGHTS[place]) + b"\n" for place in order))
    with pytest.raises(Unreadable, match="line 2: expected a night after that of line 1"):
        store.read(path)


def test_the_same_night_again_changes_nothing_and_another_must_be_later(path: Path) -> None:
    before = path.read_bytes()
    assert [store.append(path, night) for night in NIGHTS[:2]] == [False, False]
    for place in (0, 1):
        with pytest.raises(CouldNotRun, match="expected a night after 2026-03-02"):
            store.append(path, other(NIGHTS[place], place))
    assert path.read_bytes() == before


def test_what_stands_in_the_way_is_named(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="Is a directory"):
        store.read(tmp_path)


def other(night: Night, day: int) -> Night:
    """Another night of the same time."""
    again = nights([99, 99])[day]
    assert again.created == night.created
    return again
