from importlib import metadata
from pathlib import Path

import pytest

from benchgate.errors import Unreadable
from benchgate.libraries import INSTRUMENTS, digest, installed, measured_libraries, versions
from tests.benchgate.samples import write

PYPROJECT = """
[project]
dependencies = ["msgspec>=0.20", "eth-abi[tools] ; python_version > '3'", "a.b_c<2,>1"]

[dependency-groups]
peers = [{ include-group = "bench" }, "orjson>=3"]
bench = ["rich"]
"""


def test_dependencies_are_the_libraries_and_the_instruments_join_them(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": PYPROJECT})
    assert measured_libraries(tmp_path) == ("msgspec", "eth-abi", "a.b_c", *INSTRUMENTS)
    assert measured_libraries(tmp_path, ["peers", "none"])[3] == "orjson"
    assert "rich" not in measured_libraries(tmp_path, ["peers"])


def test_a_project_may_declare_nothing(tmp_path: Path) -> None:
    assert measured_libraries(tmp_path) == INSTRUMENTS
    write(tmp_path, {"pyproject.toml": "[tool]\n"})
    assert measured_libraries(tmp_path) == INSTRUMENTS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[project", "pyproject.toml"),
        ('[project]\ndependencies = [">=2"]\n', "expected a requirement, got '>=2'"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path, {"pyproject.toml": text})
    with pytest.raises(Unreadable, match=message):
        measured_libraries(tmp_path)


def test_versions_are_those_installed() -> None:
    assert versions(["pytest", "no-such-library"]) == {
        "no-such-library": "not installed",
        "pytest": metadata.version("pytest"),
    }


def test_what_is_installed_is_looked_up_anew_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    before = installed()
    assert f"pytest {metadata.version('pytest')}" in before
    write(tmp_path, {"toy-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n"})
    assert installed() - before == {"toy 1.0"}
    assert before <= installed()
    assert digest(before) == digest(sorted(before)) != digest(installed())
