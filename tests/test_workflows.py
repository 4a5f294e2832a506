"""The workflows pin what they use, hold the least rights, and call nox and nothing else."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from benchgate.gate.report import FOLDER
from scripts.gate_comment import SPEAKING, Run

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
# Where a workflow or a job differs from the others: an entry here is where that is reviewed.
TRIGGERS = {  # from `pull_request`, `push` and `workflow_dispatch`
    "gate": {"pull_request"},
    "gate-comment": {"workflow_run"},
    "nightly": {"schedule", "workflow_dispatch"},
}
RIGHTS: dict[tuple[str, str], dict[str, str]] = {  # from reading the repository
    ("ci", "all-green"): {},
    ("codspeed", "simulation"): {"contents": "read", "id-token": "write"},
    ("gate-comment", "comment"): {"actions": "read", "contents": "read", "pull-requests": "write"},
    ("nightly", "propose"): {"contents": "write", "pull-requests": "write"},
}
RUNS_ON: dict[tuple[str, str], Any] = {  # from one image of GitHub's
    ("nightly", "measure"): ["self-hosted", "linux", "x64", "bench-pinned"],
}
CONCURRENCY: dict[str, dict[str, Any]] = {  # from ending the older run of a pull request and no other
    "gate-comment": {
        "group": "gate-comment-${{ github.event.workflow_run.id }}",
        "cancel-in-progress": False,
    },
    "nightly": {"group": "nightly", "cancel-in-progress": False},
}
# The steps that are handed the run's token, by the name of the step or of its action.
TOKENS = {
    ("gate-comment", "comment"): ["actions/download-artifact", "Comment"],
    ("nightly", "propose"): ["Fetch the nights before", "Keep the night"],
}
# What may be done to the system before nox is installed.
SYSTEM = {
    "sudo apt-get update --quiet",
    "sudo apt-get install --quiet --yes --no-install-recommends valgrind libc6-dbg",
}
INSTALL_NOX = "python -m pip install --require-hashes --requirement requirements/nox.txt"
# What a call of nox may stand behind: the machine held still, and the user that root would not be.
PINNED = (
    'sudo scripts/pinned.sh ${FIFO:+--fifo} -- runuser -u "$(id -un)" -- '
    'env "PATH=$PATH" "HOME=$HOME" "LD_LIBRARY_PATH=${LD_LIBRARY_PATH-}" '
    '"GITHUB_STEP_SUMMARY=$GITHUB_STEP_SUMMARY" '
)
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
    assert {"ci.yml", "codspeed.yml", "gate.yml", "gate-comment.yml"} <= {path.name for path in WORKFLOWS}
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
        assert job["runs-on"] == RUNS_ON.get((path.stem, name), "ubuntu-24.04"), name


@each_workflow
def test_a_workflow_starts_where_it_was_reviewed_to(path: Path) -> None:
    triggers = set(loaded(path)["on"])
    usual = {"pull_request", "push", "workflow_dispatch"}
    assert triggers == TRIGGERS.get(path.stem, triggers & usual)


@each_workflow
def test_code_of_a_pull_request_meets_no_secret_and_no_right_to_write(path: Path) -> None:
    assert "secrets" not in re.sub(r"#.*", "", path.read_text())
    if "pull_request" in loaded(path)["on"]:
        for job in jobs(path).values():
            assert {right for right, how in job["permissions"].items() if how != "read"} <= {"id-token"}
            assert "self-hosted" not in job["runs-on"]
    for job in jobs(path).values():
        for step in job["steps"]:
            if str(step.get("uses", "")).startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False
                # A job that may write runs what is in the repository, not what somebody proposes.
                if "write" in job["permissions"].values() and "pull_request" not in loaded(path)["on"]:
                    assert not {"ref", "repository"} & set(step["with"])


@each_workflow
def test_the_token_is_handed_to_the_steps_that_need_it(path: Path) -> None:
    text = re.sub(r"#.*", "", path.read_text())
    handed = 0
    for name, job in jobs(path).items():
        users = [
            step.get("name", str(step.get("uses", "")).partition("@")[0])
            for step in job["steps"]
            if "github.token" in json.dumps(step)
        ]
        assert users == TOKENS.get((path.stem, name), [])
        handed += len(users)
    assert len(re.findall(r"github\.token|GITHUB_TOKEN", text)) == handed


@each_workflow
def test_a_run_on_main_is_never_cancelled(path: Path) -> None:
    ours = "github.event_name == 'pull_request'"
    key = f"{path.stem}-${{{{ github.event_name }}}}-${{{{ {ours} && github.ref || github.sha }}}}"
    usual = {"group": key, "cancel-in-progress": f"${{{{ {ours} }}}}"}
    assert loaded(path)["concurrency"] == CONCURRENCY.get(path.stem, usual)


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
        start = texts.index(INSTALL_NOX)
        assert set(texts[:start]) <= SYSTEM, name
        for text in texts[start + 1 :]:
            call = NOX.fullmatch(text.removeprefix(PINNED))
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


def test_the_gate_compares_the_head_with_all_history_at_hand_and_keeps_what_it_found() -> None:
    path = ROOT / ".github" / "workflows" / "gate.yml"
    # A filter of paths would leave out a check that a merge waits for.
    assert loaded(path)["on"] == {"pull_request": None}
    [job] = jobs(path).values()
    checkout, python, *_, compare, upload = job["steps"]
    head = "${{ github.event.pull_request.head.sha }}"
    assert checkout["with"] == {"ref": head, "fetch-depth": 0, "persist-credentials": False}
    assert re.fullmatch(r"3\.\d+\.\d+", python["with"]["python-version"])
    assert compare["env"] == {"BASE": "origin/${{ github.base_ref }}"}
    assert compare["run"] == 'python -m nox -s gate -- "$BASE"'
    assert upload["if"] == "${{ !cancelled() }}"
    assert upload["with"]["path"] == str(FOLDER)
    assert upload["with"]["overwrite"] is True
    assert not any("continue-on-error" in step for step in job["steps"])


def test_the_comment_follows_the_gate_and_is_told_what_github_knows_of_it() -> None:
    path = ROOT / ".github" / "workflows" / "gate-comment.yml"
    gate = ROOT / ".github" / "workflows" / "gate.yml"
    assert loaded(path)["on"] == {
        "workflow_run": {"workflows": [loaded(gate)["name"]], "types": ["completed"]}
    }
    [job] = jobs(path).values()
    event, conclusions = re.fullmatch(
        r"github\.event\.workflow_run\.event == '(\w+)' "
        r"&& contains\(fromJSON\('(.+)'\), github\.event\.workflow_run\.conclusion\)",
        job["if"],
    ).groups()  # type: ignore[union-attr]  # None fails the test
    assert event == "pull_request"
    assert tuple(json.loads(conclusions)) == SPEAKING
    *_, install, download, comment = job["steps"]
    assert install["run"] == "python -m nox -s gate_comment --install-only"
    assert comment["run"] == 'python -m nox -R -s gate_comment -- "$FOLDER"'
    [upload] = [step for step in steps(gate) if "upload-artifact" in step.get("uses", "")]
    assert download["with"]["name"] == upload["with"]["name"]
    assert download["with"]["run-id"] == "${{ github.event.workflow_run.id }}"
    assert download["with"]["path"] == comment["env"]["FOLDER"]
    told = set(comment["env"]) - {"FOLDER", "GH_TOKEN"}
    by_the_runner = {name for name in Run.__struct_fields__ if name.startswith("github_")}
    assert told == {name.upper() for name in set(Run.__struct_fields__) - by_the_runner - {"comment_author"}}


def test_the_gate_and_codspeed_count_on_the_same_interpreter() -> None:
    versions = {
        step["with"]["python-version"]
        for name in ("gate", "codspeed")
        for step in steps(ROOT / ".github" / "workflows" / f"{name}.yml")
        if "python-version" in step.get("with", {})
    }
    assert len(versions) == 1
