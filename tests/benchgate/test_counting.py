"""Counting from end to end, in a repository of its own."""

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchgate import simulator
from benchgate.callgrind import Function
from benchgate.counting import count
from benchgate.errors import CouldNotRun
from benchgate.rows import CountsRow
from benchgate.run import Run, load, utc_now
from benchgate.survey import Sources
from tests.benchgate.conftest import RunCli
from tests.benchgate.gate.waiting import running_in
from tests.benchgate.samples import PYPROJECT, command, environment_variables, write

pytestmark = pytest.mark.valgrind  # slow: an interpreter under valgrind starts in seconds

needs_valgrind = pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")

LOOPS = """
import itertools

import pytest


def loop(turns):
    total = 0
    for _ in itertools.repeat(None, turns):
        total = (total * 5 + 3) & 15
    return total


@pytest.mark.parametrize("turns", [3000, 6000])
def bench_loop(measure, turns):
    assert loop(turns) == (3 * (5**turns - 1) // 4) & 15
    measure(loop, turns, calls=20)


@pytest.mark.parametrize("calls", [20, 40])
def bench_same_work(measure, calls):
    measure(loop, 3000, calls=calls)
"""
OTHER = """
import pytest


@pytest.mark.items(1000, "bytes")
@pytest.mark.components("toy/loops/loop[3000]")
def bench_fresh_bytes(measure):
    measure.fresh(bytes, lambda: (1000,), calls=30)


def bench_nothing(measure):
    measure(lambda: None)
"""
IDS = (
    "other/objects/fresh_bytes",
    "other/objects/nothing",
    "toy/loops/loop[3000]",
    "toy/loops/loop[6000]",
    "toy/loops/same_work[20]",
    "toy/loops/same_work[40]",
)


def make_loops(root: Path) -> Path:
    write(
        root,
        {
            "pyproject.toml": PYPROJECT,
            ".gitignore": "__pycache__/\n/results/\n",
            "benches/toy/bench_loops.py": LOOPS,
            "benches/other/bench_objects.py": OTHER,
            "benches/ids.txt": "".join(f"{identity}\n" for identity in IDS),
        },
    )
    return root


def counts(root: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own command
        command("counts", *arguments),
        cwd=root,
        env=environment_variables() | more,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def results(root: Path) -> list[Run[CountsRow]]:
    paths = sorted((root / "results/counts").glob("*.json"))
    return [load(path, "counts", CountsRow) for path in paths]


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[subprocess.CompletedProcess[str]]]:
    """A repository whose benches were counted two times, and what that printed."""
    root = make_loops(tmp_path_factory.mktemp("twice"))
    temporary = tmp_path_factory.mktemp("temporary")
    answers = [
        counts(root, TMPDIR=str(temporary)),
        counts(root, "--json", "copy.json", TMPDIR=str(temporary), SOME_VARIABLE="x" * 777),
    ]
    assert [answer.returncode for answer in answers] == [0, 0], answers
    assert list(temporary.iterdir()) == []
    return root, answers


@needs_valgrind
def test_each_bench_has_one_row(twice: tuple[Path, list[subprocess.CompletedProcess[str]]]) -> None:
    root, answers = twice
    first, second = results(root)
    assert [row.id for row in first.rows] == list(IDS)
    assert first.kind == "counts"
    assert first.environment.simulator == simulator.find().facts
    assert first.environment.interpreter.hash_seed == "0"
    assert load(root / "copy.json", "counts", CountsRow) == second
    assert {path.name for path in root.iterdir()} == {
        "benches",
        "copy.json",
        ".gitignore",
        "pyproject.toml",
        "results",
    }
    rows = {row.id: row for row in first.rows}
    fresh = rows["other/objects/fresh_bytes"]
    assert (fresh.calls, fresh.components) == (30, ("toy/loops/loop[3000]",))
    assert fresh.items is not None
    assert (fresh.blocks, fresh.bytes) == (1, bytes(1000).__sizeof__())
    nothing = rows["other/objects/nothing"]
    assert (nothing.blocks, nothing.bytes, nothing.native_blocks) == (0, 0, 0)
    assert 50 < nothing.instructions < 1000
    assert "loop[3000]" in answers[0].stdout
    assert "there is no earlier run" in answers[0].stdout


@needs_valgrind
def test_twice_the_work_costs_twice_the_instructions(
    twice: tuple[Path, list[subprocess.CompletedProcess[str]]],
) -> None:
    rows = {row.id: row for row in results(twice[0])[0].rows}
    single, double = rows["toy/loops/loop[3000]"], rows["toy/loops/loop[6000]"]
    assert double.instructions / single.instructions == pytest.approx(2, rel=0.01)
    assert 10 < single.instructions / 3000 < 1000  # a turn is a handful of bytecodes
    few, many = rows["toy/loops/same_work[20]"], rows["toy/loops/same_work[40]"]
    assert many.region / few.region == pytest.approx(2, rel=0.01)
    assert many.instructions == pytest.approx(few.instructions, rel=0.001)


@needs_valgrind
def test_two_runs_count_the_same(twice: tuple[Path, list[subprocess.CompletedProcess[str]]]) -> None:
    root, answers = twice
    first, second = results(root)
    both = list(zip(first.rows, second.rows, strict=True))
    assert sum(old.region == new.region for old, new in both) >= 4
    for old, new in both:
        assert new.region == pytest.approx(old.region, rel=0.003), new.id
        assert (new.blocks, new.bytes, new.native_blocks) == (old.blocks, old.bytes, old.native_blocks)
    assert "change: from " in answers[1].stdout
    assert "of 6 rows are equal to the instruction and byte" in answers[1].stdout


@needs_valgrind
def test_the_profile_says_which_functions_a_count_is_in(tmp_path: Path) -> None:
    root = make_loops(tmp_path)
    lines: list[str] = []
    loops = ["toy/loops/loop[3000]"]
    found = count(Sources(root, root), simulator.find(), utc_now(), lines.append, selected=loops)
    (row,) = found.run.rows
    profile = found.profiles[row.id]
    assert profile.total == sum(profile.own.values()) == row.region
    assert lines[-1].split() == ["[1/1]", "toy/loops", "counted"]
    if sys.version_info >= (3, 12):  # before, a profile has functions of C alone
        loop = Function("python", "benches/toy/bench_loops.py", "py::loop")
        assert 0.99 < profile.inclusive[loop] / profile.total < 1
        callers = {caller.name: edge for (caller, callee), edge in profile.edges.items() if callee == loop}
        assert set(callers) == {"py_trampoline_evaluator", "py::region"}
        assert {edge.calls for edge in callers.values()} == {row.calls}
        # Its bytecode, not only its trampoline: what is left are the calls that its arithmetic makes.
        called = sum(edge.cost for (caller, _), edge in profile.edges.items() if caller == loop)
        assert profile.own[loop] == profile.inclusive[loop] - called > 0.4 * profile.inclusive[loop]


@needs_valgrind
def test_benches_count_on_other_packages_in_the_same_shape(tmp_path: Path) -> None:
    """Head's benches on base's packages: what a change to the packages costs, and nothing else."""
    roots = [tmp_path / "head", tmp_path / "a-base-with-a-longer-name"]
    for root, turns in zip(roots, (2, 1), strict=True):
        body = f"def work(n):\n    return sum(range(n * {turns}))\n"
        bench = "from toy import work\n\ndef bench_work(measure):\n    measure(work, 100, calls=20)\n"
        other = "def bench_other(measure):\n    measure(sum, (1, 2), calls=20)\n"
        write(
            root,
            {
                "pyproject.toml": PYPROJECT,
                "src/toy.py": body,
                "benches/toy/bench_work.py": bench + other,
                "benches/ids.txt": "toy/work/other\ntoy/work/work\n",
            },
        )
    head, base = roots
    (head / "benches/toy/bench_extra.py").write_text("def bench_it(measure):\n    1 / 0\n")
    only = ["toy/work/other", "toy/work/work"]
    costs = [
        {
            row.id: row.instructions
            for row in count(Sources(head, packages), valgrind, utc_now(), print, only=only).run.rows
        }
        for valgrind in [simulator.find()]
        for packages in (base, head, base)
    ]
    assert costs[0] == pytest.approx(costs[2], rel=0.0005)
    assert costs[1]["toy/work/other"] == pytest.approx(costs[0]["toy/work/other"], rel=0.003)
    assert 1.5 < costs[1]["toy/work/work"] / costs[0]["toy/work/work"] < 2.1


@needs_valgrind
@pytest.mark.parametrize(
    ("fault", "ending"),
    [("os._exit(5)", "early"), ("os.kill(os.getpid(), 9)", "early"), ("1 / 0", "with exit code 1")],
)
def test_a_process_that_does_not_come_to_its_end_is_named(tmp_path: Path, fault: str, ending: str) -> None:
    """The fault is one that an ordinary process does not have."""
    under_valgrind = "'vgpreload' in os.environ.get('LD_PRELOAD', '')"
    body = f"import os\n\ndef bench_it(measure):\n    {under_valgrind} and {fault}\n    measure(len, ())\n"
    write(
        tmp_path,
        {
            "pyproject.toml": PYPROJECT,
            "benches/toy/bench_fine.py": "def bench_it(measure):\n    measure(len, ())\n",
            "benches/toy/bench_wrong.py": body,
            "benches/ids.txt": "toy/fine/it\ntoy/wrong/it\n",
        },
    )
    sources, valgrind = Sources(tmp_path, tmp_path), simulator.find()
    with pytest.raises(CouldNotRun, match=f"^toy/wrong: the process under valgrind ended {ending}$"):
        count(sources, valgrind, utc_now(), print)


@needs_valgrind
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["interrupt", "terminate"])
def test_an_interrupted_run_leaves_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    root = make_loops(tmp_path / "repository")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(  # noqa: S603 - our own command
        command("counts"),
        cwd=root,
        env=environment_variables() | {"TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert any(line.rstrip().endswith("counted") for line in process.stdout)
    pids = running_in(tmp_path) - {process.pid}
    assert pids
    process.send_signal(number)
    _, complaint = process.communicate(timeout=30)
    assert process.returncode == 2
    assert complaint == "benchgate: interrupted; no file is half written\n"
    assert list(temporary.iterdir()) == []
    assert not (root / "results").exists()
    assert not any(Path(f"/tmp/perf-{pid}.map").exists() for pid in pids)  # noqa: S108 - CPython's place
    ended_by = time.monotonic() + 10
    while running_in(tmp_path) and time.monotonic() < ended_by:
        time.sleep(0.05)
    assert running_in(tmp_path) == set()


@needs_valgrind
def test_fewer_benches_than_listed_is_an_error_before_anything_is_counted(tmp_path: Path) -> None:
    root = make_loops(tmp_path)
    write(root, {"benches/ids.txt": "".join(f"{identity}\n" for identity in (*IDS, "toy/loops/vanished"))})
    answer = counts(root)
    assert answer.returncode == 2
    assert "toy/loops/vanished is listed in benches/ids.txt but missing from the benches" in answer.stderr
    assert "nothing was counted" in answer.stderr
    assert not (root / "results").exists()


@needs_valgrind
def test_failing_benches_are_named_and_nothing_is_counted(repository: Path, cli: RunCli) -> None:
    write(
        repository, {"benches/toy/bench_wrong.py": "def bench_sum(measure):\n    assert sum((1, 1)) == 3\n"}
    )
    answer = cli("counts")
    assert answer.returncode == 2
    assert "toy/wrong/sum: assert 2 == 3" in answer.stderr
    assert not (repository / "results").exists()


@needs_valgrind
def test_an_unmatched_selection_says_what_is_near(cli: RunCli) -> None:
    answer = cli("counts", "toy/part/sum")
    assert answer.returncode == 2
    assert "no bench is named toy/part/sum; near names: toy/parts/sum" in answer.stderr


def test_without_valgrind_one_line_says_how_to_install_it(repository: Path, tmp_path: Path) -> None:
    answer = counts(repository, PATH=str(tmp_path))
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert answer.stderr == (
        "benchgate: valgrind is not installed: `apt-get install valgrind` or `dnf install valgrind`\n"
    )
