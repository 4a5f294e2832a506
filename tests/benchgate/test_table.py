from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Literal

import msgspec
from rich.console import Console

from benchgate import markdown
from benchgate.history import Earlier
from benchgate.notes import CLOSING, Ending, print_notes
from benchgate.published import Figure, Percentiles, Published
from benchgate.rows import Items, WallclockRow
from benchgate.run import Failure, Run
from benchgate.table import footer, print_table
from tests.benchgate.samples import ENVIRONMENT, row, run, source

RUST = source(measured="2026-01-02")
PUBLISHED = Published(
    {"toy/parts/sum": (Figure("", 45.8),), "toy/pipe/x": (Figure("left", 1640), Figure("right", 17.0))},
    {"toy/parts/sum": RUST, "toy/pipe/x": RUST},
)
RUN = run(
    row("toy/parts/sum", 98.7, 0.5),
    row("toy/pipe/x", 42_100, 400, components=("toy/parts/sum", "toy/parts/sort[40]")),
    row("toy/pipe/y", 50_000, 400, components=("toy/parts/sort[40]",)),
    row("toy/parts/sort[40]", 40_000, 300, items=Items(40, "numbers")),
)
BEFORE = run(
    row("toy/parts/sum", 98.8, 0.5),
    row("toy/pipe/x", 40_000, 400),
    row("toy/pipe/y", 100_000, 400),
    created=RUN.created - timedelta(hours=1),
)
EARLIER = Earlier({old.id: old for old in BEFORE.rows}, (BEFORE,))
ENDING = Ending(Path("results/bench/x.json"), 12.34, quick=True)


def printed(width: int, *, terminal: bool = False) -> str:
    file = StringIO()
    color: Literal["auto", "standard"] = "standard" if terminal else "auto"
    console = Console(file=file, width=width, force_terminal=terminal, color_system=color)
    print_table(console, RUN, EARLIER, PUBLISHED)
    print_notes(console, RUN, EARLIER, PUBLISHED, ENDING)
    return file.getvalue()


def test_every_cell_as_it_is_read() -> None:
    table = printed(100).split("\n\n")[0].splitlines()
    assert table == [
        "bench        median      IQR      per second   change      published",
        "toy/parts  published: Rust, Machine 1",
        "  sum       98.7 ns  1.00 ns          10.1 M        ~        45.8 ns",
        "  sort[40]  40.0 us   600 ns  1.00 M numbers        -              -",
        "toy/pipe  published: Rust, Machine 1",
        "  x         42.1 us   800 ns          23.8 k   +5.2 %   left 1.64 us",
        "                                                       right 17.0 ns",
        "  y         50.0 us   800 ns          20.0 k  -50.0 %              -",
    ]


def test_numbers_end_in_one_column() -> None:
    header, *lines = printed(100).split("\n\n")[0].splitlines()
    cells = [line for line in lines if line.startswith("  ")]
    assert {len(line) for line in cells} == {len(header)}
    for title in ("median", "IQR", "per second", "change"):
        end = header.index(title) + len(title)
        assert {line[end : end + 2] for line in cells} == {"  "}
        assert all(line[end - 1] != " " for line in cells if line.strip().startswith(("s", "x", "y")))


def test_narrow_terminals_lose_columns_and_no_digits() -> None:
    narrow = printed(62, terminal=True)
    assert "per second" not in narrow
    assert "published" in narrow
    assert "left 1.64 us" in narrow


def test_nothing_but_text_when_piped_and_nothing_wider_than_100() -> None:
    for width in (40, 100, 200):
        text = printed(width)
        assert text.isascii()
        assert "\x1b" not in text
        assert max(map(len, text.splitlines())) <= 100


def test_terminals_get_colour_and_the_same_text() -> None:
    text = printed(100, terminal=True)
    assert "\x1b[31m" in text
    assert "\x1b[32m" in text


def test_notes_as_they_are_read() -> None:
    notes = printed(100).split("\n\n", 1)[1].splitlines()
    assert notes == [
        "toy/pipe  explained by components",
        "  x   95 %  of 42.1 us = parts/sum 98.7 ns + parts/sort[40] 40.0 us",
        "  y   80 %  of 50.0 us = parts/sort[40] 40.0 us",
        "  x, y share toy/parts/sort[40]",
        "",
        "median: of a whole call, which handles many in toy/parts/sort 40 numbers.",
        "published: Someone's benches (Rust), median, 2026-01-02; Machine 1, cold.",
        "change: from the last run on this machine, 2026-03-01 11:30:15 UTC, 0123456789; ~ says that each",
        "  median lies between the other's quartiles.",
        "4 rows in 12.3 s, quick: fewer rounds. Written to results/bench/x.json.",
        CLOSING,
    ]


def noted(made: Run[WallclockRow], before: Earlier[WallclockRow]) -> str:
    file = StringIO()
    print_notes(Console(file=file, width=100), made, before, PUBLISHED, ENDING)
    return " ".join(file.getvalue().split())


def test_components_that_were_not_asked_for_are_no_failure() -> None:
    selected = run(row("toy/pipe/x", components=("toy/parts/sum",)))
    assert "no share: x (their components were not selected)" in noted(selected, Earlier({}))


def test_a_busy_machine_is_told() -> None:
    told = "This process had 94 % of a CPU while measuring: something else was running."
    assert told in noted(run(cpu_share=0.9499), Earlier({}))
    for quiet in (run(cpu_share=0.95), run()):
        assert "of a CPU" not in noted(quiet, Earlier({}))


def test_a_quick_earlier_run_is_told() -> None:
    quick, full = (msgspec.structs.replace(BEFORE, pace=pace) for pace in ("quick", "full"))
    assert "0123456789, a quick one; ~" in noted(RUN, Earlier({}, (quick,)))
    assert "0123456789, and 1 before it, quick ones among them; ~" in noted(RUN, Earlier({}, (full, quick)))
    assert "quick one" not in noted(RUN, Earlier({}, (full, BEFORE)))


def test_only_quartiles_that_lie_apart_are_coloured() -> None:
    file = StringIO()
    console = Console(file=file, width=100, force_terminal=True, color_system="standard")
    old = {"toy/pipe/x": row("toy/pipe/x", 100, 20)}
    print_table(console, run(row("toy/pipe/x", 130, 11)), Earlier(old), PUBLISHED)
    assert "+30.0 %" in file.getvalue()
    assert "\x1b[31m" not in file.getvalue()
    print_table(console, run(row("toy/pipe/x", 130, 9)), Earlier(old), PUBLISHED)
    assert "\x1b[31m+30.0 %" in file.getvalue().replace(" " * 2, "")


def test_what_is_missing_or_free_is_said_before_the_end() -> None:
    file = StringIO()
    unpinned = run(
        row("toy/pipe/x", components=("toy/parts/sum",)),
        environment=msgspec.structs.replace(ENVIRONMENT, governor="powersave", affinity=(0, 1)),
        failures=(Failure("toy/parts/sum", "AssertionError: assert 6 == 7"),),
    )
    console = Console(file=file, width=100)
    print_notes(console, unpinned, Earlier({}, (), ("x.json: truncated",)), PUBLISHED, ENDING)
    lines = file.getvalue().splitlines()
    assert lines[1:3] == [
        "toy/pipe  explained by components",
        "  no share: x (their components were not measured)",
    ]
    assert "FAILED toy/parts/sum: AssertionError: assert 6 == 7" in lines
    assert "passed over: x.json: truncated" in lines
    assert "Not a pinned machine (governor powersave; free to move between CPUs 0-1): runs" in file.getvalue()
    assert "IQR; scripts/pinned.sh pins one." in " ".join(file.getvalue().split())
    assert lines[-1] == CLOSING


def test_a_published_rate_is_shown_as_one_and_compared_with_the_items_of_a_call() -> None:
    many = row("toy/parts/many", 500_000.0, items=Items(1_000, "frames"))
    published = Published(
        {many.id: (Figure("left", 250.0, is_rate=True),)}, {many.id: PUBLISHED.source("toy/parts/sum")}
    )
    output = StringIO()
    print_table(Console(file=output), run(many), Earlier({}), published)
    assert output.getvalue().splitlines()[-1].split("  ")[-1] == "left 4.00 M/s"
    line = markdown.published_group("toy/parts", (many,), published).splitlines()[2]
    assert line.startswith("| `many` | 2.00 M frames/s |")
    assert "| left 4.00 M/s | 2.00 x |" in line


def test_alike_rows_share_a_place_in_the_footer() -> None:
    none = Published({}, {})
    pipes = [
        row(f"toy/pipe/{name}[{size}]", items=Items(1_000, "frames")) for name in "xy" for size in (1, 7)
    ]
    (line,) = footer(
        (
            row("toy/parts/sum"),
            row("toy/parts/one", items=Items(1, "numbers")),
            row("toy/parts/sort[4]", items=Items(4, "numbers")),
            row("toy/parts/sort[40]", items=Items(40, "numbers")),
            row("toy/parts/reversed", items=Items(2, "numbers")),
            row("toy/parts/shuffled", items=Items(2, "numbers")),
            *pipes,
        ),
        none,
    )
    assert line == (
        "median: of a whole call, which handles many in toy/parts/sort 4 numbers or 40 numbers; "
        "toy/parts/reversed, shuffled 2 numbers; toy/pipe 1,000 frames."
    )
    assert footer((row("toy/parts/sum"),), none) == ()


def test_only_rows_with_published_percentiles_point_to_single_calls() -> None:
    published = Published({}, {}, {"toy/parts/sum": (Percentiles(p50=310),)})
    (line,) = footer((row("toy/parts/sum"), row("toy/pipe/x")), published)
    assert line == (
        "percentiles: python -m nox -s latency times single calls of toy/parts, beside published "
        "percentiles; here the same calls are repeated, many in a row."
    )
    assert footer((row("toy/parts/max"),), published) == ()
