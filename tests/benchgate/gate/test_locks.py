import re
from pathlib import Path

import pytest

from benchgate.errors import Unreadable
from benchgate.gate.locks import LOCK, content, differences
from tests.benchgate.samples import REPOSITORY, write

A, B, C = (f"--hash=sha256:{letter * 64}" for letter in "abc")


def between(tmp_path: Path, base: str | None, head: str | None) -> tuple[str, ...]:
    for side, text in (("base", base), ("head", head)):
        write(tmp_path, {f"{side}/x": ""} | ({} if text is None else {f"{side}/{LOCK}": text}))
    return differences(tmp_path / "base", tmp_path / "head")


def test_versions_that_differ_are_named(tmp_path: Path) -> None:
    base = f"msgspec==0.22.0 \\\n    {A} \\\n    {B}\nold==1.0 {A}\nRich_Text==1 {A}\nsame==2 {A}\n"
    head = (
        f"# by hand\nmsgspec==0.23.0 \\\n    {C}\nnew==2.0rc1 {A}\nrich-text==1 {A}  # via x\nsame==2 {A}\n"
    )
    assert between(tmp_path, base, head) == (
        "msgspec 0.22.0 -> 0.23.0",
        "added: new 2.0rc1",
        "removed: old 1.0",
    )


@pytest.mark.parametrize(
    ("base", "head", "wanted"),
    [
        (f"a==1 {A} {B}", f"a==1 {B} \\\n {A}", ()),
        (f"a==1 {A}", f"a==1 {A} {B}", ("a 1: other hashes",)),
        (f"a==1 ; x == 'y' {A}", f"a==1  ;  x  ==  'y' {A}", ()),
        (f"a==1 ; x == 'y' {A}", f"a==1 ; x == 'z' {A}", ("a 1: other markers",)),
        (f"a==1 {A}", f"a==1 ; x == 'z' {B}", ("a 1: other markers and hashes",)),
        (
            f"a==1 ; x < '3' {A}\na==2 ; x >= '3' {A}",
            f"a==1 ; x < '3' {A}\na==3 ; x >= '3' {A}",
            ("a 1, 2 -> 1, 3",),
        ),
        (
            f"a==1 ; x < '3' {A}\na==1 ; x >= '3' {B}",
            f"a==1 ; x < '3' {B}\na==1 ; x >= '3' {A}",
            ("a 1: other combinations of markers and hashes",),
        ),
        ("a[b]==1", "a==1", ()),
        ("a==1", "a==1\n--pre", ("requirements/bench.txt: other lines than pins differ",)),
        (
            "a==1\nb @ https://x/1",
            "a==1\nb @ https://x/2",
            ("requirements/bench.txt: other lines than pins differ",),
        ),
        ("a==1", None, ("requirements/bench.txt: the head has none",)),
        (None, "a==1", ("requirements/bench.txt: the base has none",)),
        (None, None, ()),
        ("a==1", "a==1\x1b[2J", ("a 1 -> 1[2J",)),
        ("a==1", f"a=={'2' * 5000}", (f"a 1 -> {'2' * 100}",)),
    ],
)
def test_a_difference_is_said_once(
    tmp_path: Path, base: str | None, head: str | None, wanted: tuple[str, ...]
) -> None:
    assert between(tmp_path, base, head) == wanted


def test_our_own_lock_is_read_whole(tmp_path: Path) -> None:
    text = (REPOSITORY / LOCK).read_text(encoding="utf-8")
    names = [line.partition("==")[0] for line in text.splitlines() if line[:1].isalnum()]
    assert len(names) > 20
    raised = re.sub(r"(?m)^([\w.-]+)==", r"\1==1!", text)
    found = between(tmp_path, text, raised)
    assert [line.partition(" ")[0] for line in found] == names
    assert all("-> 1!" in line for line in found)


def test_a_lock_that_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / LOCK).mkdir(parents=True)
    with pytest.raises(Unreadable, match=r"requirements/bench\.txt: Is a directory"):
        content(tmp_path)
