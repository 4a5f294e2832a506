"""The FIX stream's work and memory, counted: linear and bounded for the worst bytes in pieces of any size."""

import re
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from tapemark.fix import frame, resync, stream, syntax
from tapemark.fix.stream import Event, FrameStream
from tests.tapemark.fix.stream_cases import BOUND, HOSTILE, STREAM_BYTES, pieces_of, run


class Counted(FrameStream):
    """A stream that counts the bytes it joins, copies, searches and sums up."""

    bytes_seen = 0

    def _events(self, source: bytes | bytearray) -> list[Event]:
        if type(source) is bytes:
            self.bytes_seen += len(source)
        return super()._events(source)


def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    framing = Counted(BOUND)

    class Held(bytearray):
        def __getitem__(self, key: Any) -> Any:
            part = super().__getitem__(key)
            framing.bytes_seen += len(part) if isinstance(part, bytearray) else 1
            return part

    search = resync._next_mark

    def searched(source: bytes, at: int) -> re.Match[bytes] | None:
        mark = search(source, at)
        framing.bytes_seen += (mark.end() if mark else len(source)) - at
        return mark

    def summed(of: Callable[[bytes], int]) -> Callable[[bytes], int]:
        def count(data: bytes) -> int:
            framing.bytes_seen += len(data)
            return of(data)

        return count

    framing._held = Held()
    monkeypatch.setattr(resync, "_next_mark", searched)
    monkeypatch.setattr(resync, "checksum", summed(syntax.checksum))
    monkeypatch.setattr(stream, "adler32", summed(zlib.adler32))
    monkeypatch.setattr(stream, "adler", summed(frame.adler))
    monkeypatch.setattr(stream, "check", summed(frame.check))
    return framing


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("size", [1, 12, 300, 5000, STREAM_BYTES])
def test_work_is_linear_and_memory_bounded(monkeypatch: pytest.MonkeyPatch, name: str, size: int) -> None:
    framing = counted(monkeypatch)
    for piece in pieces_of(HOSTILE[name], size):
        framing.feed(piece)
        assert framing.pending_bytes < BOUND
    framing.close()
    assert framing.bytes_seen <= 10 * STREAM_BYTES


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_streams_give_the_same_in_every_size(name: str) -> None:
    whole = run([HOSTILE[name]], BOUND)
    for size in (1, 13, 1448):
        assert run(pieces_of(HOSTILE[name], size), BOUND) == whole
