import pytest

from tapemark.derive import channels
from tapemark.derive.channels import TOPICS, Kind, Topic


@pytest.mark.parametrize(
    ("channel", "topic"),
    [
        ("orderbook.ETH-PERP.1.10", Topic(Kind.ORDERBOOK, "ETH-PERP")),
        ("ticker_slim.ETH-20270326-2800-C.1000", Topic(Kind.TICKER, "ETH-20270326-2800-C")),
        ("trades.perp.ETH", Topic(Kind.PUBLIC_TRADES, "ETH")),
        ("trades.option.BTC", Topic(Kind.PUBLIC_TRADES, "BTC")),
        ("trades.erc20.BTC", Topic(Kind.PUBLIC_TRADES, "BTC")),
        ("30769.orders", Topic(Kind.ORDERS, "30769")),
        ("7.trades", Topic(Kind.OWN_TRADES, "7")),
    ],
)
def test_the_channels_of_the_reference_are_known(channel: str, topic: Topic) -> None:
    assert TOPICS[channel] == topic
    assert TOPICS[channel] is TOPICS[channel]


@pytest.mark.parametrize(
    "channel",
    [
        "",
        ".",
        "orderbook",
        "orderbook.ETH-PERP",
        "orderbook..1.10",
        "orderbook.ETH-PERP.1.10.x",
        "ticker.ETH-PERP.1000",
        "ticker_slim.ETH-PERP",
        "trades.ETH-PERP",
        "trades.spot.ETH",
        "trades.perp.",
        "x.orders",
        "\u0667.orders",
        "-1.orders",
        "7.balances",
        "7.orders.x",
        "auctions.watch",
    ],
)
def test_any_other_name_is_unknown(channel: str) -> None:
    assert TOPICS[channel].kind is Kind.UNKNOWN


def test_a_peer_cannot_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "_MAX_TOPICS", 10)
    topics = type(TOPICS)()
    for n in range(100):
        assert topics[f"{n}.orders"].subject == str(n)
        assert len(topics) <= 10


def test_a_long_name_is_not_kept() -> None:
    topics = type(TOPICS)()
    assert topics["orderbook." + "X" * 1_000 + ".1.1"].kind is Kind.ORDERBOOK
    assert not topics
