"""Reading what a person named, a file or standard input, up to a limit: a device would fill the memory, a pipe wait."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Final

from pactkeeper.errors import InputError

STDIN: Final = "-"


def read_named(path: Path, what: str, *, most: int, advice: str = "name another file") -> bytes:
    """The bytes of a file, which messages call `what`.

    Raises InputError for one that cannot be read, is no regular file, or has more than `most` bytes; `advice` tells
    what to do about the last.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise InputError(f"{what} cannot be read: it is a folder, a pipe or a device; name a regular file")
            return _bounded(_up_to(handle, most), what, most, advice)
        finally:
            os.close(handle)
    except OSError as failure:
        raise InputError(f"{what} cannot be read: {failure.strerror}") from failure


def read_stdin(what: str, *, most: int) -> bytes:
    """The bytes that are piped in, at most `most`; raises InputError for more, and where there is no input."""
    if sys.stdin is None:
        raise InputError(f"there is no standard input to read {what} from; name a file")
    return _bounded(sys.stdin.buffer.read(most + 1), what, most, "pipe in less")


def read_text_named(name: str, what: str, *, most: int) -> str:
    """A text in UTF-8, with plain line ends, from a file or for `-` from standard input; raises as the others do."""
    data = read_stdin(what, most=most) if name == STDIN else read_named(Path(name), what, most=most)
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{what} cannot be read: byte {error.start:,} is not UTF-8; save it as UTF-8") from error


def _up_to(handle: int, most: int) -> bytes:
    """The bytes of a file and, where it has more than `most`, at least one too many."""
    parts, size = [], 0
    while size <= most and (part := os.read(handle, 1 << 20)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _bounded(data: bytes, what: str, most: int, advice: str) -> bytes:
    if len(data) > most:
        raise InputError(f"{what} has more than {most:,} bytes; {advice}")
    return data
