"""A report is read back as it was written, with the version of its layout in it."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from benchgate.errors import Unreadable
from benchgate.gate.report import SCHEMA, Report, Row, load, save
from benchgate.run import GitState

REPORT = Report(
    created=datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
    seconds=61.5,
    asked="origin/main",
    base="b" * 40,
    head=GitState("a" * 40, dirty=False),
    rows=(Row(id="toy/parts/sum", state="compared", verdict="could not tell"),),
)


def test_a_report_is_read_back(tmp_path: Path) -> None:
    save(REPORT, tmp_path / "report.json")
    assert load(tmp_path / "report.json") == REPORT


def test_the_version_of_the_layout_is_written(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    save(REPORT, path)
    fields = msgspec.json.decode(path.read_bytes())
    assert fields["schema"] == SCHEMA
    path.write_bytes(msgspec.json.encode(fields | {"schema": SCHEMA + 1}))
    with pytest.raises(Unreadable, match=f"written with schema {SCHEMA + 1}"):
        load(path)
