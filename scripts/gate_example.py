"""Plant a slow-down in a clone of this repository, run the gate on it, and keep its report as an example.

BENCHMARKING.md shows the comment that is made from the report; `baseline --write` puts it there.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchgate import baseline  # noqa: E402 - found beside this file
from benchgate.gate import report  # noqa: E402 - the same
from scripts.selftest.plants import PLANTS  # noqa: E402 - the same

PLANT, AMOUNT = "book_loop", 3


def main() -> int:
    """Make the example; return the exit code."""
    argparse.ArgumentParser(description="Run the gate on a planted slow-down; takes minutes.").parse_args()
    with TemporaryDirectory(prefix="example-") as folder:
        clone = Path(folder).resolve() / "tapemark"
        git = ["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)]
        subprocess.run(git, check=True)  # noqa: S603 - our own command
        [plant] = [plant for plant in PLANTS if plant.name == PLANT]
        plant.apply(clone, AMOUNT)
        gate = [sys.executable, "-m", "benchgate", "--root", str(clone), "gate", "HEAD"]
        ended = subprocess.run(gate, check=False)  # noqa: S603 - the same
        if ended.returncode != 1:
            print(
                f"gate_example: expected the gate to find something slower, got exit code {ended.returncode}"
            )
            return 2
        found = report.load(clone / report.FOLDER / report.REPORT)
    report.save(found, ROOT / baseline.EXAMPLE_PATH)
    baseline.write_document(ROOT)
    print(f"Written to {baseline.EXAMPLE_PATH} and {baseline.METHOD_PATH}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
