"""Over any decimals that a command accepts, the text sent is the value signed."""

import json
import re
from decimal import Decimal
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from tapemark.derive.commands import Listing, SubmitLimit
from tapemark.errors import InvalidArgument
from tapemark.model import Instrument, InstrumentKind, Side
from tests.tapemark.derive.test_orders import ASSET, NOW_MS, SIGNER, encoder, signer_of

PLAIN = re.compile(r"[0-9]+(\.[0-9]+)?")
COUNTS = st.integers(min_value=1, max_value=10**21)
STEPS = st.builds(
    lambda digit, places: Decimal(digit).scaleb(-places), st.integers(1, 9), st.integers(-3, 18)
)
LARGEST_SIZE = Decimal("9" * 40)
ANY_DECIMAL = st.one_of(
    st.decimals(allow_nan=True, allow_infinity=True),
    st.decimals(min_value=0, max_value=10**6, places=3),
    STEPS,
    st.builds(Decimal, st.from_regex(r"-?[0-9]{1,40}(\.[0-9]{0,40})?(E[-+]?[0-9]{1,5})?", fullmatch=True)),
)


def listing(tick: Decimal, step: Decimal) -> Listing:
    return Listing(
        Instrument(
            symbol="X",
            kind=InstrumentKind.PERP,
            tick_size=tick,
            size_step=step,
            min_size=Decimal(0),
            max_size=LARGEST_SIZE,
        ),
        ASSET,
    )


@settings(max_examples=200)
@given(tick=STEPS, step=STEPS, ticks=COUNTS, steps=COUNTS, fee=COUNTS, zeros=st.integers(0, 5))
def test_what_fits_is_sent_and_signed_alike(
    tick: Decimal, step: Decimal, *, ticks: int, steps: int, fee: int, zeros: int
) -> None:
    order = SubmitLimit(
        listing=listing(tick, step),
        label="x",
        side=Side.SELL,
        limit_price=tick * ticks,
        size=step * steps + Decimal(0).scaleb(-zeros),
        max_fee=Decimal(fee).scaleb(-18),
    )
    params = json.loads(encoder().submit_limit(order, NOW_MS, 7))["params"]
    assert signer_of(params) == SIGNER.address.lower()
    assert Fraction(params["limit_price"]) == Fraction(tick) * ticks
    assert Fraction(params["amount"]) == Fraction(step) * steps
    assert Fraction(params["max_fee"]) == Fraction(fee, 10**18)
    assert all(PLAIN.fullmatch(params[field]) for field in ("limit_price", "amount", "max_fee"))


def built(traded: Listing, price: Decimal, size: Decimal, fee: Decimal) -> SubmitLimit | str:
    """Give the command, or the name of the field that was refused."""
    try:
        return SubmitLimit(
            listing=traded, label="x", side=Side.BUY, limit_price=price, size=size, max_fee=fee
        )
    except InvalidArgument as error:
        return error.field


@settings(max_examples=500)
@given(price=ANY_DECIMAL, size=ANY_DECIMAL, fee=ANY_DECIMAL, tick=STEPS, step=STEPS)
def test_any_decimal_is_sent_and_signed_alike_or_refused_by_name(
    price: Decimal, size: Decimal, fee: Decimal, tick: Decimal, step: Decimal
) -> None:
    unfit = [
        field
        for field, value, multiple in (
            ("limit_price", price, tick),
            ("size", size, step),
            ("max_fee", fee, Decimal("1E-18")),
        )
        if not value.is_finite()
        or value.is_signed()
        or (value > LARGEST_SIZE if field == "size" else value >= 10**40)
        or (field != "max_fee" and not value)
        or (Fraction(value) / Fraction(multiple)).denominator != 1
    ]
    order = built(listing(tick, step), price, size, fee)
    if isinstance(order, str):
        assert order == f"SubmitLimit.{unfit[0]}"
        return
    assert not unfit
    params = json.loads(encoder().submit_limit(order, NOW_MS, 7))["params"]
    assert signer_of(params) == SIGNER.address.lower()
    sent = [params[field] for field in ("limit_price", "amount", "max_fee")]
    assert all(PLAIN.fullmatch(text) for text in sent)
    assert [Fraction(text) for text in sent] == [Fraction(price), Fraction(size), Fraction(fee)]
