"""Write the fixtures from their fixed seed, or check that those on disk are what would be written.

`python -m scripts.make_fixtures` writes what differs; with `--check` it writes nothing, names each file that
differs and exits with 1.
"""

import argparse
import sys
from pathlib import Path

from scripts.fixturegen import store
from scripts.fixturegen.catalogue import SYSTEMS

FOLDER = Path(__file__).resolve().parent.parent / "fixtures"


def main(arguments: list[str] | None = None, folder: Path = FOLDER) -> int:
    """Run the command; `folder` is where the fixtures lie, in one folder for each system."""
    parser = argparse.ArgumentParser(prog=store.COMMAND, description="Write the fixtures, or check them.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail where a file differs")
    if parser.parse_args(arguments).check:
        found = [
            f"{system}/{fault}"
            for system, fixtures in SYSTEMS.items()
            for fault in store.faults(folder / system, fixtures())
        ]
        for fault in found:
            print(fault)
        print(f"fixtures: {len(found)} files differ" if found else "fixtures: all as generated")
        return 1 if found else 0
    changed = sum(store.write(folder / system, fixtures()) for system, fixtures in SYSTEMS.items())
    print(f"fixtures: {changed} files changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
