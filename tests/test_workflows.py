"""The workflows pin what they use, hold the least rights, and call nox and nothing else."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").iterdir())
# Version and the commit it stands for. A new action, or a new version of one, is reviewed here.
PINS = {
    "actions/checkout": ("v7.0.1", "3d3c42e5aac5ba805825da76410c181273ba90b1"),
    "actions/setup-python": ("v7.0.0", "5fda3b95a4ea91299a34e894583c3862153e4b97"),
    "astral-sh/setup-uv": ("v9.0.0", "c771a70e6277c0a99b617c7a806ffedaca235ff9"),
    "actions/upload-artifact": ("v7.0.1", "043fb46d1a93c77aae656e7c1c64a875d1fc6a0a"),
    "actions/download-artifact": ("v8.0.1", "3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c"),
    "actions/github-script": ("v7.1.0", "f28e40c7f34bde8b3046d885e986cb6290c5673b"),
    "actions/cache": ("v6.1.0", "55cc8345863c7cc4c66a329aec7e433d2d1c52a9"),
    "actions/create-github-app-token": ("v3.2.0", "bcd2ba49218906704ab6c1aa796996da409d3eb1"),
    "CodSpeedHQ/action": ("v5.0.3", "4296e51e7041e24dadb86d1d6e8b9320d223dbe8"),
    "zizmorcore/zizmor-action": ("v0.6.2", "3dc1ecc9bcb9e94e9b2c709687979e1298497054"),
    "peter-evans/create-pull-request": ("v8.1.1", "5f6978faf089d4d20b00c7766989d076bb2fc7f1"),
    "step-security/harden-runner": ("v2.19.4", "9af89fc71515a100421586dfdb3dc9c984fbf411"),
}
# What a job may do where it differs from reading the repository.
RIGHTS: dict[tuple[str, str], dict[str, str]] = {
    ("ci", "all-green"): {},
    ("codspeed", "simulation"): {"contents": "read", "id-token": "write"},
}
INSTALL_NOX = "python -m pip install --require-hashes --requirement requirements/nox.txt"
NOX = re.compile(r'python -m nox (?:-R )?-s (\w+)(?: --install-only)?(?: -- [\w$" -]+)?')

each_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)


def loaded(path: Path) -> dict[str, Any]:
    workflow = YAML(typ="safe", pure=True).load(path.read_text())
    assert isinstance(workflow, dict)
    return workflow


def jobs(path: Path) -> dict[str, dict[str, Any]]:
    return {str(name): job for name, job in loaded(path)["jobs"].items()}


def steps(path: Path) -> Iterator[dict[str, Any]]:
    for job in jobs(path).values():
        yield from job["steps"]


def shell_texts(path: Path) -> Iterator[str]:
    """Return what shells are given: by steps, and by actions that are given a command."""
    for step in steps(path):
        if "run" in step:
            yield step["run"]
        yield from (text for name, text in step.get("with", {}).items() if name in {"run", "script"})


def nox_calls(text: str) -> set[str]:
    """Return the nox sessions that a text calls, each with its options."""
    return set(re.findall(r"python -m nox -s (.+)", text))


def test_there_are_workflows() -> None:
    assert {"ci.yml", "codspeed.yml"} <= {path.name for path in WORKFLOWS}
    assert {path.suffix for path in WORKFLOWS} == {".yml"}


@each_workflow
def test_actions_are_pinned_to_commits_that_were_reviewed(path: Path) -> None:
    used = re.findall(r"^\s*(?:- )?uses:\s*(.*)$", path.read_text(), re.MULTILINE)
    assert len(used) == sum("uses" in step for step in steps(path)) + sum(
        "uses" in job for job in jobs(path).values()
    )
    pins = {f"{name}@{commit} # {version}" for name, (version, commit) in PINS.items()}
    assert set(used) <= pins


@each_workflow
def test_rights_are_given_to_jobs_and_none_to_the_workflow(path: Path) -> None:
    assert loaded(path)["permissions"] == {}
    for name, job in jobs(path).items():
        assert job["permissions"] == RIGHTS.get((path.stem, name), {"contents": "read"}), name


@each_workflow
def test_every_job_has_an_end_and_one_image(path: Path) -> None:
    for name, job in jobs(path).items():
        assert 0 < job["timeout-minutes"] <= 60, name
        assert job["runs-on"] == "ubuntu-24.04", name


@each_workflow
def test_code_of_a_pull_request_never_meets_secrets(path: Path) -> None:
    assert set(loaded(path)["on"]) <= {"pull_request", "push", "workflow_dispatch"}
    assert "secrets" not in re.sub(r"#.*", "", path.read_text())
    checkouts = [step for step in steps(path) if str(step.get("uses", "")).startswith("actions/checkout@")]
    assert checkouts
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


@each_workflow
def test_a_run_on_main_is_never_cancelled(path: Path) -> None:
    ours = "github.event_name == 'pull_request'"
    key = f"{path.stem}-${{{{ github.event_name }}}}-${{{{ {ours} && github.ref || github.sha }}}}"
    cancel = f"${{{{ {ours} }}}}"
    assert loaded(path)["concurrency"] == {"group": key, "cancel-in-progress": cancel}


@each_workflow
def test_no_expression_becomes_part_of_a_shell_text(path: Path) -> None:
    texts = list(shell_texts(path))
    assert texts
    assert [text for text in texts if "${{" in text] == []


@each_workflow
def test_steps_only_call_nox(path: Path) -> None:
    sessions = set(re.findall(r"@nox\.session\ndef (\w+)", (ROOT / "noxfile.py").read_text()))
    for name, job in jobs(path).items():
        texts = [step["run"] for step in job["steps"] if "run" in step]
        if name == "all-green":
            continue
        assert texts[0] == INSTALL_NOX, name
        for text in texts[1:]:
            call = NOX.fullmatch(text)
            assert call, text
            assert call[1] in sessions, text


def test_all_green_waits_for_every_job_and_runs_whatever_they_did() -> None:
    ci = jobs(ROOT / ".github" / "workflows" / "ci.yml")
    last = ci.pop("all-green")
    assert set(last["needs"]) == set(ci)
    assert last["if"] == "always()"
    [step] = last["steps"]
    assert step["env"] == {"RESULTS": "${{ join(needs.*.result, ' ') }}"}


@pytest.mark.parametrize(
    ("results", "green"),
    [
        ("success success success", True),
        ("failure success success", False),
        ("success failure success", False),
        ("success success cancelled", False),
        ("success skipped success", False),
        ("", False),
    ],
)
def test_all_green_is_green_for_success_alone(results: str, green: bool) -> None:  # noqa: FBT001 - a parameter
    [step] = jobs(ROOT / ".github" / "workflows" / "ci.yml")["all-green"]["steps"]
    bash = shutil.which("bash")
    assert bash
    # As a runner calls a step's shell.
    done = subprocess.run(  # noqa: S603 - the text of this repository's workflow
        [bash, "-e", "-c", step["run"]], env={"RESULTS": results}, capture_output=True, check=False
    )
    assert (done.returncode == 0) is green


def test_ci_runs_all_that_must_hold_for_a_change() -> None:
    required = nox_calls((ROOT / ".ci" / "run").read_text())
    assert len(required) > 3
    assert nox_calls((ROOT / ".github" / "workflows" / "ci.yml").read_text()) == required


def test_versions_under_test_are_those_declared() -> None:
    declared = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text())
    tests = jobs(ROOT / ".github" / "workflows" / "ci.yml")["tests"]
    assert tests["strategy"]["matrix"] == {"python": declared}


def test_codspeed_measures_every_system_once_on_one_interpreter() -> None:
    [job] = jobs(ROOT / ".github" / "workflows" / "codspeed.yml").values()
    systems = sorted({path.parent.name for path in (ROOT / "benches").glob("*/bench_*.py")})
    assert job["strategy"]["matrix"] == {"system": systems}
    [version] = [
        step["with"]["python-version"] for step in job["steps"] if "python-version" in step.get("with", {})
    ]
    assert re.fullmatch(r"3\.\d+\.\d+", version)
    [action] = [step for step in job["steps"] if step.get("uses", "").startswith("CodSpeedHQ/")]
    assert action["with"] == {"mode": "simulation", "run": 'python -m nox -R -s codspeed -- "$SYSTEM"'}
    assert job["env"] == {"SYSTEM": "${{ matrix.system }}"}
