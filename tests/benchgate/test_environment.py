from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from benchgate.environment import Environment, Interpreter, cpu_list, cpu_text
from tests.benchgate.samples import ENVIRONMENT, write

CPUINFO = """\
processor\t: 0
model name\t: Imaginary 9000
flags\t\t: fpu vme sse2

processor\t: 1
model name\t: Imaginary 9000
flags\t\t: fpu vme sse2
"""

PINNED = {
    "proc/cpuinfo": CPUINFO,
    "proc/self/status": "Name:\tpython\nCpus_allowed:\t2\nCpus_allowed_list:\t1\n",
    "proc/self/personality": "00040000\n",
    "proc/sys/kernel/osrelease": "6.1.0-test\n",
    "proc/sys/kernel/randomize_va_space": "2\n",
    "sys/devices/system/cpu/isolated": "1\n",
    "sys/devices/system/cpu/cpufreq/boost": "0\n",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
    "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance\n",
}


def read(root: Path, changed: dict[str, str] | None = None, system: str = "Linux") -> Environment:
    write(root, PINNED | (changed or {}))
    return Environment.read(["msgspec", "no-such-library"], root, system)


def test_pinned_machine(tmp_path: Path) -> None:
    found = read(tmp_path)
    assert found.pinned
    assert found.unpinned_because == ()
    assert (found.cpu, found.cores, found.kernel) == ("Imaginary 9000", 2, "6.1.0-test")
    assert (found.governor, found.boost, found.aslr, found.hypervisor) == ("performance", "off", "off", "no")
    assert (found.affinity, found.isolated) == ((1,), (1,))
    assert found.libraries == {"msgspec": msgspec.__version__, "no-such-library": "not installed"}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "schedutil\n"}, "governor schedutil"),
        ({"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": ""}, "governor unknown"),
        ({"sys/devices/system/cpu/cpufreq/boost": "1\n"}, "clock boost on"),
        ({"sys/devices/system/cpu/intel_pstate/no_turbo": "0\n"}, "clock boost on"),
        ({"sys/devices/system/cpu/cpufreq/boost": ""}, "clock boost unknown"),
        ({"proc/self/personality": "00000000\n"}, "ASLR on"),
        ({"proc/self/personality": "?\n"}, "ASLR unknown"),
        ({"sys/devices/system/cpu/isolated": "\n"}, "CPU 1 not isolated"),
        ({"proc/cpuinfo": CPUINFO.replace("sse2", "sse2 hypervisor")}, "virtual machine"),
        ({"proc/cpuinfo": CPUINFO.replace("flags", "Features")}, "virtual machine unknown"),
    ],
)
def test_each_thing_left_free_is_the_one_reason(tmp_path: Path, changed: dict[str, str], reason: str) -> None:
    found = read(tmp_path, changed)
    assert not found.pinned
    assert found.unpinned_because == (reason,)


def test_several_cpus_are_free_and_their_governors_all_count(tmp_path: Path) -> None:
    found = read(tmp_path, {"proc/self/status": "Cpus_allowed_list:\t0-1\n"})
    assert found.governor == "performance,powersave"
    assert found.unpinned_because == (
        "governor performance,powersave",
        "free to move between CPUs 0-1",
    )


def test_kernel_may_switch_randomisation_off_for_all(tmp_path: Path) -> None:
    off = {"proc/self/personality": "00000000\n", "proc/sys/kernel/randomize_va_space": "0\n"}
    assert read(tmp_path, off).pinned


def test_system_without_proc_is_unknown_and_not_pinned(tmp_path: Path) -> None:
    found = Environment.read([], tmp_path, "Darwin")
    unknown = {found.kernel, found.cpu, found.governor, found.boost, found.aslr, found.hypervisor}
    assert unknown == {"unknown"}
    assert found.cores > 0
    assert found.unpinned_because[0] == "Darwin does not tell how CPUs are held"


def test_arm_names_its_parts(tmp_path: Path) -> None:
    arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"
    found = read(tmp_path, {"proc/cpuinfo": arm})
    assert found.cpu == "implementer 0x41 part 0xd0c"
    assert found.hypervisor == "unknown"


def test_this_process_can_be_described() -> None:
    here = Environment.read(["msgspec"])
    assert here.interpreter == Interpreter.current()
    assert here.interpreter.flags[0] in {"GIL", "free threading"}
    assert here.differences(here) == ()


@pytest.mark.parametrize(
    "changed",
    [
        {"kernel": "6.2.0"},
        {"cpu": "Imaginary 9001"},
        {"cores": 4},
        {"governor": "powersave"},
        {"boost": "on"},
        {"aslr": "on"},
        {"affinity": (2, 3)},
        {"isolated": ()},
        {"interpreter": Interpreter("CPython", "3.12.1", ("GIL",), "default", "0")},
        {"interpreter": Interpreter("CPython", "3.11.9", ("free threading",), "default", "0")},
        {"interpreter": Interpreter("CPython", "3.11.9", ("GIL",), "malloc", "0")},
    ],
)
def test_each_fact_makes_another_machine_and_is_named(changed: dict[str, object]) -> None:
    other = msgspec.structs.replace(ENVIRONMENT, **changed)
    assert other.machine_key != ENVIRONMENT.machine_key
    assert len(ENVIRONMENT.differences(other)) == 1


def test_library_versions_do_not_make_another_machine() -> None:
    other = msgspec.structs.replace(ENVIRONMENT, libraries={"msgspec": "9"})
    assert other.machine_key == ENVIRONMENT.machine_key


def test_cpu_lists_round_trip() -> None:
    for bits in range(1, 256):
        cpus = tuple(cpu for cpu in range(8) if bits >> cpu & 1)
        text = cpu_text(cpus)
        assert cpu_list(text) == cpus
        bounds = [int(bound) for part in text.split(",") for bound in part.split("-")]
        assert all(a < b for a, b in pairwise(bounds))
    assert cpu_list("0-2,5\n") == (0, 1, 2, 5)
    assert cpu_list("\n") == cpu_list("none") == ()
    assert cpu_text(()) == "unknown"
