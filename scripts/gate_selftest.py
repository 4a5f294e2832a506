"""Plant changes of known size in copies of the repository, and record how the gate answers.

usage: python scripts/gate_selftest.py [--quick] [--record] [--output PATH] [--plants NAME,...] [--noops N]

See `scripts.selftest.study`. `--quick` takes one plant and one change that costs nothing, on one group of
benches; `--record` writes benches/selftest.json, from which BENCHMARKS.md has its tables.

Exit code: 0 when every slow-down of 3 and 10 per cent and 95 of 100 of 1 per cent were found, the planted
function was named first in 9 of 10, and nothing was called slower that is not; 1 when not; 2 when the gate
could not run.
"""

import argparse
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchgate import simulator  # noqa: E402 - found beside this file
from benchgate.errors import BenchgateError  # noqa: E402 - the same
from benchgate.gate import policy, record  # noqa: E402 - the same
from benchgate.mirror import scratch_folder  # noqa: E402 - the same
from benchgate.process import ends_as_interrupts  # noqa: E402 - the same
from benchgate.run import GitState, utc_now  # noqa: E402 - the same
from scripts.selftest.noops import NOOPS  # noqa: E402 - the same
from scripts.selftest.plants import PLANTS, SPEED_UPS  # noqa: E402 - the same
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
        sys.stderr.write("gate_selftest: interrupted, nothing was written\n")
        return 2
    print()
    for line in summary(found):
        print(line)
    path = RESULT if options.output is None else options.output
    for target in (path, *([ROOT / record.SELFTEST_PATH] if options.record else [])):
        record.save(found, target)
        print(f"Written to {target}.")
    missed = shortfalls(found)
    for line in missed:
        print(f"falls short: {line}")
    return 1 if missed else 0


def run(options: argparse.Namespace, folder: Path) -> record.SelfTest:
    """Do what the options ask for."""
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
    cases: list[record.Case] = []
    results: list[record.NoOpResult] = []

    def take(some: list[record.Case], nothing: record.NoOpResult | None) -> None:
        cases.extend(some)
        for case in some:
            told = f"{case.expected:+.2%} planted, {case.change:+.2%}: {case.verdict}, {case.named}"
            show(f"  {case.row}: {told}")
        if nothing is not None:
            results.append(nothing)
            wrong = f", called slower: {', '.join(nothing.flagged)}" if nothing.flagged else ""
            show(f"  {nothing.rows} rows of no cost, largest change {nothing.largest:.2%}{wrong}")

    for plant in PLANTS:
        if plant.name not in options.plants:
            continue
        calibrated = study.calibrated(plant)
        for size in QUICK_SIZES if options.quick else SIZES:
            take(*study.slow_down(calibrated, size))
        if plant.name in SPEED_UPS and not options.quick:
            take(*study.speed_up(calibrated))
    noops = [noop for noop in NOOPS if not options.quick or noop.name in QUICK_NOOPS]
    for noop in noops[:: -(-len(noops) // options.noops)]:
        take([], study.noop(noop))
    return record.SelfTest(
        created=created,
        environment=study.environment,
        git=GitState.read(ROOT),
        seconds=time.monotonic() - began,
        threshold=policy.read(ROOT, created.date()).threshold,
        cases=tuple(cases),
        noops=tuple(results),
    )


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
    if not targets:
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
    parser.add_argument("--output", type=Path, metavar="PATH", help=f"instead of {RESULT.relative_to(ROOT)}")
    parser.add_argument(
        "--groups", nargs="*", default=[], metavar="ID", help="beginnings of the ids of benches"
    )
    parser.add_argument("--plants", default="", metavar="NAME,...", help="all by default")
    parser.add_argument(
        "--noops",
        type=int,
        default=len(NOOPS),
        metavar="N",
        help="about so many, from all kinds; all by default",
    )
    options = parser.parse_args()
    names = [plant.name for plant in PLANTS]
    chosen = [name for name in options.plants.split(",") if name] or list(
        QUICK_PLANTS if options.quick else names
    )
    if options.noops < 1:
        parser.error(f"--noops: expected 1 or more, got {options.noops}")
    unknown = sorted(set(chosen) - set(names))
    if unknown:
        parser.error(f"--plants: no plant is named {', '.join(unknown)}; there are {', '.join(names)}")
    options.plants = chosen
    return options


if __name__ == "__main__":
    sys.exit(main())
