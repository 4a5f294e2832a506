"""A copy of the repository that a test may change: the files that git tracks or would, in a new repository.

The copy has one commit and no remote, and takes nothing from the user's git configuration. What is changed in
it afterwards is what its working tree has beside that commit.
"""

import os
import shutil
import subprocess
from pathlib import Path

_AUTHOR = ("-c", "user.name=selftest", "-c", "user.email=selftest@localhost", "-c", "commit.gpgsign=false")


def copy_tree(root: Path, folder: Path) -> Path:
    """Copy the repository at `root` with its uncommitted changes, and commit the copy; return `folder`.

    Raises:
        FileExistsError: `folder` is there already.
        subprocess.CalledProcessError: git cannot list or commit the files.
    """
    folder.mkdir(parents=True)
    listed = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in sorted(set(listed.split("\0")) - {""}):
        source, target = root / name, folder / name
        if source.is_file() or source.is_symlink():  # not so when it was deleted
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
    _git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, "Copy the working tree")
    return folder


def commit(folder: Path, message: str) -> str:
    """Commit everything in the copy and return the commit's hash, for a base other than the clean one."""
    _git(folder, "add", "--all")
    _git(folder, *_AUTHOR, "commit", "--quiet", "--allow-empty", f"--message={message}")
    return _git(folder, "rev-parse", "HEAD").strip()


def restore(folder: Path, revision: str = "HEAD") -> None:
    """Put the copy's files back as they were at a revision, and remove what has come since."""
    _git(folder, "read-tree", "--reset", "-u", revision)
    _git(folder, "clean", "--quiet", "-d", "--force")


def _git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, without the user's configuration and without a repository named by a variable."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    fixed = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    done = subprocess.run(  # noqa: S603 - the arguments are this module's and a folder of the test's
        ["git", *arguments],  # noqa: S607 - the user's git is the one to ask
        cwd=folder,
        env=variables | fixed,
        capture_output=True,
        check=True,
        text=True,
    )
    return done.stdout
