"""The command peers from end to end, in a repository of its own."""

import sys
from pathlib import Path

from benchgate.peers import KIND, PeersRow
from benchgate.run import load
from tests.benchgate.conftest import RunCli
from tests.benchgate.samples import write

PEERS = """
from benchgate.comparison import Claim, Comparison, Contender, Worker

def ours():
    return lambda: sum((1, 2, 3))

def theirs():
    import no_such_library

PEERS = (
    Comparison(
        name="sum",
        reference="ours",
        contenders=(
            Contender("ours", ours),
            Contender("theirs", theirs),
            Worker("sdk", "benches/toy/worker.py"),
        ),
        note="Three numbers.",
        claims=(Claim("ours", at_most=LIMIT),),
    ),
)
"""

WORKER = """
from benchgate.worker import serve

serve(lambda: lambda: sum((1, 2, 3)))
"""


def test_peers_are_compared_and_recorded(repository: Path, cli: RunCli) -> None:
    write(
        repository,
        {"benches/toy/peers_parts.py": PEERS.replace("LIMIT", "1"), "benches/toy/worker.py": WORKER},
    )
    answer = cli("peers", "--quick", "--record", "--worker-python", sys.executable)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "theirs  not installed: no_such_library" in answer.stdout
    assert "ours takes at most 1 x the time of ours: holds" in answer.stdout
    recorded = load(repository / "benches/peers.json", KIND, PeersRow)
    assert recorded == load(repository / "results/peers.json", KIND, PeersRow)
    (row,) = recorded.rows
    assert row.id == "toy/parts/sum"
    assert [standing.absent for standing in row.standings] == ["", "not installed: no_such_library", ""]

    write(repository, {"benches/toy/peers_parts.py": PEERS.replace("LIMIT", "0.5")})
    broken = cli("peers", "--quick")
    assert broken.returncode == 1
    assert "ours takes at most 0.5 x the time of ours: does not hold" in broken.stderr
    assert "sdk     not installed: needs --worker-python" in broken.stdout
    assert broken.stderr.splitlines()[-1] == "benchgate: 1 claim does not hold"
    other = cli("peers", "--quick", "toy/other")
    assert (other.returncode, other.stderr.split(";")[0].strip()) == (
        2,
        "benchgate: no comparison is named toy/other",
    )

    write(
        repository,
        {
            "benches/toy/peers_more.py": PEERS.replace("import no_such_library", "assert 6 == 7").replace(
                "LIMIT", "9"
            )
        },
    )
    failed = cli("peers", "--quick")
    assert failed.returncode == 2
    assert "toy/more/sum: theirs: AssertionError" in failed.stderr
    assert "toy/parts/sum  20 rounds" in failed.stdout
