import re
from io import StringIO
from typing import Any

import msgspec
from rich.console import Console

from benchgate.history import Earlier
from benchgate.interleave import Standing
from benchgate.notes import print_notes
from benchgate.peers import PeersRow
from benchgate.peers_table import print_comparison
from benchgate.published import Published
from benchgate.run import Failure, GitState
from benchgate.table import print_table
from benchgate.terminal import plain
from tests.benchgate.samples import row, run
from tests.benchgate.test_table import ENDING

EVIL = "\x1b]0;owned\x07\x9b31m\u202e\r\x00"
STEERING = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")


def test_only_what_steers_a_terminal_is_dropped() -> None:
    assert plain(f"a{EVIL}b") == "a]0;owned31m b"
    assert (
        plain("caf\u00e9 \N{GREEK SMALL LETTER MU}s\ttwo\nlines")
        == "caf\u00e9 \N{GREEK SMALL LETTER MU}s two lines"
    )
    assert plain("\udcff").encode() == b""


def test_nothing_that_a_bench_or_a_record_says_steers_the_terminal() -> None:
    file = StringIO()
    console = Console(file=file, width=100)
    identity = f"toy/parts/sum[{EVIL}]"
    whole = run(
        row(identity),
        row("toy/pipe/x", components=(identity,)),
        row("toy/pipe/y", components=("toy/gone",)),
        failures=(Failure(f"toy/{EVIL}", f"AssertionError: {EVIL}"),),
    )
    before: Any = msgspec.structs.replace(whole, git=GitState(EVIL, dirty=False))
    earlier = Earlier({}, (before,), (f"{EVIL}.json: truncated",))
    print_table(console, whole, earlier, Published({}, {}))
    print_notes(console, whole, earlier, Published({}, {}), ENDING)
    standings = (
        Standing(name="ours", median_ns=1.0),
        Standing(name="theirs", absent=f"not installed: {EVIL}"),
    )
    print_comparison(
        console, PeersRow(id="a/b/c", reference="ours", note=EVIL, rounds=9, standings=standings)
    )
    assert STEERING.findall(file.getvalue()) == []
    assert file.getvalue().count("owned") == 8
