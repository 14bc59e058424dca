"""One sweep, and one watch, at a time: a lock that the system releases when its holder dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pactkeeper.errors import BusyError, WriteFailed


@dataclass(frozen=True, slots=True)
class Lock:
    """What one process at a time does: the file that is locked, and the words for whoever comes second."""

    file: str
    does: str


SWEEPING: Final = Lock("sweep.lock", "is sweeping this repository; wait for it to end")
WATCHING: Final = Lock("watch.lock", "watches this repository already; end it first, or leave the work to it")


@contextmanager
def alone(state: Path, lock: Lock = SWEEPING) -> Iterator[None]:
    """Do this alone while inside; `state` is the repository's state folder. Raises BusyError, and WriteFailed."""
    handle = _open(state, lock)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BusyError(f"{_holder(handle)} {lock.does}") from error
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(handle)


def holder(state: Path, lock: Lock) -> str:
    """Who does this right now, for people; empty for nobody."""
    if not (state / lock.file).is_file():
        return ""
    handle = _open(state, lock)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _holder(handle)
    else:
        return ""
    finally:
        os.close(handle)


def _open(state: Path, lock: Lock) -> int:
    try:
        state.mkdir(parents=True, exist_ok=True)
        return os.open(state / lock.file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise WriteFailed(f"nothing can be kept in {str(state)!r}: {error.strerror}; make room or allow it") from error


def _holder(handle: int) -> str:
    pid = os.pread(handle, 32, 0).split(b"\n")[0].decode("ascii", "replace")
    return f"process {pid}" if pid.isdigit() else "another process"
