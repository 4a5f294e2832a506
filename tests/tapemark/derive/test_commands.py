from decimal import Decimal, localcontext
from typing import Any

import pytest

from tapemark.derive.actions import TradeAsset
from tapemark.derive.commands import Cancel, Listing, Replace, SubmitLimit, SubmitMarket
from tapemark.errors import InvalidArgument
from tapemark.model import Instrument, InstrumentKind, Side, TimeInForce

ASSET = TradeAsset("0x" + "01" * 20, 7)


def instrument(**changed: Any) -> Instrument:
    fields: dict[str, Any] = {
        "symbol": "ETH-PERP",
        "kind": InstrumentKind.PERP,
        "tick_size": Decimal("0.05"),
        "size_step": Decimal("0.001"),
        "min_size": Decimal("0.01"),
        "max_size": Decimal(100),
    }
    return Instrument(**fields | changed)


LISTING = Listing(instrument(), ASSET)
FIELDS: dict[str, Any] = {
    "listing": LISTING,
    "label": "tm-1",
    "side": Side.BUY,
    "limit_price": Decimal("2841.35"),
    "size": Decimal("1.5"),
    "max_fee": Decimal(25),
}
LIMIT = SubmitLimit(**FIELDS)


@pytest.mark.parametrize(
    "change",
    [
        {"limit_price": Decimal("0.05")},
        {"limit_price": Decimal("2841.3500000")},
        {"limit_price": Decimal("1E+39")},
        {"size": Decimal("0.01")},
        {"size": Decimal("1E+2")},
        {"max_fee": Decimal(0)},
        {"max_fee": Decimal("0.000000000000000001")},
        {"max_fee": Decimal("0E-59")},
        {"max_fee": Decimal("0E+999999999999")},
        {"limit_price": Decimal("9" * 40 + ".95" + "0" * 57)},
        {"label": "x" * 64},
        {"label": 'quote " backslash \\ and \u00fc\u4e16\U0001f600'},
        {"mmp": True},
    ],
)
@pytest.mark.parametrize("kind", [SubmitLimit, SubmitMarket])
def test_what_fits_is_kept(kind: type[SubmitLimit | SubmitMarket], change: dict[str, Any]) -> None:
    order = kind(**FIELDS | change)
    for field, value in change.items():
        assert getattr(order, field) is value


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("listing", instrument()),
        ("listing", None),
        ("label", ""),
        ("label", "x" * 65),
        ("label", "line\nbreak"),
        ("label", "lone \ud800 surrogate"),
        ("label", b"tm-1"),
        ("label", None),
        ("side", "buy"),
        ("limit_price", Decimal("2841.36")),
        ("limit_price", Decimal("2841.3500000000000000000000000000000000000000000001")),
        ("limit_price", Decimal("0.05" + "0" * 200 + "1")),
        ("limit_price", Decimal(0)),
        ("limit_price", Decimal("-0.05")),
        ("limit_price", Decimal("1E+40")),
        ("limit_price", Decimal("1E+999999")),
        ("limit_price", Decimal("1E-999999")),
        ("limit_price", Decimal("NaN")),
        ("limit_price", Decimal("sNaN")),
        ("limit_price", Decimal("Infinity")),
        ("limit_price", 2841.35),
        ("limit_price", 2841),
        ("limit_price", "2841.35"),
        ("limit_price", None),
        ("limit_price", Decimal("0.05" + "0" * 58)),
        ("limit_price", Decimal("100." + "0" * 1_000_000)),
        ("size", Decimal("1." + "0" * 60)),
        ("size", Decimal("1." + "0" * 60 + "1")),
        ("max_fee", Decimal("0E-60")),
        ("max_fee", Decimal("0E-999999999999")),
        ("max_fee", Decimal("25." + "0" * 60)),
        ("size", Decimal("1.0005")),
        ("size", Decimal("0.009")),
        ("size", Decimal("100.001")),
        ("size", Decimal("-1.5")),
        ("size", Decimal("NaN")),
        ("size", Decimal("Infinity")),
        ("size", 1),
        ("size", True),
        ("max_fee", Decimal("-0.01")),
        ("max_fee", Decimal("-0")),
        ("max_fee", Decimal("0.0000000000000000001")),
        ("max_fee", Decimal("1E+40")),
        ("max_fee", Decimal("sNaN")),
        ("max_fee", Decimal("Infinity")),
        ("max_fee", 25),
        ("max_fee", None),
        ("time_in_force", "gtc"),
        ("time_in_force", None),
        ("reduce_only", 1),
        ("mmp", None),
    ],
)
@pytest.mark.parametrize("kind", [SubmitLimit, SubmitMarket])
def test_what_does_not_fit_is_named(kind: type[SubmitLimit | SubmitMarket], field: str, bad: object) -> None:
    with pytest.raises(InvalidArgument) as raised:
        kind(**FIELDS | {field: bad})
    assert raised.value.field == f"{kind.__name__}.{field}"


@pytest.mark.parametrize("kind", [SubmitLimit, SubmitMarket])
def test_a_remainder_longer_than_the_precision_is_no_zero(kind: type[SubmitLimit | SubmitMarket]) -> None:
    listing = Listing(instrument(tick_size=Decimal("1E+39")), ASSET)
    price = Decimal("1" * 40 + "." + "1" * 59)
    with pytest.raises(InvalidArgument, match=r"limit_price: expected .* a multiple of the tick size 1E\+39"):
        kind(**FIELDS | {"listing": listing, "limit_price": price})


@pytest.mark.parametrize("kind", [SubmitLimit, SubmitMarket])
def test_the_fee_is_required(kind: type[SubmitLimit | SubmitMarket]) -> None:
    fields = FIELDS.copy()
    del fields["max_fee"]
    with pytest.raises(TypeError, match="max_fee"):
        kind(**fields)


def test_the_thread_s_decimal_context_does_not_matter() -> None:
    with localcontext() as context:
        context.prec = 3
        context.clear_traps()
        SubmitLimit(**FIELDS | {"limit_price": Decimal("12345678901234567890.05")})
        with pytest.raises(InvalidArgument):
            SubmitLimit(**FIELDS | {"limit_price": Decimal("12345678901234567890.06")})
        with pytest.raises(InvalidArgument):
            SubmitLimit(**FIELDS | {"limit_price": Decimal("NaN")})


def test_an_instrument_without_a_smallest_size_still_refuses_zero() -> None:
    listing = Listing(instrument(min_size=Decimal(0)), ASSET)
    with pytest.raises(InvalidArgument, match=r"^SubmitLimit\.size: "):
        SubmitLimit(**FIELDS | {"listing": listing, "size": Decimal(0)})


@pytest.mark.parametrize(
    ("time_in_force", "fits"),
    [
        (TimeInForce.GTC, False),
        (TimeInForce.POST_ONLY, False),
        (TimeInForce.IOC, True),
        (TimeInForce.FOK, True),
    ],
)
def test_what_may_rest_neither_reduces_only_nor_is_a_market_order(
    time_in_force: TimeInForce, *, fits: bool
) -> None:
    for kind, change, field in (
        (SubmitLimit, {"reduce_only": True}, "reduce_only"),
        (SubmitMarket, {}, "time_in_force"),
    ):
        fields = FIELDS | change | {"time_in_force": time_in_force}
        if fits:
            assert kind(**fields).time_in_force is time_in_force
        else:
            with pytest.raises(InvalidArgument, match=rf"^{kind.__name__}\.{field}: "):
                kind(**fields)


def test_what_only_says_that_it_is_a_time_in_force_is_refused() -> None:
    class Impostor:
        def __eq__(self, _: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]  # `in` on a tuple needs no hash

    for kind in (SubmitLimit, SubmitMarket):
        fields: dict[str, Any] = FIELDS | {"time_in_force": Impostor()}
        with pytest.raises(InvalidArgument, match=rf"^{kind.__name__}\.time_in_force: "):
            kind(**fields)


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("instrument", None),
        ("asset", "0x" + "01" * 20),
        ("instrument.symbol", instrument(symbol="\ud800")),
        ("instrument.tick_size", instrument(tick_size=Decimal("1E-19"))),
        ("instrument.size_step", instrument(size_step=Decimal("1.0000000000000000001"))),
        ("instrument.size_step", instrument(size_step=Decimal("1E+40"))),
        ("instrument.max_size", instrument(max_size=Decimal("1E+40"))),
        ("instrument.tick_size", instrument(tick_size=Decimal("0.05" + "0" * 58))),
        ("instrument.size_step", instrument(size_step=Decimal("1." + "0" * 1_000_000))),
        ("instrument.min_size", instrument(min_size=Decimal("0E-999999999999"))),
        ("instrument.max_size", instrument(max_size=Decimal("100." + "0" * 60))),
    ],
)
def test_a_listing_names_what_could_not_be_signed(field: str, bad: object) -> None:
    parts: dict[str, Any] = {"instrument": instrument(), "asset": ASSET} | {field.partition(".")[0]: bad}
    with pytest.raises(InvalidArgument) as raised:
        Listing(**parts)
    assert raised.value.field == f"Listing.{field}"


def test_a_listing_may_be_written_with_59_decimals() -> None:
    one = Decimal("1." + "0" * 59)
    listing = Listing(instrument(tick_size=one, size_step=one, min_size=one, max_size=one), ASSET)
    order = SubmitLimit(**FIELDS | {"listing": listing, "limit_price": one, "size": one})
    assert order.limit_price is one


@pytest.mark.parametrize("bad", ["", "v" * 65, "v\x00", None, 7])
def test_ids_are_texts(bad: Any) -> None:
    for field, build in (
        ("Replace.order_id_to_cancel", lambda: Replace(order_id_to_cancel=bad, order=LIMIT)),
        ("Cancel.order_id", lambda: Cancel(symbol="ETH-PERP", order_id=bad)),
        ("Cancel.symbol", lambda: Cancel(symbol=bad, order_id="v1")),
    ):
        with pytest.raises(InvalidArgument) as raised:
            build()
        assert raised.value.field == field


def test_a_replacement_is_a_limit_order() -> None:
    market: Any = SubmitMarket(**FIELDS)
    with pytest.raises(InvalidArgument, match=r"^Replace\.order: "):
        Replace(order_id_to_cancel="v1", order=market)


@pytest.mark.parametrize(
    "command",
    [LIMIT, Replace(order_id_to_cancel="v1", order=LIMIT), Cancel(symbol="ETH-PERP", order_id="v1"), LISTING],
)
def test_commands_are_frozen(command: Any) -> None:
    with pytest.raises(AttributeError):
        setattr(command, command.__struct_fields__[0], None)
