import random
import statistics
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchgate.errors import CouldNotTell, Unreadable
from benchgate.nights import record
from benchgate.nights.record import Night, of_passes
from benchgate.run import Failure
from tests.benchgate.nights.samples import IDS, night, passes
from tests.benchgate.samples import ENVIRONMENT

NIGHT = night({IDS[0]: 100, IDS[1]: 50})


def test_a_row_has_the_median_of_its_passes_and_how_far_they_lie_apart() -> None:
    found = of_passes(passes({IDS[0]: 100}, {IDS[0]: 130}, {IDS[0]: 104}))
    [row] = found.rows
    assert row.median_ns == 104
    assert row.spread == pytest.approx(30 / 104)
    assert [figure.median_ns for figure in row.passes] == [100, 130, 104]
    assert found.created == found.passes[0].created


def test_the_middle_pass_is_the_one_nearest_to_the_medians() -> None:
    draw = random.Random(1)
    seen = set()
    for _ in range(50):
        medians = [{identity: draw.uniform(90, 110) for identity in IDS} for _ in range(3)]
        ratios = [
            [
                max(found[identity], middle) / min(found[identity], middle)
                for identity in IDS
                for middle in [statistics.median(other[identity] for other in medians)]
            ]
            for found in medians
        ]
        expected = min(range(3), key=lambda one: ratios[one][0] * ratios[one][1])
        seen.add(expected)
        assert record.middle(of_passes(passes(*medians))) == expected
    assert seen == {0, 1, 2}


def test_a_row_without_a_figure_of_each_pass_is_a_failure() -> None:
    runs = passes({IDS[0]: 1, IDS[1]: 1}, {IDS[0]: 1}, {IDS[0]: 1, "toy/parts/new": 1})
    failed = msgspec.structs.replace(runs[1], failures=(Failure(IDS[1], "AssertionError"),))
    found = of_passes((runs[0], failed, runs[2]))
    assert [row.id for row in found.rows] == [IDS[0]]
    assert found.failures == (
        Failure("toy/parts/new", "measured in 1 of 3 passes"),
        Failure(IDS[1], "AssertionError"),
    )


def test_passes_of_several_machines_or_commits_are_no_night() -> None:
    same = passes({IDS[0]: 1}, {IDS[0]: 1})
    hotter = passes({IDS[0]: 1}, environment=msgspec.structs.replace(ENVIRONMENT, governor="powersave"))
    with pytest.raises(CouldNotTell, match="not of one environment") as caught:
        of_passes((*same, *hotter))
    assert caught.value.faults == ("governor: performance and powersave",)
    with pytest.raises(CouldNotTell, match="not of one commit: 0000000000 and 0000000000"):
        of_passes((*same, *passes({IDS[0]: 1}, day=1)))


def test_a_night_comes_back_as_it_was_from_one_line(tmp_path: Path) -> None:
    assert b"\n" not in record.encode(NIGHT)
    assert record.decode(record.encode(NIGHT)) == NIGHT
    odd = night({IDS[0]: 100 / 3, IDS[1]: 1e9 / 7})
    record.save(odd, tmp_path / "night.json")
    assert record.load(tmp_path / "night.json") == odd
    assert odd.rows[0].passes[0].median_ns == 33.3333


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema",), 2),
        (("passes",), []),
        (("more",), 1),
        (("rows", 0, "id"), "toy/parts/sum\n"),
        (("rows", 0, "id"), "toy/\u202eparts"),
        (("rows", 0, "id"), "x" * 501),
        (("rows", 0, "id"), IDS[1]),
        (("rows", 0, "passes"), [[1, 1, 1, 1]]),
        (("rows", 0, "passes", 0), [-1, 1, 1, 1]),
        (("rows", 0, "passes", 0), [3, 1, 2, 1]),
        (("rows", 0, "passes", 0), [1, 1, 1]),
        (("rows", 0, "passes", 0), [1, 1, 1, 1, 1]),
        (("rows", 0, "passes", 0), [1e999, 1, 1e999, 1]),
        (("environment", "cpu"), "x" * 2001),
        (("environment", "libraries"), {"a\nb": "1"}),
        (("passes", 0, "created"), "2026-03-01T02:17:00+01:00"),
    ],
)
def test_what_does_not_fit_is_refused(path: tuple[str | int, ...], value: object, tmp_path: Path) -> None:
    tree: Any = msgspec.json.decode(record.encode(NIGHT))
    at = tree
    for part in path[:-1]:
        at = at[part]
    at[path[-1]] = value
    (tmp_path / "night.json").write_bytes(msgspec.json.encode(tree))
    with pytest.raises(Unreadable, match=r"night\.json: truncated or not a night"):
        record.load(tmp_path / "night.json")


def test_a_truncated_or_oversized_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "night.json"
    for content in (b"", record.encode(NIGHT)[:-1], record.encode(NIGHT) + b" " * record.MAX_BYTES):
        path.write_bytes(content)
        with pytest.raises(Unreadable):
            record.load(path)
    with pytest.raises(Unreadable, match="No such file"):
        record.load(tmp_path / "none")


def test_a_night_says_that_it_was_not_pinned() -> None:
    loose = night({IDS[0]: 1}, environment=msgspec.structs.replace(ENVIRONMENT, aslr="on"))
    assert not loose.environment.pinned
    assert isinstance(record.decode(record.encode(loose)), Night)
    assert record.decode(record.encode(loose)).environment.unpinned_because == ("ASLR on",)
