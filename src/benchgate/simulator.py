"""Find valgrind, say what decides whether its counts can be compared, and build its command line.

A count is a property of the code, of the interpreter's build and of what the program believes to run on, not
of the machine's speed. libc and others choose implementations by the CPU's features, and valgrind presents a
CPU of its own making, which depends on the host's only in a few steps (with AVX2 or without). That CPU is
read as programs see it, by `ld.so --list-diagnostics` under valgrind.

Sources: valgrind's manual on core options and callgrind; glibc's manual, "Dynamic Linker Diagnostics".
"""

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import msgspec

from benchgate.callgrind import ENTRY, EVALUATION
from benchgate.errors import CouldNotRun

UNKNOWN = "unknown"
INSTALL = "`apt-get install valgrind` or `dnf install valgrind`"

# The user's ~/.valgrindrc, ./.valgrindrc and VALGRIND_OPTS would change what is counted.
_OWN_OPTIONS_ONLY = "--command-line-only=yes"
_LOADER = re.compile(rb"/lib[\w./-]*/ld[\w.-]*\.so(?:\.\d+)?")
# Raw CPUID words are left out, since one holds the number of the core; what libc made of them is there.
_SEEN_BY_PROGRAMS = re.compile(r"(?!.*\.cpuid\[)(?:dl_hwcap\w*|dl_platform|\w+\.cpu_features\..*)=.*")


class Simulator(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What counts depend on beside the code and the interpreter's version.

    Attributes:
        valgrind: Its version.
        cpu: The platform that valgrind presents, and a digest of all features that programs can see.
        libc: Name and version of the C library.
        interpreter: A digest of the interpreter's own file, the shared library when it has one.
    """

    valgrind: str
    cpu: str
    libc: str
    interpreter: str


class Valgrind(msgspec.Struct, frozen=True):
    """The tool on this machine.

    Attributes:
        path: The program.
        wrapper: What to put before it so that addresses are not randomised; empty where that is refused.
        facts: What counts depend on.
    """

    path: str
    wrapper: tuple[str, ...]
    facts: Simulator

    def callgrind(self, output: str, log: str, *, trampolines: bool) -> list[str]:
        """Return the command that counts another command; `%p` in the paths becomes the process id.

        With `trampolines`, the interpreter's evaluation loop is counted apart for each of its callers, which
        are the Python functions then, and the entry into a Python function for each chain of callers.

        Instructions are counted only between the harness's own marks, and each mark at a region's end dumps
        one part.
        """
        return [
            *self.wrapper,
            self.path,
            _OWN_OPTIONS_ONLY,
            "--vgdb=no",  # else it leaves pipes in the folder for temporary files when it is killed
            "--tool=callgrind",
            "--instr-atstart=no",
            "--combine-dumps=yes",
            "--compress-strings=no",
            "--dump-line=no",
            *([f"--separate-callers1={EVALUATION}", f"--separate-callers20={ENTRY}"] if trampolines else []),
            f"--log-file={log}",
            f"--callgrind-out-file={output}",
        ]


def find() -> Valgrind:
    """Look for valgrind.

    Raises:
        CouldNotRun: There is none for this platform, or it is not installed or does not start.
    """
    if platform.system() != "Linux":
        raise CouldNotRun(f"instructions are counted by valgrind, on Linux only; this is {platform.system()}")
    path = shutil.which("valgrind")
    if path is None:
        raise CouldNotRun(f"valgrind is not installed: {INSTALL}")
    version = _answer([path, _OWN_OPTIONS_ONLY, "--version"])
    if not version.startswith("valgrind-"):
        raise CouldNotRun(f"{path}: expected a version of valgrind, got {version.strip() or 'nothing'}")
    cpu, libc = _presented(path)
    facts = Simulator(
        valgrind=version.strip().removeprefix("valgrind-"),
        cpu=cpu,
        libc=libc,
        interpreter=_interpreter_digest(),
    )
    return Valgrind(path, _fixed_addresses(), facts)


def _fixed_addresses() -> tuple[str, ...]:
    """Return the command that switches address space randomisation off, when this process may."""
    setarch = shutil.which("setarch")
    if setarch is None:
        return ()
    command = (setarch, platform.machine(), "-R")
    # Containers often refuse the system call.
    allowed = subprocess.run([*command, "true"], capture_output=True, check=False)  # noqa: S603 - our own command
    return command if allowed.returncode == 0 else ()


def _presented(valgrind: str) -> tuple[str, str]:
    """Return the CPU as programs under valgrind see it, and the C library."""
    libc = " ".join(platform.libc_ver()).strip() or UNKNOWN
    with Path(sys.executable).open("rb") as file:
        loader = _LOADER.search(file.read(4096))
    if loader is None:
        return UNKNOWN, libc
    text = _answer(
        [valgrind, _OWN_OPTIONS_ONLY, "--tool=none", "-q", loader[0].decode(), "--list-diagnostics"]
    )
    seen = [line for line in text.splitlines() if _SEEN_BY_PROGRAMS.fullmatch(line)]
    name = re.search(r'^dl_platform="(.*)"$', text, re.MULTILINE)
    if not seen:
        return UNKNOWN, libc
    return f"{name[1] if name else platform.machine()} {_digest(chr(10).join(seen).encode())}", libc


def _interpreter_digest() -> str:
    folder, library = sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("INSTSONAME")
    shared = (
        Path(folder, library) if sysconfig.get_config_var("Py_ENABLE_SHARED") and folder and library else None
    )
    file = shared if shared is not None and shared.exists() else Path(sys.executable)
    return _digest(file.read_bytes())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


def _answer(command: list[str]) -> str:
    """Return what a command prints, empty when it fails."""
    answer = subprocess.run(  # noqa: S603 - our own commands
        command, capture_output=True, text=True, check=False, env={"PATH": os.defpath, "LC_ALL": "C"}
    )
    return answer.stdout if answer.returncode == 0 else ""
