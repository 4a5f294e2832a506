"""The whole session's files: made once, made anew when damaged, and never left half written."""

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from benches.market import session
from benchgate.errors import CouldNotRun
from scripts import make_session
from scripts.fixturegen.catalogue import SEED
from scripts.marketgen.session import SHORT

ROOT = Path(__file__).parents[2]

whole_path = session.whole_path  # before a fixture puts another in its place


@pytest.fixture(scope="module")
def short() -> session.Session:
    return session.load_short()


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the session elsewhere, and a short one in its place, made in this process."""
    path = tmp_path / "sessions" / "short.session"

    def run(command: list[str], **_: object) -> SimpleNamespace:
        return SimpleNamespace(returncode=make_session.main(command[3:], SHORT))

    monkeypatch.setattr(session, "whole_path", lambda: path)
    monkeypatch.setattr(subprocess, "run", run)
    return path


DAMAGES: dict[str, Callable[[Path, Path], object]] = {
    "session missing": lambda whole, _: whole.unlink(),
    "session empty": lambda whole, _: whole.write_bytes(b""),
    "last frame cut": lambda whole, _: whole.write_bytes(whole.read_bytes()[:-40]),
    "a digit changed": lambda whole, _: whole.write_bytes(whole.read_bytes().replace(b"5", b"6", 1)),
    "state missing": lambda _, state: state.unlink(),
    "state empty": lambda _, state: state.write_bytes(b""),
    "state cut": lambda _, state: state.write_bytes(state.read_bytes()[:-1]),
    "state changed": lambda _, state: state.write_bytes(state.read_bytes().replace(b"new", b"old", 1)),
    "both empty": lambda whole, state: (whole.write_bytes(b""), state.write_bytes(b"")),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_session_is_made_anew(
    damage: Callable[[Path, Path], object], cached: Path, short: session.Session
) -> None:
    made = session.load_whole()
    assert (made.frames, made.expected) == (short.frames, short.expected)
    damage(cached, make_session.state_path(cached))
    assert session.load_whole() == made


@pytest.mark.usefixtures("cached")
def test_a_session_that_is_damaged_as_soon_as_it_is_made_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_session, "zlib", SimpleNamespace(crc32=lambda *_: 0))
    with pytest.raises(CouldNotRun, match="the session was just made, and is missing or dam"):
        session.load_whole()


def test_a_generator_that_fails_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is a file: the generator, in its own process, cannot make anything there."""
    (tmp_path / "sessions").touch()
    monkeypatch.setattr(session, "_sound", lambda _: None)
    monkeypatch.setattr(session, "whole_path", lambda: tmp_path / "sessions" / "whole.session")
    with pytest.raises(CouldNotRun) as caught:
        session.load_whole()
    told = str(caught.value)
    assert "whole.session: the session could not be made, exit code 2: " in told
    assert "cannot be written: " in told
    assert "\n" not in told


def test_older_sessions_and_drafts_are_removed_but_none_that_may_still_be_written(cached: Path) -> None:
    stale_sec = time.time() - 3_700
    cached.parent.mkdir()
    for name, is_stale in (
        ("older.session", False),
        ("older.session.state", False),
        (".older.session.77.tmp", True),
        (".short.session.77.tmp", True),
        (".older.session.78.tmp", False),
        (".short.session.state.78.tmp", False),
        ("notes.txt", True),
    ):
        (cached.parent / name).touch()
        if is_stale:
            os.utime(cached.parent / name, (stale_sec, stale_sec))
    session.load_whole()
    assert sorted(path.name for path in cached.parent.iterdir()) == [
        ".older.session.78.tmp",
        ".short.session.state.78.tmp",
        "notes.txt",
        "short.session",
        "short.session.state",
    ]


@pytest.mark.parametrize("fault", [OSError("disk full"), KeyboardInterrupt()])
@pytest.mark.parametrize("broken", ["scripts.marketgen.expected.Model.take", "os.fsync"])
def test_a_session_that_is_not_written_to_its_end_leaves_no_draft(
    broken: str, fault: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise fault

    monkeypatch.setattr(broken, fail)
    with pytest.raises(type(fault)):
        make_session.main([str(tmp_path / "short.session")], SHORT)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("in_the_way", ["", ".state"])
def test_a_folder_in_the_sessions_place_is_told_before_anything_is_made(
    in_the_way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "short.session"
    path.with_name(path.name + in_the_way).mkdir()
    monkeypatch.setattr(make_session, "lines", None)
    with pytest.raises(SystemExit) as caught:
        make_session.main([str(path)])
    assert caught.value.code == 2
    assert f"short.session{in_the_way}: cannot be written: a folder stands" in capsys.readouterr().err


def test_a_session_of_another_schema_or_length_is_refused(short: session.Session) -> None:
    heading = {"schema": 1, "seed": 1, "listings": [], "counts": {"frames": 1}}
    frame = b'l 5 {"a": "b c"}'
    read_back = session.parse([json.dumps(heading).encode(), frame], {})
    assert read_back.frames == [("l", 5, b'{"a": "b c"}')]
    with pytest.raises(ValueError, match="expected 1 frames, got 2"):
        session.parse([json.dumps(heading).encode(), frame, frame], {})
    with pytest.raises(ValueError, match="expected schema 1, got 2"):
        session.parse([json.dumps(heading | {"schema": 2}).encode(), frame], {})
    assert short.seed == SEED


def test_the_cached_session_is_named_for_its_makers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = tmp_path / "scripts" / "marketgen" / "a.py"
    source.parent.mkdir(parents=True)
    monkeypatch.setattr(session, "_ROOT", tmp_path)
    names = []
    for content in ("1", "1", "2"):
        source.write_text(content)
        names.append(whole_path())
    assert names[0] == names[1] != names[2]
    assert names[0].parent == tmp_path / "results" / "sessions"
