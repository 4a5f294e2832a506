"""The FIX stream against its plain model: streams of good, cut, changed and hostile parts, split anywhere."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tapemark.fix import stream_model
from tests.tapemark.fix.corpus import EXECUTION_REPORT, GARBLED, NEW_ORDER_SINGLE, body, sealed, soh
from tests.tapemark.fix.stream_cases import HEARTBEAT, pieces_of, plain, run, taking_in

SHORT_BODY = b"35=0\x01"
SHORT = sealed(SHORT_BODY)
INSIDE = sealed(soh(f"35=n|212={len(HEARTBEAT)}|213=") + HEARTBEAT + soh("|58=x|"))
WHOLE = (EXECUTION_REPORT, NEW_ORDER_SINGLE, HEARTBEAT, SHORT, INSIDE)
BITS = (
    b"8=FIX.4.4\x019=",
    b"8=FIX",
    b"8=FIX.4.4\x01",
    b"\x01",
    b"35=0\x01",
    b"9=5\x01",
    b"10=163\x01",
    b"\x0195=",
    b"\x0196=",
    b"212=60\x01213=",
)

whole = st.sampled_from(WHOLE)
cut = st.builds(lambda message, at: message[:at], whole, st.integers(0, 180))
changed = st.builds(
    lambda message, at, byte: message[: at % len(message)] + bytes([byte]) + message[at % len(message) + 1 :],
    whole,
    st.integers(0, 180),
    st.sampled_from(b"0123456789=\x01A8"),
)
of_any_length = st.builds(
    lambda text, length: sealed(text, length=length),
    st.sampled_from([SHORT_BODY, body("D", "55=A|"), INSIDE[14:-7]]),
    st.integers(0, 300),
)
takes_in = st.builds(
    lambda following: taking_in(following, SHORT_BODY) + following,
    st.lists(whole, min_size=1, max_size=3).map(b"".join),
)
field = st.builds(lambda tag, value: b"%d=%b\x01" % (tag, value), st.sampled_from([95, 96, 212, 213]), cut)
data = st.builds(
    lambda value, more: soh(f"|95={max(len(value) + more, 0)}|96=") + value, cut, st.integers(-30, 30)
)
bad = st.sampled_from([bad for bad, _ in GARBLED.values()])
part = st.one_of(
    whole,
    cut,
    changed,
    of_any_length,
    takes_in,
    field,
    data,
    bad,
    st.sampled_from(BITS),
    st.binary(max_size=9),
)
streams = st.lists(part, max_size=12).map(b"".join)
bounds = st.sampled_from([25, 26, 40, 120, 250, 4000])


@settings(max_examples=100)
@given(streams, bounds)
def test_any_stream_gives_what_the_plain_model_gives(stream: bytes, max_bytes: int) -> None:
    assert plain(run([stream], max_bytes)) == stream_model.events(stream, max_bytes)


@settings(max_examples=100)
@given(streams, bounds, st.lists(st.integers(0, 2000), max_size=8), st.integers(1, 60))
def test_any_split_gives_the_same(stream: bytes, max_bytes: int, cuts: list[int], size: int) -> None:
    whole = run([stream], max_bytes)
    ends = [0, *sorted(cuts), len(stream)]
    assert run([stream[at:end] for at, end in itertools.pairwise(ends)], max_bytes) == whole
    assert run(pieces_of(stream, size), max_bytes) == whole
