"""The command gate on a repository of toys whose benches are counted by valgrind."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchgate import perfmap
from tests.benchgate.gate.toys import BENCHES, IDS, SLOWER, Place, list_of, require_failure, told, toy
from tests.benchgate.gate.waiting import running_in, wait_for
from tests.benchgate.samples import command, environment_variables, write

needs_valgrind = pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")

# Real callgrind, whose dumps of a bench's process are then spoilt.
WRAPPER = """#!/bin/sh
'{valgrind}' "$@"
code=$?
'{python}' -I '{spoil}' "$@" || exit
exit $code
"""
SPOIL = r"""
import sys
from pathlib import Path
outputs = [text.partition("=")[2] for text in sys.argv if text.startswith("--callgrind-out-file=")]
paths = [path for output in outputs for path in Path(output).parent.glob("callgrind.*")]
for path in paths:
    text = path.read_text()
    if "bench_sort" in text:
        parts = text.split("\npart: ")
        (index,) = (index for index, part in enumerate(parts) if "bench_sort" in part)
        {spoil}
        path.write_text(text)
"""


@pytest.fixture
def counted(place: Place) -> Place:
    place.really()
    return place


@needs_valgrind
@pytest.mark.valgrind
def test_a_slow_down_is_found_and_its_function_named_wherever_the_repository_lies(
    counted: Place, tmp_path: Path
) -> None:
    folder = "ein Ordner/Messung 1"
    same = "\n\ndef bench_same(measure):\n    measure(sorted, (3, 1, 2), calls=20)\n"
    name = "benches/toy/bench_work.py"
    more = {name: BENCHES[name] + same, **list_of(*IDS, "toy/work/same")}
    made = toy(tmp_path / "große Ablage", more, folder)
    made.commit({f"{folder}/src/toy.py": SLOWER})
    found = counted.gate(made.root / folder, "main", "toy/work")
    assert len(made.worktrees()) == 1
    assert (found.code, found.err) == (1, "")
    assert told(found.report) == {
        "toy/work/few": ("compared", "slower"),
        "toy/work/many": ("compared", "slower"),
        "toy/work/same": ("compared", "not slower"),
    }
    assert found.report.passes[:3] == ("base", "head", "base again")
    assert found.report.slower[0].id == "toy/work/many"
    for row in found.report.slower:
        assert 0.3 < (row.change or 0) < 2
        if sys.version_info >= (3, 12):  # before, a profile has functions of C alone
            assert (row.causes[0].name, row.causes[0].where) == ("work", "src/toy.py:2")
            assert row.causes[0].touched is True


@needs_valgrind
@pytest.mark.valgrind
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        ("text = text[: len(text) // 2]", "callgrind."),
        ("text += chr(10) + 'part: ' + parts[index]", "toy/list: toy/list/sort was counted twice"),
        ("del parts[index]; text = (chr(10) + 'part: ').join(parts)", "toy/list: not counted: toy/list/sort"),
    ],
    ids=["cut", "twice", "missing"],
)
def test_a_profile_that_is_not_whole_is_an_error(
    counted: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: str, message: str
) -> None:
    made = toy(tmp_path / "toy")
    script = tmp_path / "bin/valgrind"
    words = {"valgrind": shutil.which("valgrind"), "python": sys.executable, "spoil": tmp_path / "spoil.py"}
    write(tmp_path, {"bin/valgrind": WRAPPER.format(**words), "spoil.py": SPOIL.format(spoil=spoil)})
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(script.parent), prepend=os.pathsep)
    found = counted.gate(made.root, "main", "toy/list")
    require_failure(found, message)
    assert len(found.err.splitlines()) == 1


@needs_valgrind
@pytest.mark.valgrind
@pytest.mark.parametrize(
    ("moment", "number"),
    [("looking", signal.SIGTERM), ("pass 1", signal.SIGINT), ("pass 2", signal.SIGTERM)],
    ids=["survey", "first", "second"],
)
def test_an_interrupt_ends_what_runs_and_leaves_nothing(
    tmp_path: Path, moment: str, number: signal.Signals
) -> None:
    made = toy(tmp_path / "toy")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(  # noqa: S603 - our own command
        command("gate", "main", "toy/list"),
        cwd=made.root,
        env=environment_variables() | {"TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert any(line.startswith(moment) for line in process.stdout)
        sign = "ids.txt" if moment == "looking" else "pid"
        wait_for(lambda: any("base" not in path.parts for path in temporary.rglob(sign)))
        assert len(made.worktrees()) == 2
        pids = running_in(tmp_path) - {process.pid}
        assert pids
        process.send_signal(number)
        _, complaint = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, complaint) == (2, "benchgate: interrupted; no file is half written\n")
    assert list(temporary.iterdir()) == []
    assert len(made.worktrees()) == 1
    assert not (made.root / "results").exists()
    assert not any(perfmap.path_of(pid).exists() for pid in pids)
    wait_for(lambda: not running_in(tmp_path))
