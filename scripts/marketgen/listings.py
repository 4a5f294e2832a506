"""What is listed: 18 perpetuals and 12 options of the Derive venue, 20 markets of Lighter."""

from decimal import Decimal
from typing import Any

from scripts.fixturegen.market import EXPIRY, Listing

STRIKES = (2_400, 2_600, 2_800, 3_000, 3_200, 3_400)
OPTION_PRICE_DECIMALS, OPTION_SIZE_DECIMALS = 1, 2
_OPTION_START_TICKS, _OPTION_SPREAD_TICKS = 1_340, 24

# Currency, decimals of price and size, first price and spread in ticks.
_PERPS = (
    ("ETH", 2, 3, 284_137, 8),
    ("BTC", 1, 5, 961_584, 11),
    ("SOL", 2, 2, 16_842, 2),
    ("HYPE", 3, 2, 32_114, 5),
    ("XRP", 4, 0, 23_415, 3),
    ("DOGE", 5, 0, 19_874, 4),
    ("SUI", 4, 1, 34_206, 6),
    ("BNB", 2, 3, 71_322, 9),
    ("LINK", 3, 2, 17_906, 4),
    ("AVAX", 3, 2, 24_518, 5),
    ("AAVE", 2, 2, 27_841, 7),
    ("LTC", 2, 2, 11_094, 3),
    ("UNI", 3, 2, 9_417, 4),
    ("ARB", 4, 1, 6_312, 3),
    ("NEAR", 4, 1, 27_755, 8),
    ("OP", 4, 1, 9_018, 4),
    ("WLD", 4, 1, 10_463, 5),
    ("TIA", 4, 1, 15_871, 6),
)
_LIGHTER = (
    ("ETH", 2, 4, 284_129, 3),
    ("BTC", 1, 5, 961_570, 4),
    ("SOL", 3, 3, 168_431, 5),
    ("HYPE", 4, 2, 321_137, 9),
    ("DOGE", 6, 0, 198_742, 11),
    ("1000PEPE", 6, 0, 19_417, 3),
    ("WIF", 5, 1, 86_112, 8),
    ("WLD", 5, 1, 104_628, 7),
    ("XRP", 6, 0, 2_341_522, 15),
    ("LINK", 4, 1, 179_063, 6),
    ("AVAX", 4, 2, 245_180, 7),
    ("NEAR", 5, 1, 277_541, 9),
    ("DOT", 5, 1, 401_283, 8),
    ("TON", 5, 1, 312_846, 9),
    ("TAO", 3, 3, 412_090, 6),
    ("POL", 5, 1, 22_471, 3),
    ("TRUMP", 4, 2, 81_204, 5),
    ("SUI", 5, 1, 342_073, 7),
    ("1000SHIB", 6, 0, 13_512, 2),
    ("BNB", 4, 2, 7_132_294, 31),
)


def perps() -> list[Listing]:
    """Give the perpetuals of the Derive venue."""
    return [Listing(f"{currency}-PERP", currency, *steps) for currency, *steps in _PERPS]


def options() -> list[tuple[int, str, Listing]]:
    """Give its options: strike, `C` or `P`, and the listing."""
    steps = (OPTION_PRICE_DECIMALS, OPTION_SIZE_DECIMALS, _OPTION_START_TICKS, _OPTION_SPREAD_TICKS)
    return [
        (strike, kind, Listing(f"ETH-{EXPIRY}-{strike}-{kind}", "ETH", *steps))
        for strike in STRIKES
        for kind in "CP"
    ]


def lighter() -> list[Listing]:
    """Give the markets of Lighter; the place in the list is the market's id."""
    return [Listing(currency, currency, *steps) for currency, *steps in _LIGHTER]


def heading(venue: str, listing: Listing, market_id: int | None, depth: int | None) -> dict[str, Any]:
    """Describe a listing as the first line of a session does; `depth` limits the levels a side of a frame."""
    return {
        "venue": venue,
        "symbol": listing.name,
        "market_id": market_id,
        "tick_size": f"{Decimal(1).scaleb(-listing.price_decimals):f}",
        "size_step": f"{Decimal(1).scaleb(-listing.size_decimals):f}",
        "depth": depth,
    }
