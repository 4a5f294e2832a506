"""The one exception tree of the instrument, and the exit code that each branch stands for.

::

    BenchgateError
    ├── CouldNotRun        exit 2: there is no measurement to speak of
    │   ├── BadBench       a bench breaks the contract: its path, its id, its measured call
    │   ├── NoMatch        a selection names no bench
    │   ├── Unreadable     a file is missing, truncated or of another schema
    │   └── Incomplete     benches failed, or fewer ran than `benches/ids.txt` lists
    ├── Failed             exit 1: something was measured or checked, and it is not as it should be
    │   └── Drift          a generated file differs from what it is generated from
    └── CouldNotTell       exit 3: both sides exist and yet they cannot be compared
        └── OtherEnvironment

Exit code 0 says that nothing was found slower or out of date. Every message is one line, so that a terminal,
a log and a comment can show it as it is; errors that list faults carry them in `faults`, one line each.
"""

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_COULD_NOT_RUN = 2
EXIT_COULD_NOT_TELL = 3


class BenchgateError(Exception):
    """The root of everything that the instrument raises on purpose.

    Attributes:
        exit_code: What the process exits with when nothing handles the error.
        faults: One line for each single fault, empty when the message says it all.
    """

    exit_code = EXIT_COULD_NOT_RUN

    def __init__(self, message: str, faults: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.faults = faults


class CouldNotRun(BenchgateError):  # noqa: N818 - named for what happened, as its branches are
    """There is no measurement to speak of."""


class BadBench(CouldNotRun):
    """A bench breaks the contract: its path, its id or its measured call."""


class NoMatch(CouldNotRun):
    """A selection names no bench."""


class Unreadable(CouldNotRun):
    """A file is missing, truncated, of another schema or of another kind."""


class Incomplete(CouldNotRun):
    """Benches failed, or fewer ran than are listed."""


class Failed(BenchgateError):  # noqa: N818 - the same
    """Something was measured or checked, and it is not as it should be."""

    exit_code = EXIT_FAILED


class Drift(Failed):
    """A generated file differs from what it is generated from."""


class CouldNotTell(BenchgateError):  # noqa: N818 - the same
    """Both sides exist and yet they cannot be compared."""

    exit_code = EXIT_COULD_NOT_TELL


class OtherEnvironment(CouldNotTell):
    """Two runs come from environments whose figures must not be compared."""
