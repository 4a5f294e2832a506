"""`scripts/pinned.sh` on a tree that stands for /proc and /sys, with stand-ins for the tools it calls.

What it means to be pinned is asked of benchgate, from inside the command that the script runs.
"""

import os
import pty
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchgate.environment import Environment
from tests.benchgate.samples import write
from tests.scripts.pinned_machine import BOOST, CPUS, FREE, GOVERNOR, LIMIT_SEC, NO_TURBO, REAL_TIME, Machine

EVERY_REASON = [
    "not root, who alone may set the governor and the boost",
    "CPU 1 is not isolated: boot with isolcpus=1",
    "CPU 1 is not online",
    f"no governor can be set: there is no /{CPUS}/cpu1/cpufreq/scaling_governor",
    f"CPU 3, on the same core as CPU 1, is online: write 0 to /{CPUS}/cpu3/online",
    "this is a virtual machine, whose host can neither be seen nor held",
    "SCHED_FIFO cannot be had: chrt says no",
    "address space randomisation cannot be switched off: setarch says no",
]


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path)
    yield machine
    machine.stop()


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    """A pipe by which a command says that it has come to where it waits."""
    path = tmp_path / "ready"
    os.mkfifo(path)
    return path


def python(source: str, *arguments: str | Path) -> tuple[str | Path, ...]:
    return (sys.executable, "-c", source, *arguments)


def shell(source: str) -> tuple[str, ...]:
    return ("/bin/sh", "-c", source)


def await_word(path: Path) -> None:
    # Opened for both, so that neither side waits for the other to open, and a dead command hangs no test.
    pipe = os.open(path, os.O_RDWR)
    try:
        assert select.select([pipe], [], [], LIMIT_SEC)[0], "the command did not come to where it waits"
        os.read(pipe, 1)
    finally:
        os.close(pipe)


REASONS = """
import pathlib, sys
from benchgate.environment import Environment
print(*Environment.read([], pathlib.Path(sys.argv[1]), "Linux").unpinned_because, sep="\\n")
"""


def test_command_runs_on_what_benchgate_calls_pinned(machine: Machine) -> None:
    before = Environment.read([], machine.root, "Linux").unpinned_because
    assert len(before) == 4
    assert machine.run(*python(REASONS, machine.root)) == (0, "\n", [])
    machine.assert_as_it_was()


@pytest.mark.parametrize("code", [0, 1, 2, 77])
def test_exit_code_is_the_commands_and_all_is_changed_back(machine: Machine, code: int) -> None:
    held = shell(f'cd "$TAPEMARK_SYSROOT"; read g <{GOVERNOR}; read b <{BOOST}; echo $g $b; exit {code}')
    assert machine.run("--", *held) == (code, "performance 0\n", [])
    machine.assert_as_it_was()


def test_command_that_cannot_be_started_is_a_failure_like_any(machine: Machine) -> None:
    process = machine.start("/no/such/program")
    process.communicate(timeout=LIMIT_SEC)
    assert process.returncode == 127
    machine.assert_as_it_was()


def test_what_is_already_so_or_not_there_is_not_written(machine: Machine) -> None:
    write(machine.root, {BOOST: "0\n"})
    (machine.root / NO_TURBO).unlink()
    before = (machine.root / BOOST).stat().st_mtime_ns
    assert machine.run("true") == (0, "", [])
    assert (machine.root / BOOST).stat().st_mtime_ns == before
    assert not (machine.root / NO_TURBO).exists()


def test_arguments_reach_the_command_as_they_are(machine: Machine) -> None:
    odd = ["a b", "", "*", "--fifo", "$HOME", 'x"y']
    code, out, _ = machine.run("--cpu", "3", "--", *python("import sys; print(sys.argv[1:])", *odd))
    assert (code, out) == (0, f"{odd}\n")


def test_command_is_not_given_a_terminal_that_would_stop_it_when_read(machine: Machine) -> None:
    ours, theirs = pty.openpty()
    process = machine.start(*shell("test -t 0 || echo no terminal"), stdin=theirs)
    out, _ = process.communicate(timeout=LIMIT_SEC)
    os.close(ours)
    os.close(theirs)
    assert out == "no terminal\n"


def test_input_from_a_pipe_reaches_the_command(machine: Machine) -> None:
    process = machine.start(*shell("read word; echo $word"), stdin=subprocess.PIPE)
    assert process.communicate("one two", timeout=LIMIT_SEC)[0] == "one two\n"


def test_fifo_lifts_the_limit_of_real_time_tasks_for_the_while(machine: Machine) -> None:
    machine.tool("chrt", 'echo "chrt $1 $2 $3"; shift 2; exec "$@"')
    command = shell(f'read limit <"$TAPEMARK_SYSROOT/{REAL_TIME}"; echo $limit')
    code, out, said = machine.run("--fifo", *command)
    assert (code, out, said) == (0, "chrt -f 1 numactl\n-1\n", [])
    machine.assert_as_it_was()


WAITING = """
import os, pathlib, signal, sys
_, name, ready, governor = sys.argv
def end(number, frame):
    print(pathlib.Path(governor).read_text().strip(), flush=True)
    os._exit(number + 40)
signal.alarm(60)
signal.signal(signal.Signals[name], end)
os.write(os.open(ready, os.O_WRONLY), b"r")
while True:
    signal.pause()
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_signal_goes_to_the_command_which_ends_before_anything_changes_back(
    machine: Machine, ready: Path, name: str
) -> None:
    process = machine.start(*python(WAITING, name, ready, machine.root / GOVERNOR))
    await_word(ready)
    process.send_signal(signal.Signals[name])
    out, said = process.communicate(timeout=LIMIT_SEC)
    assert (process.returncode, out, said) == (signal.Signals[name] + 40, "performance\n", "")
    machine.assert_as_it_was()


DEFENCELESS = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
child = os.fork()
signal.alarm(60)
if child == 0:
    os.write(os.open(sys.argv[1], os.O_WRONLY), b"r")
while True:
    signal.pause()
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_command_killed_by_the_signal_takes_its_children_along(
    machine: Machine, ready: Path, name: str
) -> None:
    process = machine.start(*python(DEFENCELESS, ready))
    await_word(ready)
    process.send_signal(signal.Signals[name])
    # Ends only when nobody holds the output open any more: neither the command nor its child.
    process.communicate(timeout=LIMIT_SEC)
    assert process.returncode == 128 + signal.Signals[name]
    machine.assert_as_it_was()


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_signal_in_the_midst_of_the_set_up_starts_no_command(machine: Machine, name: str) -> None:
    boost = machine.root / BOOST
    boost.unlink()
    os.mkfifo(boost)
    process = machine.start(*shell("echo started"))
    # The script reads it after it has set the governor, and waits for what we write.
    # Were it never to, opening for both would end our own waiting, and the test would fail.
    rescue = threading.Timer(LIMIT_SEC, os.open, (boost, os.O_RDWR))
    rescue.start()
    with boost.open("w") as pipe:
        rescue.cancel()
        assert machine.text(GOVERNOR) == "performance\n"
        process.send_signal(signal.Signals[name])
        pipe.write("1\n")
    out, _ = process.communicate(timeout=LIMIT_SEC)
    assert (process.returncode, out) == (128 + signal.Signals[name], "")
    machine.assert_as_it_was(BOOST)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file of /proc that root cannot write either")
def test_failing_step_undoes_those_before_it(machine: Machine) -> None:
    machine.unwritable(BOOST)
    code, out, said = machine.run(*shell("echo started"))
    assert (code, out) == (2, "")
    assert said == [f"refused: /{BOOST} does not become 0"]
    machine.assert_as_it_was(BOOST)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file of /proc that keeps its own counsel")
def test_value_that_is_taken_and_not_kept_is_a_failing_step(machine: Machine) -> None:
    (machine.root / BOOST).unlink()
    # Takes a 0 for its default, which it has already.
    (machine.root / BOOST).symlink_to("/proc/self/timerslack_ns")
    assert machine.run(*shell("echo started")) == (2, "", [f"refused: /{BOOST} does not become 0"])
    machine.assert_as_it_was(BOOST)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file of /proc that root cannot write either")
def test_best_effort_goes_on_after_a_failing_step(machine: Machine) -> None:
    machine.unwritable(NO_TURBO)
    code, out, said = machine.run(
        "--best-effort", *shell(f'read b <"$TAPEMARK_SYSROOT/{BOOST}"; echo $b; exit 5')
    )
    assert (code, out) == (5, "0\n")
    assert said == [f"not so: /{NO_TURBO} does not become 1"]
    machine.assert_as_it_was(NO_TURBO)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file of /proc that root cannot write either")
@pytest.mark.parametrize(("code", "expected"), [(0, 2), (7, 7)])
def test_what_cannot_be_changed_back_is_said_and_no_success(
    machine: Machine, code: int, expected: int
) -> None:
    stuck = machine.root / BOOST
    spoil = python(
        "import os, sys; os.remove(sys.argv[1]); os.symlink('/proc/version', sys.argv[1]); "
        "sys.exit(int(sys.argv[2]))",
        stuck,
        str(code),
    )
    assert machine.run(*spoil) == (expected, "", [f"could not change /{BOOST} back to 1"])
    machine.assert_as_it_was(BOOST)


@pytest.mark.parametrize(
    ("changed", "tool", "reason"),
    [
        ({f"{CPUS}/isolated": "\n"}, None, "no CPU is isolated: boot with isolcpus=N, or choose with --cpu"),
        ({f"{CPUS}/online": "0-1,3\n"}, None, "CPU 2 is not online"),
        ({GOVERNOR: ""}, None, f"no governor can be set: there is no /{GOVERNOR}"),
        (
            {f"{CPUS}/cpu2/topology/thread_siblings_list": "0,2\n"},
            None,
            f"CPU 0, on the same core as CPU 2, is online: write 0 to /{CPUS}/cpu0/online",
        ),
        (
            {f"{CPUS}/cpu2/topology/thread_siblings_list": ""},
            None,
            "it cannot be known which CPUs share the core of CPU 2: there is no thread_siblings_list",
        ),
        (
            {BOOST: "", NO_TURBO: ""},
            None,
            f"the clock boost cannot be known: there is no /{BOOST}",
        ),
        (
            {"proc/cpuinfo": "Features\t: fp asimd\n"},
            None,
            "it cannot be known whether this is a virtual machine: /proc/cpuinfo lists no flags",
        ),
        (
            {"proc/cpuinfo": "flags\t\t: fpu hypervisor sse2\n"},
            None,
            "this is a virtual machine, whose host can neither be seen nor held",
        ),
        ({}, ("id", "echo 1000"), "not root, who alone may set the governor and the boost"),
        ({}, ("uname", "echo Darwin"), "Darwin does not tell how CPUs are held"),
        ({}, ("taskset", "echo no; exit 1"), "CPU 2 cannot be chosen: no"),
        ({}, ("setarch", "echo no; exit 1"), "address space randomisation cannot be switched off: no"),
        ({}, ("numactl", "echo no; exit 1"), "memory cannot be kept to one node: no"),
    ],
)
def test_each_thing_that_keeps_a_machine_from_being_pinned_is_a_reason(
    machine: Machine, changed: dict[str, str], tool: tuple[str, str] | None, reason: str
) -> None:
    write(machine.root, changed)
    if tool:
        machine.tool(*tool)
    code, out, said = machine.run(*shell("echo started"))
    assert (code, out) == (2, "")
    assert f"refused: {reason}" in said
    machine.assert_as_it_was(*changed)


def every_reason(machine: Machine) -> tuple[str, ...]:
    (machine.root / f"{CPUS}/cpu2/node1/cpulist").unlink()
    write(
        machine.root,
        {
            f"{CPUS}/online": "0,2-3\n",
            f"{CPUS}/cpu1/topology/thread_siblings_list": "1,3\n",
            "proc/cpuinfo": "flags\t\t: fpu hypervisor\n",
        },
    )
    machine.tool("id", "echo 1000")
    machine.tool("chrt", "echo chrt says no; exit 1")
    machine.tool("setarch", "echo setarch says no; exit 1")
    return ("--fifo", "--cpu", "1")


def test_refusal_lists_every_reason(machine: Machine) -> None:
    code, out, said = machine.run(*every_reason(machine), *shell("echo started"))
    assert (code, out) == (2, "")
    assert said == [f"refused: {reason}" for reason in EVERY_REASON]
    machine.assert_as_it_was()


def test_best_effort_says_every_reason_and_runs(machine: Machine) -> None:
    code, out, said = machine.run("--best-effort", *every_reason(machine), *shell("echo started; exit 3"))
    assert (code, out) == (3, "started\n")
    assert said == [f"not so: {reason}" for reason in EVERY_REASON]
    machine.assert_as_it_was()


def test_missing_tool_is_named(machine: Machine) -> None:
    machine.no_tool("taskset")
    code, _, said = machine.run("true")
    assert code == 2
    assert len(said) == 1
    assert said[0].startswith("refused: CPU 2 cannot be chosen: ")
    assert "taskset: command not found" in said[0]


def test_numactl_is_used_where_there_is_one_and_not_missed(machine: Machine) -> None:
    machine.tool("numactl", 'echo "numactl $1 $2"; shift 2; exec "$@"')
    assert machine.run("true") == (0, "numactl --membind=1 --\n", [])
    machine.no_tool("numactl")
    assert machine.run("true") == (0, "", [])


def test_dry_run_says_what_would_be_done_and_does_nothing(machine: Machine) -> None:
    code, out, said = machine.run("--dry-run", "--fifo", "python", "-m", "nox", "-s", "a b")
    assert (code, said) == (0, [])
    assert out.splitlines() == [
        f"write performance to /{GOVERNOR}, then powersave again",
        f"write 1 to /{NO_TURBO}, then 0 again",
        f"write 0 to /{BOOST}, then 1 again",
        f"write -1 to /{REAL_TIME}, then 950000 again",
        "run taskset -c 2 chrt -f 1 numactl --membind=1 -- setarch imaginary -R python -m nox -s a\\ b",
    ]
    machine.assert_as_it_was()
    assert machine.text("proc/self/status") == FREE["proc/self/status"]


def test_dry_run_of_what_would_be_refused_says_why_and_fails(machine: Machine) -> None:
    options = every_reason(machine)
    code, out, said = machine.run("--dry-run", *options, *shell("echo started"))
    assert code == 2
    assert said == [f"refused: {reason}" for reason in EVERY_REASON]
    assert out.splitlines()[-1] == "run /bin/sh -c echo\\ started"
    machine.assert_as_it_was()
    assert machine.run("--best-effort", "--dry-run", *options, "true")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ((), "no command"),
        (("--fifo", "--"), "no command"),
        (("--cpu",), "--cpu: expected a CPU's number, got ''"),
        (("--cpu", "2-3", "true"), "--cpu: expected a CPU's number, got '2-3'"),
        (("--turbo", "true"), "unknown option --turbo"),
    ],
)
def test_wrong_use_is_explained(machine: Machine, arguments: tuple[str, ...], fault: str) -> None:
    code, out, said = machine.run(*arguments)
    assert (code, out, said[0]) == (2, "", fault)
    assert said[1].startswith("usage: pinned.sh ")
    machine.assert_as_it_was()
