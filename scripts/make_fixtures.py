"""Write the fixtures from their fixed seed, or check that those on disk are what would be written.

`python -m scripts.make_fixtures` writes what differs; with `--check` it writes nothing, names each file that
differs and exits with 1.
"""

import argparse
import sys
from pathlib import Path

from scripts.fixturegen import store
from scripts.fixturegen.catalogue import fixtures

FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "derive"


def main(arguments: list[str] | None = None, folder: Path = FOLDER) -> int:
    """Run the command; `folder` is where the fixtures lie."""
    parser = argparse.ArgumentParser(prog=store.COMMAND, description="Write the fixtures, or check them.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail where a file differs")
    if parser.parse_args(arguments).check:
        found = store.faults(folder, fixtures())
        for fault in found:
            print(fault)
        print(f"fixtures: {len(found)} files differ" if found else "fixtures: all as generated")
        return 1 if found else 0
    print(f"fixtures: {store.write(folder, fixtures())} files changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
