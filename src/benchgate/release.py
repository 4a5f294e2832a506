"""Whether the repository is ready to be released: `python -m benchgate release`.

A release says how fast it is, so its baseline must be of what is released, complete and from a pinned
machine; and its changelog must name each bench whose history begins anew. RELEASING.md says what to do about
each fault.

The last release is the highest tag `v<major>.<minor>.<patch>` in the history of HEAD; before the first one
everything counts as new. What changed is asked of git and compared with the working tree. That a figure was
edited by hand cannot be seen here.
"""

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

import benchgate
from benchgate import baseline, changelog, peers, wallclock
from benchgate.changelog import CHANGED_BENCHES, UNRELEASED, Changelog
from benchgate.checkout import Checkout, numbers_of
from benchgate.errors import Failed
from benchgate.figures import first_few
from benchgate.gate import policy, record
from benchgate.ids import LIST_PATH, differences, group_of, listed
from benchgate.latency import measuring
from benchgate.rows import WallclockRow
from benchgate.run import GitState, load, utc_now
from benchgate.tables import Table

_PYPROJECT = Path("pyproject.toml")
_LOCK = "requirements/bench.txt"
_INSTRUMENT = f"src/{Path(benchgate.__file__).parent.name}/"
_TIMING = (f"{_INSTRUMENT}measure.py", f"{_INSTRUMENT}wallclock.py")  # `harness/` measures these themselves
_BENCH_FILE = re.compile(r"benches/([a-z0-9_]+)/bench_([a-z0-9_]+)\.py")
_FIXTURE = re.compile(r"fixtures/([^/]+)/.+")


def release(options: argparse.Namespace) -> None:
    """Say that all is ready.

    Raises:
        CouldNotRun: It cannot be known: there is no whole checkout, or a file is missing or damaged.
        Failed: It is not; the faults say why.
    """
    found = faults(options.root, utc_now().date())
    if found:
        count = "1 thing is" if len(found) == 1 else f"{len(found)} things are"
        raise Failed(f"{count} in the way of a release; RELEASING.md says what to do", found)
    sys.stdout.write("Nothing is in the way of a release.\n")


def faults(root: Path, today: date) -> tuple[str, ...]:
    """Return one line for each thing that is in the way of a release; `today` is the date in UTC.

    Raises:
        CouldNotRun: `root` is no checkout of a whole history.
        Unreadable: The baseline, the list of ids, the policy or `pyproject.toml` is missing or damaged.
    """
    checkout = Checkout(root)
    version = Table.read(root, _PYPROJECT).table("project").text("version")
    last = (checkout.released() or ("",))[-1]
    # The section of a version that is out already says nothing about what came after it.
    releases = (UNRELEASED,) if _is_out(version, last) else (UNRELEASED, version)
    log = Changelog(_text(root / changelog.PATH))
    return (
        *_baseline_faults(root, checkout),
        *_age_faults(root, checkout),
        *_steadiness_faults(root),
        *_version_faults(version, last, checkout),
        *_section_faults(log, releases),
        *_unnamed_benches(log, releases, _Changes(root, checkout, last)),
        *policy.read(root, today).expired_notices(),
    )


def _baseline_faults(root: Path, checkout: Checkout) -> Iterable[str]:
    path = baseline.DATA_PATH
    run = load(root / path, wallclock.KIND, WallclockRow)
    yield from _commit_faults(path, run.git, checkout)
    if reasons := run.environment.unpinned_because:
        yield f"{path}: measured on a machine that is not pinned: {'; '.join(reasons)}"
    yield from (f"{path}: rows: {line}" for line in baseline.row_faults(run, root))


def _age_faults(root: Path, checkout: Checkout) -> Iterable[str]:
    """Return what is wrong with the other records behind the tables of BENCHMARKS.md, where there are any.

    They need no pinned machine: a ratio within one run has none of it, and a table of percentiles names it.
    """
    if (root / peers.RECORD_PATH).exists():
        compared = load(root / peers.RECORD_PATH, peers.KIND, peers.PeersRow)
        yield from _commit_faults(peers.RECORD_PATH, compared.git, checkout)
    if (root / measuring.RECORD_PATH).exists():
        timed = load(root / measuring.RECORD_PATH, measuring.KIND, measuring.LatencyRow)
        yield from _commit_faults(measuring.RECORD_PATH, timed.git, checkout)


def _steadiness_faults(root: Path) -> Iterable[str]:
    """Return a line for each bench that the record of how steady counts are lacks, or should not have."""
    if (root / record.STEADINESS_PATH).exists():
        rows = record.load_steadiness(root / record.STEADINESS_PATH).rows
        known = listed(root / LIST_PATH)
        yield from differences(known, (row.id for row in rows), str(record.STEADINESS_PATH))


def _commit_faults(path: Path, state: GitState, checkout: Checkout) -> Iterable[str]:
    """Return what is wrong with the commit that a record is of."""
    if not checkout.knows(state.commit):
        yield f"{path}: expected a commit that this checkout knows, got {state.commit or 'none'}"
    elif changed := [name for name in checkout.changed_since(state.commit) if _is_measured(name)]:
        yield f"{path}: older than what it measured, since {state.commit[:10]} changed: {first_few(changed)}"
    if state.dirty:
        yield f"{path}: measured with changes that were not committed"


def _is_measured(name: str) -> bool:
    """Whether a figure may depend on a file: of the instrument only on what times a call."""
    if name.startswith("benches/"):
        return name.endswith(".py")
    return (
        name == _LOCK
        or name in _TIMING
        or name.startswith("fixtures/")
        or (name.startswith("src/") and not name.startswith(_INSTRUMENT))
    )


def _is_out(version: str, last: str) -> bool:
    numbers, before = numbers_of(f"v{version}"), numbers_of(last)
    return numbers is not None and before is not None and numbers <= before


def _version_faults(version: str, last: str, checkout: Checkout) -> tuple[str, ...]:
    place = f"{_PYPROJECT}: project.version"
    if numbers_of(f"v{version}") is None:
        return (f"{place}: expected three numbers such as 1.2.0, got {version}",)
    if _is_out(version, last):
        return (f"{place}: expected a version above {last}, the last release, got {version}",)
    if f"v{version}" in checkout.released(here=False):
        return (f"{place}: expected a version that is not out yet, got {version}, tagged on another branch",)
    return ()


def _section_faults(log: Changelog, releases: Sequence[str]) -> Iterable[str]:
    filled = [release for release in releases if log.has_entries(release)]
    if not filled:
        places = " or ".join(f"[{name}]" for name in releases)
        yield f"{changelog.PATH}: expected entries under {places}, got none"
    elif len(filled) > 1:
        yield f"{changelog.PATH}: expected no entries under [{UNRELEASED}] beside those under [{filled[1]}]"


class _Changes:
    """The benches that differ from the last release: ids by group, and files."""

    def __init__(self, root: Path, checkout: Checkout, last: str) -> None:
        now = set(listed(root / LIST_PATH))
        before = set(checkout.lines_at(last, LIST_PATH)) if last else set()
        self.added, self.removed = sorted(now - before), sorted(before - now)
        self.files = checkout.changed_since(last) if last else checkout.files()


def _unnamed_benches(log: Changelog, releases: Sequence[str], changes: _Changes) -> Iterable[str]:
    named = log.changed_benches(releases)
    unnamed: defaultdict[str, list[str]] = defaultdict(list)
    for verb, ids in (("added", changes.added), ("removed", changes.removed)):
        for identity in ids:
            if not named.bench(identity):
                unnamed[group_of(identity)].append(f"{verb} {identity}")
    for name in changes.files:
        if match := _BENCH_FILE.fullmatch(name):
            group = f"{match[1]}/{match[2]}"
            if group not in unnamed and not named.group(group):
                unnamed[group].append(f"changed {name}")
        elif (match := _FIXTURE.fullmatch(name)) and not named.system(match[1]):
            unnamed[f"{match[1]}/"].append(f"changed {name}")
    for place, what in sorted(unnamed.items()):
        yield f"{changelog.PATH}: {CHANGED_BENCHES}: expected an entry that names {place}: {first_few(what)}"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""
