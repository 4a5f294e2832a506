"""A place to run the gate in, whole or without running a bench."""

from pathlib import Path

import pytest

from tests.benchgate.gate.toys import Place


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Place:
    return Place(tmp_path / "temporary", monkeypatch, capsys)


@pytest.fixture
def quick(place: Place) -> Place:
    place.quick()
    return place
