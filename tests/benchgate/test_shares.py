import pytest

from benchgate.notes import share_text
from benchgate.shares import explained, shared_components
from tests.benchgate.samples import row


def test_share_is_the_sum_of_the_components_over_the_pipeline() -> None:
    pipeline = row("a/pipe/x", 200, components=("a/b/c", "a/b/d"))
    (share,) = explained([pipeline, row("a/b/c", 120), row("a/b/d", 60), row("a/b/e", 1000)])
    assert share.explained == pytest.approx(0.9)
    assert share.components == (("a/b/c", 120), ("a/b/d", 60))


def test_without_a_component_there_is_no_share() -> None:
    (share,) = explained([row("a/pipe/x", 200, components=("a/b/c", "a/b/d")), row("a/b/c", 120)])
    assert share.explained is None
    assert share.components == (("a/b/c", 120), ("a/b/d", None))


def test_a_share_is_written_in_parts() -> None:
    pipeline = row("a/pipe/x", 42_100, components=("a/b/c", "d/e/f"))
    (whole,) = explained([pipeline, row("a/b/c", 99), row("d/e/f", 39_901)])
    assert share_text(whole) == ("42.1 us", "95 %", "b/c 99.0 ns + d/e/f 39.9 us")
    (part,) = explained([pipeline, row("a/b/c", 99)])
    assert share_text(part) == ("42.1 us", "-", "b/c 99.0 ns + d/e/f not measured")


def test_components_of_several_pipelines_are_named() -> None:
    shares = explained(
        [
            row("a/pipe/x", components=("a/b/c", "a/b/d")),
            row("a/pipe/y", components=("a/b/c",)),
            row("a/pipe/z", components=("a/b/e",)),
        ]
    )
    assert shared_components(shares) == {"a/b/c": ("a/pipe/x", "a/pipe/y")}
