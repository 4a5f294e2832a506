import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest

from benchgate.errors import CouldNotRun
from benchgate.gate.installed import environment_for
from benchgate.gate.locks import LOCK
from tests.benchgate.gate.waiting import is_running, wait_for
from tests.benchgate.samples import REPOSITORY, write

INTERRUPTED = """
import sys
import tarfile
from pathlib import Path
from benchgate.gate.installed import environment_for
from benchgate.process import ends_as_interrupts
with ends_as_interrupts():
    environment_for(*(Path(text) for text in sys.argv[1:]))
"""


def wheel(folder: Path, name: str, version: str) -> str:
    """Make a wheel with one module; return its hash."""
    folder.mkdir(parents=True, exist_ok=True)
    facts = f"{name}-{version}.dist-info"
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with ZipFile(path, "w") as archive:
        archive.writestr(f"{name}.py", f"VERSION = {version!r}\n")
        archive.writestr(f"{facts}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{facts}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{facts}/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path, Path]:
    """A base and a head whose locks differ, and a folder; pip looks only in the base's folder `wheels`."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "wheels")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "shadows"))
    write(tmp_path, {f"shadows/{name}.py": "raise RuntimeError\n" for name in ("pip", "tarfile", "venv")})
    base, head = tmp_path / "base", tmp_path / "head"
    digest = wheel(base / "wheels", "tiny", "1.0")
    write(base, {str(LOCK): f"tiny==1.0 --hash=sha256:{digest}\n"})
    write(head, {str(LOCK): f"tiny==2.0 --hash=sha256:{'0' * 64}\n"})
    return base, head, tmp_path / "environment"


@pytest.mark.parametrize("has_pip", [True, False])
def test_the_base_gets_its_own_versions_and_the_running_interpreter(
    sides: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch, *, has_pip: bool
) -> None:
    if not has_pip:
        monkeypatch.setattr("benchgate.gate.installed.find_spec", lambda _: None)
    python = environment_for(*sides)
    assert python is not None
    assert Path(python).is_relative_to(sides[2])
    script = "import sys, tiny; print(tiny.VERSION, sys.version)"
    answer = subprocess.run(  # noqa: S603 - what was just made
        [python, "-I", "-c", script], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == f"1.0 {sys.version}"


def test_the_same_lock_needs_no_environment(sides: tuple[Path, Path, Path]) -> None:
    base, head, folder = sides
    shutil.copy(base / LOCK, head / LOCK)
    assert environment_for(*sides) is None
    (head / LOCK).unlink()
    (base / LOCK).unlink()
    assert environment_for(*sides) is None
    write(head, {str(LOCK): "tiny==2.0\n"})
    assert environment_for(*sides) is None
    assert not folder.exists()


@pytest.mark.parametrize(
    ("lock", "message"),
    [
        ("none==9.0 --hash=sha256:" + "0" * 64, "No matching distribution found for none==9.0"),
        ("tiny==1.0 --hash=sha256:" + "0" * 64, "THESE PACKAGES DO NOT MATCH THE HASHES"),
        ("tiny==1.0", "Hashes are required in --require-hashes mode"),
        ("--requirement absent.txt", "Could not open requirements file"),
        ("tiny @ https://user:secret@index.invalid/tiny-1.0.whl --hash=sha256:" + "0" * 64, "tiny"),
    ],
)
def test_what_cannot_be_installed_says_why_without_addresses(
    sides: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch, lock: str, message: str
) -> None:
    monkeypatch.setenv("PIP_RETRIES", "0")
    write(sides[0], {str(LOCK): f"{lock}\n"})
    with pytest.raises(CouldNotRun, match=r"^the base's requirements cannot be installed: .") as caught:
        environment_for(*sides)
    said = (str(caught.value), *caught.value.faults)
    assert any(message in line for line in said)
    assert all(line.isprintable() for line in said)
    assert not any(word in line for line in said for word in ("://", "secret", "index.invalid"))


def test_an_index_is_not_named(sides: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("NO_INDEX", "0"), ("RETRIES", "1"), ("QUIET", "0"), ("TIMEOUT", "1")):
        monkeypatch.setenv(f"PIP_{name}", value)
    monkeypatch.setenv("PIP_INDEX_URL", "http://user:secret@index.invalid:1/simple")
    monkeypatch.setenv("no_proxy", "*")
    write(sides[0], {str(LOCK): f"none==9.0 --hash=sha256:{'0' * 64}\n"})
    with pytest.raises(CouldNotRun, match="No matching distribution") as caught:
        environment_for(*sides)
    assert [line for line in caught.value.faults if "secret" in line or "index.invalid" in line] == []


def test_whatever_pip_says_of_a_connection_names_no_host(
    sides: tuple[Path, Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The texts are pip's and urllib3's own, of several versions."""
    refused = (
        "HTTPSConnectionPool(host='index.invalid', port=8): Max retries exceeded with url: /simple/x/ "
        "(Caused by NameResolutionError(\"HTTPSConnection(host='index.invalid', port=8): Failed to resolve "
        "'index.invalid'\")) - skipping"
    )
    said = (
        "Looking in indexes: https://user:****@index.invalid/simple, https://other.invalid/simple",
        "Collecting x",
        "  Downloading https://files.invalid/x-1.whl (1 kB)",
        "WARNING: Retrying (Retry(total=0)) after connection broken by 'NameResolutionError': /simple/x/",
        "WARNING: The repository located at other.invalid is not a trusted or secure host.",
        f"Could not fetch URL https://user:secret@index.invalid:8/simple/x/: connection error: {refused}",
        "ERROR: Could not install packages due to an OSError: files.invalid cannot be reached",
        "[notice] A new release of pip is available",
    )
    (tmp_path / "said").write_text("\n".join(said))
    script = tmp_path / "python"
    script.write_text(f"#!/bin/sh\ncat '{tmp_path / 'said'}'\nexit 1\n")
    script.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(script))
    with pytest.raises(CouldNotRun, match=r"an OSError: \(host\) cannot be reached$") as caught:
        environment_for(*sides)
    assert len(caught.value.faults) == 4
    assert [line for line in caught.value.faults if "invalid" in line or "secret" in line] == []


def test_an_interrupt_ends_pip_and_what_it_has_started(
    sides: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    marker, made = tmp_path / "pid", tmp_path / "slow-1.0"
    backend = f"""
import os, time
with open({str(marker)!r} + ".tmp", "w") as file:
    file.write(str(os.getpid()))
os.rename({str(marker)!r} + ".tmp", {str(marker)!r})
time.sleep(60)
"""
    settings = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    write(made, {"pyproject.toml": settings, "backend.py": backend, "PKG-INFO": "Metadata-Version: 2.1\n"})
    path = sides[0] / "wheels" / "slow-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(made, "slow-1.0")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    write(sides[0], {str(LOCK): f"slow==1.0 --hash=sha256:{digest}\n"})
    process = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-c", INTERRUPTED, *map(str, sides)],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY / "src")},
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(marker.exists)
        building = int(marker.read_text())
        assert is_running(building)
        process.terminate()
        assert process.wait(30) != 0
    finally:
        process.kill()
        process.wait()
    wait_for(lambda: not is_running(building))
