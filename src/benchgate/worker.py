"""The other end of a contender that needs an interpreter of its own.

A script in that interpreter calls `serve` with a function that imports the library and returns the call to
measure. Only the standard library is imported here. The protocol is one line each way::

    -> ready                    or `missing NAME` when the library is not installed there
    <- run 1000                 call it a thousand times in the measured loop
    -> 52340112                 the nanoseconds that took

End of input ends the worker. What the library prints goes to standard error, not between the answers.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from typing import TextIO

from benchgate.measure import collector_off, steady_loop

READY = "ready"
MISSING = "missing"


def serve(load: Callable[[], Callable[[], object]]) -> None:
    """Answer on the process's standard input and output until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other end decides when to stop
    answers = os.fdopen(os.dup(1), "w", encoding="ascii", buffering=1)
    os.dup2(2, 1)
    serve_lines(load, sys.stdin, answers, time.perf_counter_ns)


def serve_lines(
    load: Callable[[], Callable[[], object]],
    requests: TextIO,
    answers: TextIO,
    clock_ns: Callable[[], int],
) -> None:
    """Answer each line of `requests` by a line of `answers`.

    Raises:
        ValueError: A request is not `run N` with a positive N.
    """
    try:
        loop = steady_loop(load(), (), 1)
    except ImportError as fault:
        answers.write(f"{MISSING} {fault.name or fault}\n")
        return
    answers.write(f"{READY}\n")
    with collector_off():
        for request in requests:
            word, _, number = request.strip().partition(" ")
            if word != "run" or not number.isdecimal() or int(number) < 1:
                raise ValueError(f"expected `run N`, got {request!r}")
            before = clock_ns()
            loop(int(number))
            answers.write(f"{clock_ns() - before}\n")
