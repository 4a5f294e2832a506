from collections.abc import Callable
from io import StringIO
from itertools import count

import pytest

from benchgate.worker import serve_lines


def answers(
    load: Callable[[], Callable[[], object]], requests: str, clock_ns: Callable[[], int]
) -> list[str]:
    written = StringIO()
    serve_lines(load, StringIO(requests), written, clock_ns)
    return written.getvalue().splitlines()


def test_answers_the_time_of_exactly_the_calls_asked_for() -> None:
    calls: list[None] = []
    clock = count(0, 5000)
    assert answers(lambda: lambda: calls.append(None), "run 3\nrun 4\n", lambda: next(clock)) == [
        "ready",
        "5000",
        "5000",
    ]
    assert len(calls) == 7


def test_missing_library_is_answered_by_name() -> None:
    def load() -> Callable[[], object]:
        raise ModuleNotFoundError("No module named 'sdk'", name="sdk")

    assert answers(load, "", lambda: 0) == ["missing sdk"]


@pytest.mark.parametrize("request_line", ["run", "run 0", "run -1", "stop", "run 1.5"])
def test_other_requests_are_refused(request_line: str) -> None:
    with pytest.raises(ValueError, match="expected `run N`"):
        answers(lambda: lambda: None, f"{request_line}\n", lambda: 0)
