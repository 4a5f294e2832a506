"""Write the whole session of the market benches, and beside it the state that it leads to.

`python -m scripts.make_session PATH` writes the session to PATH, and to PATH with `.state` after it a
line with the CRC-32 of the session and then the state, and the state. Each appears whole or not at all.
"""

import argparse
import json
import sys
import zlib
from pathlib import Path

from benchgate.errors import CouldNotRun
from benchgate.files import require_writable, write_whole
from scripts.fixturegen.catalogue import SEED
from scripts.marketgen.expected import final_state
from scripts.marketgen.session import WHOLE, Mix, lines


def main(arguments: list[str] | None = None, mix: Mix = WHOLE) -> int:
    """Run the command; `mix` is how much there is of what."""
    parser = argparse.ArgumentParser(prog="python -m scripts.make_session", description="Write the session.")
    parser.add_argument("path", type=Path, help="where to write it")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of all draws, {SEED} unless told")
    given = parser.parse_args(arguments)
    try:
        for target in (given.path, state_path(given.path)):
            require_writable(target)
    except CouldNotRun as fault:
        parser.error(str(fault))
    write(given.path, mix, given.seed)
    return 0


def state_path(path: Path) -> Path:
    """Name the file beside a session with the state that it leads to."""
    return path.with_name(f"{path.name}.state")


def write(path: Path, mix: Mix, seed: int) -> None:
    """Write a session and its state."""
    made = list(lines(mix, seed))
    state = json.dumps(final_state(made), separators=(",", ":")).encode()
    session = b"\n".join([*made, b""])
    write_whole(state_path(path), b"%08x\n%s" % (zlib.crc32(state, zlib.crc32(session)), state))
    write_whole(path, session)


if __name__ == "__main__":
    sys.exit(main())
