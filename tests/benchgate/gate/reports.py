"""Reports to begin from: one of each outcome, made of rows that a test can alter."""

import re
from datetime import UTC, datetime
from typing import Any, get_args

import msgspec
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from benchgate.gate.report import Cause, Flames, Kind, Memory, Report, Row
from benchgate.run import GitState
from benchgate.simulator import Simulator
from tests.benchgate.samples import ENVIRONMENT

BASE = "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432"
HEAD = "0123456789abcdef0123456789abcdef01234567"
SLOW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
COUNTING = msgspec.structs.replace(
    ENVIRONMENT, simulator=Simulator("3.19.0", "haswell 0123456789ab", "glibc 2.36", "ba9876543210")
)

LOOK_UP = Cause(
    name="Cache.look_up",
    where="src/tapemark/derive/numerals.py:41",
    kind="this repository",
    own=380.0,
    inclusive=412.5,
    touched=True,
)
HASHING = Cause(
    name="unicode_hash", where="libpython3.11.so", kind="interpreter", own=31.0, inclusive=31.0, touched=None
)


def compared(identity: str, change: float = 0.0001, **more: Any) -> Row:
    """A row that was compared, slower when the change is beyond half a per cent."""
    facts: dict[str, Any] = {
        "id": identity,
        "state": "compared",
        "verdict": "slower" if change > 0.005 else "not slower",
        "base": (12_345.0, 12_345.0),
        "head": (12_345.0 * (1 + change),),
        "change": change,
        "error": 0.001,
        "threshold": 0.005,
    }
    return Row(**(facts | more))


def report(*rows: Row, **more: Any) -> Report:
    """A report of the imaginary machine."""
    facts: dict[str, Any] = {
        "created": datetime(2026, 3, 1, 12, 30, 15, tzinfo=UTC),
        "seconds": 312.4,
        "asked": "origin/main",
        "base": BASE,
        "head": GitState(HEAD, dirty=False),
        "environment": COUNTING,
        "passes": ("base", "head", "base again"),
        "listed": 83,
        "rows": tuple(sorted(rows, key=lambda row: row.id)),
    }
    return Report(**(facts | more))


TICKER = compared(
    "derive/decode_only/ticker",
    0.0310,
    causes=(LOOK_UP, HASHING),
    memory_base=Memory(10.0, 480.0, 0.0),
    memory_head=Memory(13.0, 576.5, 0.0),
    components=("derive/parse_only/ticker_quote",),
    flames=Flames("ticker-base.svg", "ticker-head.svg", "ticker-difference.svg"),
)
TRADES = compared("derive/decode_only/trades", 0.0121, causes=(LOOK_UP,))
KECCAK = compared("eth/keccak/fast_path[66]", 0.0085, causes=(HASHING,))
UNSURE = compared(
    "derive/session/mixed", 0.0072, verdict="could not tell", error=0.0103, reason="the layouts disagree"
)
ACCEPTED = compared(
    "eth/sign/digest", 0.021, accepted="the domain separator is checked before each signature"
)
FAILING = Row(
    id="derive/exec_pipeline/cancel",
    state="failing",
    reason="AssertionError: assert b'1' == b'2' (bench_exec.py)",
)
FASTER = compared("derive/atom/uuid4_new", -0.045)
NEW = Row(id="derive/signing/nonce_next", state="new", head=(812.0,))
REMOVED = Row(id="derive/signing/presign_refill", state="removed")
LAVISH = compared(
    "fix/encode/report", 0.001, memory_base=Memory(9.0, 512.0, 0.0), memory_head=Memory(10.0, 560.0, 0.0)
)
RENAMED = compared("derive/signing/abi_encode", 0.0, was="derive/signing/abi_encode_trade")
QUIET = tuple(compared(f"harness/floor/call_{number}", number / 10_000) for number in range(12))

SLOWER = report(*QUIET, TICKER, TRADES, KECCAK)
UNTOLD = report(*QUIET, UNSURE)
CLEAN = report(*QUIET)
FAULTY = report(*QUIET, FAILING, TICKER)
BROKEN = report(
    environment=None,
    base="",
    passes=(),
    failure="no commit is common to HEAD and origin/main: the clone is shallow",
    faults=("git merge-base: exit code 1",),
)
EVERYTHING = report(
    *QUIET,
    TICKER,
    TRADES,
    KECCAK,
    UNSURE,
    ACCEPTED,
    FAILING,
    FASTER,
    NEW,
    REMOVED,
    RENAMED,
    LAVISH,
    head=GitState(HEAD, dirty=True),
    libraries=("msgspec 0.22.0 -> 0.23.0",),
    notices=("benches/accepted.toml: eth/abi/address_bytes expired on 2026-02-01 and is no longer accepted",),
)
REPORTS = {
    "slower": SLOWER,
    "could not tell": UNTOLD,
    "clean": CLEAN,
    "failing": FAULTY,
    "broken": BROKEN,
    "everything": EVERYTHING,
    "empty": report(),
    "only new": report(NEW),
    "renamed": report(RENAMED),
    "selected": report(*QUIET[:5], selected=("harness",)),
}


HOSTILE = (
    "@octocat",
    "@org/team",
    "#1",
    "GH-12",
    "owner/repo#34",
    "octocat@0123456789abcdef0123456789abcdef01234567",
    "0123456789abcdef0123456789abcdef01234567",
    "deadbeef",
    "https://example.com/x",
    "www.example.com",
    "someone@example.com",
    "[text](https://example.com)",
    "![image](https://example.com/x.png)",
    "<https://example.com>",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "<!-- comment",
    "</details>",
    "</summary></details></table>",
    "&lt;b&gt; &#64;octocat &amp;",
    "*a* **b** _c_ __d__ ~~e~~",
    "a | b || c \\| d",
    "`code` ``more`` ```",
    "`" * 90 + "<b>",
    "# heading",
    "a\n\n# heading\n\n- list\n```\n",
    "a\r\n| b |\n| --- |\n",
    "---",
    "===",
    ":tada: :+1:",
    "$x^2$ $`y`$ $$z$$",
    "[^1]: note [^1]",
    "[x]: https://example.com",
    "1. one",
    "> quoted",
    "\\",
    "a\\",
    "\u202egnp.exe\u2066",
    "\u05d0\u05d1 12 \u0661",
    "z\u0335\u0336a\u0337lgo",
    "\x1b[31mred\x07\x00\x9b",
    "\u2028line\u2029",
    "\U0001f600" * 40,
    "'; rm -rf / #",
    "$(touch x)",
    '"""',
    "    indented",
    "",
    " ",
)
"""Texts that do something on GitHub, in a terminal, in a shell or in TOML; first what GitHub links."""

LINKED = re.compile(r"@\w|#\d|\bGH-\d|https?:|www\.\S|://|\b[0-9a-fA-F]{7,40}\b|:[\w+-]+:|[$*_~\[\]<>&|`\\]")
"""What GitHub links or replaces in text that is no code, and whatever can begin markup."""


def hostile_texts() -> st.SearchStrategy[str]:
    """Texts of pieces that do something."""
    pieces = (
        st.sampled_from(HOSTILE) | st.text(max_size=8) | st.sampled_from(list("`|\\ \n<>[]()@#:$&*_~a1."))
    )
    return st.lists(pieces, max_size=8).map("".join) | st.lists(pieces, max_size=8).map(" ".join)


def _rows(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Row]:
    shares = st.sampled_from([0.0, 0.00003, 0.004, -0.004, 0.0071, 0.031, -0.2, 0.9, 4.0]) | st.floats(
        -0.9, 9.0
    )
    figures = st.lists(st.floats(1.0, 1e9), min_size=1, max_size=3).map(tuple)
    causes = st.builds(
        Cause,
        name=texts,
        where=texts,
        kind=st.sampled_from(get_args(Kind)),
        own=st.floats(-1e6, 1e6),
        inclusive=st.floats(-1e6, 1e6),
        touched=st.sampled_from([True, False, None]),
    )
    memory = st.none() | st.builds(Memory, *[st.sampled_from([0.0, 1.0, 2.5, 1e6])] * 3)
    common: dict[str, Any] = {
        "id": texts,
        "was": st.just("") | texts,
        "reason": st.just("") | texts,
        "memory_base": memory,
        "memory_head": memory,
        "causes": st.lists(causes | st.sampled_from([LOOK_UP, HASHING]), max_size=3).map(tuple),
        "components": st.lists(texts, max_size=2).map(tuple),
        "flames": st.none() | st.builds(Flames, texts, texts, texts),
        "base": figures,
        "head": figures,
    }
    told: dict[str, Any] = {
        "change": shares,
        "error": shares.map(abs),
        "threshold": st.sampled_from([0.005, 0.02]),
    }
    return st.one_of(
        st.builds(
            Row,
            state=st.just("compared"),
            verdict=st.sampled_from(["slower", "not slower", "could not tell"]),
            accepted=st.just("") | texts,
            **common,
            **told,
        ),
        st.builds(Row, state=st.just("compared"), verdict=st.just("could not tell"), **common),
        st.builds(Row, state=st.sampled_from(["new", "removed", "failing"]), **common),
        st.builds(Row, state=st.just("failing"), verdict=st.just("could not tell"), **common),
    )


def reports(texts: st.SearchStrategy[str], most: int = 8) -> st.SearchStrategy[Report]:
    """Reports of any outcome, with these texts for whatever others wrote."""
    return st.builds(
        report,
        asked=texts,
        base=texts | st.just(BASE),
        head=st.builds(GitState, texts, st.booleans()),
        environment=st.sampled_from([None, COUNTING]),
        passes=st.lists(texts, max_size=3).map(tuple),
        libraries=st.lists(texts, max_size=3).map(tuple),
        packages=texts,
        notices=st.lists(texts, max_size=3).map(tuple),
        selected=st.lists(texts, max_size=2).map(tuple),
        listed=st.sampled_from([0, 83]),
        failure=st.just("") | st.just("") | texts,
        faults=st.lists(texts, max_size=3).map(tuple),
        rows=st.just(())
        | st.lists(_rows(texts), min_size=2, max_size=most, unique_by=lambda row: row.id).map(tuple),
    )


def names() -> st.SearchStrategy[str]:
    """Texts as names are, each visible as it is."""
    return st.from_regex(r"[a-z]{1,6}/[a-z]{1,6}/[a-z_]{1,20}(\[[0-9]{1,4}\])?", fullmatch=True)
