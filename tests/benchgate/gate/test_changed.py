import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchgate.gate.changed import Change, read
from tests.benchgate.gate.checkouts import ALONE, Checkout
from tests.benchgate.samples import write

ODD_NAMES = (
    "plain.py",
    "with space.py",
    " leading and trailing ",
    'quo"te.py',
    "back\\slash",
    "tab\there",
    "line\nend",
    "bell\a\r\v\f\b.py",
    "ünï/日本.py",
    "-dash.py",
    "b/a/b.txt",
    "a => b",
    "{a => b}",
    ":(top)x",
    "*.py",
    os.fsdecode(b"not text \xff\xfe"),
)
SETTINGS = {
    "color.ui": "always",
    "core.quotePath": "true",
    "diff.algorithm": "patience",
    "diff.context": "7",
    "diff.external": "false",
    "diff.interHunkContext": "9",
    "diff.mnemonicPrefix": "true",
    "diff.noprefix": "true",
    "diff.relative": "false",
    "diff.renames": "false",
    "diff.suppressBlankEmpty": "true",
    "diff.wsErrorHighlight": "all",
    "diff.odd.textconv": "false",
    "diff.odd.command": "false",
    "core.pager": "false",
}

BEFORE = """\
import functools

LIMIT = 1


@functools.cache
def cached(x):
    return x


def kept(values):
    total = 0
    for value in values:
        total += value
    return total


def outer(values):
    def inner(value):
        return value

    return [inner(value) for value in values]


class Held:
    limit = 2

    def first(self):
        return 1

    def second(self):
        return 2
"""


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ALONE.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A repository with one source."""
    made = Checkout(tmp_path / "repository")
    made.commit({"src/x.py": BEFORE, ".gitignore": "ignored/\n"})
    return made


def change_of(checkout: Checkout, folder: str = ".") -> Change:
    return read(checkout.root / folder, checkout.git("rev-parse", "HEAD"))


def edited(checkout: Checkout, *edits: tuple[str, str]) -> Change:
    text = BEFORE
    for old, new in edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    write(checkout.root, {"src/x.py": text})
    return change_of(checkout)


NAMES = (
    "<module>",
    "cached",
    "kept",
    "outer",
    "outer.<locals>.inner",
    "Held",
    "Held.first",
    "Held.second",
)


def touched(change: Change, checkout: Checkout) -> set[str]:
    return {name for name in NAMES if change.touches("src/x.py", name, checkout.root)}


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("LIMIT = 1", "LIMIT = 3", {"<module>"}),
        ("limit = 2", "limit = 3", {"Held"}),
        ("    total = 0\n", "    total = 1\n", {"kept"}),
        ("    total = 0\n", "    total = 0\n    total = 1\n", {"kept"}),
        ("    total = 0\n", "", {"kept"}),
        ("    return total\n", "", {"kept"}),
        ("        return value\n", "        return +value\n", {"outer.<locals>.inner"}),
        ("        return value\n", "        value += 1\n        return value\n", {"outer.<locals>.inner"}),
        ("    return [inner(", "    return [+inner(", {"outer"}),
        ("    def first(self):\n        return 1\n\n", "", {"Held.first", "Held"}),
        ("@functools.cache\n", "", {"cached"}),
        ("def kept(values):", "@functools.cache\ndef kept(values):", {"kept"}),
        ("def outer(values):", "def added():\n    pass\n\n\ndef outer(values):", {"<module>"}),
        ("        return 2\n", "        return 3\n", {"Held.second"}),
        ("import functools\n", "import functools\nimport os\n", {"<module>"}),
    ],
)
def test_a_change_belongs_to_the_innermost_function_of_its_lines(
    checkout: Checkout, old: str, new: str, wanted: set[str]
) -> None:
    assert touched(edited(checkout, (old, new)), checkout) == wanted


def test_a_function_that_is_gone_was_touched_and_its_neighbours_were_not(checkout: Checkout) -> None:
    start, end = BEFORE.index("def kept"), BEFORE.index("def outer")
    change = edited(checkout, (BEFORE[start:end], ""))
    assert touched(change, checkout) == {"kept", "<module>"}  # the blank lines around it are the module's
    assert change.touches("src/x.py", "outer", checkout.root) is False
    assert change.where("src/x.py", "kept", checkout.root) == "src/x.py"


def test_what_cannot_be_known_is_none(checkout: Checkout, tmp_path: Path) -> None:
    change = edited(checkout, ("LIMIT = 1", "LIMIT = 3"))
    root = checkout.root
    assert change.touches("src/x.py", "kept", root) is False
    assert change.touches(str(root / "src/x.py"), "<module>", root) is True
    assert change.touches("src/../src/x.py", "<module>", root) is True
    assert change.touches(".gitignore", "f", root) is False
    write(tmp_path, {"elsewhere.py": BEFORE})
    for path in (
        str(tmp_path / "elsewhere.py"),
        "../elsewhere.py",
        "src/none.py",
        "<frozen x>",
        "",
        "src",
        "/",
    ):
        assert change.touches(path, "kept", root) is None, path
        assert change.where(path, "kept", root) == path
    assert change.touches("src/x.py", "missing", root) is None
    write(root, {"src/x.py": "def kept(:\n", "new.txt": "not python\n"})
    change = change_of(checkout)
    assert change.touches("src/x.py", "cached", root) is True  # gone with its lines, whatever the rest is
    assert change.touches("src/x.py", "missing", root) is None
    assert change.touches("new.txt", "missing", root) is None


def test_where_is_the_first_line_at_the_head(checkout: Checkout) -> None:
    change = edited(checkout, ("LIMIT = 1", "LIMIT = 1\n"))
    assert change.where("src/x.py", "kept", checkout.root) == "src/x.py:12"
    assert change.where(str(checkout.root / "src/x.py"), "cached", checkout.root) == "src/x.py:7"
    assert change.where("src/x.py", "missing", checkout.root) == "src/x.py"


def test_new_files_count_whole_and_ignored_ones_do_not(checkout: Checkout) -> None:
    root = checkout.root
    files = {"new.py": "def f():\n    pass", "empty.py": "", "ignored/x.py": "x\n", "staged.py": "a\nb\n"}
    write(root, files | {"-n/:(x) ü.py": "1\n"})
    (root / "binary").write_bytes(b"a\0\n")
    (root / "link.py").symlink_to("src/x.py")
    os.mkfifo(root / "pipe")
    checkout.git("add", "staged.py")
    change = change_of(checkout)
    assert change.lines == {
        "new.py": ((1, 2),),
        "empty.py": (),
        "staged.py": ((1, 2),),
        "-n/:(x) ü.py": ((1, 1),),
        "binary": (),
    }
    assert change.base_lines == {}
    assert change.origins == {}
    assert change.binary == {"binary"}
    assert change.touches("new.py", "f", root) is True
    assert change.touches("ignored/x.py", "f", root) is False


def test_a_file_that_is_renamed_is_followed(checkout: Checkout) -> None:
    checkout.git("config", "diff.renames", "false")
    checkout.git("mv", "src/x.py", "src/y.py")
    write(
        checkout.root, {"src/y.py": BEFORE.replace("total = 0", "total = 1").replace("    limit = 2\n", "")}
    )
    write(checkout.root, {"src/x.py": "def kept():\n    pass\n"})
    change = change_of(checkout)
    assert change.origins == {"src/y.py": "src/x.py"}
    assert change.lines == {"src/y.py": ((12, 12),), "src/x.py": ((1, 2),)}
    assert change.base_lines == {"src/x.py": ((12, 12), (26, 26))}
    assert change.touches("src/y.py", "kept", checkout.root) is True
    assert change.touches("src/y.py", "cached", checkout.root) is False
    assert change.touches("src/x.py", "kept", checkout.root) is True


def test_binary_files_and_modes_are_touched_without_lines(checkout: Checkout) -> None:
    root = checkout.root
    checkout.commit({"hidden.py": "def f(): pass\n", ".gitattributes": "hidden.py -diff\n", "mode.py": "x\n"})
    (root / "data").write_bytes(b"\0\1")
    (root / "gone").write_bytes(b"\0\1")
    checkout.commit()
    (root / "data").write_bytes(b"\0\2")
    (root / "gone").unlink()
    (root / "mode.py").chmod(0o755)
    write(root, {"hidden.py": "def f(): return 1\n"})
    change = change_of(checkout)
    assert change.lines == {"data": (), "mode.py": (), "hidden.py": ()}
    assert change.base_lines == {"data": (), "gone": (), "mode.py": (), "hidden.py": ()}
    assert change.binary == {"data", "gone", "hidden.py"}
    assert change.touches("hidden.py", "f", root) is None
    assert change.touches("mode.py", "<module>", root) is False


def test_a_root_within_a_repository_sees_its_own_files_only(checkout: Checkout) -> None:
    write(
        checkout.root,
        {"src/x.py": BEFORE.replace("total = 0", "total = 1"), "src/n.py": "1\n", "o.py": "1\n"},
    )
    change = change_of(checkout, "src")
    assert change.lines == {"x.py": ((12, 12),), "n.py": ((1, 1),)}
    assert change.touches("x.py", "kept", checkout.root / "src") is True
    assert change.touches("x.py", "cached", checkout.root / "src") is False


def test_neither_names_nor_settings_matter(checkout: Checkout) -> None:
    root = checkout.root
    before = "-- a\n++ b\n@@ -1 +1 @@\n\n\n\nx\ny"
    after = "-- a\n++ B\n@@ -1,9 +1 @@\n\n\n\nx\ny\n"
    try:
        write(root, dict.fromkeys(ODD_NAMES, before))
    except OSError:
        pytest.skip("file names are text here")
    checkout.commit({".gitattributes": "* diff=odd\n"})
    for name, value in SETTINGS.items():
        checkout.git("config", name, value)
    write(root, dict.fromkeys(ODD_NAMES, after))
    change = change_of(checkout)
    assert change.lines == dict.fromkeys(ODD_NAMES, ((2, 3), (8, 8)))
    assert change.base_lines == change.lines
    for name in ODD_NAMES:
        (root / name).unlink()
    checkout.git("add", "--all")
    change = change_of(checkout)
    assert change.lines == {}
    assert change.base_lines == dict.fromkeys(ODD_NAMES, ((1, 8),))


def test_a_submodule_is_not_a_file(checkout: Checkout, tmp_path: Path) -> None:
    other = Checkout(tmp_path / "other")
    other.commit({"a": "1\n"})
    allowed = ("-c", "protocol.file.allow=always")
    checkout.git(*allowed, "submodule", "--quiet", "add", other.root.as_uri(), "sub")
    checkout.commit()
    write(checkout.root, {"sub/a": "2\n", "sub/b": "2\n"})
    Checkout(checkout.root / "nested").commit({"a": "1\n"})
    assert change_of(checkout).lines == {}


TEXTS = st.lists(
    st.sampled_from(["a", "b", "", "-- x", "++ y", "\\ z", "@@ -1 +1 @@", "\f", "é\r"]), max_size=12
)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(before=TEXTS, after=TEXTS, ended=st.tuples(st.booleans(), st.booleans()))
def test_without_the_changed_lines_both_sides_are_the_same(
    checkout: Checkout, before: list[str], after: list[str], ended: tuple[bool, bool]
) -> None:
    """And where they have a line in common, something is left: not all is called changed."""
    path = checkout.root / "file.txt"
    sides = [
        "\n".join(lines) + ("\n" if end and lines else "")
        for lines, end in zip((before, after), ended, strict=True)
    ]
    path.write_bytes(sides[0].encode())
    checkout.commit()
    path.write_bytes(sides[1].encode())
    change = change_of(checkout)
    whole, left = [], []
    for side, ranges in zip(sides, (change.base_lines, change.lines), strict=True):
        lines = re.findall(r"[^\n]*\n|[^\n]+", side)
        gone = {number for first, last in ranges.get("file.txt", ()) for number in range(first, last + 1)}
        assert gone <= set(range(1, len(lines) + 1))
        whole.append(lines)
        left.append([line for number, line in enumerate(lines, 1) if number not in gone])
    if sides[0] == sides[1]:
        assert "file.txt" not in change.lines
    assert left[0] == left[1]
    assert bool(left[0]) == bool(set(whole[0]) & set(whole[1]))
