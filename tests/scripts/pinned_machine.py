"""A tree that stands for /proc and /sys, with stand-ins for the tools that `scripts/pinned.sh` calls."""

import shutil
import subprocess
from pathlib import Path

from tests.benchgate.samples import write

LIMIT_SEC = 20  # for what takes milliseconds
ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "pinned.sh"
CPUS = "sys/devices/system/cpu"
GOVERNOR = f"{CPUS}/cpu2/cpufreq/scaling_governor"
NO_TURBO = f"{CPUS}/intel_pstate/no_turbo"
BOOST = f"{CPUS}/cpufreq/boost"
REAL_TIME = "proc/sys/kernel/sched_rt_runtime_us"
FREE = {
    "proc/cpuinfo": "processor\t: 0\nmodel name\t: Imaginary 9000\nflags\t\t: fpu sse2\n",
    "proc/self/status": "Cpus_allowed_list:\t0-1\n",
    "proc/self/personality": "00000000\n",
    "proc/sys/kernel/randomize_va_space": "2\n",
    REAL_TIME: "950000\n",
    f"{CPUS}/isolated": "2-3\n",
    f"{CPUS}/online": "0-3\n",
    BOOST: "1\n",
    NO_TURBO: "0\n",
    GOVERNOR: "powersave\n",
    f"{CPUS}/cpu2/topology/thread_siblings_list": "2\n",
    f"{CPUS}/cpu2/node1/cpulist": "2-3\n",
    f"{CPUS}/cpu3/cpufreq/scaling_governor": "powersave\n",
    f"{CPUS}/cpu3/topology/thread_siblings_list": "3\n",
}
# What the script asks of the machine's own tools, and no more, so that those of the host do not matter.
BORROWED = ("bash", "grep", "head", "sed", "seq", "tail", "true")
# Each notes its call, shows its effect in the tree when it starts the command, and starts it.
STAND_INS = {
    "id": "echo 0",
    "uname": '[ "$1" = -m ] && echo imaginary || echo Linux',
    "taskset": """
        [ "$3" = true ] || printf 'Cpus_allowed_list:\\t%s\\n' "$2" >"$TAPEMARK_SYSROOT/proc/self/status"
        shift 2; exec "$@" """,
    "setarch": """
        [ "$1 $2" = 'imaginary -R' ] || exit 1
        [ "$3" = true ] || echo 00040000 >"$TAPEMARK_SYSROOT/proc/self/personality"
        shift 2; exec "$@" """,
    "chrt": 'shift 2; exec "$@"',
    "numactl": 'shift 2; exec "$@"',
}


class Machine:
    """A tree and tools of its own, and the script run on them."""

    def __init__(self, folder: Path) -> None:
        self.root, self._tools = folder / "root", folder / "bin"
        self._started: list[subprocess.Popen[str]] = []
        self._tools.mkdir()
        write(self.root, FREE)
        for name in BORROWED:
            found = shutil.which(name)
            assert found, name
            (self._tools / name).symlink_to(found)
        for name, text in STAND_INS.items():
            self.tool(name, text)

    def tool(self, name: str, text: str) -> None:
        path = self._tools / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def no_tool(self, name: str) -> None:
        (self._tools / name).unlink()

    def start(self, *arguments: str | Path, stdin: int = subprocess.DEVNULL) -> "subprocess.Popen[str]":
        process = subprocess.Popen(  # noqa: S603 - the repository's own script
            [self._tools / "bash", SCRIPT, *arguments],
            env={
                "PATH": str(self._tools),
                "PYTHONPATH": str(ROOT / "src"),
                "TAPEMARK_SYSROOT": str(self.root),
            },
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._started.append(process)
        return process

    def stop(self) -> None:
        """Leave nothing of a test that failed; its command ends by its own alarm."""
        for process in self._started:
            process.kill()
            process.wait()
            for stream in (process.stdout, process.stderr):
                assert stream
                stream.close()

    def run(self, *arguments: str | Path) -> tuple[int, str, list[str]]:
        """Return the exit code, what was printed, and what the script had to say."""
        process = self.start(*arguments)
        out, said = process.communicate(timeout=LIMIT_SEC)
        lines = [line for line in said.splitlines() if line.startswith("pinned: ")]
        assert len(lines) == len(said.splitlines()), said
        return process.returncode, out, [line.removeprefix("pinned: ") for line in lines]

    def text(self, path: str) -> str:
        return (self.root / path).read_text()

    def unwritable(self, path: str) -> None:
        """Make a file that can be read and not written, even by root."""
        (self.root / path).unlink()
        (self.root / path).symlink_to("/proc/version")

    def assert_as_it_was(self, *but: str) -> None:
        for path in {GOVERNOR, NO_TURBO, BOOST, REAL_TIME} - set(but):
            assert self.text(path) == FREE[path], path
