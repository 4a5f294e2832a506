"""What the gate's self-test plants is what it says: work in one function alone, or no work at all."""

import filecmp
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.selftest import functions
from scripts.selftest.calibration import Cost, amount_for, cost, share, slowed
from scripts.selftest.functions import NotFound
from scripts.selftest.noops import NOOPS, NoOp
from scripts.selftest.plants import AMOUNT, PLANTS, SPEED_UPS, Plant
from scripts.selftest.tree_copy import commit, copy_tree, restore

ROOT = Path(__file__).parents[2]

RENAMED_FUNCTION = "a renamed function of the module"
SURROUNDINGS = {"nothing at all", "a larger environment", "a longer path"}

SAMPLE = '''\
import a
from b import (
    c,
)


@decorated
def plain(x):
    """Say something."""
    # a reason
    ö = y = x  # y, not a string
    for y in (1, 2):
        print("y", y)
    return [y for _ in f(y=y)]


class K:
    def method(self):
        def inner():
            return 1
        return inner

    def other(self): return 2


def late() -> int:
    """Only this."""
'''


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_tree(ROOT, tmp_path_factory.mktemp("selftest") / "copy")


@pytest.fixture
def copy(pristine: Path) -> Iterator[Path]:
    yield pristine
    restore(pristine)


def codes(code: CodeType) -> Iterator[tuple[str, bytes]]:
    """Give the bytecode of each function, by qualified name; CPython names it, not this repository."""
    for part in code.co_consts:
        if isinstance(part, CodeType):
            if part.co_flags & 0x02:  # with fast locals: a function, and not a class's body
                yield part.co_qualname, part.co_code
            yield from codes(part)


def functions_of(text: str) -> list[tuple[str, bytes]]:
    return sorted(codes(compile(text, "module", "exec")))


def tree_functions(root: Path) -> dict[str, list[tuple[str, bytes]]]:
    paths = [path for top in ("src/tapemark", "benches") for path in sorted((root / top).rglob("*.py"))]
    return {str(path.relative_to(root)): functions_of(path.read_text(encoding="utf-8")) for path in paths}


def git(folder: Path, *arguments: str) -> str:
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)  # noqa: S603 - the test's own
    return done.stdout


def seen(folder: Path) -> list[tuple[Path, int]]:
    """Give the files and folders of a copy with their times, without git's own and what Python compiled."""
    paths = (path for path in folder.rglob("*") if not {".git", "__pycache__"} & set(path.parts))
    return sorted((path, int(path.stat().st_mtime) if path.is_file() else 0) for path in paths)


# Plants.


def test_the_names_of_plants_and_noops_are_unique() -> None:
    assert len({plant.name for plant in PLANTS}) == len(PLANTS)
    assert len({noop.name for noop in NOOPS}) == len(NOOPS)
    assert len({(plant.path, plant.function) for plant in PLANTS}) == len(PLANTS)


def test_the_plants_are_in_many_layers() -> None:
    assert len({plant.layer for plant in PLANTS}) >= 7
    assert set(SPEED_UPS) <= {plant.name for plant in PLANTS}
    assert len(set(SPEED_UPS)) >= 3


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.name)
def test_a_plant_changes_the_code_of_its_function_alone(plant: Plant) -> None:
    text = (ROOT / plant.path).read_text(encoding="utf-8")
    before, after = functions_of(text), functions_of(plant.edit(text, 50))
    changed = {name for (name, old), (_, new) in zip(before, after, strict=True) if old != new}
    assert [name for name, _ in before] == [name for name, _ in after]
    assert changed == {plant.function}


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.name)
def test_a_plant_is_as_large_as_its_amount(plant: Plant) -> None:
    text = (ROOT / plant.path).read_text(encoding="utf-8")
    # Below 256 names and constants no instruction needs a prefix for its argument.
    none, one, three, five = (
        len(dict(functions_of(edited))[plant.function])
        for edited in (text, plant.edit(text, 1), plant.edit(text, 3), plant.edit(text, 5))
    )
    assert one > none
    if AMOUNT in plant.unit:
        assert one == three == five
        assert plant.unit.replace(AMOUNT, "5") in plant.edit(text, 5)
    else:
        assert (three - one, five - three) == (2 * (one - none), 2 * (one - none))


def test_a_plant_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="amount: expected 1 or more, got 0"):
        PLANTS[0].edit("", 0)


def test_a_plant_that_finds_no_function_is_refused() -> None:
    with pytest.raises(NotFound, match="frame: expected one function of this name, found 0"):
        PLANTS[0].edit("def other(): pass\n", 1)


# No-ops.


@pytest.mark.parametrize("noop", NOOPS, ids=lambda noop: noop.name)
def test_a_noop_changes_the_tree_but_the_code_of_no_function(noop: NoOp, copy: Path) -> None:
    before, seen_before = tree_functions(copy), seen(copy)
    noop.edit(copy)
    after = tree_functions(copy)
    for path, old in before.items():
        if noop.name == RENAMED_FUNCTION:
            assert sorted(code for _, code in old) == sorted(code for _, code in after[path])
        else:
            assert set(old) <= set(after[path])
    changed = bool(git(copy, "diff", "--stat")) or seen(copy) != seen_before
    assert changed == (noop.name not in SURROUNDINGS)


def test_there_are_many_noops_and_some_are_of_the_surroundings() -> None:
    assert len(NOOPS) >= 22
    assert sum(len(name) + len(value) for noop in NOOPS for name, value in noop.environment.items()) > 5000
    assert max(len(noop.folder) for noop in NOOPS) > 80
    assert all(not Path(noop.folder).is_absolute() and ".." not in noop.folder for noop in NOOPS)


# The copy.


def test_a_copy_is_a_clean_repository_of_one_commit(pristine: Path) -> None:
    assert git(pristine, "status", "--porcelain") == ""
    assert git(pristine, "rev-list", "--count", "HEAD").strip() == "1"
    assert filecmp.cmp(ROOT / "pyproject.toml", pristine / "pyproject.toml", shallow=False)
    assert {"src/tapemark/derive/decode.py", ".gitignore"} <= set(git(pristine, "ls-files").split("\n"))


def test_a_copy_has_uncommitted_changes_and_nothing_that_is_ignored(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    git(source, "init", "--quiet")
    (source / ".gitignore").write_text("ignored/\n")
    (source / "kept").write_text("one")
    (source / "gone").write_text("one")
    commit(source, "Begin")
    (source / "kept").write_text("two")
    (source / "gone").unlink()
    (source / "new name").write_text("three")
    (source / "ignored").mkdir()
    (source / "ignored" / "file").write_text("four")
    copied = copy_tree(source, tmp_path / "x" / "y")
    assert {path.name: path.read_text() for path in copied.iterdir() if path.is_file()} == {
        ".gitignore": "ignored/\n",
        "kept": "two",
        "new name": "three",
    }
    assert not (copied / "ignored").exists()
    with pytest.raises(FileExistsError):
        copy_tree(source, copied)


def test_a_planted_base_can_have_a_clean_head(copy: Path) -> None:
    clean = git(copy, "rev-parse", "HEAD").strip()
    before = (copy / PLANTS[0].path).read_bytes()
    PLANTS[0].apply(copy, 7)
    planted = commit(copy, "Plant")
    (copy / "added").mkdir()
    (copy / "added" / "file").write_text("")
    restore(copy, clean)
    assert git(copy, "rev-parse", "HEAD").strip() == planted
    assert (copy / PLANTS[0].path).read_bytes() == before
    assert not (copy / "added").exists()
    assert git(copy, "show", f"HEAD:{PLANTS[0].path}").count("_planted = None") == 7
    git(copy, "reset", "--quiet", "--hard", clean)


def test_a_repository_named_by_a_variable_is_not_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "--quiet")
    (tmp_path / "source").mkdir()
    git(tmp_path / "source", "init", "--quiet")
    (tmp_path / "source" / "file").write_text("")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    copied = copy_tree(tmp_path / "source", tmp_path / "copied")
    monkeypatch.delenv("GIT_DIR")
    assert git(copied, "ls-files").split() == ["file"]
    assert git(other, "rev-list", "--all", "--count").strip() == "0"


def test_planted_benches_agree_with_their_oracles(copy: Path) -> None:
    for plant in PLANTS:
        plant.apply(copy, 50)
    # Through private orders, nonces, signing and the hash: the row that goes through most layers.
    bench = "benches/derive/bench_exec_pipeline.py"
    command = [sys.executable, "-m", "pytest", "-q", "--benchmark-disable", bench]
    environment = os.environ | {"PYTHONPATH": "src", "PYTEST_ADDOPTS": "", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(  # noqa: S603 - the test's own command
        command, cwd=copy, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


# Functions by name.


def test_a_function_is_found_by_its_qualified_name() -> None:
    names = {name for name, _ in functions_of(SAMPLE) if "<listcomp>" not in name}
    assert names == {"plain", "K.method", "K.method.<locals>.inner", "K.other", "late"}
    assert {name: functions.function(SAMPLE, name).name for name in names} == {
        name: name.rpartition(".")[2] for name in names
    }


@pytest.mark.parametrize("name", ["inner", "method", "K", "K.method.inner", ""])
def test_a_name_that_is_not_a_function_is_refused(name: str) -> None:
    with pytest.raises(NotFound, match="found 0"):
        functions.function(SAMPLE, name)


def test_a_name_of_two_functions_is_refused() -> None:
    with pytest.raises(NotFound, match="found 2"):
        functions.function(SAMPLE + "\n\ndef plain(): return 3\n", "plain")


def test_lines_go_behind_the_docstring_and_before_a_statement() -> None:
    start = functions.insert(SAMPLE, "plain", ["A()", "B()"])
    assert "    # a reason\n    A()\n    B()\n    ö = y" in start
    inside = functions.insert(SAMPLE, "plain", ["A()"], before="print(")
    assert '(1, 2):\n        A()\n        print("y", y)' in inside
    assert "        A()\n        def inner" in functions.insert(SAMPLE, "K.method", ["A()"])
    assert len(start.splitlines()) == len(inside.splitlines()) + 1 == len(SAMPLE.splitlines()) + 2


@pytest.mark.parametrize(
    ("name", "before", "fault"),
    [
        ("late", "", "a statement behind the docstring"),
        ("K.other", "", "a statement that begins its line"),
        ("plain", "while", "found 0"),
        ("K.method", "return", "found 2"),
    ],
)
def test_a_place_that_is_none_is_refused(name: str, before: str, fault: str) -> None:
    with pytest.raises(NotFound, match=fault):
        functions.insert(SAMPLE, name, ["A()"], before)


def test_a_local_is_renamed_and_nothing_else() -> None:
    renamed = functions.rename_local(SAMPLE, "plain", "y", "größe")
    assert "    ö = größe = x  # y, not a string\n    for größe in (1, 2):\n" in renamed
    assert 'print("y", größe)\n    return [größe for _ in f(y=größe)]' in renamed
    assert [code for _, code in functions_of(SAMPLE)] == [code for _, code in functions_of(renamed)]


@pytest.mark.parametrize(("old", "new"), [("x", "z"), ("f", "z"), ("none", "z"), ("y", "x"), ("y", "print")])
def test_what_is_no_local_or_would_be_two_is_not_renamed(old: str, new: str) -> None:
    with pytest.raises(NotFound):
        functions.rename_local(SAMPLE, "plain", old, new)


def test_functions_change_places() -> None:
    swapped = functions.swap(SAMPLE, "plain", "late")
    assert sorted(swapped.splitlines()) == sorted(SAMPLE.splitlines())
    assert functions_of(swapped) == functions_of(SAMPLE)
    assert swapped.index("def late") < swapped.index("class K") < swapped.index("@decorated\ndef plain")
    with pytest.raises(NotFound, match="late: expected it to end before plain"):
        functions.swap(SAMPLE, "late", "plain")


def test_imports_are_reversed_whole() -> None:
    assert functions.reversed_imports(SAMPLE).startswith(
        "from b import (\n    c,\n)\nimport a\n\n\n@decorated"
    )
    for text in ("import a\n", "import a; import b\n"):
        with pytest.raises(NotFound):
            functions.reversed_imports(text)


# Calibration.


@given(
    unit=st.floats(0.5, 1000),
    fixed=st.floats(0, 500),
    clean=st.floats(300, 1e9),
    size=st.floats(0.001, 0.5),
    amounts=st.tuples(st.integers(1, 100), st.integers(200, 10_000)),
)
def test_an_amount_is_the_least_that_reaches_the_size(
    unit: float, fixed: float, clean: float, size: float, amounts: tuple[int, int]
) -> None:
    least, most = amounts
    found = cost(clean, {least: clean + fixed + unit * least, most: clean + fixed + unit * most})
    assert found.unit == pytest.approx(unit, rel=1e-4, abs=1e-6 * clean / most)
    amount = amount_for(size, clean, found)
    assert share(amount, clean, found) >= size * (1 - 1e-9)
    assert amount == 1 or share(amount - 1, clean, found) < size * (1 + 1e-9)


def test_one_count_gives_the_unit_alone() -> None:
    assert cost(1000.0, {50: 1600.0}) == Cost(12.0)
    assert amount_for(0.01, 1000.0, Cost(12.0)) == 1
    assert amount_for(0.10, 1000.0, Cost(12.0)) == 9
    assert share(9, 1000.0, Cost(12.0)) == pytest.approx(0.108)


def test_a_fixed_cost_counts_once() -> None:
    assert cost(1000.0, {10: 1300.0, 20: 1400.0}) == Cost(10.0, 200.0)
    assert amount_for(0.3, 1000.0, Cost(10.0, 200.0)) == 10
    assert amount_for(0.1, 1000.0, Cost(10.0, 200.0)) == 1


@pytest.mark.parametrize("planted", [{}, {1: 2.0, 2: 3.0, 3: 4.0}, {5: 100.0}, {5: 200.0, 6: 200.0}])
def test_counts_that_tell_no_cost_are_refused(planted: dict[int, float]) -> None:
    with pytest.raises(ValueError, match="planted: expected"):
        cost(100.0, planted)


def test_a_size_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="size: expected a positive share"):
        amount_for(0.0, 100.0, Cost(1.0))


def test_slowed_rows_are_those_that_grow_most_first() -> None:
    clean = {"a": 100.0, "b": 100.0, "c": 100.0, "d": 100.0, "only clean": 1.0}
    planted = {"a": 104.9, "b": 105.1, "c": 150.0, "d": 50.0, "only planted": 9.0}
    assert slowed(clean, planted) == ("c", "b")


def test_every_unit_is_one_line() -> None:
    assert all(re.fullmatch(r"\S.*\S", plant.unit) for plant in PLANTS)
