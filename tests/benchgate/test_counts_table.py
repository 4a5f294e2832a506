from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from benchgate.counts_table import print_counts, print_counts_notes, print_published_blocks, same_process
from benchgate.history import Earlier
from benchgate.published import Published
from benchgate.rows import CountsRow
from benchgate.run import Run
from benchgate.simulator import Simulator
from tests.benchgate.samples import ENVIRONMENT, run, source

FACTS = Simulator("3.19.0", "haswell 0123456789ab", "glibc 2.36", "ba9876543210")
COUNTING = msgspec.structs.replace(ENVIRONMENT, simulator=FACTS)


def counted(identity: str, **more: Any) -> CountsRow:
    facts: dict[str, Any] = {
        "id": identity,
        "calls": 200,
        "region": 205_000,
        "instructions": 1000.0,
        "blocks": 2.0,
        "bytes": 96.0,
        "native_blocks": 0.0,
    }
    return CountsRow(**(facts | more))


def counts_run(*rows: CountsRow, **more: Any) -> Run[CountsRow]:
    made: Any = run(**({"kind": "counts", "environment": COUNTING, "rows": rows} | more))
    return made  # type: ignore[no-any-return]  # the sample is of wall-clock rows


OLD = counts_run(
    counted("a/b/same"),
    counted("a/b/slower"),
    counted("a/b/faster"),
    counted("a/b/a_bit"),
    counted("a/b/blocks"),
    counted("a/b/much", instructions=100.0),
    created=run().created - timedelta(hours=1),
)
NEW = counts_run(
    counted("a/b/same"),
    counted("a/b/slower", instructions=1100.0),
    counted("a/b/faster", instructions=987_654.32 / 1000),
    counted("a/b/a_bit", instructions=1000.04),
    counted("a/b/blocks", blocks=3.0, bytes=64.5, native_blocks=1.0),
    counted("a/b/much", instructions=1000.0),
    counted("a/c/new", instructions=12_345_678.9, blocks=8.4),
)
EARLIER = Earlier({row.id: row for row in OLD.rows}, (OLD,))


def printed(earlier: Earlier[CountsRow], what: Run[CountsRow] = NEW) -> list[str]:
    output = StringIO()
    console = Console(file=output, highlight=False)
    print_counts(console, what, earlier)
    print_counts_notes(console, what, earlier, Path("results/counts/x.json"), 61.4)
    return output.getvalue().splitlines()


def test_the_table_shows_each_count_and_what_changed() -> None:
    lines = printed(EARLIER)
    assert lines[:10] == [
        "bench     instructions  blocks  bytes  native                              change",
        "a/b",
        "  same           1,000       2     96       0                                   =",
        "  slower         1,100       2     96       0                            +10.00 %",
        "  faster           988       2     96       0                             -1.23 %",
        "  a_bit          1,000       2     96       0                             +0.00 %",
        "  blocks         1,000       3  64.50       1  +1 blocks, -31.50 bytes, +1 native",
        "  much           1,000       2     96       0                              10.0 x",
        "a/c",
        "  new       12,345,679    8.40     96       0                                   -",
    ]
    assert "1 of 6 rows are equal to the instruction and byte." in lines[11]
    assert lines[-1] == "7 rows in 61 s. Written to results/counts/x.json."
    assert not any("randomised" in line for line in lines)


def test_published_blocks_stand_beside_ours() -> None:
    published = Published(
        {}, {"a/c/new": source(language="C++")}, blocks={"a/c/new": {"left": 0, "right": 12}}
    )
    output = StringIO()
    print_published_blocks(Console(file=output, highlight=False), NEW, published)
    assert output.getvalue().splitlines() == [
        "a/c/new: 8.40 blocks here, published left 0, right 12 (C++, Machine 1)"
    ]


def test_without_a_run_to_compare_with_it_says_so() -> None:
    lines = printed(Earlier({}))
    assert "change: none, there is no earlier run of the same rows that can be compared." in lines
    moving = msgspec.structs.replace(COUNTING, aslr="on")
    assert any(
        "Addresses are randomised here" in line
        for line in printed(Earlier({}), counts_run(environment=moving))
    )


def test_a_row_is_compared_when_its_process_had_the_same_benches() -> None:
    full = counts_run(counted("a/b/x"), counted("a/b/y"), counted("c/d/z"))
    part = counts_run(counted("a/b/x"), counted("c/d/z"))
    assert not same_process(part, full, "a/b/x")
    assert same_process(part, full, "c/d/z")
    assert same_process(full, full, "a/b/x")


def test_counts_are_comparable_when_the_simulator_is_the_same_whatever_the_machine() -> None:
    elsewhere = msgspec.structs.replace(
        COUNTING, kernel="7", cpu="Other", cores=2, governor="x", affinity=(0, 1)
    )
    assert elsewhere.machine_key == COUNTING.machine_key
    assert COUNTING.machine_key != ENVIRONMENT.machine_key


@pytest.mark.parametrize("fact", ["valgrind", "cpu", "libc", "interpreter"])
def test_counts_are_not_comparable_when_the_simulator_differs(fact: str) -> None:
    other = msgspec.structs.replace(COUNTING, simulator=msgspec.structs.replace(FACTS, **{fact: "another"}))
    assert len(COUNTING.differences(other)) == 1
    newer = msgspec.structs.replace(COUNTING, libraries={"pytest-codspeed": "6.0"})
    assert len(COUNTING.differences(newer)) == 1


def test_a_wallclock_record_has_no_simulator() -> None:
    assert b"simulator" not in msgspec.json.encode(ENVIRONMENT)
    assert b"simulator" in msgspec.json.encode(COUNTING)
