"""Write the whole session of the market benches, and beside it the state that it leads to.

`python -m scripts.make_session PATH` writes the session to PATH and the state to the same name with `.json`
after it. Each appears whole, the state first: whoever finds the session finds its state.
"""

import argparse
import json
import os
import sys
from pathlib import Path

from scripts.fixturegen.catalogue import SEED
from scripts.marketgen.expected import Model
from scripts.marketgen.session import WHOLE, Mix, lines


def main(arguments: list[str] | None = None, mix: Mix = WHOLE) -> int:
    """Run the command; `mix` is how much there is of what."""
    parser = argparse.ArgumentParser(prog="python -m scripts.make_session", description="Write the session.")
    parser.add_argument("path", type=Path, help="where to write it")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of all draws, {SEED} unless told")
    given = parser.parse_args(arguments)
    write(given.path, mix, given.seed)
    return 0


def write(path: Path, mix: Mix, seed: int) -> None:
    """Write a session and its state."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two processes that make the same session at the same time each write a file of their own.
    draft, state_draft = (path.with_name(f"{path.name}.{os.getpid()}{end}") for end in ("", ".json"))
    with draft.open("wb") as file:
        made = lines(mix, seed)
        heading = next(made)
        file.write(heading + b"\n")
        model = Model(heading)
        for line in made:
            file.write(line + b"\n")
            model.take(line)
    state_draft.write_text(json.dumps(model.state(), separators=(",", ":")), encoding="utf-8")
    state_draft.replace(f"{path}.json")
    draft.replace(path)


if __name__ == "__main__":
    sys.exit(main())
