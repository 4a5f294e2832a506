from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from benchgate.history import earlier, file_name
from benchgate.rows import WallclockRow
from benchgate.run import Run, save
from tests.benchgate.samples import ENVIRONMENT, row, run


def keep(folder: Path, minutes_ago: int, *rows: WallclockRow, **more: object) -> Run[WallclockRow]:
    kept = run(*rows, **({"created": run().created - timedelta(minutes=minutes_ago)} | more))
    save(kept, folder / file_name(kept.created))
    return kept


def test_names_sort_by_age() -> None:
    times = [run().created + timedelta(milliseconds=step) for step in (0, 1, 999, 60_000, 10**10)]
    names = [file_name(time) for time in times]
    assert names == sorted(names)
    assert names[0] == "20260301T123015250Z.json"


def test_each_row_has_its_own_last_run(tmp_path: Path) -> None:
    oldest = keep(tmp_path, 30, row("a/b/c", 1), row("a/b/d", 2), row("a/b/e", 3))
    keep(tmp_path, 20, row("a/b/c", 4), row("a/b/d", 5))
    newest = keep(tmp_path, 10, row("a/b/c", 6))
    found = earlier(tmp_path, run(row("a/b/c"), row("a/b/e"), row("a/b/new")), WallclockRow)
    assert {identity: old.median_ns for identity, old in found.rows.items()} == {"a/b/c": 6, "a/b/e": 3}
    assert found.runs == (newest, oldest)


def test_neither_this_run_nor_later_ones_count(tmp_path: Path) -> None:
    keep(tmp_path, 0, row("a/b/c"))
    keep(tmp_path, -5, row("a/b/c"))
    assert earlier(tmp_path, run(row("a/b/c")), WallclockRow).rows == {}


def test_other_machines_do_not_count(tmp_path: Path) -> None:
    keep(tmp_path, 5, row("a/b/c"), environment=msgspec.structs.replace(ENVIRONMENT, kernel="7"))
    assert earlier(tmp_path, run(row("a/b/c")), WallclockRow).rows == {}


def test_damaged_files_are_passed_over_and_named(tmp_path: Path) -> None:
    keep(tmp_path, 9, row("a/b/c", 7))
    (tmp_path / "20260301T122900000Z.json").write_text('{"schema": 1')
    found = earlier(tmp_path, run(row("a/b/c")), WallclockRow)
    assert found.rows["a/b/c"].median_ns == 7
    assert len(found.unreadable) == 1
    assert "20260301T122900000Z.json: truncated" in found.unreadable[0]


@pytest.mark.parametrize("oddity", ["folder", "loop", "[" * 100_000, '{"lines":' + "[" * 100_000])
def test_odd_files_are_passed_over_and_named(tmp_path: Path, oddity: str) -> None:
    keep(tmp_path, 9, row("a/b/c", 7))
    path = tmp_path / "20260301T122900000Z.json"
    match oddity:
        case "folder":
            path.mkdir()
        case "loop":
            path.symlink_to(path.name)
        case _:
            path.write_text(oddity)
    found = earlier(tmp_path, run(row("a/b/c")), WallclockRow)
    assert found.rows["a/b/c"].median_ns == 7
    (line,) = found.unreadable
    assert line.startswith(str(path))


def test_no_folder_means_no_history(tmp_path: Path) -> None:
    assert earlier(tmp_path / "none", run(row("a/b/c")), WallclockRow).rows == {}
