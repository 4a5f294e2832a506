import pytest

from benchgate.document import faults, sections, with_sections
from benchgate.errors import Drift

TEXT = """# Title

A note.

<!-- begin generated: one -->
old
<!-- end generated: one -->

Another note.

<!-- begin generated: a/b -->
<!-- end generated: a/b -->
The end
"""


def test_sections_are_found() -> None:
    assert sections(TEXT) == {"one": "old\n", "a/b": ""}


def test_only_the_sections_change() -> None:
    changed = with_sections(TEXT, {"one": "new\nlines\n", "a/b": "| x |\n"}, {})
    assert sections(changed) == {"one": "new\nlines\n", "a/b": "| x |\n"}
    assert [line for line in changed.splitlines() if line not in {"new", "lines", "| x |"}] == [
        line for line in TEXT.splitlines() if line != "old"
    ]


def test_prose_that_mentions_a_marker_is_left_alone() -> None:
    prose = "Tables follow `<!-- begin generated: one -->` until `<!-- end generated: one -->`.\n\n"
    assert with_sections(prose + TEXT, {"one": "new\n"}, {}) == prose + TEXT.replace("old\n", "new\n")


def test_a_body_with_a_marker_is_refused() -> None:
    with pytest.raises(Drift, match="section one: expected text without markers"):
        with_sections(TEXT, {"one": "x\n<!-- end generated: one -->\n"}, {})


def test_writing_twice_changes_nothing() -> None:
    bodies = {"one": "new\n", "a/b": "b\n", "more": "m\n"}
    once = with_sections(TEXT, bodies, {})
    assert with_sections(once, bodies, {}) == once
    assert faults(once, bodies) == ()


def test_missing_sections_are_appended_under_a_heading() -> None:
    assert with_sections("# Title\n", {"more": "m\n"}, {"more": "More of it"}) == (
        "# Title\n\n## More of it\n\n<!-- begin generated: more -->\nm\n<!-- end generated: more -->\n"
    )
    assert "\n## more\n" in with_sections("# Title\n", {"more": "m\n"}, {})


def test_each_fault_is_named() -> None:
    assert faults(TEXT, {"one": "new\n", "gone": ""}) == (
        "section gone is missing",
        "section one differs from the data",
        "section a/b is generated from nothing",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!-- begin generated: a -->\n", "section a has no end"),
        ("<!-- end generated: a -->\n", "line 1"),
        ("<!-- begin generated: a -->\n<!-- begin generated: b -->\n", "line 2"),
        ("<!-- begin generated: a -->\n<!-- end generated: b -->\n", "line 2"),
        ("<!-- begin generated: a -->\n<!-- end generated: a -->\n" * 2, "line 3"),
    ],
)
def test_markers_that_do_not_fit(text: str, message: str) -> None:
    with pytest.raises(Drift, match=message):
        sections(text)
    assert message in faults(text, {"a": ""})[0]
