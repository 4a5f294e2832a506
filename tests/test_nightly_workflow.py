"""The nightly workflow: merged code on our own machine without rights, and rights where no bench runs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchgate import baseline
from benchgate.nights.record import FOLDER, SUMMARY
from scripts import nights as nights_script
from tests.test_workflows import jobs, loaded

ROOT = Path(__file__).parents[1]
PATH = ROOT / ".github" / "workflows" / "nightly.yml"


def job(name: str) -> dict[str, Any]:
    return jobs(PATH)[name]


def step_using(name: str, action: str) -> dict[str, Any]:
    [step] = [step for step in job(name)["steps"] if str(step.get("uses", "")).startswith(f"{action}@")]
    return dict(step["with"])


def measuring_step() -> dict[str, Any]:
    [step] = [step for step in job("measure")["steps"] if "pinned.sh" in step.get("run", "")]
    return dict(step)


def test_only_main_and_no_fork_reaches_our_machine() -> None:
    assert loaded(PATH)["on"] == {"schedule": [{"cron": "17 2 * * *"}], "workflow_dispatch": None}
    assert set(jobs(PATH)) == {"measure", "propose"}
    for name in jobs(PATH):
        assert job(name)["if"] == "github.ref == 'refs/heads/main' && !github.event.repository.fork"
    assert job("measure")["runs-on"] == ["self-hosted", "linux", "x64", "bench-pinned"]


def test_what_is_measured_holds_no_right_and_what_holds_rights_measures_nothing() -> None:
    assert loaded(PATH)["permissions"] == {}
    assert job("measure")["permissions"] == {"contents": "read"}
    assert "GH_TOKEN" not in str(job("measure"))
    assert "github.token" not in str(job("measure"))
    assert job("propose")["permissions"] == {"contents": "write", "pull-requests": "write"}
    assert job("propose")["runs-on"] == "ubuntu-24.04"
    [call] = [step["run"] for step in job("propose")["steps"] if "-s nightly" in step.get("run", "")]
    assert call == 'python -m nox -s nightly -- --from "$NIGHT" --history "$HISTORY" --write'


def test_a_night_that_was_refused_proposes_nothing() -> None:
    assert job("propose")["needs"] == "measure"
    assert not re.search(r"always\(|failure\(|cancelled\(|success\(", job("propose")["if"])
    for name in jobs(PATH):
        assert "continue-on-error" not in str(job(name))
        assert not re.search(r"\|\||; *true", " ".join(step.get("run", "") for step in job(name)["steps"]))
    [conditional] = [step for step in job("measure")["steps"] if "if" in step]
    assert conditional["uses"].startswith("actions/upload-artifact@")
    assert not [step for step in job("propose")["steps"] if "if" in step]


def test_nights_follow_each_other_and_none_is_cut_short() -> None:
    assert loaded(PATH)["concurrency"] == {"group": "nightly", "cancel-in-progress": False}


def test_both_jobs_mean_the_same_files_as_the_commands() -> None:
    folder = str(FOLDER)
    assert step_using("measure", "actions/upload-artifact")["path"] == folder
    assert step_using("propose", "actions/download-artifact")["path"] == folder
    names = {step_using("measure", "actions/upload-artifact")["name"]}
    assert names == {step_using("propose", "actions/download-artifact")["name"]}
    variables = job("propose")["env"]
    assert variables["NIGHT"] == folder
    assert variables["HISTORY"] == f"{variables['NIGHTS']}/{nights_script.FILE}"
    request = step_using("propose", "peter-evans/create-pull-request")
    assert request["body-path"] == f"{folder}/{SUMMARY}"
    written = {str(baseline.DATA_PATH), str(baseline.DOCUMENT_PATH), str(baseline.README_PATH)}
    assert set(request["add-paths"].split()) == written
    assert (request["base"], request["branch"]) == ("main", "nightly/baseline")


def test_the_night_is_kept_before_anything_is_proposed() -> None:
    order = [
        next((mark for mark in ("fetch", "--from", "push", "create-pull-request") if mark in text), "")
        for text in (step.get("run", step.get("uses", "")) for step in job("propose")["steps"])
    ]
    assert [mark for mark in order if mark] == ["fetch", "--from", "push", "create-pull-request"]


@pytest.mark.parametrize(("fifo", "options"), [("", []), ("yes", ["--fifo"])])
def test_the_benches_run_as_their_own_user_with_what_sudo_takes_away(
    tmp_path: Path, fifo: str, options: list[str]
) -> None:
    """Run the step's text with stand-ins that treat the environment as sudo does."""
    bash = shutil.which("bash")
    assert bash
    tell = "import os, sys; print(sys.argv[1:], os.environ['HOME'], os.environ['GITHUB_STEP_SUMMARY'])"
    stand_ins = {
        "root/sudo": f'exec env -i "PATH={tmp_path}/secure:/usr/bin:/bin" HOME=/root "$@"',
        "secure/runuser": '[ "$1" = -u ] && [ "$2" = "$(id -un)" ] && [ "$3" = -- ] && shift 3 && exec "$@"',
        "scripts/pinned.sh": f'printf "%s\\n" "$@" >"{tmp_path}/options"\n'
        'while [ "$1" != -- ]; do shift; done\nshift\nexec "$@"',
        "user/python": f"""exec '{sys.executable}' -c "{tell}" "$@\"""",
    }
    for name, text in stand_ins.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    step = measuring_step()
    assert step["env"] == {"FIFO": "${{ vars.BENCH_PINNED_FIFO }}"}
    done = subprocess.run(  # noqa: S603 - the text of this repository's workflow
        [bash, "-e", "-c", step["run"]],
        cwd=tmp_path,
        env={
            "PATH": f"{tmp_path}/user:{tmp_path}/root:{os.environ['PATH']}",
            "HOME": "/home/bench user",
            "GITHUB_STEP_SUMMARY": "/tmp/a summary",  # noqa: S108 - a name, nothing is written
            "FIFO": fifo,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )
    assert done.stdout == "['-m', 'nox', '-R', '-s', 'nightly'] /home/bench user /tmp/a summary\n", (
        done.stderr
    )
    passed = (tmp_path / "options").read_text().splitlines()
    assert passed[: passed.index("--")] == options
