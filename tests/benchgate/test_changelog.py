import pytest

from benchgate.changelog import Changelog

TEXT = """# Changelog

A line about `before/all` that is no entry.

## [Unreleased]

### Added

- `added/only/x`

### Changed benches

- `toy/parts/sum` sums more numbers,
  and so does toy/more/sum. Not src/path/x, and/or, https://web/page/x, my-web/page.
<!-- `hidden/group` is not said
     yet -->
- `other/` is new; `lib/wide/*_cold` and `lib/sizes/book[10]` too

## 0.2.0 - 2026-01-01

### Changed benches

- `old/group/`

## [0.1.0] - 2025-01-01

### Changed benches
"""
LOG = Changelog(TEXT)


@pytest.mark.parametrize(
    ("identity", "named"),
    [
        ("toy/parts/sum", True),
        ("toy/parts/sum[4]", True),
        ("toy/parts/sum_more", False),
        ("toy/parts/su", False),
        ("toy/more/sum", True),
        ("added/only/x", False),
        ("before/all/x", False),
        ("hidden/group/x", False),
        ("path/x/y", False),
        ("web/page/x", False),
        ("other/any/thing[1]", True),
        ("lib/wide/read_cold", True),
        ("lib/wide/read_cold[7]", True),
        ("lib/wide/read", False),
        ("lib/sizes/book[10]", True),
        ("lib/sizes/book[1]", False),
        ("lib/sizes/book", False),
        ("old/group/x", False),
    ],
)
def test_a_bench_is_named_by_itself_its_group_its_system_or_a_pattern(identity: str, *, named: bool) -> None:
    assert LOG.changed_benches(["Unreleased"]).bench(identity) is named


@pytest.mark.parametrize(
    ("group", "named"),
    [
        ("toy/parts", True),
        ("toy/part", False),
        ("other/any", True),
        ("lib/wide", True),
        ("added/only", False),
        ("old/group", False),
    ],
)
def test_a_group_is_named_by_any_of_its_benches(group: str, *, named: bool) -> None:
    assert LOG.changed_benches(["Unreleased"]).group(group) is named


def test_a_system_is_named_by_anything_of_it() -> None:
    found = LOG.changed_benches(["Unreleased"])
    assert [name for name in ("toy", "other", "lib", "old", "hidden", "to") if found.system(name)] == [
        "toy",
        "other",
        "lib",
    ]


def test_releases_are_read_together_when_both_are_asked_for() -> None:
    found = LOG.changed_benches(["Unreleased", "0.2.0"])
    assert found.group("old/group")
    assert found.bench("old/group/x")
    assert found.bench("toy/parts/sum")


def test_headings_alone_are_no_entries() -> None:
    releases = ("Unreleased", "0.2.0", "0.1.0", "0.0.1")
    assert [LOG.has_entries(release) for release in releases] == [True, True, False, False]
    assert not Changelog("## [Unreleased]\n\n<!-- one\nday -->\n").has_entries("Unreleased")
