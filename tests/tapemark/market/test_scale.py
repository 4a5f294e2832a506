from decimal import Decimal, localcontext
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapemark.errors import InvalidArgument, InvalidFrame
from tapemark.market import scale
from tapemark.market.scale import MAX_STEPS, Scale, Steps
from tapemark.numerals import unsigned_from_text

STEPS = ["0.01", "0.5", "0.25", "0.03", "1", "10", "1E+2", "1E-8", "0.010", "0.000000000000000001", "7"]
counts = st.integers(0, MAX_STEPS)


@pytest.mark.parametrize(
    ("step", "text", "count"),
    [
        ("0.01", "2064.54", 206454),
        ("0.01", "2064.540000", 206454),
        ("0.01", "2064", 206400),
        ("0.01", "2e3", 200000),
        ("0.01", "1E-2", 1),
        ("0.0001", "0.0000", 0),
        ("0.5", ".5", 1),
        ("0.5", "5.", 10),
        ("1E+2", "300", 3),
        ("0.03", "0.99", 33),
    ],
)
def test_a_text_is_a_whole_number_of_steps(step: str, text: str, count: int) -> None:
    steps = Steps(Decimal(step))
    assert steps[text] == count
    assert steps[text] == count  # from the cache


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "1.2.3",
        "1..2",
        "-.5",
        ".-5",
        "1. 5",
        "\u00b2",
        "1" * 121,
        "NaN",
        "sNaN",
        "Infinity",
        "-1",
        "-0",
        "+1",
        " 1",
        "1 ",
        "1_0",
        "1e",
        "1e100",
        "\u0661",
        "0x1",
        "1,5",
    ],
)
def test_what_is_no_unsigned_numeral_is_refused(text: str) -> None:
    steps = Steps(Decimal("0.01"))
    with pytest.raises(InvalidFrame, match=r"^numeral: expected "):
        steps[text]
    assert text not in steps


@pytest.mark.parametrize("text", ["0.005", "1.001", "1e-3", "0.009999999999999999999999999999999999"])
def test_what_lies_between_two_steps_is_refused(text: str) -> None:
    with pytest.raises(InvalidFrame, match=r"^numeral: .* a multiple of the step 0\.01 .*, got '") as caught:
        Steps(Decimal("0.01"))[text]
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("step", STEPS)
def test_a_count_that_63_bits_do_not_hold_is_refused(step: str) -> None:
    steps = Steps(Decimal(step))
    exact = Decimal(step)
    with localcontext(prec=60):
        largest, beyond, far_beyond = (f"{n * exact:f}" for n in (2**63 - 1, 2**63, 2**65))
    assert steps[largest] == 2**63 - 1
    for text in (beyond, far_beyond, "9" * 120, "1e99"):
        with pytest.raises(InvalidFrame, match=r"^numeral: expected a multiple of .* below 2\*\*63 steps"):
            steps[text]


@given(count=counts, step=st.sampled_from(STEPS))
def test_count_to_decimal_and_back_is_the_same(count: int, step: str) -> None:
    steps = Steps(Decimal(step))
    exact = steps.exact(count)
    with localcontext(prec=60):
        assert exact == count * Decimal(step)
    assert steps[f"{exact:f}"] == count


@given(
    text=st.from_regex(r"[0-9]{1,8}(\.[0-9]{0,6})?([eE]-?[0-9])?", fullmatch=True),
    step=st.sampled_from(STEPS),
)
def test_every_numeral_is_counted_exactly_or_refused(text: str, step: str) -> None:
    with localcontext(prec=100):
        whole, rest = divmod(Decimal(text), Decimal(step))
    try:
        count = Steps(Decimal(step))[text]
    except InvalidFrame:
        assert rest or whole > MAX_STEPS
    else:
        assert not rest
        assert count == whole


@given(text=st.text("0123456789.eE+-_ \u0661\u00b2", max_size=8) | st.text(max_size=5))
def test_the_grammar_is_that_of_numerals(text: str) -> None:
    try:
        expected = unsigned_from_text(text, "numeral") * 100
    except InvalidFrame:
        expected = Decimal("0.5")
    steps = Steps(Decimal("0.01"))
    if expected == expected.to_integral_value() <= MAX_STEPS:
        assert steps[text] == expected
    else:
        with pytest.raises(InvalidFrame, match=r"^numeral: expected "):
            steps[text]


@pytest.mark.parametrize(
    ("step", "count", "exact", "half"),
    [
        ("0.01", 206450, "2064.50", "1032.250"),
        ("0.01", 0, "0.00", "0.000"),
        ("10", 3, "30", "15.0"),
        ("1E+1", 3, "30", "15.0"),
        ("0.50", 1, "0.50", "0.250"),
    ],
)
def test_a_count_is_written_with_the_decimals_of_its_step(
    step: str, count: int, exact: str, half: str
) -> None:
    steps = Steps(Decimal(step))
    assert f"{steps.exact(count)}" == exact
    assert f"{steps.exact_half(count)}" == half


def test_the_decimal_context_of_the_thread_changes_nothing() -> None:
    with localcontext(prec=2):
        steps = Steps(Decimal("0.01"))
        count = steps["123456.78"]
        assert count == 12345678
        assert str(steps.exact(count)) == "123456.78"


def test_a_full_cache_is_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scale, "CACHE_LIMIT", 3)
    steps = Steps(Decimal(1))
    for number in range(10):
        assert steps[str(number)] == number
        assert len(steps) <= 3


@pytest.mark.parametrize(
    "step",
    [
        Decimal(0),
        Decimal("-0.01"),
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("Infinity"),
        Decimal("1E-200"),
        Decimal("1E+200"),
        Decimal("1E-999999999999"),
        Decimal("1." + "1" * 200),
        0.01,
        1,
        "0.01",
        None,
    ],
)
def test_a_step_that_is_none_is_refused_by_its_name(step: Decimal) -> None:
    with pytest.raises(InvalidArgument, match=r"^step: expected a positive finite Decimal"):
        Steps(step)
    with pytest.raises(InvalidArgument, match=r"^tick_size: "):
        Scale(step, Decimal(1))
    with pytest.raises(InvalidArgument, match=r"^size_step: "):
        Scale(Decimal(1), step)


def test_a_step_of_another_type_is_named() -> None:
    step: Any = 0.01
    with pytest.raises(InvalidArgument, match=r"^tick_size: .* Decimal, not of type float, got 0\.01$"):
        Scale(step, Decimal(1))


def test_levels_are_pairs_of_counts() -> None:
    listing = Scale(Decimal("0.01"), Decimal("0.0001"))
    pairs = [("2064.54", "0.3285"), ("2064.5", "0")]
    assert listing.levels(pairs) == [(206454, 3285), (206450, 0)]
    assert listing.levels([]) == []


@pytest.mark.parametrize(
    ("pair", "path"), [(("2064.545", "1"), r"bids\[1\]\[0\]"), (("2064.54", "-1"), r"bids\[1\]\[1\]")]
)
def test_the_level_that_does_not_fit_is_named(pair: tuple[str, str], path: str) -> None:
    listing = Scale(Decimal("0.01"), Decimal("0.0001"))
    with pytest.raises(InvalidFrame, match=f"^{path}: expected "):
        listing.levels([("2064.54", "1"), pair, ("x", "y")], "bids")
