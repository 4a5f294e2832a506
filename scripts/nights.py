"""Fetch the branch that keeps the nights into a folder, or push what was added there.

    python scripts/nights.py fetch FOLDER
    python scripts/nights.py push FOLDER

The branch `nights` holds one file, one line a night, and shares no history with the code: a night is kept
whether or not anyone merges the baseline it gave. It is only ever moved forward: when somebody else pushed
meanwhile, git refuses, and so does this. The first fetch, of a repository without the branch, begins it.

With a token in GH_TOKEN git asks GitHub's own command line for its credentials, so that the token is neither
stored nor part of a command.

Exit codes: 0 done, or nothing new to push; otherwise git's.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

BRANCH = "nights"
FILE = "nights.jsonl"
BOT = ("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com")

_NO_SUCH_BRANCH = 2  # of `git ls-remote --exit-code`


def fetch(folder: Path) -> None:
    """Make `folder` a checkout of the branch, or of one that begins."""
    url = git("remote", "get-url", "origin").strip()
    remote = f"refs/heads/{BRANCH}"
    asked = subprocess.run(  # noqa: S603 - the arguments are this module's own
        [*command(), "ls-remote", "--exit-code", "--quiet", url, remote],
        stdout=subprocess.DEVNULL,
        check=False,
    )
    if asked.returncode == _NO_SUCH_BRANCH:
        git("init", "--quiet", f"--initial-branch={BRANCH}", str(folder))
        git("remote", "add", "origin", url, folder=folder)
        print(f"There is no branch {BRANCH} yet: it begins with this night.")
        return
    asked.check_returncode()
    git("clone", "--quiet", "--depth=1", "--single-branch", f"--branch={BRANCH}", url, str(folder))


def push(folder: Path) -> None:
    """Commit what was added to the file and push it."""
    git("add", FILE, folder=folder)
    if not git("status", "--porcelain", folder=folder):
        print("Nothing new to keep.")
        return
    name, address = BOT
    identity = ("-c", f"user.name={name}", "-c", f"user.email={address}", "-c", "commit.gpgsign=false")
    git(*identity, "commit", "--quiet", "--message=Add a night", folder=folder)
    git("push", "--quiet", "origin", f"HEAD:refs/heads/{BRANCH}", folder=folder)


def command() -> list[str]:
    """Return how git is called."""
    if "GH_TOKEN" not in os.environ:
        return ["git"]
    # The first, empty one forgets the helpers that the machine is set up with.
    helpers = ("credential.helper=", "credential.helper=!gh auth git-credential")
    return ["git", *(part for helper in helpers for part in ("-c", helper))]


def git(*arguments: str, folder: Path = Path()) -> str:
    """Run git in a folder; return what it prints."""
    done = subprocess.run(  # noqa: S603 - the arguments are this module's own
        [*command(), *arguments], cwd=folder, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


def main() -> int:
    """Run one of the two; return the exit code."""
    parser = argparse.ArgumentParser(description="Fetch or push the branch that keeps the nights.")
    parser.add_argument("action", choices=("fetch", "push"))
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    try:
        {"fetch": fetch, "push": push}[options.action](options.folder)
    except subprocess.CalledProcessError as fault:
        print(f"nights: git {fault.cmd[-1]} ended with exit code {fault.returncode}", file=sys.stderr)
        return fault.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
