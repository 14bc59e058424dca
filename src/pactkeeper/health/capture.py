"""What a process prints, bounded: the beginning and the end are kept, and how many bytes lie between."""

from __future__ import annotations

from typing import Final

from pactkeeper.intent.health import Output

HEAD_LIMIT: Final = 64 << 10  # bytes; a compiler's first error is often the cause of the rest
TAIL_LIMIT: Final = 256 << 10  # bytes; test runners sum up at the end


class Capture:
    """A stream of bytes of any length, in memory of at most the head and twice the tail."""

    def __init__(self, head: int = HEAD_LIMIT, tail: int = TAIL_LIMIT) -> None:
        self._limits = (head, tail)
        self._head = bytearray()
        self._tail = bytearray()
        self._length = 0

    def add(self, data: bytes) -> None:
        """Take the next bytes."""
        head, tail = self._limits
        self._length += len(data)
        room = head - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * tail:  # rarely, so that each byte is moved once
            del self._tail[:-tail]

    def output(self) -> Output:
        """What is kept, as text; bytes that are no UTF-8 become replacement characters."""
        tail = self._tail[-self._limits[1] :]
        omitted = self._length - len(self._head) - len(tail)
        if not omitted:
            return Output(_text(self._head + tail))
        return Output(_text(self._head), _text(tail), omitted)


def _text(data: bytearray) -> str:
    return data.decode("utf-8", "replace").replace("\r\n", "\n")
