"""Plant changes of known size in copies of the repository, and record how the gate answers.

usage: python scripts/gate_selftest.py [--quick] [--record] [--add] [--resume] [--output PATH]
       [--plants NAME,...] [--noops N] [--noop NAME]... [--groups ID...]

See `scripts.selftest.study`. `--quick` takes one plant and one change that costs nothing, on one group of
benches. `--record` writes benches/selftest.json, from which BENCHMARKS.md has its tables; with `--add` what
is recorded of other plants and changes is kept beside it, each part with its commit and environment.

Exit code: 0 when every slow-down of 3 and 10 per cent and 95 of 100 of 1 per cent were found, the planted
function was named first in 9 of 10, and nothing was called slower that is not; 1 when not; 2 when the gate
could not run.
"""

import argparse
import sys
import time
from pathlib import Path

import msgspec

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchgate import simulator  # noqa: E402 - found beside this file
from benchgate.errors import BenchgateError, CouldNotRun  # noqa: E402 - the same
from benchgate.gate import policy, record  # noqa: E402 - the same
from benchgate.mirror import scratch_folder  # noqa: E402 - the same
from benchgate.process import ends_as_interrupts  # noqa: E402 - the same
from benchgate.run import GitState, utc_now  # noqa: E402 - the same
from scripts.selftest.noops import NOOPS, NoOp  # noqa: E402 - the same
from scripts.selftest.plants import PLANTS, SPEED_UPS, Plant  # noqa: E402 - the same
from scripts.selftest.study import SIZES, Study  # noqa: E402 - the same

NAMES = sys.version_info >= (3, 12)  # before, a profile has C functions alone
RESULT = ROOT / "results" / "selftest.json"
QUICK_PLANTS = ("decode",)
QUICK_GROUPS = ("derive/decode_only/",)
QUICK_SIZES = (0.03,)
QUICK_NOOPS = ("shorter docstrings in every module",)


def main() -> int:
    """Run the self-test; return the exit code."""
    options = _options()
    try:
        with ends_as_interrupts(), scratch_folder() as folder:
            found = run(options, folder.resolve())
    except BenchgateError as fault:
        sys.stderr.writelines(f"{line}\n" for line in (*fault.faults, f"gate_selftest: {fault}"))
        return 2
    except KeyboardInterrupt:
        sys.stderr.write(f"gate_selftest: interrupted; --resume goes on with {options.output}\n")
        return 2
    print()
    for line in summary(found):
        print(line)
    print(f"Written to {options.output}.")
    if options.record:
        target = ROOT / record.SELFTEST_PATH
        record.save(record.joined(record.load_selftest(target), found) if options.add else found, target)
        print(f"Written to {record.SELFTEST_PATH}; `nox -s baseline -- --write` shows it in BENCHMARKS.md.")
    missed = shortfalls(found)
    for line in missed:
        print(f"falls short: {line}")
    return 1 if missed else 0


def run(options: argparse.Namespace, folder: Path) -> record.SelfTest:
    """Do what the options ask for; what is done is kept in the result's file after each plant and each no-op.

    Raises:
        CouldNotRun: What is to be gone on with is of another commit or environment.
    """
    created, began = utc_now(), time.monotonic()

    def show(line: str) -> None:
        print(f"{time.monotonic() - began:6.0f} s  {line}", flush=True)

    study = Study(
        ROOT,
        folder,
        valgrind=simulator.find(),
        today=created.date(),
        groups=QUICK_GROUPS if options.quick else tuple(options.groups),
        show=show,
    )
    found = record.SelfTest(
        created=created,
        environment=study.environment,
        git=GitState.read(ROOT),
        seconds=time.monotonic() - began,
        threshold=policy.read(ROOT, created.date()).threshold,
        cases=(),
        noops=(),
    )
    if options.resume:
        found = resumed(found, record.load_selftest(options.output))
    spent = found.seconds

    def take(cases: list[record.Case], nothing: list[record.NoOpResult]) -> None:
        nonlocal found
        found = msgspec.structs.replace(
            found,
            cases=(*found.cases, *cases),
            noops=(*found.noops, *nothing),
            seconds=spent + time.monotonic() - began,
        )
        record.save(found, options.output)
        for case in cases:
            told = f"{case.expected:+.2%} planted, {case.change:+.2%}: {case.verdict}, {case.named}"
            show(f"  {case.row}: {told}")
        for result in nothing:
            wrong = f", called slower: {', '.join(result.flagged)}" if result.flagged else ""
            show(f"  {result.rows} rows of no cost, largest change {result.largest:.2%}{wrong}")

    done = {case.plant for case in found.cases} | {result.name for result in found.noops}
    for plant in PLANTS:
        if plant.name not in options.plants or plant.name in done:
            continue
        take(*answers(study, plant, quick=options.quick))
    for noop in _noops(options):
        if noop.name not in done:
            result = study.noop(noop)
            take([], [] if result is None else [result])
    return found


def _noops(options: argparse.Namespace) -> list[NoOp]:
    """Return the changes that cost nothing and are asked for: some by name, or some of all kinds."""
    names = options.named or (QUICK_NOOPS if options.quick else [noop.name for noop in NOOPS])
    noops = [noop for noop in NOOPS if noop.name in names]
    if options.named:
        return noops
    return noops[:: -(-len(noops) // options.noops)] if options.noops else []


def answers(study: Study, plant: Plant, *, quick: bool) -> tuple[list[record.Case], list[record.NoOpResult]]:
    """Return what the gate said of a plant of every size, and of the rows beside it."""
    calibrated = study.calibrated(plant)
    found = [study.slow_down(calibrated, size) for size in (QUICK_SIZES if quick else SIZES)]
    if plant.name in SPEED_UPS and not quick:
        found.append(study.speed_up(calibrated))
    return [case for cases, _ in found for case in cases], [one for _, one in found if one is not None]


def resumed(new: record.SelfTest, old: record.SelfTest) -> record.SelfTest:
    """Return an earlier self-test to go on with, when it is of the same code and environment as a new one.

    Raises:
        CouldNotRun: It is not.
    """
    for name in ("git", "environment", "threshold"):
        here, there = getattr(new, name), getattr(old, name)
        if here != there:
            raise CouldNotRun(f"--resume: {name}: expected {here}, got {there}: begin anew without it")
    return old


def summary(found: record.SelfTest) -> list[str]:
    """Say in one line each how many of what size were found, and how many were called slower wrongly."""
    lines = []
    for kind, size in dict.fromkeys((case.kind, case.size) for case in found.cases):
        cases = [case for case in found.cases if (case.kind, case.size) == (kind, size) and case.target]
        named = sum(case.found(found.threshold) for case in cases)
        lines.append(f"{kind}s of {size:.0%}: {named} of {len(cases)} found")
    detected = [case for case in found.cases if case.found(found.threshold) and case.kind == "slow-down"]
    right = sum(case.right for case in detected)
    if NAMES:
        lines.append(f"named right: {right} of {len(detected)} slower rows")
    else:
        lines.append("named right: not known, Python functions have names from Python 3.12 on")
    rows, flagged = sum(noop.rows for noop in found.noops), sum(len(noop.flagged) for noop in found.noops)
    lines.append(f"false alarms: {flagged} of {rows} rows of no cost, in {len(found.noops)} comparisons")
    return lines


def shortfalls(found: record.SelfTest) -> list[str]:
    """Say what is below what the gate claims: see this module's docstring."""
    lines = []
    targets = [case for case in found.cases if case.target]
    if not targets and (found.cases or not found.noops):
        lines.append("no row that a plant was sized for was compared")
    lines += [
        f"{case.plant}: {case.row} became faster and was called slower"
        for case in found.cases
        if case.kind == "speed-up" and case.verdict == "slower"
    ]
    for least, most, claim in ((0.03, 10.0, 1.0), (0.01, 0.03, 0.95)):
        cases = [
            case
            for case in found.cases
            if case.kind == "slow-down" and least * 0.99 <= case.expected < most * 0.99
        ]
        seen = sum(case.found(found.threshold) for case in cases)
        if seen < claim * len(cases):
            lines.append(f"{seen} of {len(cases)} slow-downs of {least:.0%} and more were found")
    detected = [case for case in found.cases if case.found(found.threshold) and case.kind == "slow-down"]
    right = sum(case.right for case in detected)
    if NAMES and right < 0.9 * len(detected):
        lines.append(f"the planted function was named in {right} of {len(detected)} slower rows")
    lines += [f"{noop.name}: {', '.join(noop.flagged)} called slower" for noop in found.noops if noop.flagged]
    return lines


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="See how the gate answers to changes of known size.")
    parser.add_argument("--quick", action="store_true", help="one plant, one change that costs nothing")
    parser.add_argument("--record", action="store_true", help=f"write {record.SELFTEST_PATH}")
    parser.add_argument("--add", action="store_true", help="with --record: keep what is recorded of others")
    parser.add_argument("--resume", action="store_true", help="go on with what an interrupted run has found")
    parser.add_argument(
        "--output", type=Path, default=RESULT, metavar="PATH", help=f"{RESULT.relative_to(ROOT)} by default"
    )
    parser.add_argument(
        "--groups", nargs="*", default=[], metavar="ID", help="beginnings of the ids of benches"
    )
    parser.add_argument("--plants", default="", metavar="NAME,...", help="all by default, or none")
    parser.add_argument(
        "--noops",
        type=int,
        default=len(NOOPS),
        metavar="N",
        help="about so many, from all kinds; all by default, or 0",
    )
    parser.add_argument(
        "--noop",
        action="append",
        default=[],
        choices=[noop.name for noop in NOOPS],
        metavar="NAME",
        dest="named",
        help="only this change that costs nothing; may be given more than once",
    )
    options = parser.parse_args()
    names = [plant.name for plant in PLANTS]
    chosen = [name for name in options.plants.split(",") if name] or list(
        QUICK_PLANTS if options.quick else names
    )
    if options.noops < 0:
        parser.error(f"--noops: expected 0 or more, got {options.noops}")
    if chosen == ["none"]:
        chosen = []
    unknown = sorted(set(chosen) - set(names))
    if unknown:
        parser.error(f"--plants: no plant is named {', '.join(unknown)}; there are {', '.join(names)}")
    options.plants = chosen
    return options


if __name__ == "__main__":
    sys.exit(main())
