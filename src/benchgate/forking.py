"""The program that is counted: import what all benches need once, then run each job in a child of its own.

An interpreter under valgrind takes seconds to come to its first bench, so there is one, and each job is a
fork of it. All forks are made at the beginning, in the order of the jobs, from the same memory; each child
waits for its turn, so that no figure depends on how many run at a time or in what order. Those with most to
do come first, since a long one at the end would leave the other CPUs idle.

A job's child runs pytest in the job's folder `tree`. In its folder `out` it leaves its process id in `pid`,
what it printed in `printed`, and when it has ended by itself its exit code in `ended`. It then prints one
line, `CODE NAME`.
"""

import importlib
import os
import sys
from pathlib import Path

import msgspec
import pytest
from _pytest.config import default_plugins  # pytest has no public list of the plugins that it always loads

from benchgate.jobs import Job, Jobs

TURN = b"."
_DIED = 70  # pytest itself raised, or the job was never begun


def main() -> None:
    """Run the jobs of the file that is named on the command line."""
    jobs = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Jobs)
    for name in (
        *(f"_pytest.{name}" for name in default_plugins),
        "pytest_codspeed.plugin",
        "benchgate.plugin",
    ):
        importlib.import_module(name)
    turns = [os.pipe() for _ in jobs.jobs]
    for job, (turn, _) in zip(jobs.jobs, turns, strict=True):
        if os.fork() == 0:
            for _, give in turns:
                os.close(give)
            _child(job, turn)
    waiting = sorted(zip(jobs.jobs, turns, strict=True), key=lambda one: one[0].work)
    for _ in range(jobs.at_a_time):
        _give_turn(waiting)
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return
        _give_turn(waiting)


def _give_turn(waiting: list[tuple[Job, tuple[int, int]]]) -> None:
    if waiting:
        _, (_, give) = waiting.pop()
        os.write(give, TURN)


def _child(job: Job, turn: int) -> None:
    """Do the job and end this process."""
    out = Path(job.out)
    (out / "pid").write_text(str(os.getpid()))
    if not os.read(turn, len(TURN)):  # whoever gives turns has died
        os._exit(_DIED)
    told = os.dup(1)
    printed = os.open(out / "printed", os.O_WRONLY | os.O_CREAT, 0o600)
    os.dup2(printed, 1)
    os.dup2(printed, 2)
    code = _DIED
    try:
        os.chdir(job.tree)
        code = int(pytest.main(list(job.arguments)))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        (out / "ended").write_text(str(code))
        os.write(told, f"{code} {job.name}\n".encode())
        os._exit(code)


if __name__ == "__main__":
    main()
