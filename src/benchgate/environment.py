"""Where a run was measured, and whether that machine was held still.

`Environment.read` takes the facts from `/proc` and `/sys` below a root that tests replace by a tree of their
own. What cannot be read is `unknown`, so the same record is made on macOS, where most of it is. A machine
counts as pinned only when everything known to move figures is known to be held, so nothing unknown is:
governor, clock boost, address space layout, one isolated CPU, no hypervisor below. The files are documented
in Linux's Documentation/ABI/testing/sysfs-devices-system-cpu and in proc(5).
"""

import hashlib
import os
import platform
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

import msgspec

from benchgate.libraries import versions
from benchgate.simulator import Simulator

UNKNOWN = "unknown"

_NO_RANDOMIZE = 0x0040000  # ADDR_NO_RANDOMIZE of personality(2), which `setarch -R` sets


class Interpreter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The interpreter that measured, with the build flags and settings that change its speed."""

    implementation: str
    version: str
    flags: tuple[str, ...]
    allocator: str
    hash_seed: str

    @classmethod
    def current(cls) -> "Interpreter":
        """Describe the running interpreter."""
        switches = sysconfig.get_config_vars()
        return cls(
            implementation=platform.python_implementation(),
            version=platform.python_version(),
            flags=(
                "free threading" if switches.get("Py_GIL_DISABLED") else "GIL",
                *(("debug",) if hasattr(sys, "gettotalrefcount") else ()),
                *(("shared library",) if switches.get("Py_ENABLE_SHARED") else ()),
            ),
            allocator=os.environ.get("PYTHONMALLOC", "default"),
            hash_seed=os.environ.get("PYTHONHASHSEED", "random"),
        )


class Environment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The facts of a machine and its interpreter that a figure depends on.

    Attributes:
        governor: The frequency governors of the CPUs this process may use, comma-separated.
        boost: `on`, `off` or `unknown`: whether the clock may exceed its base rate.
        aslr: `on`, `off` or `unknown`: whether this process's address space is randomised.
        affinity: The CPUs this process may use; empty when unknown.
        isolated: The CPUs the scheduler leaves alone.
        hypervisor: `yes`, `no` or `unknown`: whether this is a virtual machine.
        libraries: Versions by distribution name; `not installed` for those that are not.
        simulator: What counted instructions, None for a run that took time.
    """

    system: str
    kernel: str
    architecture: str
    cpu: str
    cores: int
    governor: str
    boost: str
    aslr: str
    affinity: tuple[int, ...]
    isolated: tuple[int, ...]
    hypervisor: str
    interpreter: Interpreter
    libraries: dict[str, str]
    simulator: Simulator | None = None

    @classmethod
    def read(
        cls,
        libraries: Iterable[str],
        root: Path = Path("/"),
        system: str = platform.system(),
        interpreter: Interpreter | None = None,
    ) -> "Environment":
        """Read the environment of this process, with the versions of the named libraries."""
        cpus = root / "sys/devices/system/cpu"
        cpuinfo = _text(root / "proc/cpuinfo")
        affinity = cpu_list(_field(_text(root / "proc/self/status"), "Cpus_allowed_list"))
        return cls(
            system=system,
            kernel=_text(root / "proc/sys/kernel/osrelease").strip() or UNKNOWN,
            architecture=platform.machine(),
            cpu=_cpu_model(cpuinfo),
            cores=cpuinfo.count("processor\t") or os.cpu_count() or 0,
            governor=_governor(cpus, affinity),
            boost=_boost(cpus),
            aslr=_aslr(root),
            affinity=affinity,
            isolated=cpu_list(_text(cpus / "isolated")),
            hypervisor=_hypervisor(cpuinfo),
            interpreter=interpreter or Interpreter.current(),
            libraries=versions(libraries),
        )

    @property
    def pinned(self) -> bool:
        """Whether nothing known to move figures was left free."""
        return not self.unpinned_because

    @property
    def unpinned_because(self) -> tuple[str, ...]:
        """The reasons why the machine does not count as pinned."""
        reasons = []
        if self.system != "Linux":
            reasons.append(f"{self.system} does not tell how CPUs are held")
        if self.governor != "performance":
            reasons.append(f"governor {self.governor}")
        if self.boost != "off":
            reasons.append(f"clock boost {self.boost}")
        if self.aslr != "off":
            reasons.append(f"ASLR {self.aslr}")
        if len(self.affinity) != 1:
            reasons.append(f"free to move between CPUs {cpu_text(self.affinity)}")
        elif not set(self.affinity) <= set(self.isolated):
            reasons.append(f"CPU {self.affinity[0]} not isolated")
        if self.hypervisor != "no":
            reasons.append("virtual machine" if self.hypervisor == "yes" else "virtual machine unknown")
        return tuple(reasons)

    @property
    def machine_key(self) -> str:
        """Twelve hex digits that are equal exactly when two runs count as from the same machine.

        Library versions are left out: to see what an upgrade does is a reason to compare.
        """
        return hashlib.sha256(msgspec.json.encode(self.identity())).hexdigest()[:12]

    def differences(self, other: "Environment") -> tuple[str, ...]:
        """Name each fact that keeps runs from here and there from being compared."""
        here, there = self.identity(), other.identity()
        return tuple(f"{name}: {here[name]} and {there[name]}" for name in here if here[name] != there[name])

    def identity(self) -> dict[str, str]:
        """Return, by name, the facts that must be equal for figures to be compared.

        Counts do not depend on how fast the machine is or how still it is held, but on the simulator.
        """
        return self._common() | (self._timing() if self.simulator is None else self._counting(self.simulator))

    def _common(self) -> dict[str, str]:
        return {
            "system": self.system,
            "architecture": self.architecture,
            "ASLR": self.aslr,
            "interpreter": f"{self.interpreter.implementation} {self.interpreter.version} "
            f"({', '.join(self.interpreter.flags)})",
            "allocator": self.interpreter.allocator,
            "hash seed": self.interpreter.hash_seed,
        }

    def _timing(self) -> dict[str, str]:
        return {
            "kernel": self.kernel,
            "CPU": f"{self.cpu}, {self.cores} cores",
            "governor": self.governor,
            "boost": self.boost,
            "affinity": cpu_text(self.affinity),
            "isolated": cpu_text(self.isolated) if self.isolated else "none",
        }

    def _counting(self, simulator: Simulator) -> dict[str, str]:
        return {
            "valgrind": simulator.valgrind,
            "CPU presented by valgrind": simulator.cpu,
            "libc": simulator.libc,
            "interpreter's file": simulator.interpreter,
            "pytest-codspeed": self.libraries.get("pytest-codspeed", UNKNOWN),
        }


def cpu_list(text: str) -> tuple[int, ...]:
    """Expand the kernel's list format, such as `0-2,5`; empty when it is not one."""
    cpus: list[int] = []
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        if not (first.isdecimal() and (last or first).isdecimal()):
            return ()
        cpus.extend(range(int(first), int(last or first) + 1))
    return tuple(cpus)


def cpu_text(cpus: tuple[int, ...]) -> str:
    """Write CPUs as the kernel does; `unknown` for none."""
    spans: list[list[int]] = []
    for cpu in cpus:
        if spans and cpu == spans[-1][1] + 1:
            spans[-1][1] = cpu
        else:
            spans.append([cpu, cpu])
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in spans) or UNKNOWN


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _field(text: str, name: str) -> str:
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return ""


def _cpu_model(cpuinfo: str) -> str:
    model = _field(cpuinfo, "model name")
    if model:
        return model
    implementer, part = _field(cpuinfo, "CPU implementer"), _field(cpuinfo, "CPU part")
    return f"implementer {implementer} part {part}" if implementer and part else UNKNOWN


def _governor(cpus: Path, affinity: tuple[int, ...]) -> str:
    found = {_text(cpus / f"cpu{cpu}/cpufreq/scaling_governor").strip() or UNKNOWN for cpu in affinity}
    return ",".join(sorted(found)) or UNKNOWN


def _boost(cpus: Path) -> str:
    no_turbo = _text(cpus / "intel_pstate/no_turbo").strip()
    if no_turbo:
        return "off" if no_turbo == "1" else "on"
    return {"1": "on", "0": "off"}.get(_text(cpus / "cpufreq/boost").strip(), UNKNOWN)


def _aslr(root: Path) -> str:
    personality = _text(root / "proc/self/personality").strip()
    try:
        if int(personality or "0", 16) & _NO_RANDOMIZE:
            return "off"
    except ValueError:
        return UNKNOWN
    return {"": UNKNOWN, "0": "off"}.get(_text(root / "proc/sys/kernel/randomize_va_space").strip(), "on")


def _hypervisor(cpuinfo: str) -> str:
    flags = _field(cpuinfo, "flags")
    if not flags:
        return UNKNOWN
    return "yes" if "hypervisor" in flags.split() else "no"
