"""Small git repositories, free of the user's settings."""

import os
import subprocess
from pathlib import Path

from tests.benchgate.samples import write

ALONE = {
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_AUTHOR_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | ALONE


class Checkout:
    """A repository at `root` whose branch is `main`."""

    def __init__(
        self, root: Path, *, clone_of: "Checkout | None" = None, options: tuple[str, ...] = ()
    ) -> None:
        self.root = root
        root.mkdir(parents=True)
        if clone_of is None:
            self.git("init", "--quiet", "--initial-branch=main", ".")
        else:
            self.git("clone", "--quiet", *options, clone_of.root.as_uri(), ".")

    def git(self, *arguments: str) -> str:
        answer = subprocess.run(  # noqa: S603 - a test's own arguments
            ["git", *arguments],  # noqa: S607 - the user's git
            cwd=self.root,
            env=environment(),
            capture_output=True,
            check=True,
        )
        return os.fsdecode(answer.stdout).strip()

    def commit(self, files: dict[str, str] | None = None) -> str:
        """Commit everything, with these files written first; return the commit's id."""
        write(self.root, files or {})
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message=x")
        return self.git("rev-parse", "HEAD")

    def worktrees(self) -> list[str]:
        return [
            line
            for line in self.git("worktree", "list", "--porcelain").splitlines()
            if line[:9] == "worktree "
        ]
