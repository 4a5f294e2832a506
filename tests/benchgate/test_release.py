import re
from collections.abc import Callable
from datetime import date
from pathlib import Path

import msgspec
import pytest
from ruamel.yaml import YAML

from benchgate import peers
from benchgate.cli import main
from benchgate.errors import CouldNotRun
from benchgate.gate.record import STEADINESS_PATH
from benchgate.gate.record import save as save_record
from benchgate.latency import measuring
from benchgate.release import faults
from benchgate.run import GitState, save
from tests.benchgate.gate.records import spread, steadiness
from tests.benchgate.samples import ENVIRONMENT, REPOSITORY, row, run, write
from tests.benchgate.test_checkout import git

TODAY = date(2026, 3, 1)
IDS = ("toy/parts/sort", "toy/parts/sum", "toy/whole/both[4]")
FILES = {
    "pyproject.toml": '[project]\nname = "toy"\nversion = "0.2.0"\n',
    "CHANGELOG.md": "## [0.2.0] - 2026-03-01\n\n### Changed\n\n- All.\n\n## [0.1.0]\n\n- `toy/` is new.\n",
    "benches/ids.txt": "".join(f"{identity}\n" for identity in IDS),
    "benches/toy/bench_parts.py": "",
    "benches/toy/bench_whole.py": "",
    "benches/toy/notes.md": "",
    "fixtures/toy/numbers.json": "[]",
    "requirements/bench.txt": "",
    "src/toy/sums.py": "",
    "src/benchgate/run.py": "",
}
BASELINE = "benches/baseline.json"
VERSION = "pyproject.toml: project.version: expected"
UNNAMED = "CHANGELOG.md: Changed benches: expected an entry that names"
CHANGED = "## [0.2.0]\n\n### Changed benches\n\n"
LOOSE = msgspec.structs.replace(ENVIRONMENT, boost="on", aslr="on")
Change = Callable[[Path], object]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository after its first release, ready for the second."""
    write(tmp_path, FILES)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "first")
    git(tmp_path, "tag", "v0.1.0")
    measure(tmp_path)
    return tmp_path


def measure(root: Path, **more: object) -> None:
    """Write a baseline of the commit and the list of ids."""
    commit = git(root, "rev-parse", "HEAD").strip()
    ids = (root / "benches/ids.txt").read_text().splitlines()
    save(
        run(*map(row, ids), **({"git": GitState(commit, dirty=False)} | more)), root / "benches/baseline.json"
    )


def test_a_repository_that_is_ready(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert faults(root, TODAY) == ()
    assert main(["--root", str(root), "release"]) == 0
    assert capsys.readouterr().out == "Nothing is in the way of a release.\n"


def test_what_is_not_measured_may_change_after_the_baseline(root: Path) -> None:
    write(root, {"src/benchgate/run.py": "1", "benches/toy/notes.md": "1", "README.md": "1"})
    assert faults(root, TODAY) == ()


@pytest.mark.parametrize(
    "name",
    [
        "benches/conftest.py",
        "benches/toy/plain.py",
        "fixtures/toy/numbers.json",
        "requirements/bench.txt",
        "src/toy/sums.py",
        "src/other/new.py",
        "src/benchgate/measure.py",
    ],
)
def test_what_is_measured_may_not(root: Path, name: str) -> None:
    write(root, {"CHANGELOG.md": f"{CHANGED}- `toy/`\n", name: "changed"})
    first = git(root, "rev-parse", "v0.1.0")[:10]
    line = f"{BASELINE}: older than what it measured, since {first} changed: {name}"
    assert faults(root, TODAY) == (line,)
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "second")
    assert faults(root, TODAY) == (line,)
    measure(root)
    assert faults(root, TODAY) == ()


@pytest.mark.parametrize(("name", "kind"), [("peers", peers.KIND), ("latency", measuring.KIND)])
def test_the_other_records_must_be_of_what_is_released(root: Path, name: str, kind: str) -> None:
    def record(commit: str, *, dirty: bool = False) -> None:
        of = msgspec.structs.replace(run(), kind=kind, git=GitState(commit, dirty=dirty))
        save(of, root / f"benches/{name}.json")

    first = git(root, "rev-parse", "HEAD").strip()
    record(first)
    assert faults(root, TODAY) == ()
    write(root, {"CHANGELOG.md": f"{CHANGED}- `toy/`\n", "src/toy/sums.py": "changed"})
    git(root, "add", "src", "CHANGELOG.md")
    git(root, "commit", "--quiet", "--message", "second")
    measure(root)
    path = f"benches/{name}.json"
    assert faults(root, TODAY) == (
        f"{path}: older than what it measured, since {first[:10]} changed: src/toy/sums.py",
    )
    record("0" * 40, dirty=True)
    assert faults(root, TODAY) == (
        f"{path}: expected a commit that this checkout knows, got {'0' * 40}",
        f"{path}: measured with changes that were not committed",
    )


def test_the_record_of_steadiness_has_all_rows(root: Path) -> None:
    rows = [spread(identity) for identity in (*IDS, "toy/gone/x") if identity != "toy/parts/sum"]
    save_record(steadiness(*rows), root / STEADINESS_PATH)
    assert faults(root, TODAY) == (
        f"toy/parts/sum is listed in benches/ids.txt but missing from {STEADINESS_PATH}",
        f"toy/gone/x is in {STEADINESS_PATH} but not listed in benches/ids.txt",
    )
    save_record(steadiness(*map(spread, IDS)), root / STEADINESS_PATH)
    assert faults(root, TODAY) == ()


def test_of_many_files_some_are_named(root: Path) -> None:
    write(root, {f"src/toy/new_{number}.py": "" for number in range(8)})
    (line,) = faults(root, TODAY)
    assert line.endswith("src/toy/new_3.py, src/toy/new_4.py and 3 more")


def pyproject(version: str) -> Change:
    return lambda root: write(root, {"pyproject.toml": f'[project]\nversion = "{version}"\n'})


def changelog(text: str) -> Change:
    return lambda root: write(root, {"CHANGELOG.md": text})


def changelog_of_candidate(root: Path) -> None:
    pyproject("0.2.0rc1")(root)
    changelog("## [0.2.0rc1]\n\n- New.\n")(root)


def expired(root: Path) -> None:
    entry = '[[accepted]]\nid = "toy/parts/sum"\nlimit_percent = 1\nreason = "r"\nexpires = 2026-02-28\n'
    write(root, {"benches/accepted.toml": entry})


def tagged_elsewhere(root: Path) -> None:
    git(root, "switch", "--quiet", "--create", "other")
    git(root, "commit", "--quiet", "--allow-empty", "--message", "apart")
    git(root, "tag", "v0.2.0")
    git(root, "switch", "--quiet", "-")


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        (
            lambda root: measure(root, git=GitState("0" * 40, dirty=False)),
            [f"{BASELINE}: expected a commit that this checkout knows, got {'0' * 40}"],
        ),
        (
            lambda root: measure(root, git=GitState("", dirty=False)),
            [f"{BASELINE}: expected a commit that this checkout knows, got none"],
        ),
        (
            lambda root: measure(root, git=GitState(git(root, "rev-parse", "HEAD").strip(), dirty=True)),
            [f"{BASELINE}: measured with changes that were not committed"],
        ),
        (
            lambda root: measure(root, environment=LOOSE),
            [f"{BASELINE}: measured on a machine that is not pinned: clock boost on; ASLR on"],
        ),
        (
            lambda root: measure(root, rows=(row("toy/parts/sort"), row("toy/parts/sum"), row("toy/gone/x"))),
            [
                f"{BASELINE}: rows: {IDS[2]} is listed in benches/ids.txt but missing from {BASELINE}",
                f"{BASELINE}: rows: toy/gone/x is in {BASELINE} but not listed in benches/ids.txt",
            ],
        ),
        (
            pyproject("0.1.0"),
            [
                f"{VERSION} a version above v0.1.0, the last release, got 0.1.0",
                "CHANGELOG.md: expected entries under [Unreleased], got none",
            ],
        ),
        (
            pyproject("0.0.9"),
            [
                f"{VERSION} a version above v0.1.0, the last release, got 0.0.9",
                "CHANGELOG.md: expected entries under [Unreleased], got none",
            ],
        ),
        (
            changelog_of_candidate,
            [
                f"{VERSION} three numbers such as 1.2.0, got 0.2.0rc1",
            ],
        ),
        (
            tagged_elsewhere,
            [
                f"{VERSION} a version that is not out yet, got 0.2.0, tagged on another branch",
            ],
        ),
        (
            changelog("## [Unreleased]\n\n### Added\n\n## [0.1.0]\n\n- First.\n"),
            ["CHANGELOG.md: expected entries under [Unreleased] or [0.2.0], got none"],
        ),
        (
            lambda root: (root / "CHANGELOG.md").unlink(),
            ["CHANGELOG.md: expected entries under [Unreleased] or [0.2.0], got none"],
        ),
        (changelog("## [Unreleased]\n\n- New.\n"), []),
        (
            changelog("## [Unreleased]\n\n- New.\n\n## [0.2.0]\n\n- Newer.\n"),
            ["CHANGELOG.md: expected no entries under [Unreleased] beside those under [0.2.0]"],
        ),
        (
            expired,
            ["benches/accepted.toml: toy/parts/sum expired on 2026-02-28 and is no longer accepted"],
        ),
    ],
)
def test_each_fault_is_a_line(root: Path, change: Change, lines: list[str]) -> None:
    change(root)
    assert list(faults(root, TODAY)) == lines


def test_a_bench_that_is_new_gone_or_changed_must_be_named(root: Path) -> None:
    write(
        root,
        {
            "benches/ids.txt": "toy/new/one\ntoy/new/two\ntoy/parts/sort\ntoy/whole/both[4]\n",
            "benches/toy/bench_new.py": "",
            "benches/toy/bench_parts.py": "changed",
            "benches/toy/bench_whole.py": "changed",
            "fixtures/other/numbers.json": "[1]",
        },
    )
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "second")
    measure(root)
    lines = [
        f"{UNNAMED} other/: changed fixtures/other/numbers.json",
        f"{UNNAMED} toy/new: added toy/new/one, added toy/new/two",
        f"{UNNAMED} toy/parts: removed toy/parts/sum",
        f"{UNNAMED} toy/whole: changed benches/toy/bench_whole.py",
    ]
    assert list(faults(root, TODAY)) == lines
    changelog(f"{CHANGED}- `toy/new/one`, `toy/parts/sum`, `other/group`\n")(root)
    assert list(faults(root, TODAY)) == [f"{UNNAMED} toy/new: added toy/new/two", lines[3]]
    changelog(f"{CHANGED}- `toy/new`, `toy/parts/sum`, `toy/whole/both`, `other/`\n")(root)
    assert faults(root, TODAY) == ()
    changelog(f"{CHANGED.replace('0.2.0', 'Unreleased')}- `toy/`, `other/`\n")(root)
    assert faults(root, TODAY) == ()
    pyproject("0.1.0")(root)
    changelog(f"{CHANGED.replace('0.2.0', '0.1.0')}- `toy/`, `other/`\n")(root)
    assert list(faults(root, TODAY))[2:] == lines  # what an old release said does not count


def test_before_the_first_release_everything_is_new(root: Path) -> None:
    git(root, "tag", "--delete", "v0.1.0")
    assert list(faults(root, TODAY)) == [
        f"{UNNAMED} toy/: changed fixtures/toy/numbers.json",
        f"{UNNAMED} toy/parts: added toy/parts/sort, added toy/parts/sum",
        f"{UNNAMED} toy/whole: added toy/whole/both[4]",
    ]
    changelog(f"{CHANGED}- All rows of `toy/` are new.\n")(root)
    assert faults(root, TODAY) == ()


def test_without_a_repository_it_cannot_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, FILES)
    with pytest.raises(CouldNotRun):
        faults(tmp_path, TODAY)
    assert main(["--root", str(tmp_path), "release"]) == 2
    assert "expected a git checkout" in capsys.readouterr().err


def test_releasing_md_says_what_to_do_about_each_line(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (REPOSITORY / "RELEASING.md").read_text(encoding="utf-8")
    table = text.split("## When `release_check` fails")[1].split("\n## ")[0]
    known = re.findall(r"^\| `([^`]+)` \| \S", table, re.MULTILINE)
    found: set[str] = set()
    rows = (row("toy/parts/sort"), row("toy/gone/x"))
    changes: list[Change] = [
        changelog("## [Unreleased]\n\n- New.\n\n## [0.2.0]\n\n- Newer.\n"),
        tagged_elsewhere,
        pyproject("0.1.0"),
        changelog(""),
        pyproject("1"),
        expired,
        lambda root: write(root, {"src/toy/sums.py": "changed", "fixtures/toy/numbers.json": "[1]"}),
        lambda root: measure(root, environment=LOOSE, rows=rows, git=GitState("0" * 40, dirty=True)),
        lambda root: save_record(steadiness(spread("toy/gone/x")), root / STEADINESS_PATH),
    ]
    for change in changes:
        change(root)
        for line in faults(root, TODAY):
            (explained,) = [part for part in known if part in line]
            found.add(explained)
    assert found == set(known)
    assert main(["--root", str(root), "release"]) == 1
    *lines, last = capsys.readouterr().err.splitlines()
    assert lines == list(faults(root, TODAY))
    assert last == f"benchgate: {len(lines)} things are in the way of a release; RELEASING.md says what to do"


def steps() -> list[str]:
    checklist = (
        (REPOSITORY / "RELEASING.md").read_text(encoding="utf-8").split("## Checklist")[1].split("\n## ")[0]
    )
    return [
        " ".join(item.split()) for item in re.findall(r"^- \[ \] (.*(?:\n  .*)*)", checklist, re.MULTILINE)
    ]


def test_the_issue_form_has_the_steps_of_releasing_md() -> None:
    form = YAML(typ="safe").load(
        (REPOSITORY / ".github/ISSUE_TEMPLATE/release.yml").read_text(encoding="utf-8")
    )
    boxes = [
        " ".join(option["label"].split())
        for part in form["body"]
        if part["type"] == "checkboxes"
        for option in part["attributes"]["options"]
    ]
    assert boxes
    assert boxes == steps()


def test_each_step_names_a_command_that_exists() -> None:
    noxfile = (REPOSITORY / "noxfile.py").read_text(encoding="utf-8")
    sessions = set(re.findall(r"@nox\.session(?:\(.*\))?\ndef (\w+)", noxfile))
    commands = re.compile(r"`(?:python -m nox|git |scripts/pinned\.sh )[^`]*`")
    assert [step for step in steps() if not commands.search(step)] == []
    text = (REPOSITORY / "RELEASING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"nox -s (\w+)", text))
    assert named <= sessions
    assert "release_check" in named
    assert all((REPOSITORY / path).exists() for path in re.findall(r"(?:scripts|benches)/\w+\.\w+", text))
