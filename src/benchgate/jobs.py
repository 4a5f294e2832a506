"""What the counted program, `benchgate.forking`, is asked to do; apart from it, since it imports pytest."""

import msgspec


class Job(msgspec.Struct, frozen=True):
    """What one child does.

    Attributes:
        name: How it is called in what is printed.
        tree: The folder that it runs in.
        out: The folder that it writes to.
        arguments: Those of pytest.
        work: About how much there is to do, in any unit: those with more have their turn earlier.
    """

    name: str
    tree: str
    out: str
    arguments: tuple[str, ...]
    work: float


class Jobs(msgspec.Struct, frozen=True):
    """What this program does; at most `at_a_time` children run at a time."""

    jobs: tuple[Job, ...]
    at_a_time: int
