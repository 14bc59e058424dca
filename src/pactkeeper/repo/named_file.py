"""Read a file that a person named, or standard input, up to a limit: a device would fill memory, a pipe would block."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Final

from pactkeeper.errors import InputError

STDIN: Final = "-"


def read_named(path: Path, what: str, *, most: int, advice: str = "name another file") -> bytes:
    """Return the bytes of a file, which messages call `what`.

    Raises InputError if it can't be read, isn't a regular file, or has more than `most` bytes; `advice` says what to do
    about the last.
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
    """Return what is piped in, at most `most` bytes; raise InputError for more, or if there is no standard input."""
    if sys.stdin is None:
        raise InputError(f"there is no standard input to read {what} from; name a file")
    return _bounded(sys.stdin.buffer.read(most + 1), what, most, "pipe in less")


def read_text_named(name: str, what: str, *, most: int) -> str:
    """Read UTF-8 text from a file, or standard input for `-`, and normalize line endings; raises like the others."""
    data = read_stdin(what, most=most) if name == STDIN else read_named(Path(name), what, most=most)
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{what} cannot be read: byte {error.start:,} is not UTF-8; save it as UTF-8") from error


def _up_to(handle: int, most: int) -> bytes:
    """Return a file's bytes; if it has more than `most`, at least one byte more than that."""
    parts, size = [], 0
    while size <= most and (part := os.read(handle, 1 << 20)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _bounded(data: bytes, what: str, most: int, advice: str) -> bytes:
    if len(data) > most:
        raise InputError(f"{what} has more than {most:,} bytes; {advice}")
    return data
