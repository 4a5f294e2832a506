"""What the counted program, `benchgate.forking`, is asked to do; apart from it, since it imports pytest."""

import msgspec


class Job(msgspec.Struct, frozen=True):
    """What one child does."""

    name: str
    tree: str
    out: str
    arguments: tuple[str, ...]


class Jobs(msgspec.Struct, frozen=True):
    """What this program does; at most `at_a_time` children run at a time."""

    jobs: tuple[Job, ...]
    at_a_time: int
