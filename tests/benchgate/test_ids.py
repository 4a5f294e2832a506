from pathlib import Path

import pytest

from benchgate import ids
from benchgate.errors import BadBench, Unreadable


@pytest.mark.parametrize(
    ("nodeid", "identity"),
    [
        ("benches/derive/bench_signing.py::bench_x", "derive/signing/x"),
        ("benches/derive/bench_signing.py::bench_x[p]", "derive/signing/x[p]"),
        ("benches/fix/bench_parse.py::bench_execution_report[4-deep]", "fix/parse/execution_report[4-deep]"),
    ],
)
def test_nodeid_becomes_id(nodeid: str, identity: str) -> None:
    assert ids.bench_id(nodeid) == identity


@pytest.mark.parametrize(
    "nodeid",
    [
        "tests/derive/bench_signing.py::bench_x",
        "benches/bench_signing.py::bench_x",
        "benches/derive/deeper/bench_signing.py::bench_x",
        "benches/derive/signing.py::bench_x",
        "benches/derive/bench_signing.py::test_x",
        "benches/derive/bench_signing.py::TestGroup::bench_x",
        "benches/derive/bench_signing.py::bench_X",
        "benches/derive/bench_signing.py::bench_x[two words]",
        "benches/derive/bench_signing.py::bench_x[a][b]",
    ],
)
def test_other_nodes_are_refused_by_name(nodeid: str) -> None:
    with pytest.raises(BadBench) as caught:
        ids.bench_id(nodeid)
    assert nodeid in str(caught.value)


def test_parts_of_an_id() -> None:
    assert ids.group_of("derive/signing/x[a/b]") == "derive/signing"
    assert ids.name_of("derive/signing/x[a/b]") == "x[a/b]"


def test_duplicates_are_all_named() -> None:
    ids.refuse_duplicates(["a/b/c", "a/b/d"])
    with pytest.raises(BadBench, match="a/b/c, a/b/d"):
        ids.refuse_duplicates(["a/b/d", "a/b/c", "a/b/d", "a/b/c", "a/b/e"])


def test_list_survives_a_round_trip_sorted(tmp_path: Path) -> None:
    path = tmp_path / "ids.txt"
    path.write_text(ids.text_of(["b/b/b", "a/a/a"]))
    assert path.read_text() == "a/a/a\nb/b/b\n"
    assert ids.listed(path) == ("a/a/a", "b/b/b")


@pytest.mark.parametrize("text", ["b\na\n", "a\na\n"])
def test_list_out_of_order_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "ids.txt"
    path.write_text(text)
    with pytest.raises(Unreadable, match="sorted"):
        ids.listed(path)


def test_missing_list_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="no such file"):
        ids.listed(tmp_path / "ids.txt")


def test_a_list_that_is_none_is_named(tmp_path: Path) -> None:
    path = tmp_path / "ids.txt"
    path.mkdir()
    with pytest.raises(Unreadable, match=r"ids\.txt: expected a list of ids: Is a directory"):
        ids.listed(path)
    path.rmdir()
    path.write_bytes(b"a/a/a\n\xff\n")
    with pytest.raises(Unreadable, match=r"ids\.txt: expected ids in UTF-8, got byte 6 otherwise"):
        ids.listed(path)


def test_a_list_of_old_may_be_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "ids.txt"
    assert ids.once_listed(path) == ()
    path.write_text("b/b/b\na/a/a\nb/b/b\n")
    assert ids.once_listed(path) == ("a/a/a", "b/b/b")


def test_differences_name_both_sides() -> None:
    lines = ids.differences(["a", "b"], ["b", "c"], "the benches")
    assert lines == (
        "a is listed in benches/ids.txt but missing from the benches",
        "c is in the benches but not listed in benches/ids.txt",
    )
    assert ids.differences(["a"], ["a"], "the benches") == ()
