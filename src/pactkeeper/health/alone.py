"""One sweep at a time: a lock that the system releases when its holder dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pactkeeper.errors import BusyError, WriteFailed

LOCK_FILE: Final = "sweep.lock"


@contextmanager
def alone(state: Path) -> Iterator[None]:
    """Sweep alone while inside; `state` is the repository's state folder. Raises BusyError, and WriteFailed."""
    handle = _open(state)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BusyError(_busy(os.pread(handle, 32, 0))) from error
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(handle)


def _open(state: Path) -> int:
    try:
        state.mkdir(parents=True, exist_ok=True)
        return os.open(state / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise WriteFailed(f"nothing can be kept in {str(state)!r}: {error.strerror}; make room or allow it") from error


def _busy(content: bytes) -> str:
    pid = content.split(b"\n")[0].decode("ascii", "replace")
    who = f"process {pid}" if pid.isdigit() else "another process"
    return f"{who} is sweeping this repository; wait for it to end"
